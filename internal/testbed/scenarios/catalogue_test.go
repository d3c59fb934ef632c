package scenarios

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history/grants"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// firstScenarios is up to which number each scenario is there: later ones may be left out.
const firstScenarios = 36

// clustersHeading begins the scenarios of clusters, and platformHeading those of clusters that are requested. They have no numbers.
const (
	clustersHeading = "\n## Clusters\n"
	platformHeading = "\n## Clusters through openMCP\n"
)

// catalogued is one scenario as CATALOGUE.md has it.
type catalogued struct {
	number    int
	files     []string // of this package that show it
	elsewhere bool     // tests of other packages show it
}

var (
	scenarioHeading = regexp.MustCompile(`(?m)^### F(\d+) \S`)
	invariantRow    = regexp.MustCompile(`(?m)^\| (I\d+) \| \S`)
	grantRow        = regexp.MustCompile(`(?m)^\| (G\d+) \| \S`)
	namedFile       = regexp.MustCompile("`([a-z0-9_]+_test\\.go)`")
	namedTest       = regexp.MustCompile("`(internal/[a-z/]+) (Test\\w+)`")
	testFunction    = regexp.MustCompile(`(?m)^func (Test\w*)\(t \*testing\.T\)`)
	clusterTest     = regexp.MustCompile(`^TestCluster[A-Z]`)
	platformTest    = regexp.MustCompile(`^TestPlatform[A-Z]`)
	scenarioTest    = regexp.MustCompile(`^TestF(\d\d)[A-Z]`)
)

// readCatalogue reads the page.
func readCatalogue(t *testing.T) (scenarios []catalogued, invariants []history.Invariant, ofGrants []grants.Invariant) {
	t.Helper()
	page, err := os.ReadFile("CATALOGUE.md")
	if err != nil {
		t.Fatal(err)
	}
	text, rest, _ := strings.Cut(string(page), "\n## Invariants\n")
	text, _, _ = strings.Cut(text, clustersHeading)
	headings := scenarioHeading.FindAllStringSubmatchIndex(text, -1)
	for i, at := range headings {
		end := len(text)
		if i+1 < len(headings) {
			end = headings[i+1][0]
		}
		section := text[at[0]:end]
		wantParts(t, section)
		one := catalogued{}
		one.number, _ = strconv.Atoi(text[at[2]:at[3]])
		for _, file := range namedFile.FindAllStringSubmatch(section, -1) {
			one.files = append(one.files, file[1])
		}
		one.elsewhere = namedTest.MatchString(section)
		scenarios = append(scenarios, one)
	}
	for _, row := range invariantRow.FindAllStringSubmatch(rest, -1) {
		invariants = append(invariants, history.Invariant(row[1]))
	}
	for _, row := range grantRow.FindAllStringSubmatch(rest, -1) {
		ofGrants = append(ofGrants, grants.Invariant(row[1]))
	}
	return scenarios, invariants, ofGrants
}

// wantParts checks that a section says what each has to say.
func wantParts(t *testing.T, section string) {
	t.Helper()
	for _, part := range []string{"\nWhat happens: ", "\nWhat must come out: ", "\nShown by: "} {
		if strings.Count(section, part) != 1 {
			t.Errorf("%q is not there once in:\n%s", strings.TrimSpace(part), section)
		}
	}
}

// testsIn lists the test functions of a folder, by file.
func testsIn(t *testing.T, folder string) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range testFunction.FindAllStringSubmatch(string(source), -1) {
			tests[filepath.Base(path)] = append(tests[filepath.Base(path)], function[1])
		}
	}
	return tests
}

