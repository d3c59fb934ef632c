package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not up to date (go test ./internal/report -update); got:\n%s", path, got)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	counts, accounts := world()
	report := Markdown(survey(counts, overview.Filter{}, accounts...), account.SourceGardener)
	golden(t, "report.md", report)
	slices.Reverse(accounts)
	if again := Markdown(survey(counts, overview.Filter{}, accounts...), account.SourceGardener); again != report {
		t.Errorf("the order of the accounts matters:\n%s", again)
	}
}

func TestReportOfAPart(t *testing.T) {
	t.Parallel()
	counts, accounts := world()
	of := overview.Filter{HyperscalerType: "aws", GlobalAccount: "acme"}
	golden(t, "part.md", Markdown(survey(counts, of, accounts...), account.SourceBoth))
}

func TestReportOfNothing(t *testing.T) {
	t.Parallel()
	got := Markdown(survey(account.Counts{}, overview.Filter{HyperscalerType: "awz"}), account.SourceDatabase)
	if want := "# Hyperscaler Account Pool of garden-hap\n\nOnly hyperscaler type awz.\n\nThere is no account.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A pool without an account, which rules name, has its row and no bar; where no pool has one, too.
func TestReportOfPoolsWithoutAccounts(t *testing.T) {
	t.Parallel()
	set, problems := rules.Compile(rules.Source{Entries: []string{"aws", "gcp"}})
	if set == nil {
		t.Fatal(problems)
	}
	for name, test := range map[string]struct {
		accounts []*account.Account
		want     []string
	}{
		"one pool has none": {[]*account.Account{{Name: "a", HyperscalerType: "aws"}}, []string{
			"1 account: 0 held by 0 Global Accounts, 0 shared. 1 free to claim in 2 pools.",
			"| gcp  |              |    0 |", "| aws  | `░░░░░░░░░░` |    1 |", "### `missing_pool`: Pools without an account (1)",
		}},
		"no pool has one": {nil, []string{"There is no account.\n", "| gcp  |      |    0 |", "| aws  |      |    0 |",
			"### `missing_pool`: Pools without an account (2)"}},
	} {
		o := overview.Survey(pool.Inventory{Namespace: namespace, Accounts: test.accounts}, overview.Facts{Rules: set}, overview.Filter{}, today)
		report := Markdown(o, account.SourceGardener)
		for _, want := range test.want {
			if !strings.Contains(report, want) {
				t.Errorf("%s: no %q in\n%s", name, want, report)
			}
		}
	}
}

// The commands of a kind of problems are one block, after the remedy; as many as there are problems listed.
func TestReportListsTheCommands(t *testing.T) {
	t.Parallel()
	report := func(n int) string {
		var accounts []*account.Account
		for i := range n {
			accounts = append(accounts, &account.Account{Name: fmt.Sprintf("a-%02d", i), Version: fmt.Sprint(7 + i), HyperscalerType: "aws",
				Unseen: []string{"dirty=false"}})
		}
		inventory := pool.Inventory{Namespace: namespace, Accounts: append(accounts, &account.Account{Name: "b", HyperscalerType: "aws", Dirty: account.Dirtied})}
		facts := overview.Facts{Kubectl: overview.Kubectl{Resource: "secrets", Dirty: "dirty"}}
		return Markdown(overview.Survey(inventory, facts, overview.Filter{}, today), account.SourceGardener)
	}
	want := "needs the value true.\n\nWith kubectl, if the remedy says so for the account; the server refuses a command whose account has changed " +
		"since:\n\n```shell\nkubectl -n garden-hap label --overwrite --resource-version=7 secrets a-00 dirty-\n" +
		"kubectl -n garden-hap label --overwrite --resource-version=8 secrets a-01 dirty-\n```\n\n### `dirty`: "
	if got := report(2); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if n := strings.Count(report(100), "\nkubectl "); n != maxProblems {
		t.Errorf("%d commands, want %d", n, maxProblems)
	}
}

func TestReportCountsItsProblems(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "**No problems.**", 1: "**1 problem.**", 10: "**10 problems.**"} {
		accounts := []account.Account{{Name: "free", HyperscalerType: "aws"}}
		for i := range n {
			accounts = append(accounts, account.Account{Name: fmt.Sprint("dirty-", i), HyperscalerType: "aws", Dirty: account.Dirtied})
		}
		if got := Markdown(survey(account.Counts{}, overview.Filter{}, accounts...), account.SourceGardener); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A page has an end: what is left out is counted.
func TestReportOfALargePool(t *testing.T) {
	t.Parallel()
	var accounts []account.Account
	for i := range 10_000 {
		accounts = append(accounts, account.Account{Name: fmt.Sprintf("account-%05d", i), HyperscalerType: fmt.Sprint("aws_", i%7), Tenant: "acme"})
	}
	report := Markdown(survey(account.Counts{}, overview.Filter{}, accounts...), account.SourceGardener)
	for _, want := range []string{
		"10000 accounts: 10000 held by 1 Global Account", "And 9800 accounts more, in `accounts`. The arguments `hyperscaler_type` and `global_account` narrow", "### `idle`: Held for nothing (10000)", "- and 9980 more, in `problems`",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in the report", want)
		}
	}
	if len(report) > 100_000 {
		t.Errorf("the report has %d bytes", len(report))
	}
}

// With any name, a table has as many cells in each row as columns, aligned, and no name leaves its cell.
func TestNamesStayInTheirCells(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"a|b", "`code`", "a\\|b", "two\nlines", "a\u202eb", "<b>", "**bold**", "[link](there)", "www.a|b.example\\", "\x1b[31mred", "ünïcode", "~~gone~~",
	} {
		a := account.Account{Name: name, HyperscalerType: name, Tenant: name}
		o := survey(account.Counts{}, overview.Filter{}, a)
		o.Namespace = name
		report := Markdown(o, account.SourceGardener)
		rows, width := 0, 0
		for line := range strings.Lines(report) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(line, "|") {
				width = 0
				continue
			}
			rows++
			if n := utf8.RuneCountInString(line); width != 0 && n != width {
				t.Errorf("%q: a row is %d wide, the one before %d, in\n%s", name, n, width, report)
			}
			width = utf8.RuneCountInString(line)
			cells := strings.Count(strings.NewReplacer(`\\`, "", `\|`, "").Replace(line), "|") - 1
			if cells != 6 && cells != 8 {
				t.Errorf("%q: a row of %d cells: %s", name, cells, line)
			}
		}
		if rows != 9 {
			t.Errorf("%q: %d rows of tables in\n%s", name, rows, report)
		}
		if strings.ContainsAny(report, "\x1b") || strings.Contains(report, name) != (name == "ünïcode") {
			t.Errorf("%q is not escaped in\n%s", name, report)
		}
	}
}

