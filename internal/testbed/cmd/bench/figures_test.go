package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// published are the figures of the repository, and the results that they are made of.
func published(t *testing.T) (root string, r report) {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, figuresFile))
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return root, r
}

// The pages, the chart and the README say what the results in the repository say.
func TestFiguresArePublished(t *testing.T) {
	t.Parallel()
	root, _ := published(t)
	copied := t.TempDir()
	for _, file := range []string{pageFile, pageSource, chartFile} {
		if err := os.MkdirAll(filepath.Join(copied, filepath.Dir(file)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, readmeFile))
	if err == nil {
		// A number that is not measured: the table is written anew, and not taken over.
		err = os.WriteFile(filepath.Join(copied, readmeFile), bytes.Replace(readme, []byte("| 100 claims: apply | "), []byte("| 100 claims: apply | 0"), 1), 0o600)
	}
	if err == nil {
		err = publish(copied, filepath.Join(root, figuresFile))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pageFile, pageSource, chartFile, readmeFile, figuresFile} {
		want, err := os.ReadFile(filepath.Join(copied, file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(root, file)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the figures say (%v): make figures", file, err)
		}
	}
}

// The page shows each row once. Each command of tofu, and each count, is beside its floor.
func TestEachRowHasItsFloor(t *testing.T) {
	t.Parallel()
	_, r := published(t)
	lines := strings.Count(r.page(), "\n| ") - strings.Count(r.page(), "\n| What |")
	if lines != len(r.Rows) {
		t.Errorf("the page has %d rows, and there are figures of %d", lines, len(r.Rows))
	}
	floors := map[string]string{}
	for _, row := range r.Rows {
		if strings.Contains(row.What, "(the floor)") {
			if part, again := floors[row.What]; again {
				t.Errorf("%s is measured in %s and in %s", row.What, part, row.Part)
			}
			floors[row.What] = row.Part
		}
	}
	for _, row := range r.Rows {
		_, isFloor := floors[row.What]
		part, hasFloor := floors[row.Floor]
		without := isFloor || row.What == "The program itself" || strings.Contains(row.What, "more selections")
		if hasFloor == without || hasFloor && part != row.Part {
			t.Errorf("%s: the floor is %q, of %q", row.What, row.Floor, part)
		}
	}
}

// What is measured of hashicorp/kubernetes is beside the claims, on the page and in the chart, with its own words.
func TestRivalInTheFigures(t *testing.T) {
	t.Parallel()
	at := func(what, floor string, wall time.Duration) row {
		return row{Part: "claims", What: what + ": apply", Floor: floor, Objects: 100, measurement: measurement{Wall: wall, Requests: 7}}
	}
	const floor = "100 `terraform_data` (the floor): apply"
	r := report{Rounds: 1, Rows: []row{
		{Part: "claims", What: floor, Objects: 100, measurement: measurement{Wall: time.Second}},
		at("100 claims, 20 Shoots, 120 accounts", floor, 2*time.Second), at("100 "+rivalLabels, floor, 15*time.Second),
	}}
	for _, want := range []string{"| 100 " + rivalLabels + ": apply | 15.00 s | 15 × | 7 |\n", "120 accounts: apply | 2.00 s | 2.00 × | 7 |\n", aboutRival} {
		if !strings.Contains(r.page(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if chart := r.chart(); strings.Count(chart, rivalColour) != 4 || !strings.Contains(chart, ">15.00 s<") || strings.Count(chart, "text-anchor") != 1 {
		t.Errorf("the chart is %s", chart)
	}
	r.Rows = r.Rows[:2]
	if strings.Contains(r.page(), aboutRival) || strings.Contains(r.chart(), rivalColour) {
		t.Error("hashicorp/kubernetes is in the figures, and was not measured")
	}
	if _, err := r.inReadme(readmeHead + "\n\n"); err == nil {
		t.Error("the README takes a run that measured less than it shows")
	}
}

// The chart is XML.
func TestTheChart(t *testing.T) {
	t.Parallel()
	_, r := published(t)
	for decoder := xml.NewDecoder(strings.NewReader(r.chart())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
