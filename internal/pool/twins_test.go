package pool

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// A cloud account is its credentials: what is known against one of its bindings is known against all.

// twinsOfA are the ways in which another object can refer to the credentials of account a.
func twinsOfA() map[string]account.Account {
	untyped := anAccount("b", withSecret("secret-a"), func(a *account.Account) { a.HyperscalerType = "" })
	untyped.Sibling = true
	return map[string]account.Account{
		"another account":                      anAccount("b", withSecret("secret-a")),
		"an account that is declared":          anAccount("b", withSecret("other"), sameAsSecret("secret-a")),
		"an account that is first by name":     anAccount("0", withSecret("secret-a")),
		"an account of another pool":           anAccount("b", withSecret("secret-a"), func(a *account.Account) { a.HyperscalerType = "gcp" }),
		"an object without a hyperscaler type": untyped,
		"a SecretBinding":                      sibling("b", "secret-a"),
		"a SecretBinding of the same name":     sibling("a", "secret-a"),
	}
}

// Nothing of a cloud account is free while one of its bindings is held, used, dirty, fenced or quarantined, shared or internal.
func TestClaimPassesOverAnAccountThatAnotherBindingUses(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for state, test := range map[string]struct {
			change func(*account.Account)
			used   bool
		}{
			"held by another": {heldBy("ga-2"), false}, "used": {func(*account.Account) {}, true}, "dirty": {dirty(account.Dirtied), false},
			"fenced": {dirty(account.Releasing), false}, "quarantined": {dirty(account.Quarantined), false}, "shared": {shared, false}, "internal": {internal, false},
		} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				test.change(&other)
				w := newWorld(t, anAccount("a"), other, anAccount("z"))
				if test.used {
					w.counter.add(other.Name, "blue")
				}
				_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
				wantError[*account.PinError](t, err)
				w.wantWrites(t)
				p := w.pool()
				equal(t, "account", w.claim(t, p, request("ga-1", "first")).Account.Name, "z")
				w.wantWrites(t, "z tenant=ga-1 +first")
				_, err = p.Claim(t.Context(), request("ga-3", "first"))
				tally := as[*account.ExhaustedError](t, err).Tally
				equal(t, "free", tally[account.ClassFree], 0)
			})
		}
	}
}

// A claim of the Global Account that holds the cloud account goes to the binding that says so. Where that is no account of the pool, it
// goes to the one that is: the cloud account is the Global Account's already, and does not come from the pool.
func TestClaimGoesToTheBindingThatIsHeld(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			w := newWorld(t, anAccount("a"), other, anAccount("z"))
			claim := w.claim(t, w.pool(), request("ga-1", "first"))
			switch {
			case other.Sibling:
				equal(t, "account", claim.Account.Name, "a")
				equal(t, "newly claimed", claim.Record.NewlyClaimed, false)
				w.wantWrites(t, "a tenant=ga-1 +first")
			case other.HyperscalerType == "aws":
				equal(t, "account", claim.Account.Name, other.Name)
				w.wantWrites(t, other.Name+" +first")
			default: // the cloud account is that of another pool
				equal(t, "account", claim.Account.Name, "z")
			}
		})
	}
}

// A claim whose binding has lost the label is made again while an object beside the pool's accounts says that the cloud account is the
// Global Account's: it is not free, and the clusters on it are the Global Account's.
func TestUpdateReclaimsWhatAnotherBindingHolds(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for state, cluster := range map[string]string{"empty": "", "a cluster by it": "a", "a cluster by the other": twin.Name} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				heldBy("ga-1")(&other)
				w := newWorld(t, anAccount("a", bearing("ga-1", "first")), other, anAccount("z"))
				if cluster != "" {
					w.counter.add(cluster, "blue")
				}
				s, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
				if !other.Sibling { // that one is the cloud account, and a claim goes there
					equal(t, "verdict", as[*protocol.UnusableError](t, err).Verdict, account.Verdict(account.ClassDuplicate))
					w.wantWrites(t)
					return
				}
				equal(t, "error", err, nil)
				equal(t, "account", s.Account.Name, "a")
				w.wantWrites(t, "a tenant=ga-1 +first")
			})
		}
	}
}

// Where a record says that another Global Account was on the account meanwhile, the clusters may be that one's.
func TestUpdateReclaimsNothingThatAnotherTenantMayUse(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		if !twin.Sibling {
			continue
		}
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			w := newWorld(t, anAccount("a", bearing("ga-1", "first"), bearing("ga-2", "second"), stripped), other)
			w.counter.add("a", "blue")
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true }))
			equal(t, "verdict", as[*protocol.UnusableError](t, err).Verdict, account.Verdict(account.ClassOccupied))
			w.wantWrites(t)
		})
	}
}

