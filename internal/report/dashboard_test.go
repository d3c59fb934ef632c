package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
)

// dashboard is what of a dashboard of Grafana goes by metrics.
type dashboard struct {
	Title      string `json:"title"`
	UID        string `json:"uid"`
	Templating struct {
		List []struct {
			Name, Type, Query string
		} `json:"list"`
	} `json:"templating"`
	Panels []struct {
		ID          int    `json:"id"`
		Title       string `json:"title"`
		Description string `json:"description"`
		GridPos     struct{ X, Y, W, H int }
		Targets     []struct {
			Expr         string `json:"expr"`
			LegendFormat string `json:"legendFormat"`
		} `json:"targets"`
	} `json:"panels"`
}

func readDashboard(t *testing.T) (d dashboard, text string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "examples", "monitoring", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &d); err != nil {
		t.Fatal(err)
	}
	return d, string(content)
}

var (
	legendLabel = regexp.MustCompile(`\{\{\s*([a-z_]+)\s*\}\}`)
	labelValues = regexp.MustCompile(`^label_values\(((?:hap|keb)_[a-z_]+)(?:\{[^}]*\})?, ([a-z_]+)\)$`)
	variable    = regexp.MustCompile(`\$\{?([a-z_]+)\b`)
)

// Each metric, label and value that the dashboard goes by is one that the metrics have, and each metric is on it. A panel on a name with a
// typing error would be empty for ever.
func TestDashboardGoesByMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	counts, accounts := world()
	samples := parsed(t, Prometheus(survey(counts, overview.Filter{}, accounts...)))
	d, text := readDashboard(t)
	if d.Title == "" || d.UID == "" || len(d.Panels) == 0 {
		t.Fatalf("dashboard %+v", d)
	}
	shown := map[string]bool{}
	for _, p := range d.Panels {
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %+v", p)
		}
		for _, target := range p.Targets {
			for _, ref := range metricRef.FindAllStringSubmatch(target.Expr, -1) {
				shown[ref[1]] = true
			}
			labels := wantExpression(t, p.Title, target.Expr, samples)
			for _, m := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
				if !labels[m[1]] {
					t.Errorf("%s: no metric of it has the label %s", p.Title, m[1])
				}
			}
		}
	}
	for name := range samples {
		if !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
	variables := map[string]bool{}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
		if v.Type == "datasource" {
			continue
		}
		of := labelValues.FindStringSubmatch(v.Query)
		if of == nil {
			t.Errorf("variable %s has the query %q", v.Name, v.Query)
			continue
		}
		wantExpression(t, "variable "+v.Name, strings.TrimPrefix(v.Query, "label_values"), samples)
		wantSeries(t, "variable "+v.Name, samples[of[1]], of[2], "$any", false)
	}
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if name := m[1]; !variables[name] && !strings.HasPrefix(name, "__") {
			t.Errorf("there is no variable %s", name)
		}
	}
}

// No panel lies on another, and each has its own number.
func TestDashboardPanelsLieSideBySide(t *testing.T) {
	t.Parallel()
	d, _ := readDashboard(t)
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s: number %d, place %+v", p.Title, p.ID, p.GridPos)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" && other != p.Title {
					t.Fatalf("%s lies on %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// The link of the table of problems leads to entries that are there.
func TestDashboardLinksToTheKindOfAProblem(t *testing.T) {
	t.Parallel()
	_, text := readDashboard(t)
	if want := `docs/guides/troubleshooting.md#${__data.fields.kind}"`; !strings.Contains(text, want) {
		t.Errorf("no link to %s", want)
	}
}