// The catalogue has F1 to F36 and later ones, each with the files that hold tests of its number, and no scenario is missing there.
func TestCatalogueNamesEachScenario(t *testing.T) {
	t.Parallel()
	scenarios, _, _ := readCatalogue(t)
	tests := testsIn(t, ".")
	shown := map[string][]int{} // the numbers of the catalogue, by file
	for i, s := range scenarios {
		if i < firstScenarios && s.number != i+1 {
			t.Fatalf("F%d is where F%d should be", s.number, i+1)
		}
		if i > 0 && s.number <= scenarios[i-1].number {
			t.Fatalf("F%d is after F%d", s.number, scenarios[i-1].number)
		}
		if len(s.files) == 0 && !s.elsewhere {
			t.Errorf("F%d: no test shows it", s.number)
		}
		for _, file := range s.files {
			shown[file] = append(shown[file], s.number)
			own := func(test string) bool { return strings.HasPrefix(test, fmt.Sprintf("TestF%02d", s.number)) }
			if !slices.ContainsFunc(tests[file], own) {
				t.Errorf("F%d: %s has no test TestF%02d...", s.number, file, s.number)
			}
		}
	}
	if len(scenarios) < firstScenarios {
		t.Errorf("%d scenarios, want at least %d", len(scenarios), firstScenarios)
	}
	for file, functions := range tests {
		for _, function := range functions {
			number := scenarioTest.FindStringSubmatch(function)
			if number == nil {
				continue
			}
			if n, _ := strconv.Atoi(number[1]); !slices.Contains(shown[file], n) {
				t.Errorf("the catalogue does not name %s at F%d, for %s", file, n, function)
			}
		}
	}
}

// The scenarios of clusters have names in place of numbers: each names its files, which hold tests of clusters, and no file is missing.
func TestCatalogueNamesEachClusterScenario(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("CATALOGUE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), clustersHeading)
	text, _, _ = strings.Cut(text, "\n## Invariants\n")
	clusters, platform, _ := strings.Cut(text, platformHeading)
	wantNamed(t, clusters, "cluster_", clusterTest)
	wantNamed(t, platform, "platform_", platformTest)
}

// wantNamed checks that each scenario of a part names files which hold such tests, and that the part names each such file.
func wantNamed(t *testing.T, text, prefix string, test *regexp.Regexp) {
	t.Helper()
	tests, shown := testsIn(t, "."), map[string]bool{}
	for _, section := range strings.Split(text, "\n### ")[1:] {
		wantParts(t, section)
		files := namedFile.FindAllStringSubmatch(section, -1)
		if len(files) == 0 && !namedTest.MatchString(section) {
			t.Errorf("no test shows it:\n%s", section)
		}
		for _, file := range files {
			shown[file[1]] = true
			if !slices.ContainsFunc(tests[file[1]], test.MatchString) {
				t.Errorf("%s has no test like %s", file[1], test)
			}
		}
	}
	for file, functions := range tests {
		for _, function := range functions {
			if (test.MatchString(function) || strings.HasPrefix(file, prefix)) && !shown[file] {
				t.Errorf("the catalogue does not name %s, for %s", file, function)
			}
		}
	}
}

// What the catalogue says to be shown in another package is there, or in one below that.
func TestCatalogueNamesTestsElsewhere(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("CATALOGUE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range namedTest.FindAllStringSubmatch(string(page), -1) {
		found := false
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(other[1])), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() { // a package, or one below it
				for _, functions := range testsIn(t, path) {
					found = found || slices.Contains(functions, other[2])
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if !found {
			t.Errorf("%s has no %s", other[1], other[2])
		}
	}
}

// What must never happen has a test for each row, by its name alone or by the file, and these are there.
func TestCatalogueNamesTestsOfWhatMustNotHappen(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("CATALOGUE.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	err = filepath.WalkDir(filepath.Join(root, "internal"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			for file, functions := range testsIn(t, path) {
				known[file] = true
				for _, function := range functions {
					known[function] = true
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| | Fails if it did |\n|---|---|\n")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	for _, row := range rows {
		tests := regexp.MustCompile("`(Test\\w+|\\w+_test\\.go)`").FindAllStringSubmatch(row, -1)
		if len(tests) == 0 {
			t.Errorf("no test shows it: %s", row)
		}
		for _, test := range tests {
			if !known[test[1]] {
				t.Errorf("there is no %s, for %s", test[1], row)
			}
		}
	}
	if len(rows) < 8 {
		t.Errorf("%d rows: the table is not found", len(rows))
	}
}

// The invariants of the catalogue are those that the checkers report.
func TestCatalogueNamesEachInvariant(t *testing.T) {
	t.Parallel()
	_, invariants, ofGrants := readCatalogue(t)
	if !slices.Equal(invariants, history.Invariants()) || !slices.Equal(ofGrants, grants.Invariants()) {
		t.Errorf("the catalogue has %v and %v, the checkers %v and %v", invariants, ofGrants, history.Invariants(), grants.Invariants())
	}
}
