package pool

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// A binding of another kind that is made between the list and the count is looked for in a new list, and is no reason to refuse a release; where
// it has the credentials of the account, its clusters keep the account.
func TestReleaseUnderShootsOfNewBindings(t *testing.T) {
	t.Parallel()
	for secret, refused := range map[string]bool{"elsewhere": false, "secret-a": true} {
		parallel(t, secret, func(t *testing.T) {
			w := newWorld(t, anAccount("a", withSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.storm = func(call string) fault {
				if call != "count" {
					return fault{}
				}
				return fault{before: func() {
					if _, there := w.accounts["SecretBinding new"]; !there {
						w.create(sibling("new", secret))
						w.counter.add("SecretBinding new", "alive")
					}
				}}
			}
			_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", account.MarkDirty))
			if !refused {
				equal(t, "error", err, nil)
				return
			}
			wantError[*account.InUseError](t, err)
			w.wantWrites(t)
		})
	}
}

// Shoots name bindings of a kind of which none is listed: which cloud account they are on is not known, so none leaves its Global Account,
// and nothing is written. A binding that is listed, or has the name of an account, is known.
func TestReleaseUnderShootsOfHiddenBindings(t *testing.T) {
	t.Parallel()
	forbidden := &account.ForbiddenError{Verb: "list", Resource: "secretbindings", Namespace: namespace, Err: errCut}
	for name, test := range map[string]struct {
		named   string // by a Shoot
		hidden  bool   // the kind must not be listed
		others  []account.Account
		refused bool
	}{
		"the kind must not be listed":        {"SecretBinding old", true, nil, true},
		"the server lists none of the kind":  {"SecretBinding old", false, nil, true},
		"it is listed":                       {"SecretBinding old", false, []account.Account{sibling("old", "elsewhere")}, false},
		"it has the name of another account": {"SecretBinding b", true, nil, false},
	} {
		for _, mode := range []account.Mode{account.MarkDirty, account.ReturnToPool} {
			parallel(t, name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, append(test.others, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("b", heldBy("ga-2")))...)
				w.counter.add(test.named, "alive")
				if test.hidden {
					w.storm = func(call string) fault {
						if call == "siblings" {
							return fault{answer: forbidden}
						}
						return fault{}
					}
				}
				_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", mode))
				if !test.refused {
					equal(t, "error", err, nil)
					return
				}
				equal(t, "names", as[*account.HiddenBindingsError](t, err).Names, []string{test.named})
				w.wantWrites(t)
			})
		}
	}
}