// Clusters and reservations of all bindings of a cloud account count together.
func TestLimitCountsAllBindings(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			bearing("ga-1", "before", forCluster("red"))(&other)
			w := newWorld(t, anAccount("a", heldBy("ga-1")), other, anAccount("z"))
			w.policy = several(4)
			w.counter.add("a", "blue")
			w.counter.add(other.Name, "green")
			p := w.pool()
			claim := w.claim(t, p, request("ga-1", "first", reserving("black"), pinnedTo("a")))
			equal(t, "clusters, reserved", []int{claim.Clusters, claim.Reserved}, []int{2, 2})
			_, err := w.pool().Claim(t.Context(), request("ga-1", "second", reserving("white"), pinnedTo("a")))
			equal(t, "error", as[*account.PinError](t, err).Why, "it is full: 4 of 4 places are taken")
			equal(t, "the next account", w.claim(t, p, request("ga-1", "second", reserving("white"))).Account.Name, "z")
		})
	}
}

// A release goes by all bindings: it refuses while one is used, or is another Global Account's; it leaves the account while a claim is on
// one, or one is internal; and it fences all that the Global Account holds before it marks one of them.
func TestReleaseGoesByAllBindings(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for state, test := range map[string]struct {
			change  func(*account.Account)
			used    bool
			outcome protocol.Outcome
			refused any // the error
			writes  []string
		}{
			"unclaimed":       {func(*account.Account) {}, false, protocol.OutcomeDirtied, nil, []string{"a dirty=releasing +first", "a dirty=true -first"}},
			"used":            {func(*account.Account) {}, true, "", new(*account.InUseError), nil},
			"held by another": {heldBy("ga-2"), false, "", new(*protocol.TwinError), nil},
			"shared":          {shared, false, "", new(*protocol.TwinError), nil},
			"held under another key": {func(a *account.Account) {
				a.Misread = []account.Misread{{Key: "tenant-name", Value: "ga-1", Says: account.ClassHeld, Others: true}}
			}, false, "", new(*protocol.ContestedError), nil},
			"internal": {internal, false, protocol.OutcomeInternal, nil, []string{"a -first"}},
			"held": {heldBy("ga-1"), false, protocol.OutcomeDirtied, nil, []string{
				"a dirty=releasing +first", twin.Name + " dirty=releasing", "a dirty=true +first", twin.Name + " dirty=true", "a -first",
			}},
			"held and used":  {heldBy("ga-1"), true, "", new(*account.InUseError), nil},
			"held and dirty": {func(a *account.Account) { heldBy("ga-1")(a); dirty(account.Dirtied)(a) }, false, protocol.OutcomeDirtied, nil, []string{"a dirty=releasing +first", "a dirty=true -first"}},
			"claimed": {func(a *account.Account) { heldBy("ga-1")(a); bearing("ga-1", "other")(a) }, false, protocol.OutcomeKept, nil,
				[]string{"a -first"}},
		} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				test.change(&other)
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), other)
				if test.used {
					w.counter.add(other.Name, "blue")
				}
				if other.Tenant == "ga-1" && len(other.Claims()) == 0 { // no account goes back unwiped while another binding of it was the Global Account's
					_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", account.ReturnToPool))
					wantError[*protocol.ReturnRefusedError](t, err)
					w.wantWrites(t)
				}
				outcome, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
				equal(t, "outcome", outcome, test.outcome)
				if test.refused != nil {
					equal(t, fmt.Sprintf("error %v is a %T", err, test.refused), errors.As(err, test.refused), true)
				} else {
					equal(t, "error", err, nil)
				}
				w.wantWrites(t, test.writes...)
			})
		}
	}
}

// A binding that is made within the grace time is seen after the fence, and one that is made while the fence is on its way.
func TestBindingThatIsMadeAfterTheFence(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for when, grace := range map[string]time.Duration{"within the grace time": time.Minute, "while the fence is on its way": 0} {
			virtual(t, what+"/"+when, func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
				time.AfterFunc(30*time.Second, func() {
					w.create(twin)
					w.counter.add(twin.Name, "blue")
				})
				if grace == 0 {
					w.on("write", 1, fault{before: func() { time.Sleep(time.Minute) }})
				}
				req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
				req.Grace = grace
				_, err := w.pool().Release(t.Context(), req)
				equal(t, "users", len(as[*account.InUseError](t, err).Users), 1)
				equal(t, "dirt", w.at("a").Dirty, account.Clean)
			})
		}
	}
}