func TestPoolBar(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		free, taken, dirty int
		want               string
	}{
		{0, 3, 0, "`██████████`"}, {3, 0, 0, "`░░░░░░░░░░`"}, {0, 0, 1, "`××××××××××`"}, {1, 2, 0, "`███████░░░`"},
		{1, 199, 0, "`█████████░`"}, // one that is free shows
		{1, 8, 1, "`████████×░`"}, {1, 198, 1, "`█████████░`"}, {199, 1, 0, "`█░░░░░░░░░`"},
	} {
		p := &overview.Pool{Tally: account.Tally{account.ClassFree: test.free, account.ClassHeld: test.taken, account.ClassDirty: test.dirty}}
		if got := poolBar(p); got != test.want {
			t.Errorf("%d free, %d taken, %d dirty: got %s, want %s", test.free, test.taken, test.dirty, got, test.want)
		}
	}
}

// Of a long pool the fullest accounts are shown open, and the rest is folded.
func TestLongPoolsAreFolded(t *testing.T) {
	t.Parallel()
	var accounts []account.Account
	var counts account.Counts
	for i := range 25 {
		name := fmt.Sprintf("aws-%02d", i)
		accounts = append(accounts, account.Account{Name: name, HyperscalerType: "aws", Tenant: fmt.Sprintf("acme-%02d", i)})
		counts.Set(name, i)
	}
	report := Markdown(survey(counts, overview.Filter{}, accounts...), account.SourceGardener)
	_, ofPool, _ := strings.Cut(report, "### aws")
	open, folded, _ := strings.Cut(ofPool, "<details><summary>15 more accounts</summary>\n\n")
	if !strings.Contains(open, "aws-24") || strings.Contains(open, "aws-14") || !strings.Contains(folded, "| aws-00 ") ||
		!strings.Contains(folded, "\n</details>\n") {
		t.Errorf("got %s", report)
	}
	if n := strings.Count(report, "<details>"); n != strings.Count(report, "</details>") || n != 2 { // the Global Accounts, too
		t.Errorf("%d folds in\n%s", n, report)
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		clusters, reserved, limit int
		want                      string
	}{
		{0, 0, 0, ""},
		{7, 0, 0, ""},
		{0, 0, 10, "░░░░░░░░░░   0 %"},
		{3, 0, 10, "███░░░░░░░  30 %"},
		{3, 2, 10, "███▒▒░░░░░  50 %"},
		{10, 0, 10, "██████████ 100 %"},
		{8, 2, 10, "████████▒▒ 100 %"},
		{12, 1, 10, "██████████ 130 %"},
		{1, 0, 200, "█░░░░░░░░░   0 %"}, // not empty
		{199, 0, 200, "█████████░  99 %"},
		{199, 1, 200, "█████████▒ 100 %"},
		{100, 1, 200, "█████▒░░░░  50 %"}, // one reserved place shows
		{0, 1, 200, "▒░░░░░░░░░   0 %"},
		{190, 1, 200, "█████████░  95 %"},
	} {
		if got := bar(test.clusters, test.reserved, test.limit); got != test.want {
			t.Errorf("%d clusters, %d reserved of %d: got %s, want %s", test.clusters, test.reserved, test.limit, got, test.want)
		}
	}
}

