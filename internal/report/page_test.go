package report

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
)

var metricRow = regexp.MustCompile("(?m)^\\| `((?:hap|keb)_[a-z_]+)` \\| ([^|]*) \\|")

// The page lists each metric with the labels that it has.
func TestPageListsTheMetricsWithTheirLabels(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "a-day-in-a-pool.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	counts, accounts := world()
	samples := parsed(t, Prometheus(survey(counts, overview.Filter{}, accounts...)))
	listed := map[string]bool{}
	for _, row := range metricRow.FindAllStringSubmatch(string(page), -1) {
		listed[row[1]] = true
		labels := strings.Split(strings.ReplaceAll(row[2], "`", ""), ", ")
		slices.Sort(labels)
		if len(samples[row[1]]) == 0 {
			t.Errorf("there is no metric %s", row[1])
			continue
		}
		if has := slices.Sorted(maps.Keys(samples[row[1]][0].labels)); !slices.Equal(labels, has) {
			t.Errorf("%s has the labels %q, and the page says %q", row[1], has, labels)
		}
	}
	for name := range samples {
		if !listed[name] {
			t.Errorf("the page lacks the metric %s", name)
		}
	}
}
