package scenarios

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// oncePerJudgement checks that a change is not sent again while an earlier one, for the same judgement, may have been made: only after the API
// has turned it away unseen, or after a read that found the account as it was judged. The stage has one pipeline with one provider block.
func (s stage) oncePerJudgement(t *testing.T) {
	t.Helper()
	type judgement struct{ client, account, uid, version, records string }
	sent := map[judgement]fault.Exchange{}
	looked := map[[2]string]fault.Exchange{}
	for _, x := range s.proxy.Log() {
		if x.Resource != "credentialsbindings" || !isUs(x.Client) {
			continue
		}
		if x.Sent == http.StatusOK && (x.Verb == "get" || x.Verb == "list") { // a list has no name, and a run begins with one
			looked[[2]string{x.Client, x.Name}] = x
		}
		records := slices.Sorted(maps.Keys(x.Annotations)) // whose claim it is: one process may have several
		if x.Verb != "patch" || len(records) == 0 {
			continue
		}
		now := judgement{x.Client, x.Name, x.UID, x.Version, strings.Join(records, " ")}
		before, again := sent[now]
		sent[now] = x
		if !again || before.Sent == http.StatusTooManyRequests || before.Sent == http.StatusUnauthorized {
			continue
		}
		look := looked[[2]string{x.Client, x.Name}]
		if list := looked[[2]string{x.Client, ""}]; list.Number > look.Number {
			look = list
		}
		if look.Number < before.Number {
			t.Errorf("request %d sends what request %d may have changed already, and no request looked between them:\n%s\n%s",
				x.Number, before.Number, before, x)
			s.explain(t, x.Name, before.Number, x.Number)
		}
		if before.Committed() && !before.Ended.IsZero() && before.Ended.Before(look.Began) {
			t.Errorf("request %d was carried out, as request %d could see, and request %d sends it again", before.Number, look.Number, x.Number)
			s.explain(t, x.Name, before.Number, look.Number, x.Number)
		}
	}
}