// What others write is shown as text: no page makes a link of it, and no character of it is hidden or turns the direction of writing.
func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"team-a":                          "team-a",
		"aws_cf-eu11 (1)":                 "aws_cf-eu11 (1)",
		"ünïcode 名前 🚀":                    "ünïcode 名前 🚀",
		"team:a, x:y":                     "team:a, x:y",
		"a|b*c":                           `a\|b\*c`,
		"a\u202egnp.exe":                  "a\ufffdgnp.exe",
		"\u2066a\u2069\u200f":             "\ufffda\ufffd\ufffd",
		"a\u200bb\ufeffc\u00add":          "a\ufffdb\ufffdc\ufffdd",
		"a\u034fb\u3164c\u2800d\ufe0f":    "a\ufffdb\ufffdc\ufffdd\ufffd",
		"a\U000e0041b\ue000":              "a\ufffdb\ufffd",
		"a\u2028b\u00a0c\td\x1be":         "a b c d e",
		"http://a.example":                "`http://a.example`",
		"see HTTPS://a.example/x?y=z now": "see `HTTPS://a.example/x?y=z` now",
		"(www.a.example), or *":           `(` + "`www.a.example),`" + ` or \*`,
		"ftp://a/`b`|c\\d":                "`ftp://a/%60b%60%7Cc%5Cd`",
		"[x](https://a)":                  `\[x\](` + "`https://a)`",
		"`https://a`":                     "\\``https://a%60`",
		"ht\u200btps://a":                 "ht\ufffd" + "`tps://a`",
		"https:\u202e//a www.b":           "https:\ufffd//a `www.b`",
		"x:/y":                            "`x:/y`",
	} {
		if got := escape(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
