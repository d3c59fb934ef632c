package diagnose

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// rowless are the typed errors that need no row of the table, each with the reason.
var rowless = map[string]string{
	"adr.UnknownPurposeError":        "is the error of a function, which reports it at its argument",
	"api.ShootRefusedError":          "comes in api.WaitError, and the warning of that says what is next",
	"builtin.AccountUnseenError":     "is reported by the plan of a request that asks for something else by now",
	"connection.ClustersUnreadError": "wraps why the Clusters cannot be read, which has the row",
	"connection.NotTriedError":       "wraps the error of the earlier read, which has the row",
	"family.TimeOverError":           "is a context.DeadlineExceeded, and comes in the error of the wait that it ended",
	"kube.ForeignAnswerError":        "is matched by kube.IsForeign",
	"kube.RedirectError":             "is matched by kube.IsForeign",
	"kube.TooLargeError":             "is matched by kube.IsForeign",
	"kube.UnconfirmedError":          "comes in kube.Error, whose reason has the row",
	"operator.ConfigError":           "comes in requests.SchedulerConfigError",
	"protocol.FenceLoweredError":     "wraps the refusal, which has the row; withFence says what became of the fence",
	"protocol.MoveCutError":          "wraps the refusal, which has the row; withFence says that the move has written",
	"protocol.MovedBeforeError":      "wraps the refusal, which has the row; withFence says that the claim was moved before",
	"protocol.RecordTakenError":      "wraps the refusal, which has the row; withFence says that the record of a half move was taken off",
	"pool.WaitError":                 "wraps why the last read failed, which has the row",
	"rules.RequestError":             "is reported by NoMatch at the attribute of the request",
	"rules.SyntaxError":              "is the error of a function, which reports it at its argument",
	"strict.DocumentsError":          "comes in the error of the text that was read",
	"strict.SizeError":               "comes in the error of the text that was read",
}

// A typed error without a row in the table of explanations reaches the user as "please report this issue". Each typed error has a row, or a
// reason in this test why it needs none.
func TestTable_hasEachTypedError(t *testing.T) {
	t.Parallel()
	rows := sourceOf(t, "table*.go")
	declared := regexp.MustCompile(`(?m)^type ([A-Z]\w*Error)\b`)
	for _, name := range strings.Fields("clusters/adr clusters/operator garden kebdb kube openmcp/access openmcp/api " +
		"openmcp/builtin openmcp/clusters openmcp/configs openmcp/requests pool pool/account pool/protocol rules shoots strict provider/settings provider/connection provider/family") {
		for _, found := range declared.FindAllStringSubmatch(sourceOf(t, filepath.Join("..", "..", name, "*.go")), -1) {
			typed := filepath.Base(name) + "." + found[1]
			if has := regexp.MustCompile(`\b` + typed + `\b`).MatchString(rows); has == (rowless[typed] != "") {
				t.Errorf("%s: give it a row in the table, or a reason in rowless, and not both", typed)
			}
		}
	}
}

// sourceOf is the text of the files of a pattern, without the tests.
func sourceOf(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files are called %s: %v", pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // a file of this repository
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			all.Write(text)
		}
	}
	return all.String()
}

// What Gardener refuses of a Shoot is at the attribute that says it.
func TestExplain_refusedShoot(t *testing.T) {
	t.Parallel()
	for attribute, want := range map[string]string{"": "template", "labels": "labels", "cluster_ref": "cluster_ref"} {
		if got := Explain(&shoots.RefusedError{Name: "s", Attribute: attribute}).Attribute; got != want {
			t.Errorf("%q: it is at %s, and not at %s", attribute, got, want)
		}
	}
}
