package pool

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// A cloud account is its credentials: what is known against one of its bindings is known against all.

// twinsOfA are the ways in which another object can refer to the credentials of account a.
func twinsOfA() map[string]Account {
	untyped := account("b", withSecret("secret-a"), func(a *Account) { a.HyperscalerType = "" })
	untyped.Sibling = true
	return map[string]Account{
		"another account":                      account("b", withSecret("secret-a")),
		"an account that is first by name":     account("0", withSecret("secret-a")),
		"an account of another pool":           account("b", withSecret("secret-a"), func(a *Account) { a.HyperscalerType = "gcp" }),
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
			change func(*Account)
			used   bool
		}{
			"held by another": {heldBy("ga-2"), false}, "used": {func(*Account) {}, true}, "dirty": {dirty(Dirtied), false},
			"fenced": {dirty(Releasing), false}, "quarantined": {dirty(Quarantined), false}, "shared": {shared, false}, "internal": {internal, false},
		} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				test.change(&other)
				w := newWorld(t, account("a"), other, account("z"))
				if test.used {
					w.counter.add(other.Name, "blue")
				}
				_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
				wantError[*PinError](t, err)
				w.wantWrites(t)
				p := w.pool()
				equal(t, "account", w.claim(t, p, request("ga-1", "first")).Account.Name, "z")
				w.wantWrites(t, "z tenant=ga-1 +first")
				_, err = p.Claim(t.Context(), request("ga-3", "first"))
				tally := as[*ExhaustedError](t, err).Tally
				equal(t, "free", tally[ClassFree], 0)
			})
		}
	}
}

// A claim of the Global Account that holds the cloud account goes to the binding that says so. Where that is no account of the pool, it goes
// to the one that is: the cloud account is the Global Account's already, and does not come from the pool.
func TestClaimGoesToTheBindingThatIsHeld(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			w := newWorld(t, account("a"), other, account("z"))
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

// Clusters and reservations of all bindings of a cloud account count together.
func TestLimitCountsAllBindings(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			bearing("ga-1", "before", forCluster("red"))(&other)
			w := newWorld(t, account("a", heldBy("ga-1")), other, account("z"))
			w.policy = several(4)
			w.counter.add("a", "blue")
			w.counter.add(other.Name, "green")
			p := w.pool()
			claim := w.claim(t, p, request("ga-1", "first", reserving("black"), pinnedTo("a")))
			equal(t, "clusters, reserved", []int{claim.Clusters, claim.Reserved}, []int{2, 2})
			_, err := w.pool().Claim(t.Context(), request("ga-1", "second", reserving("white"), pinnedTo("a")))
			equal(t, "error", as[*PinError](t, err).Why, "it is full: 4 of 4 places are taken")
			equal(t, "the next account", w.claim(t, p, request("ga-1", "second", reserving("white"))).Account.Name, "z")
		})
	}
}

// A release goes by all bindings: it refuses while one is used, or is another Global Account's; it leaves the account while a claim stands on
// one, or one is internal; and it fences all that the Global Account holds before it marks one of them.
func TestReleaseGoesByAllBindings(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for state, test := range map[string]struct {
			change  func(*Account)
			used    bool
			outcome Outcome
			refused any // the error
			writes  []string
		}{
			"unclaimed":       {func(*Account) {}, false, OutcomeDirtied, nil, []string{"a dirty=releasing +first", "a dirty=true -first"}},
			"used":            {func(*Account) {}, true, "", new(*InUseError), nil},
			"held by another": {heldBy("ga-2"), false, "", new(*TwinError), nil},
			"shared":          {shared, false, "", new(*TwinError), nil},
			"internal":        {internal, false, OutcomeInternal, nil, []string{"a -first"}},
			"held": {heldBy("ga-1"), false, OutcomeDirtied, nil, []string{
				"a dirty=releasing +first", twin.Name + " dirty=releasing", "a dirty=true +first", twin.Name + " dirty=true", "a -first",
			}},
			"held and used":  {heldBy("ga-1"), true, "", new(*InUseError), nil},
			"held and dirty": {func(a *Account) { heldBy("ga-1")(a); dirty(Dirtied)(a) }, false, OutcomeDirtied, nil, []string{"a dirty=releasing +first", "a dirty=true -first"}},
			"claimed": {func(a *Account) { heldBy("ga-1")(a); bearing("ga-1", "other")(a) }, false, OutcomeKept, nil,
				[]string{"a -first"}},
		} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				test.change(&other)
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), other)
				if test.used {
					w.counter.add(other.Name, "blue")
				}
				if other.Tenant == "ga-1" && len(other.Claims()) == 0 { // no account goes back unwiped while another binding of it was the Global Account's
					_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", ReturnToPool))
					wantError[*ReturnRefusedError](t, err)
					w.wantWrites(t)
				}
				outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
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

// A binding that is made within the grace time is seen behind the fence.
func TestBindingThatIsMadeBehindTheFence(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		virtual(t, what, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			time.AfterFunc(30*time.Second, func() {
				w.create(twin)
				w.counter.add(twin.Name, "blue")
			})
			req := w.releaseOf("ga-1", "first", "a", MarkDirty)
			req.Grace = time.Minute
			_, err := w.pool().Release(t.Context(), req)
			equal(t, "users", len(as[*InUseError](t, err).Users), 1)
			equal(t, "dirt", w.at("a").Dirty, Clean)
		})
	}
}

// A binding of another kind is no account that a claim, an import or a cluster can name.
func TestBindingOfAnotherKindIsNoAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"), sibling("a", "secret-a"))
	name := "SecretBinding a"
	_, claimed := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo(name)))
	_, _, found := w.pool().Find(t.Context(), "ga-1", name, "first")
	_, supplied := w.pool().Supplied(t.Context(), name, "")
	_, hosted := w.pool().MayHost(t.Context(), HostRequest{Account: name, Fresh: true})
	for what, err := range map[string]error{"claim": claimed, "import": found, "supply": supplied, "host": hosted} {
		equal(t, what, as[*NotFoundError](t, err).Account, name)
	}
	w.wantWrites(t)
}

