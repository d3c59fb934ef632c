package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The figures that the repository shows: what was measured, the page of the documentation and the chart that are made of it.
const (
	figuresFile = "assets/performance.json"
	pageFile    = "docs/guides/performance.md"
	pageSource  = "templates/guides/performance.md.tmpl" // of which make generate makes the page; there is nothing to fill in
	readmeFile  = "README.md"
	chartFile   = "assets/performance.svg"
	chartURL    = "https://raw.githubusercontent.com/hap-project/terraform-provider-hap/main/" + chartFile
)

// publish makes the figures of a source tree of the results of a run.
func publish(root, results string) error {
	content, err := os.ReadFile(results) //nolint:gosec // the user names the file
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(content, &r); err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	readme, err := os.ReadFile(filepath.Join(root, readmeFile))
	if err != nil {
		return err
	}
	shown, err := r.inReadme(string(readme))
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	page := r.page()
	for file, text := range map[string]string{pageFile: page, pageSource: page, chartFile: r.chart(), readmeFile: shown} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil { //nolint:gosec // files of the source tree
			return err
		}
	}
	return r.write(filepath.Join(root, figuresFile))
}

// readmeHead begins the table of the README, which ends with an empty line.
const readmeHead = "| | seconds | beside the floor |\n|---|--:|--:|\n"

// inReadme are the rows that the README shows: how it calls them, and what they say.
var inReadme = []struct{ shown, what string }{
	{"500 claims: apply", "500 claims, 20 Shoots, 520 accounts: apply"},
	{"500 claims: plan without changes, %d requests", "500 claims, 20 Shoots, 520 accounts: plan without changes"},
	{"100 clusters: apply", "100 clusters: apply"},
	{"20,000 Shoots counted", "20,000 Shoots: our count"},
	{"1,000,000 rows of the broker's database counted", "1,000,000 rows of the broker's table: our count"},
}

// inReadme writes the table of the README anew.
func (r report) inReadme(readme string) (string, error) {
	before, rest, found := strings.Cut(readme, readmeHead)
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		return "", fmt.Errorf("%s has no table that begins with %q", readmeFile, readmeHead)
	}
	rows := map[string]row{}
	for _, row := range r.Rows {
		rows[row.What] = row
	}
	var b strings.Builder
	for _, line := range inReadme {
		ours, measured := rows[line.what]
		floor, has := rows[ours.Floor]
		if !measured || !has {
			return "", fmt.Errorf("%q was not measured with its floor, and %s shows it", line.what, readmeFile)
		}
		shown := strings.Replace(line.shown, "%d", thousands(ours.Requests), 1)
		fmt.Fprintf(&b, "| %s | %.2f | %.2f |\n", shown, ours.Wall.Seconds(), floor.Wall.Seconds())
	}
	return before + readmeHead + b.String() + "\n" + after, nil
}
