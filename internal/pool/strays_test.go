package pool

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// A binding in use whose cloud account cannot be known may be a twin of an account that looks free: no other Global Account gets that one.
// What names another account, or is free itself, keeps nothing from it.
func TestClaimPassesOverAccountsOfStrays(t *testing.T) {
	t.Parallel()
	unread := func(a *account.Account) { a.SameAsUnread = `"AWS-1"` }
	elsewhere := func(a *account.Account) {
		a.SameAs = account.CredentialsRef{Kind: "Secret", Namespace: "elsewhere", Name: "secret-a"}
	}
	held, own := heldBy("ga-2"), heldBy("ga-1")
	for name, test := range map[string]struct {
		changes []func(*account.Account)
		used    bool // a cluster is on the stray
		free    bool // the account can be claimed
	}{
		"an annotation that cannot be read, held by another": {[]func(*account.Account){unread, held}, false, false},
		"the same on a binding of another kind": {[]func(*account.Account){unread, held, func(a *account.Account) {
			a.Name, a.Sibling = account.BindingOf("SecretBinding", "x"), true
		}}, false, false},
		"the same, held by the same":        {[]func(*account.Account){unread, own}, false, true},
		"the same, of the same, and shared": {[]func(*account.Account){unread, own, shared}, false, false},
		"the same, used":                    {[]func(*account.Account){unread}, true, false},
		"the same, dirty":                   {[]func(*account.Account){unread, dirty(account.Dirtied)}, false, false},
		"the same, with a claim":            {[]func(*account.Account){unread, held, bearing("ga-2", "first")}, false, false},
		"the same, free":                    {[]func(*account.Account){unread}, false, true},
		"the same, of another provider type": {[]func(*account.Account){unread, held, func(a *account.Account) {
			a.Credentials.ProviderType = "gcp"
		}}, false, true},
		"the name of the binding":                     {[]func(*account.Account){sameAsSecret("a"), held}, false, false},
		"the name of the Secret, in a namespace else": {[]func(*account.Account){elsewhere, held}, false, false},
		"the same with a dot":                         {[]func(*account.Account){sameAsSecret("secret.a"), held}, false, false},
		"a Secret that nothing refers to":             {[]func(*account.Account){sameAsSecret("gone"), held}, false, true},
		"the Secret of another account":               {[]func(*account.Account){sameAsSecret("secret-b"), held}, false, true},
	} {
		parallel(t, name, func(t *testing.T) {
			stray := anAccount("x", func(a *account.Account) { a.HyperscalerType = "other" })
			ofIdentity("x")(&stray)
			for _, change := range test.changes {
				change(&stray)
			}
			w := newWorld(t, anAccount("a", withSecret("secret-a")), anAccount("b", withSecret("secret-b"), heldBy("ga-3")), stray)
			if test.used {
				w.counter.add("x", "blue")
			}
			p := w.pool()
			_, pinned := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
			if test.free {
				equal(t, "error", pinned, nil)
				return
			}
			wantError[*account.PinError](t, pinned)
			_, err := p.Claim(t.Context(), request("ga-1", "first"))
			exhausted := as[*account.ExhaustedError](t, err)
			equal(t, "unclear", exhausted.Tally[account.ClassUnclear], 1)
			equal(t, "accounts in doubt", len(exhausted.InDoubt), 1)
			w.wantWrites(t)
			w.edit(stray.Name, func(a *account.Account) { a.SameAs, a.SameAsUnread = account.CredentialsRef{}, "" })
			equal(t, "account, once the annotation is gone", w.claim(t, w.pool(), request("ga-1", "first")).Account.Name, "a")
		})
	}
}

// strayOf is an account on a WorkloadIdentity whose annotation gives the name of another account.
func strayOf(name, named string, changes ...func(*account.Account)) account.Account {
	a := anAccount(name, changes...)
	ofIdentity(name)(&a)
	sameAsSecret(named)(&a)
	return a
}