// A user who may not list the bindings of the other kind is warned of it, once, and goes on.
func TestHiddenBindingsAreWarnedOfOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, freeAccounts(3)...)
	w.storm = func(call string) fault {
		if call == "siblings" {
			return fault{answer: &ForbiddenError{Verb: "list", Resource: "secretbindings", Namespace: namespace, Err: errCut}}
		}
		return fault{}
	}
	p := w.pool()
	first, second := w.claim(t, p, request("ga-1", "first")), w.claim(t, p, request("ga-2", "first"))
	equal(t, "warnings", []int{len(first.Doubts), len(second.Doubts)}, []int{1, 0})

	destroying := w.pool()
	_, err := destroying.Release(t.Context(), w.releaseOf("ga-1", "first", first.Account.Name, MarkDirty))
	equal(t, "error of the release", err, nil)
	equal(t, "warnings of a run that only destroys", []int{len(destroying.Doubts()), len(destroying.Doubts())}, []int{1, 0})
}

// No cluster comes to an account while another binding of it is on its way out, or is another Global Account's; and its clusters count. Nor does
// such an account hold a live cluster of the tenant: each plan says so. A fence on the account that is another's stays.
func TestHostGoesByAllBindings(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for state, test := range map[string]struct {
			change func(*Account)
			reason HostReason // for a cluster that comes
			holds  HostReason // for one that lives; empty = none
		}{
			"unclaimed": {func(*Account) {}, HostFull, ""}, "held": {heldBy("ga-1"), HostFull, ""}, "shared": {shared, HostForeign, HostForeign},
			"held by another": {heldBy("ga-2"), HostForeign, HostForeign}, "dirty": {dirty(Dirtied), HostDirty, HostDirty},
			"fenced": {dirty(Releasing), HostReleasing, HostReleasing}, "quarantined": {dirty(Quarantined), HostDirty, ""},
		} {
			parallel(t, what+"/"+state, func(t *testing.T) {
				other := clone(twin)
				test.change(&other)
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), other)
				w.policy = several(2)
				w.counter.add("a", "blue")
				w.counter.add(other.Name, "green")
				req := HostRequest{Account: "a", Cluster: "red", Tenant: "ga-1"}
				if err := w.pool().Holds(t.Context(), req); test.holds == "" {
					equal(t, "holds", err, nil)
				} else {
					equal(t, "reason that it does not hold", as[*HostError](t, err).Reason, test.holds)
				}
				for _, req.Fresh = range []bool{false, true} {
					_, err := w.pool().MayHost(t.Context(), req)
					equal(t, fmt.Sprintf("reason, fresh %t", req.Fresh), as[*HostError](t, err).Reason, test.reason)
				}
			})
		}
	}
}

// An account that is another Global Account's by now keeps the fence on its other binding: open, that would lead a second one into it. Nor does the
// owner make an account shared, or move it, while another Global Account holds another binding of it.
func TestAccountOfWhichAnotherBindingIsAnothers(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		parallel(t, what, func(t *testing.T) {
			other := clone(twin)
			heldBy("ga-1")(&other)
			dirty(Releasing)(&other)
			w := newWorld(t, account("a", heldBy("ga-2")), other)
			outcome, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", MarkDirty))
			equal(t, "outcome", []any{outcome, err}, []any{OutcomeNotHeld, nil})
			w.wantWrites(t)

			other = clone(twin)
			heldBy("ga-2")(&other)
			w = newWorld(t, account("a"), other)
			for part, change := range map[Part]func(*Supply){PartShared: asShared, PartEUAccess: asEU} {
				refused := as[*SupplyError](t, w.amend(w.pool(), supplyOf(change)))
				equal(t, string(part), []any{refused.Obstacle, refused.Tenant}, []any{ObstacleTenant, "ga-2"})
			}
			w.wantWrites(t)
		})
	}
}

// An account of which another one has the credentials may go, whatever is on that one: so a pool gets rid of a duplicate. A marked one does not
// go while the other has no mark: that one would be free, unwiped. A binding of another kind is no duplicate.
func TestDuplicateMayBeTakenOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, other Account
		refusal  Obstacle
	}{
		"a duplicate":     {account("a"), account("b", withSecret("secret-a"), heldBy("ga-1")), ""},
		"a SecretBinding": {account("a"), sibling("b", "secret-a"), ObstacleClusters},
		"dirty":           {account("a", heldBy("ga-1"), dirty(Dirtied)), account("b", withSecret("secret-a")), ObstacleDirty},
		"quarantined":     {account("a", dirty(Quarantined)), account("b", withSecret("secret-a")), ObstacleDirty},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.a, test.other)
			w.counter.add(test.other.Name, "blue")
			supplied, err := w.pool().Supplied(t.Context(), "a", "")
			equal(t, "clusters, error", []any{supplied.Clusters, err}, []any{1, nil})
			equal(t, "is a duplicate", supplied.Class == ClassDuplicate, name == "a duplicate")
			req := RemoveRequest{Name: "a", UID: w.at("a").UID, Alone: true}
			for what, err := range map[string]error{"plan": w.pool().MayRemove(t.Context(), req), "apply": w.pool().Remove(t.Context(), req)} {
				if test.refusal == "" {
					equal(t, what, err, nil)
				} else {
					equal(t, what, as[*SupplyError](t, err).Obstacle, test.refusal)
					w.wantWrites(t)
				}
			}
		})
	}
}
