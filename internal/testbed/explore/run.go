package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Visited counts what was visited: schedules, those of them that were played, because no other one had come to the same state before, the
// ends that they came to, and the decisions of the longest one that was played.
type Visited struct{ Schedules, Played, Ends, Depth int }

func (v Visited) and(w Visited) Visited {
	return Visited{v.Schedules + w.Schedules, v.Played + w.Played, max(v.Ends, w.Ends), max(v.Depth, w.Depth)}
}

// alone is the variable of the environment by which a process knows that it visits one scenario.
const alone = "EXPLORE_ALONE"

// Run visits a sample of the schedules of each scenario, with HAP_WHOLE=1 a larger one, or with the flag -explore all of them, and others
// at random beyond. The page is the file that lists the scenarios of the protocol: a scenario that it does not list fails the test, and
// -explore writes the list.
func Run(t *testing.T, protocol, page string, scenarios []Scenario) {
	t.Helper()
	child := os.Getenv(alone) != ""
	r := &report{protocol: protocol, page: page, began: time.Now()}
	switch {
	case *whole && !child && *repeat == "":
		r.visitAll(t, scenarios)
		return
	case !*whole:
		r.check(t, scenarios)
	}
	oneAtATime(t)
	for i := range scenarios {
		sc := &scenarios[i]
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			v := sc.run(t)
			if line := v.line(time.Since(began), sc.Name); child && !t.Failed() {
				fmt.Println(line)
			} else {
				t.Log(line)
			}
		})
	}
}

// visitAll visits each scenario that -run chooses, the longest ones first, so that none is left alone at the end.
func (r *report) visitAll(t *testing.T, scenarios []Scenario) {
	t.Helper()
	eachAlone(t, scenarios, r.listed(t), r.add)
	r.end(t, scenarios)
}

// eachAlone runs the test of each scenario that -run chooses in a process of its own, as many at once as there are processors: first those
// of which most was played. It tells the line of the report of each.
func eachAlone(t *testing.T, scenarios []Scenario, played map[string]int, tell func(scenario, line string)) {
	t.Helper()
	names := map[string]string{} // of the tests, by scenario
	for i := range scenarios {
		t.Run(scenarios[i].Name, func(t *testing.T) { names[scenarios[i].Name] = t.Name() })
	}
	order := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(played[b], played[a]), cmp.Compare(a, b))
	})
	var running sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, scenario := range order {
		processors <- struct{}{}
		running.Go(func() {
			defer func() { <-processors }()
			line, err := runAlone(t.Context(), names[scenario])
			if err != nil {
				t.Error(err)
				return
			}
			tell(scenario, line)
		})
	}
	running.Wait()
}

// oneAtATime gives the test one processor until its end. Two operations of a process that one answer wakes go on side by side, and where
// there are two processors it is chance which of them comes first to what they share in memory. No other test may run beside it.
func oneAtATime(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

const heading = "schedules   played   ends  depth  violations  seconds  scenario"

func (v Visited) line(took time.Duration, name string) string {
	return fmt.Sprintf("%9d %8d %6d  %5d  %10d  %7.1f  %s", v.Schedules, v.Played, v.Ends, v.Depth, 0, took.Seconds(), name)
}

// runAlone visits the scenario of a test in a process of its own, which has one processor: the parties go on one at a time, and threads
// that hand over to each other cost a third of the time. It returns the line of its report.
func runAlone(ctx context.Context, test string) (line string, err error) {
	args := []string{"-test.run=^" + strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^") + "$", "-test.timeout=0", "-explore"}
	cmd := exec.CommandContext(ctx, os.Args[0], args...) //nolint:gosec // this program
	cmd.Env = append(os.Environ(), alone+"=1", "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", test, err, out)
	}
	line, _, _ = strings.Cut(string(out), "\n")
	return line, nil
}

// report collects the lines of all scenarios.
type report struct {
	protocol, page string
	began          time.Time
	mu             sync.Mutex
	lines          map[string]string // by scenario
}

func (r *report) add(scenario, line string) {
	fmt.Println(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines == nil {
		r.lines = map[string]string{}
	}
	r.lines[scenario] = line
}

// end prints the sum, and writes the list into the page where all scenarios were visited.
func (r *report) end(t *testing.T, scenarios []Scenario) {
	t.Helper()
	sum, playedOf, text := 0, 0, heading+"\n"
	for i := range scenarios {
		line, visited := r.lines[scenarios[i].Name]
		if !visited {
			continue
		}
		var schedules, played int
		if _, err := fmt.Sscan(line, &schedules, &played); err != nil {
			t.Errorf("the report of %q is %q: %v", scenarios[i].Name, line, err)
		}
		sum, playedOf = sum+schedules, playedOf+played
		text += line + "\n"
	}
	total := fmt.Sprintf("%9d %8d of %d scenarios in %.0f s", sum, playedOf, len(r.lines), time.Since(r.began).Seconds())
	fmt.Println(total)
	if t.Failed() || len(r.lines) < len(scenarios) {
		return
	}
	before, _, after := r.read(t)
	if err := os.WriteFile(r.page, []byte(before+text+total+"\n"+after), 0o600); err != nil {
		t.Error(err)
	}
}

// check compares the scenarios with those that the page lists.
func (r *report) check(t *testing.T, scenarios []Scenario) {
	t.Helper()
	listed := r.listed(t)
	for i := range scenarios {
		name := scenarios[i].Name
		if _, is := listed[name]; !is {
			t.Errorf("%s does not list the scenario %q: run make explore", r.page, name)
		}
	}
	if len(listed) > len(scenarios) {
		t.Errorf("%s lists %d scenarios of the protocol %s, and there are %d: run make explore", r.page, len(listed), r.protocol, len(scenarios))
	}
}

// listed are the scenarios that the page lists, with how many schedules of each were played.
func (r *report) listed(t *testing.T) map[string]int {
	t.Helper()
	_, list, _ := r.read(t)
	listed := map[string]int{}
	for line := range strings.Lines(list) {
		if words := strings.Fields(line); len(words) > 6 && words[0] != "schedules" && words[2] != "of" {
			played, err := strconv.Atoi(words[1])
			if err != nil {
				t.Errorf("%s: %q: %v", r.page, line, err)
			}
			listed[strings.Join(words[6:], " ")] = played
		}
	}
	return listed
}

// read returns the list of scenarios on the page, and what is around it.
func (r *report) read(t *testing.T) (before, list, after string) {
	t.Helper()
	content, err := os.ReadFile(r.page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- scenarios of "+r.protocol+" -->\n```text\n", "```\n<!-- end of "+r.protocol+" -->"
	before, rest, found := strings.Cut(string(content), begin)
	list, after, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatalf("%s has no place for the scenarios: %q and %q", r.page, begin, end)
	}
	return before + begin, list, end + after
}