// A binding of another kind is no account that a claim, an import or a cluster can name.
func TestBindingOfAnotherKindIsNoAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"), sibling("a", "secret-a"))
	name := "SecretBinding a"
	_, claimed := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo(name)))
	_, _, found := w.pool().Find(t.Context(), "ga-1", name, "first")
	_, supplied := w.pool().Supplied(t.Context(), name, "")
	_, hosted := w.pool().MayHost(t.Context(), account.HostRequest{Account: name, Fresh: true})
	for what, err := range map[string]error{"claim": claimed, "import": found, "supply": supplied, "host": hosted} {
		equal(t, what, as[*account.NotFoundError](t, err).Account, name)
	}
	w.wantWrites(t)
}

// A user who may not list the bindings of the other kind is warned of it, once, and goes on.
func TestHiddenBindingsAreWarnedOfOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, freeAccounts(3)...)
	w.storm = func(call string) fault {
		if call == "siblings" {
			return fault{answer: &account.ForbiddenError{Verb: "list", Resource: "secretbindings", Namespace: namespace, Err: errCut}}
		}
		return fault{}
	}
	p := w.pool()
	first, second := w.claim(t, p, request("ga-1", "first")), w.claim(t, p, request("ga-2", "first"))
	equal(t, "warnings", []int{len(first.Doubts), len(second.Doubts)}, []int{1, 0})

	destroying := w.pool()
	_, err := destroying.Release(t.Context(), w.releaseOf("ga-1", "first", first.Account.Name, account.MarkDirty))
	equal(t, "error of the release", err, nil)
	equal(t, "warnings of a run that only destroys", []int{len(destroying.Doubts()), len(destroying.Doubts())}, []int{1, 0})
}

// No cluster comes to an account while another binding of it is on its way out, or is another Global Account's; and its clusters count. Nor
// does such an account hold a live cluster of the tenant: each plan says so. A fence on the account that is another's stays.
func TestHostGoesByAllBindings(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for state, test := range map[string]struct {
			change func(*account.Account)
			reason account.HostReason // for a cluster that comes
			holds  account.HostReason // for one that lives; empty = none
		}{
			"unclaimed": {func(*account.Account) {}, account.HostFull, ""}, "held": {heldBy("ga-1"), account.HostFull, ""}, "shared": {shared, account.HostForeign, account.HostForeign},
			"held by another": {heldBy("ga-2"), account.HostForeign, account.HostForeign}, "dirty": {dirty(account.Dirtied), account.HostDirty, account.HostDirty},
			"fenced": {dirty(account.Releasing), account.HostReleasing, account.HostReleasing}, "quarantined": {dirty(account.Quarantined), account.HostQuarantined, ""},
		} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				test.change(&other)
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), other)
				w.policy = several(2)
				w.counter.add("a", "blue")
				w.counter.add(other.Name, "green")
				req := account.HostRequest{Account: "a", Cluster: "red", Tenant: "ga-1"}
				if err := w.pool().Holds(t.Context(), req); test.holds == "" {
					equal(t, "holds", err, nil)
				} else {
					equal(t, "reason that it does not hold", as[*account.HostError](t, err).Reason, test.holds)
				}
				for _, req.Fresh = range []bool{false, true} {
					_, err := w.pool().MayHost(t.Context(), req)
					equal(t, fmt.Sprintf("reason, fresh %t", req.Fresh), as[*account.HostError](t, err).Reason, test.reason)
				}
			})
		}
	}
}

// An account that is another Global Account's by now keeps the fence on its other binding: open, that would lead a second one into it. Nor
// does the owner make an account shared, or move it, while another Global Account holds another binding of it.
func TestAccountOfWhichAnotherBindingIsAnothers(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			dirty(account.Releasing)(&other)
			w := newWorld(t, anAccount("a", heldBy("ga-2")), other)
			outcome, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", account.MarkDirty))
			equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeNotHeld, nil})
			w.wantWrites(t)

			other = clone(twin)
			heldBy("ga-2")(&other)
			w = newWorld(t, anAccount("a"), other)
			for part, change := range map[account.Part]func(*account.Supply){account.PartShared: asShared, account.PartEUAccess: asEU} {
				refused := as[*account.SupplyError](t, w.amend(w.pool(), supplyOf(change)))
				equal(t, string(part), []any{refused.Obstacle, refused.Tenant}, []any{account.ObstacleTenant, "ga-2"})
			}
			w.wantWrites(t)
		})
	}
}

