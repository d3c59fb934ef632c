package pool

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// outsideA is a binding of another namespace that refers to the credentials of account a.
func outsideA(changes ...func(*account.Account)) account.Account {
	b := anAccount(account.OutsideName("CredentialsBinding", "garden-b", "b"), withSecret("secret-a"), func(a *account.Account) {
		a.HyperscalerType, a.Sibling, a.Outside = "", true, "garden-b"
	})
	for _, change := range changes {
		change(&b)
	}
	return b
}

// withOutside puts bindings of other namespaces into the world.
func (w *world) withOutside(bindings ...account.Account) *world {
	w.outside = map[string]account.Account{}
	for _, b := range bindings {
		w.outside[b.Name] = b
	}
	return w
}

// A binding of another namespace may bring clusters of others to the cloud account, and these are not counted: no claim takes an account
// with one, whatever it says, unless the Global Account has the cloud account already.
func TestClaimPassesOverAnAccountWithABindingOutside(t *testing.T) {
	t.Parallel()
	for state, change := range map[string]func(*account.Account){
		"no label": func(*account.Account) {}, "held by another": heldBy("ga-2"), "dirty": dirty(account.Dirtied), "shared": shared, "internal": internal,
	} {
		parallel(t, state, func(t *testing.T) {
			w := newWorld(t, anAccount("a", withSecret("secret-a")), anAccount("z", withSecret("secret-z"))).withOutside(outsideA(change))
			_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
			why := as[*account.PinError](t, err).Why
			if state == "no label" && !strings.Contains(why, "CredentialsBinding garden-b/b of another namespace") {
				t.Errorf("refused because %s", why)
			}
			p := w.pool()
			equal(t, "account", w.claim(t, p, request("ga-1", "first")).Account.Name, "z")
			_, err = p.Claim(t.Context(), request("ga-3", "first"))
			wantError[*account.ExhaustedError](t, err)
			w.wantWrites(t, "z tenant=ga-1 +first")
		})
	}
	t.Run("an account that is held goes on", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, anAccount("a", withSecret("secret-a"), heldBy("ga-1"))).withOutside(outsideA())
		equal(t, "account", w.claim(t, w.pool(), request("ga-1", "first")).Account.Name, "a")
	})
}

// A release neither marks nor frees an account while a binding of another namespace may have clusters there, and never writes that one.
// What leaves the account with its Global Account goes through.
func TestReleaseBesideABindingOutside(t *testing.T) {
	t.Parallel()
	for state, change := range map[string]func(*account.Account){"no label": func(*account.Account) {}, "held by the same": heldBy("ga-1")} {
		for _, mode := range []account.Mode{account.MarkDirty, account.ReturnToPool, account.Keep} {
			parallel(t, state+", "+string(mode), func(t *testing.T) {
				w := newWorld(t, anAccount("a", withSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first", newly))).withOutside(outsideA(change))
				outcome, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", mode))
				if mode == account.Keep {
					equal(t, "outcome, error", []any{outcome, err}, []any{protocol.OutcomeKept, nil})
					w.wantWrites(t, "a -first")
					return
				}
				twin := as[*protocol.TwinError](t, err)
				equal(t, "twin", []any{twin.Twin, twin.Outside}, []any{"CredentialsBinding garden-b/b", true})
				w.wantWrites(t)
			})
		}
	}
}

// The pool's owner does not put an account into the pool, nor plans to, whose credentials a binding of another namespace uses, or where
// such bindings must not be listed.
func TestAddBesideABindingOutside(t *testing.T) {
	t.Parallel()
	forbidden := &account.ForbiddenError{Verb: "list", Resource: "credentialsbindings", Namespace: "garden-b", Err: errCut}
	for name, test := range map[string]struct {
		outside []account.Account
		answer  error
		check   func(t *testing.T, err error)
	}{
		"one uses them": {[]account.Account{outsideA()}, nil, func(t *testing.T, err error) {
			t.Helper()
			equal(t, "siblings", as[*account.SameCredentialsError](t, err).Siblings, []string{"CredentialsBinding garden-b/b"})
		}},
		"they must not be listed": {nil, forbidden, func(t *testing.T, err error) {
			t.Helper()
			wantError[*account.OutsideUnseenError](t, err)
			wantError[*account.ForbiddenError](t, err)
		}},
		"no answer": {nil, unreachableFor("list"), func(t *testing.T, err error) {
			t.Helper()
			wantError[*account.UnreachableError](t, err)
		}},
		"others use others": {[]account.Account{outsideA(withSecret("secret-z"))}, nil, func(t *testing.T, err error) {
			t.Helper()
			equal(t, "error", err, nil)
		}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t).withOutside(test.outside...)
			if test.answer != nil {
				w.storm = func(call string) fault {
					if call == "outside" {
						return fault{answer: test.answer}
					}
					return fault{}
				}
			}
			a := anAccount("a", withSecret("secret-a"))
			supply := account.Supply{Name: "a", Target: aws, Credentials: *a.Credentials}
			test.check(t, w.pool().MayAdd(t.Context(), supply, ""))
			w.wantWrites(t)
			_, err := w.pool().Add(t.Context(), supply)
			test.check(t, err)
			equal(t, "it is there", w.accounts["a"].UID != "", err == nil)
		})
	}
}

// A user who may not list the bindings of the credentials' namespace is warned, once in a run.
func TestBindingsOutsideThatAreNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", withSecret("secret-a")), anAccount("b", withSecret("secret-b")))
	w.storm = func(call string) fault {
		if call == "outside" {
			return fault{answer: &account.ForbiddenError{Verb: "list", Resource: "credentialsbindings", Namespace: "garden-b", Err: errCut}}
		}
		return fault{}
	}
	p := w.pool()
	for i, name := range []string{"first", "second"} {
		doubts := w.claim(t, p, request("ga-"+name, name)).Doubts
		equal(t, "doubts", len(doubts), 1-i)
		if i == 0 && !strings.Contains(doubts[0], "credentials of another namespace") {
			t.Errorf("it warns %q", doubts[0])
		}
	}
}
