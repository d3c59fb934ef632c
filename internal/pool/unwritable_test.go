package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// F41: the server refuses each write on one account, because its credentials are gone.

var errAdmission = &ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace,
	Err: errors.New(`references non-existing secret`)}

// refusing has each write on these accounts refused.
func (w *world) refusing(err error, accounts ...string) {
	w.refuses = map[string]error{}
	for _, a := range accounts {
		w.refuses[a] = err
	}
}

func TestClaimPassesOverAnAccountThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]error{
		"not for this user": errAdmission, "not valid": &RejectedError{Verb: "patch", Resource: "credentialsbindings", Err: errors.New("spec is invalid")},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a"), account("b"), account("c"))
			order := w.order(t, "ga-1")
			w.refusing(refusal, order[0], order[1])
			p := w.pool()
			claim := w.claim(t, p, request("ga-1", "first"))
			equal(t, "account", claim.Account.Name, order[2])
			equal(t, "passed over", claim.PassedOver, []PassedOver{{order[0], refusal}, {order[1], refusal}})
			equal(t, "write calls", w.called("write"), 3)
		})
	}
}

// What one claim was refused another is not: an admission may go by the tenant.
func TestRefusalIsThatOfOneClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"))
	w.refusing(errAdmission, "a")
	p := w.pool()
	_, err := p.Claim(t.Context(), request("ga-1", "first"))
	wantError[*ForbiddenError](t, err)
	w.refuses = nil
	equal(t, "account", w.claim(t, p, request("ga-2", "first")).Account.Name, "a")
}

// Where no account can be written the error is that of the write, as it is without other accounts; and of a large pool not all are tried.
func TestNoAccountCanBeWritten(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3, 50} {
		parallel(t, fmt.Sprint(n), func(t *testing.T) {
			w := newWorld(t, freeAccounts(n)...)
			all := make([]string, n)
			for i, a := range freeAccounts(n) {
				all[i] = a.Name
			}
			w.refusing(errAdmission, all...)
			p := w.pool()
			for _, name := range []string{"first", "second"} {
				_, err := p.Claim(t.Context(), request("ga-1", name))
				wantError[*ForbiddenError](t, err)
			}
			w.wantWrites(t)
			if calls := w.called("write"); calls != 2*min(n, maxRefusals) {
				t.Errorf("%d writes were tried", calls)
			}
		})
	}
}

// What a claim must not leave: the account that it names, the only one that its Global Account may have, and one on which an earlier write may
// still arrive.
func TestClaimDoesNotPassOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		held    func(*Account)
		policy  Policy
		request ClaimRequest
		lost    bool
		passes  bool
	}{
		"a pin":                                  {stripped, Policy{}, request("ga-1", "first", pinnedTo("a")), false, false},
		"the only account of the Global Account": {heldBy("ga-1"), Policy{}, request("ga-1", "first"), false, false},
		"one of several":                         {heldBy("ga-1"), several(5), request("ga-1", "first"), false, true},
		"an account with a write on its way":     {heldBy("ga-1"), several(5), request("ga-1", "first"), true, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", test.held), account("b"))
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
			wantError[*ForbiddenError](t, err)
			w.wantWrites(t)
		})
	}
}

// The status knows the accounts that its run was refused, and those whose credentials are gone. A user who may read no credentials at all
// learns nothing from that, and is not asked further.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	look := func(t *testing.T, w *world, p *Pool) map[string]string {
		t.Helper()
		accounts, err := w.memStore.List(t.Context())
		equal(t, "error", err, nil)
		objects := make([]Object, len(accounts))
		for i := range accounts {
			objects[i] = Object{Account: accounts[i], Typed: true}
		}
		return p.Unwritable(t.Context(), objects)
	}
	parallel(t, "met and missing", func(t *testing.T) {
		w := newWorld(t, account("a"), account("b"), account("c"))
		order := w.order(t, "ga-1")
		w.refusing(errAdmission, order[0])
		w.noCredentials = map[string]bool{"secret-" + order[2]: true}
		p := w.pool()
		w.claim(t, p, request("ga-1", "first"))
		equal(t, "unwritable", look(t, w, p), map[string]string{
			order[0]: "this run has tried, and was refused: " + errAdmission.Error(),
			order[2]: fmt.Sprintf("there is no Secret secret-%s in namespace %q, and Gardener demands its credentials for each write", order[2], namespace),
		})
		w.wantWrites(t, order[1]+" tenant=ga-1 +first")
	})
	parallel(t, "none may be read", func(t *testing.T) {
		w := newWorld(t, freeAccounts(60)...)
		w.storm = func(call string) fault {
			if call == "credentials" {
				return fault{answer: &NoCredentialsError{Err: errAdmission}}
			}
			return fault{}
		}
		equal(t, "unwritable", look(t, w, w.pool()), map[string]string{})
		if asked := w.called("credentials"); asked > 3*atOnce {
			t.Errorf("asked for %d", asked)
		}
	})
	parallel(t, "a large pool", func(t *testing.T) {
		w := newWorld(t, freeAccounts(maxCredentialsLooks+50)...)
		look(t, w, w.pool())
		equal(t, "asked for", w.called("credentials"), maxCredentialsLooks)
	})
	parallel(t, "no answer", func(t *testing.T) {
		w := newWorld(t, freeAccounts(3)...)
		w.storm = func(call string) fault {
			if call == "credentials" {
				return fault{answer: context.DeadlineExceeded}
			}
			return fault{}
		}
		equal(t, "unwritable", look(t, w, w.pool()), map[string]string{})
	})
}