// An account of which another one has the credentials may go, whatever is on that one: so a pool gets rid of a duplicate. A marked one does
// not go while the other has no mark: that one would be free, unwiped. A binding of another kind is no duplicate, but may be an account of
// another pool: the broker and providers of that kind claim it.
func TestDuplicateMayBeTakenOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, other account.Account
		refusal  account.Obstacle
	}{
		"a duplicate":     {anAccount("a"), anAccount("b", withSecret("secret-a"), heldBy("ga-1")), ""},
		"a SecretBinding": {anAccount("a"), sibling("b", "secret-a"), account.ObstacleClusters},
		"dirty":           {anAccount("a", heldBy("ga-1"), dirty(account.Dirtied)), anAccount("b", withSecret("secret-a")), account.ObstacleUnmarked},
		"dirty, beside an account of a pool of SecretBindings": {
			anAccount("a", heldBy("ga-1"), dirty(account.Dirtied)), sibling("b", "secret-a", ofType("aws")), account.ObstacleUnmarked,
		},
		"dirty, beside a SecretBinding that its tenant holds": {
			anAccount("a", heldBy("ga-1"), dirty(account.Dirtied)), sibling("b", "secret-a", ofType("aws"), heldBy("ga-1")),
			account.ObstacleClusters,
		},
		"dirty, beside a SecretBinding of no pool": {
			anAccount("a", heldBy("ga-1"), dirty(account.Dirtied)), sibling("b", "secret-a"), account.ObstacleClusters,
		},
		"dirty, beside an account of a pool of SecretBindings that is dirty too": {
			anAccount("a", dirty(account.Dirtied)), sibling("b", "secret-a", ofType("aws"), dirty(account.Dirtied)), account.ObstacleClusters,
		},
		"quarantined": {anAccount("a", dirty(account.Quarantined)), anAccount("b", withSecret("secret-a")), account.ObstacleUnmarked},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.a, test.other)
			w.counter.add(test.other.Name, "blue")
			supplied, err := w.pool().Supplied(t.Context(), "a", "")
			equal(t, "clusters, error", []any{supplied.Clusters, err}, []any{1, nil})
			equal(t, "is a duplicate", supplied.Class == account.ClassDuplicate, name == "a duplicate")
			req := protocol.RemoveRequest{Name: "a", UID: w.at("a").UID, Alone: true}
			for what, err := range map[string]error{"plan": w.pool().MayRemove(t.Context(), req), "apply": w.pool().Remove(t.Context(), req)} {
				if test.refusal == "" {
					equal(t, what, err, nil)
				} else {
					refused := as[*account.SupplyError](t, err)
					equal(t, what, refused.Obstacle, test.refusal)
					equal(t, "names the other binding", refused.Twin == test.other.Name, test.refusal == account.ObstacleUnmarked)
					w.wantWrites(t)
				}
			}
		})
	}
}

// An account does not become internal while another binding of its credentials is held: a claim that ends on that one would leave the
// account behind with its tenant's data, and without a mark.
func TestInternalWhileAnotherBindingIsHeld(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		other   account.Account
		refusal account.Obstacle
	}{
		"held":                    {anAccount("b", withSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first")), account.ObstacleTenant},
		"a SecretBinding, held":   {sibling("b", "secret-a", heldBy("ga-1")), account.ObstacleTenant},
		"releasing":               {anAccount("b", withSecret("secret-a"), dirty(account.Releasing)), account.ObstacleReleasing},
		"free":                    {anAccount("b", withSecret("secret-a")), ""},
		"held, other credentials": {anAccount("b", withSecret("secret-b"), heldBy("ga-1")), ""},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"), test.other)
			req := protocol.AmendRequest{Supply: supplyOf(asInternal), UID: w.at("a").UID}
			planned := w.pool().MayAmend(t.Context(), req)
			_, err := w.pool().Amend(t.Context(), req)
			for what, err := range map[string]error{"plan": planned, "apply": err} {
				if test.refusal == "" {
					equal(t, what, err, nil)
					continue
				}
				refused := as[*account.SupplyError](t, err)
				equal(t, what, []any{refused.Part, refused.Obstacle, refused.Twin}, []any{account.PartInternal, test.refusal, test.other.Name})
			}
			if test.refusal != "" {
				w.wantWrites(t)
				return
			}
			w.wantWrites(t, "a internal")
		})
	}
}
