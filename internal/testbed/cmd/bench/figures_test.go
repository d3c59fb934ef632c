package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// The page and the chart are those of the figures in the repository, and show each row once.
func TestFiguresArePublished(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for _, folder := range []string{"assets", filepath.Dir(pageFile)} {
		if err := os.MkdirAll(filepath.Join(copied, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(filepath.Join(root, figuresFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(copied, figuresFile), content, 0o600)
	}
	if err == nil {
		err = publish(copied)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pageFile, chartFile} {
		want, err := os.ReadFile(filepath.Join(copied, file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(root, file)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the figures say (%v): make figures", file, err)
		}
	}
	page, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		t.Fatal(err)
	}
	if rows, figures := strings.Count(string(page), "\n| ")-strings.Count(string(page), "\n| What |"), strings.Count(string(content), `"What"`); rows != figures {
		t.Errorf("the page has %d rows, and there are figures of %d", rows, figures)
	}
	chart, err := os.Open(filepath.Join(root, chartFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = chart.Close() }()
	for decoder := xml.NewDecoder(chart); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// The figures of the README are those of the page.
func TestReadmeShowsTheFigures(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, figuresFile))
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(content, &r); err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for _, row := range r.Rows {
		rows[row.What] = row
	}
	for shown, names := range map[string][2]string{
		"100 claims: apply": {"100 claims, 20 Shoots, 120 accounts: apply", "100 `terraform_data` (the floor): apply"},
		"100 claims: plan without changes, %d requests": {
			"100 claims, 20 Shoots, 120 accounts: plan without changes", "100 `terraform_data` (the floor): plan without changes",
		},
		"100 clusters: apply":   {"100 clusters: apply", "100 clusters by a plain client (the floor): apply"},
		"20,000 Shoots counted": {"20,000 Shoots: our count", "20,000 Shoots: the bytes read and dropped (the floor)"},
		"1,000,000 rows of the broker's database counted": {
			"1,000,000 rows of the broker's table: our count", "1,000,000 rows of the broker's table: `count(*)` in `psql` (the floor)",
		},
	} {
		ours, floor := rows[names[0]], rows[names[1]]
		if strings.Contains(shown, "%d") {
			shown = fmt.Sprintf(shown, ours.Requests)
		}
		if line := fmt.Sprintf("| %s | %.2f | %.2f |\n", shown, ours.Wall.Seconds(), floor.Wall.Seconds()); !strings.Contains(string(readme), line) {
			t.Errorf("the README does not say %q", line)
		}
	}
}