// In whichever order the two are claimed: a binding whose annotation gives the name of an account in use is not claimed for another Global
// Account, and two bindings with one wrong annotation do not vouch for each other.
func TestClaimOfAStray(t *testing.T) {
	t.Parallel()
	held := anAccount("a", withSecret("secret-a"), heldBy("ga-2"))
	free := anAccount("a", withSecret("secret-a"))
	for name, test := range map[string]struct {
		accounts []account.Account
		pin      string
		used     bool // a cluster is on account a
		refused  bool
	}{
		"the account is held by another":      {[]account.Account{held, strayOf("x", "a")}, "x", false, true},
		"the account is used":                 {[]account.Account{free, strayOf("x", "a")}, "x", true, true},
		"the account is free":                 {[]account.Account{free, strayOf("x", "a")}, "x", false, false},
		"the name is of no account":           {[]account.Account{held, strayOf("x", "gone")}, "x", false, false},
		"two with one name, one of them held": {[]account.Account{free, strayOf("x", "a", heldBy("ga-2")), strayOf("y", "a")}, "a", false, true},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.accounts...)
			if test.used {
				w.counter.add("a", "blue")
			}
			_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo(test.pin)))
			if !test.refused {
				equal(t, "error", err, nil)
				return
			}
			wantError[*account.PinError](t, err)
			w.wantWrites(t)
		})
	}
}

// An account is neither marked nor freed while a binding in use may lead into it.
func TestReleaseBesideAStray(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stray   account.Account
		used    bool // a cluster is on the stray
		refused bool
	}{
		"held by another":  {strayOf("x", "a", heldBy("ga-2")), false, true},
		"held by the same": {strayOf("x", "a", heldBy("ga-1")), false, true},
		"used":             {strayOf("x", "a"), true, true},
		"free":             {strayOf("x", "a"), false, false},
		"of another name":  {strayOf("x", "b", heldBy("ga-2")), false, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", withSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first")), test.stray)
			if test.used {
				w.counter.add("x", "blue")
			}
			_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", account.MarkDirty))
			if !test.refused {
				equal(t, "error", err, nil)
				return
			}
			equal(t, "stray", *as[*protocol.StrayError](t, err), protocol.StrayError{Account: "a", Stray: "x", SameAs: "a"})
			w.wantWrites(t)
		})
	}
}

// A cluster that comes to a stray later, or that the first count has not seen, keeps the account from its mark, and from a claim.
func TestStrayThatIsUsedLater(t *testing.T) {
	t.Parallel()
	held := []func(*account.Account){withSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first")}
	virtual(t, "within the grace time", func(t *testing.T) {
		w := newWorld(t, anAccount("a", held...), strayOf("x", "a"))
		req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
		req.Grace = time.Minute
		time.AfterFunc(30*time.Second, func() { w.counter.add("x", "blue") })
		_, err := w.pool().Release(t.Context(), req)
		equal(t, "is refused", isA[*account.InUseError](err), true)
		equal(t, "dirt", w.at("a").Dirty, account.Clean)
	})
	virtual(t, "the first count fails", func(t *testing.T) {
		w := newWorld(t, anAccount("a", held...), strayOf("x", "a"))
		w.counter.add("x", "blue")
		w.counter.at("count", 1, fault{answer: errCut})
		_, err := w.release(w.pool(), "ga-1", "first", "a", account.MarkDirty)
		equal(t, "is refused", isA[*account.InUseError](err), true)
		equal(t, "dirt", w.at("a").Dirty, account.Clean)
	})
	virtual(t, "a claim by an older count", func(t *testing.T) {
		w := newWorld(t, anAccount("a", withSecret("secret-a")), anAccount("z", withSecret("secret-z")), strayOf("x", "a"))
		p := w.pool()
		w.claim(t, p, request("ga-2", "other", pinnedTo("z")))
		w.counter.add("x", "blue")
		time.Sleep(10 * time.Second)
		_, err := p.Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
		equal(t, "is refused", err != nil, true)
		equal(t, "tenant of a", w.at("a").Tenant, "")
	})
}
