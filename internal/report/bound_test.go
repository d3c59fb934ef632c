package report

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// hostile writes texts of up to so many letters, of those that take the most room: they are escaped, are four bytes long, or are none.
type hostile struct{ *rand.Rand }

func (h hostile) text(most int) string {
	letters := []string{"a", "|", "\\", "`", "<", "\n", "é", "█", "𝔸", "\xff"}
	return strings.Repeat(letters[h.IntN(len(letters))], 1+h.IntN(most))
}

// some is a number that is often small, sometimes nothing, and at most so large.
func (h hostile) some(most int) int { return h.IntN(1 + h.IntN(1+h.IntN(1+most))) }

// overview is any overview, of names and texts of any length.
func (h hostile) overview() overview.Overview {
	length := 1 + h.some(5000)
	o := overview.Overview{Namespace: h.text(length), Of: overview.Filter{HyperscalerType: h.text(length), GlobalAccount: h.text(length)}}
	target := func() account.Target {
		return account.Target{HyperscalerType: h.text(min(length, 500)), Shared: h.IntN(2) == 0, EUAccess: h.IntN(2) == 0}
	}
	for range h.some(3000) {
		o.Pools = append(o.Pools, overview.Pool{Target: target(), Tally: account.Tally{account.ClassFree: h.IntN(9), account.ClassDirty: h.IntN(9)}})
	}
	for range h.some(3000) {
		a := overview.Account{Account: account.Account{Name: h.text(length), Tenant: h.text(length), HyperscalerType: target().HyperscalerType,
			Dirty: account.Dirt(h.text(length)), Quarantine: h.text(length)}, Clusters: h.IntN(300), Reserved: h.IntN(9), Limit: h.IntN(200)}
		o.Accounts = append(o.Accounts, a)
	}
	for range h.some(1000) {
		t := overview.Tenant{GlobalAccount: h.text(length)}
		for range h.some(100) {
			t.Types = append(t.Types, overview.TypeHolding{HyperscalerType: h.text(min(length, 500))})
		}
		o.Tenants = append(o.Tenants, t)
	}
	for _, kind := range overview.ProblemKinds() {
		for range h.some(200) {
			o.Problems = append(o.Problems, overview.Problem{Kind: kind, Account: h.text(length), Text: h.text(length), Command: strings.ToValidUTF8(h.text(length), "?")})
		}
	}
	return o
}

var problemHeading = regexp.MustCompile("(?m)^### `([a-z_]+)`: .* \\(([0-9]+)\\)$")

// Whatever the pool holds, the report fits on a page, the worst problems come first with at least one of them, no kind is left out, and
// each fold that begins ends.
func TestReportIsBounded(t *testing.T) {
	t.Parallel()
	random := hostile{rand.New(rand.NewPCG(1, 2))} //nolint:gosec // chance, not a secret
	largest := 0
	for range 20 {
		o := random.overview()
		report := Markdown(o, account.SourceBoth)
		largest = max(largest, len(report))
		if len(report) > MaxBytes || !utf8.ValidString(report) {
			t.Fatalf("%d bytes of %d", len(report), MaxBytes)
		}
		if begun := strings.Count(report, "\n<details>"); begun != strings.Count(report, "\n</details>\n") {
			t.Errorf("%d folds begin, and others end", begun)
		}
		var kinds []string
		for _, p := range o.Problems {
			if !slices.Contains(kinds, string(p.Kind)) {
				kinds = append(kinds, string(p.Kind))
			}
		}
		var reported []string
		sum := 0
		for _, found := range problemHeading.FindAllStringSubmatch(report, -1) {
			n, _ := strconv.Atoi(found[2])
			reported, sum = append(reported, found[1]), sum+n
		}
		if !slices.Equal(reported, kinds) || sum != len(o.Problems) {
			t.Fatalf("%d problems of the kinds %v are reported, there are %d of %v", sum, reported, len(o.Problems), kinds)
		}
		if len(kinds) == 0 {
			continue
		}
		_, worst, _ := strings.Cut(report, "\n## Problems\n\n### ")
		if first := "- **" + cell(o.Problems[0].Account) + "**: " + escape(cut(o.Problems[0].Text, maxText)) + "\n"; !strings.Contains(worst, "\n\n"+first) {
			t.Fatalf("the worst problem is not listed first: %q", worst[:min(len(worst), 300)])
		}
	}
	if largest < MaxBytes/4 {
		t.Errorf("the largest report had %d bytes: the bound was not tried", largest)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "ab…", "äöü": "äöü", "äöüß": "äö…", "a\xffb": "a\xffb", "𝔸𝔸𝔸𝔸𝔸": "𝔸𝔸…"} {
		if got := cut(text, 3); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The worst of everything at once: each part at its share.
func TestReportOfTheWorstIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("|", 3000)
	o := overview.Overview{Namespace: long, Of: overview.Filter{HyperscalerType: long, GlobalAccount: long}}
	for i := range 2000 {
		name := fmt.Sprint(i, long)
		of := account.Account{Name: name, Tenant: name, HyperscalerType: name, Quarantine: name, Dirty: account.Dirt(name)}
		o.Accounts = append(o.Accounts, overview.Account{Account: of, Clusters: i, Limit: 1000})
		o.Pools = append(o.Pools, overview.Pool{Target: of.Target(), Tally: account.Tally{account.ClassFree: 1}})
		o.Tenants = append(o.Tenants, overview.Tenant{GlobalAccount: name})
	}
	for _, kind := range overview.ProblemKinds() {
		for range 50 {
			o.Problems = append(o.Problems, overview.Problem{Kind: kind, Account: long, Text: long, Command: long[:1000]})
		}
	}
	report := Markdown(o, account.SourceBoth)
	if len(report) > MaxBytes || len(report) < MaxBytes/2 {
		t.Errorf("%d bytes of %d", len(report), MaxBytes)
	}
	more := regexp.MustCompile("(?m)^And ([0-9]+) [a-zA-Z ]+ more, in `([a-z_]+)`|^And ([0-9]+) more [A-Za-z ]+, in `([a-z_]+)`").FindAllString(report, -1)
	if len(more) != 3 {
		t.Errorf("what is left out is reported %d times: %q", len(more), more)
	}
}

// Of a large pool the fullest accounts are listed, whatever pool they are in.
func TestReportListsTheFullestAccounts(t *testing.T) {
	t.Parallel()
	var o overview.Overview
	for i := range 1000 {
		o.Accounts = append(o.Accounts, overview.Account{Limit: 2000, Clusters: i, Account: account.Account{
			Name: fmt.Sprintf("account-%04d", i), Tenant: "ga", HyperscalerType: fmt.Sprint("type-", i%5)}})
	}
	report := Markdown(o, account.SourceGardener)
	for i := range o.Accounts {
		if listed := strings.Contains(report, fmt.Sprintf("account-%04d", i)); listed != (i >= 1000-maxAccounts) {
			t.Fatalf("account %d is listed: %v", i, listed)
		}
	}
}
