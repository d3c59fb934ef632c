package protocol

import (
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// A release whose first count failed names the count as long as what it asks next gets no answer either: the count took the time for it.
// What the server answered is named itself, and so is a later count of clusters.
func TestReleaseNamesTheCountThatTookTheTime(t *testing.T) {
	t.Parallel()
	uncounted := &account.UnreachableError{Verb: "list", Resource: "shoots", Tries: 6, Err: errBroken}
	unanswered := &account.UnreachableError{Verb: "list", Resource: "secretbindings", Tries: 1, Err: errBroken}
	refused := &account.ForbiddenError{Verb: "list", Resource: "secretbindings", Namespace: namespace, Err: errBroken}
	const count = "whether clusters are on account a is not known: no answer to list shoots after 6 tries: the connection was cut"
	for name, test := range map[string]struct {
		did  Step
		err  error
		text string
	}{
		"the account":               {Read{"a"}, unanswered, count},
		"the list":                  {List{}, unanswered, count},
		"the right to write":        {AskRight{}, unanswered, count},
		"a list that is refused":    {List{}, refused, "whether other bindings refer to the credentials of account a is not known: " + refused.Error()},
		"a later count of clusters": {FindUsers{}, unanswered, "whether clusters are on account a is not known: " + unanswered.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := seen(unbegun)
			r.Learn(Count{}, Answer{Err: uncounted})
			r.Learn(test.did, Answer{Err: test.err, List: knowing().Snapshot})
			done, ended := r.Next(Facts{}).(Done)
			if !ended || done.Err == nil {
				t.Fatalf("the release goes on with %v", done)
			}
			equal(t, "error", done.Err.Error(), test.text)
			if !errors.Is(done.Err, errBroken) {
				t.Error("the error does not wrap what the server answered")
			}
		})
	}
}
