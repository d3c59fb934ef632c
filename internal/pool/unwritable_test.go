package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// F41: the server refuses each write on one account, because its credentials are gone.

var errAdmission = &account.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace,
	Err: errors.New(`references non-existing secret`)}

// refusing has each write on these accounts refused.
func (w *world) refusing(err error, accounts ...string) {
	w.refuses = map[string]error{}
	for _, a := range accounts {
		w.refuses[a] = err
	}
}

// What a claim must not leave: the account that it names, the only one that its Global Account may have, and one on which an earlier write may
// still arrive.
func TestClaimDoesNotPassOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		held    func(*account.Account)
		policy  account.Policy
		request protocol.ClaimRequest
		lost    bool
		passes  bool
	}{
		"a pin":                                  {stripped, account.Policy{}, request("ga-1", "first", pinnedTo("a")), false, false},
		"the only account of the Global Account": {heldBy("ga-1"), account.Policy{}, request("ga-1", "first"), false, false},
		"one of several":                         {heldBy("ga-1"), several(5), request("ga-1", "first"), false, true},
		"an account with a write on its way":     {heldBy("ga-1"), several(5), request("ga-1", "first"), true, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.held), anAccount("b"))
			w.policy = test.policy
			if test.lost {
				w.on("write", 1, fault{lost: lostOnTheWay})
				w.on("write", 2, fault{answer: errAdmission})
			} else {
				w.refusing(errAdmission, "a")
			}
			claim, err := w.pool().Claim(t.Context(), test.request)
			if test.passes {
				equal(t, "account", []any{claim.Account.Name, err}, []any{"b", nil})
				return
			}
			wantError[*account.ForbiddenError](t, err)
			w.wantWrites(t)
		})
	}
}

// A claim passes over accounts that cannot be written. Where none can be, the error is that of the write, as it is without other accounts; and of
// a large pool not all are tried. What one claim was refused another is not: an admission may go by the tenant.
func TestClaimPassesOverAnAccountThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	invalid := &account.RejectedError{Verb: "patch", Resource: "credentialsbindings", Err: errors.New("spec is invalid")}
	for name, test := range map[string]struct {
		refusal       error
		free, refused int
	}{
		"not for this user": {errAdmission, 3, 2}, "not valid": {invalid, 3, 2},
		"the only one": {errAdmission, 1, 1}, "none of three": {errAdmission, 3, 3}, "none of many": {errAdmission, 50, 50},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, freeAccounts(test.free)...)
			order := w.order(t, "ga-1")
			w.refusing(test.refusal, order[:test.refused]...)
			p := w.pool()
			claim, err := p.Claim(t.Context(), request("ga-1", "first"))
			if test.free == test.refused {
				equal(t, "error", errors.Is(err, test.refusal), true)
				equal(t, "write calls", w.called("write"), min(test.free, 20))
				w.wantWrites(t)
				w.refuses = nil
				w.claim(t, p, request("ga-2", "first"))
				return
			}
			equal(t, "account and error", []any{claim.Account.Name, err}, []any{order[2], nil})
			equal(t, "passed over", claim.PassedOver, []protocol.PassedOver{{Account: order[0], Err: test.refusal}, {Account: order[1], Err: test.refusal}})
			equal(t, "write calls", w.called("write"), 3)
		})
	}
}

// The status knows the accounts that its run was refused, and those whose credentials are gone. A user who may read no credentials at all
// learns nothing from that, and is not asked further; nor are all of a large pool asked for.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	unwritable := func(t *testing.T, w *world, p *Pool) map[string]string {
		t.Helper()
		accounts, err := w.memStore.List(t.Context())
		equal(t, "error", err, nil)
		objects := make([]account.Object, len(accounts))
		for i := range accounts {
			objects[i] = account.Object{Account: accounts[i], Typed: true}
		}
		return p.Unwritable(t.Context(), objects)
	}
	w := newWorld(t, anAccount("a"), anAccount("b"), anAccount("c"))
	order := w.order(t, "ga-1")
	w.refusing(errAdmission, order[0])
	w.noCredentials = map[string]bool{"secret-" + order[2]: true}
	p := w.pool()
	w.claim(t, p, request("ga-1", "first"))
	equal(t, "unwritable", unwritable(t, w, p), map[string]string{
		order[0]: "this run has tried, and was refused: " + errAdmission.Error(),
		order[2]: fmt.Sprintf("there is no Secret secret-%s in namespace %q, and Gardener demands its credentials for each write", order[2], namespace),
	})
	w.wantWrites(t, order[1]+" tenant=ga-1 +first")
	for name, test := range map[string]struct {
		answer      error
		free, asked int // at most
	}{
		"none may be read": {&account.NoCredentialsError{Err: errAdmission}, 60, 3 * atOnce}, "no answer": {context.DeadlineExceeded, 3, 3},
		"a large pool": {nil, maxCredentialsReads + 50, maxCredentialsReads},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, freeAccounts(test.free)...)
			w.storm = func(call string) fault { return map[string]fault{"credentials": {answer: test.answer}}[call] }
			equal(t, "unwritable", unwritable(t, w, w.pool()), map[string]string{})
			if asked := w.called("credentials"); asked == 0 || asked > test.asked {
				t.Errorf("asked for %d", asked)
			}
		})
	}
}
