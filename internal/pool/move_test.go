package pool

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// old is the SecretBinding a, which refers to the Secret of account a.
func old(changes ...func(*account.Account)) account.Account {
	a := sibling("a", "secret-a")
	for _, change := range changes {
		change(&a)
	}
	return a
}

// moveOf takes the claim first of ga-1 from the SecretBinding a to the pool's account.
func (w *world) moveOf(changes ...func(*protocol.MoveRequest)) protocol.MoveRequest {
	from := w.at("SecretBinding a")
	r := protocol.MoveRequest{UpdateRequest: protocol.UpdateRequest{
		Identity: identity("ga-1", "first"), Account: "SecretBinding a", UID: from.UID, WasOwner: "pipeline",
		Details: account.Details{Owner: "pipeline"}, ClaimedAt: longAgo, NewlyClaimed: true,
	}, Credentials: account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: "secret-a"}}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// A claim moves from one binding of its cloud account to another: the new one gets the record, and the label where it lacks it, before the
// old one loses the record. The old one keeps its label, and nothing is marked.
func TestMove(t *testing.T) {
	t.Parallel()
	own, held := bearing("ga-1", "first", newly, forCluster("blue")), heldBy("ga-1")
	const unusable = `claim "first" of Global Account ga-1 on pool aws belongs on account a, which cannot be used: `
	for name, test := range map[string]struct {
		accounts []account.Account
		request  func(*protocol.MoveRequest)
		writes   []string
		fails    string
	}{
		"the new binding has no label":  {[]account.Account{old(held, own), anAccount("a")}, nil, []string{"a tenant=ga-1 +first", "SecretBinding a -first"}, ""},
		"the new binding has the label": {[]account.Account{old(held, own), anAccount("a", held)}, nil, []string{"a +first", "SecretBinding a -first"}, ""},
		"a crash after the first write": {[]account.Account{old(held, own), anAccount("a", held, own)}, nil, []string{"SecretBinding a -first"}, ""},
		"a crash after the last write":  {[]account.Account{old(held), anAccount("a", held, own)}, nil, nil, ""},
		"other claims stay": {[]account.Account{old(held, own, bearing("ga-1", "second")), anAccount("a", held)}, nil,
			[]string{"a +first", "SecretBinding a -first"}, ""},
		"the claim was never recorded":                         {[]account.Account{old(held), anAccount("a", held)}, nil, []string{"a +first"}, ""},
		"the old binding is gone, and the new one is labelled": {[]account.Account{anAccount("a", held)}, nil, []string{"a +first"}, ""},
		"the old binding is gone, and the new one is free": {[]account.Account{anAccount("a")}, nil, nil,
			"account a is held by no Global Account, and not by ga-1"},
		"the old binding is on its way out": {[]account.Account{old(held, own, terminating), anAccount("a")}, nil,
			[]string{"a tenant=ga-1 +first", "SecretBinding a -first"}, ""},
		"the new binding is another Global Account's": {[]account.Account{old(held, own), anAccount("a", heldBy("ga-2"))}, nil, nil,
			"account a is held by Global Account ga-2, not by ga-1"},
		"a third binding is another Global Account's": {[]account.Account{old(held, own), anAccount("a"), sibling2(heldBy("ga-2"))}, nil, nil,
			"SecretBinding z refers to the credentials of account a, so both are one cloud account, and Global Account ga-2 holds it"},
		"the old binding was lost to another": {[]account.Account{old(heldBy("ga-2"), own), anAccount("a")}, nil, nil,
			"SecretBinding a refers to the credentials of account a, so both are one cloud account, and Global Account ga-2 holds it"},
		"the old binding is free": {[]account.Account{old(own), anAccount("a")}, nil, nil, "account a is held by no Global Account, and not by ga-1"},
		"the old binding is dirty": {[]account.Account{old(held, own, dirty(account.Dirtied)), anAccount("a")}, nil, nil,
			unusable + "it is dirty and waits for the clean-up job"},
		"a release is under way": {[]account.Account{old(held, own, dirty(account.Releasing)), anAccount("a")}, nil, nil, unusable + "it is being released"},
		"another pool": {[]account.Account{old(held, own), anAccount("a", func(a *account.Account) { a.EUAccess = true })}, nil, nil,
			unusable + "it belongs to another pool by now"},
		"another owner": {[]account.Account{old(held, bearing("ga-1", "first", ownedBy("colleague"))), anAccount("a")}, nil, nil,
			`claim "first" of Global Account ga-1 on pool aws is on account SecretBinding a since 2026-03-01T12:00:00Z, recorded by owner "colleague", not by owner "pipeline"`},
		"no binding of the pool": {[]account.Account{old(held, own), anAccount("z")}, nil, nil,
			`claim "first" of Global Account ga-1 on pool aws is on SecretBinding a, and no other account of the pool refers to its credentials`},
		"two of them": {[]account.Account{old(held, own), anAccount("a"), anAccount("b", withSecret("secret-a"))}, nil, nil,
			`claim "first" of Global Account ga-1 on pool aws is on SecretBinding a, and several accounts of the pool refer to its credentials: a, b`},
		"two of them, and one is asked for": {[]account.Account{old(held, own), anAccount("a"), anAccount("b", withSecret("secret-a"))},
			func(r *protocol.MoveRequest) { r.To = "b" }, []string{"b tenant=ga-1 +first", "SecretBinding a -first"}, ""},
		"an account of other credentials is asked for": {[]account.Account{old(held, own), anAccount("a"), anAccount("z", held)},
			func(r *protocol.MoveRequest) { r.To = "z" }, nil, `claim "first" of Global Account ga-1 on pool aws is on SecretBinding a, and ` +
				"account z, which it is to go to, does not refer to the same credentials, or does not exist; others that do: a"},
		"what is recorded changes": {[]account.Account{old(held, own), anAccount("a")}, func(r *protocol.MoveRequest) { r.ClusterName = "green" },
			[]string{"a tenant=ga-1 +first", "SecretBinding a -first"}, ""},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.accounts...)
			r := w.moveOf(func(r *protocol.MoveRequest) { r.ClusterName = "blue" })
			if test.request != nil {
				test.request(&r)
			}
			before := w.at("SecretBinding a")
			s, err := w.pool().Move(t.Context(), r)
			w.wantWrites(t, test.writes...)
			if test.fails != "" {
				equal(t, "error", fmt.Sprint(err), test.fails)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			to := w.at(s.Account.Name)
			equal(t, "tenant", to.Tenant, "ga-1")
			equal(t, "record", to.Records[r.Identity.Key()].ClusterName, r.ClusterName)
			equal(t, "claimed at", to.Records[r.Identity.Key()].ClaimedAt.Unix(), longAgo.Unix())
			equal(t, "newly claimed", to.Records[r.Identity.Key()].NewlyClaimed, true)
			after := w.at("SecretBinding a")
			equal(t, "tenant of the old binding", after.Tenant, before.Tenant)
			equal(t, "dirty", []account.Dirt{to.Dirty, after.Dirty}, []account.Dirt{account.Clean, account.Clean})
			if slices.Contains(after.Claims(), r.Identity.Key()) {
				t.Error("the record is on the old binding")
			}
		})
	}
}

// The old binding is another Global Account's by the list that the move has just asked for: the new binding does not get the label.
func TestMove_listNewerThanTheRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old(heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("a"))
	r := w.moveOf()
	w.on("list", 1, fault{before: func() { w.edit("SecretBinding a", lost) }})
	_, err := w.pool().Move(t.Context(), r)
	equal(t, "is a MoveError", isA[*protocol.MoveError](err), true)
	w.wantWrites(t)
	equal(t, "tenants", []string{w.at("SecretBinding a").Tenant, w.at("a").Tenant}, []string{"ga-2", ""})
}

// A move that cannot go on after a write does not say that nothing was written.
func TestMove_cutAfterAWrite(t *testing.T) {
	t.Parallel()
	own, held := bearing("ga-1", "first", newly), heldBy("ga-1")
	for name, test := range map[string]struct {
		accounts []account.Account
		then     func(*account.Account) // happens to the old binding after the first write
		writes   string
	}{
		"another tenant":        {[]account.Account{old(held, own), anAccount("a", held)}, lost, "a +first"},
		"another owner":         {[]account.Account{old(held, own), anAccount("a", held)}, bearing("ga-1", "first", newly, ownedBy("colleague")), "a +first"},
		"a record is withdrawn": {[]account.Account{old(held, own), anAccount("a", heldBy("ga-2"), own), sibling2(heldBy("ga-2"))}, nil, "a -first"},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.accounts...)
			r := w.moveOf()
			if test.then != nil {
				w.on("write", 1, fault{after: func() { w.edit("SecretBinding a", test.then) }})
			}
			_, err := w.pool().Move(t.Context(), r)
			equal(t, "is a MoveCutError", isA[*protocol.MoveCutError](err), true)
			w.wantWrites(t, test.writes)
		})
	}
}

// Which bindings there are says whether the cloud account has gone with the old one, and whether the account that was asked for is another
// one.
func TestMove_whatIsKnown(t *testing.T) {
	t.Parallel()
	held, own := heldBy("ga-1"), bearing("ga-1", "first", newly)
	untyped := func(a *account.Account) { a.HyperscalerType, a.Sibling = "", true }
	twin := func(changes ...func(*account.Account)) account.Account {
		return anAccount("b", append(changes, withSecret("secret-a"))...)
	}
	for name, test := range map[string]struct {
		accounts []account.Account // beside the old binding, which is gone
		to       string
		known    int
		joined   bool
	}{
		"none":                             {nil, "", 0, false},
		"an account of other credentials":  {[]account.Account{anAccount("z", held)}, "z", 0, false},
		"two accounts":                     {[]account.Account{anAccount("a", held), twin(held)}, "", 2, false},
		"one without the label":            {[]account.Account{anAccount("a", held, untyped)}, "", 1, false},
		"another tenant's, too":            {[]account.Account{anAccount("a", held), anAccount("z", withSecret("secret-a"), heldBy("ga-2"))}, "", 2, false},
		"one without the label, asked for": {[]account.Account{anAccount("a", held, own), twin(untyped)}, "b", 2, true},
		"one on its way out, asked for":    {[]account.Account{anAccount("a", held, own), twin(terminating)}, "b", 2, true},
		"another tenant's, too, asked for": {[]account.Account{twin(held), sibling2(heldBy("ga-2"))}, "b", 2, true},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.accounts...)
			_, err := w.pool().Destination(t.Context(), w.moveOf(func(r *protocol.MoveRequest) { r.To, r.UID = test.to, "gone" }))
			refused, is := errors.AsType[*protocol.MoveError](err)
			if !is {
				t.Fatalf("%T: %v", err, err)
			}
			equal(t, "bindings", refused.Known, test.known)
			equal(t, "joined", refused.Joined, test.joined)
		})
	}
}

// A claim that is recorded on a binding of another kind, or on one that has lost the label of its type, is not made a second time.
func TestClaimThatIsOnAnotherBinding(t *testing.T) {
	t.Parallel()
	held := heldBy("ga-1")
	untyped := anAccount("b", withSecret("secret-a"), held, bearing("ga-1", "first", newly), func(a *account.Account) { a.HyperscalerType, a.Sibling = "", true })
	for name, test := range map[string]struct {
		bears account.Account
		owner string
		wants func(error) bool
	}{
		"of another kind": {old(held, bearing("ga-1", "first", newly, forCluster("blue"))), "pipeline", isA[*protocol.OtherBindingError]},
		"another owner's": {old(held, bearing("ga-1", "first", newly)), "them", isA[*protocol.OwnerError]},
		"without a label": {untyped, "pipeline", isA[*protocol.OtherBindingError]},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.bears, anAccount("a", held), anAccount("z"))
			w.policy = several(1)
			w.counter.add(test.bears.Name, "blue")
			req := request("ga-1", "first", reserving("blue"))
			req.Owner = test.owner
			_, err := w.pool().Claim(t.Context(), req)
			equal(t, "is the error", test.wants(err), true)
			w.wantWrites(t)
		})
	}
}

// sibling2 is another SecretBinding of the same credentials.
func sibling2(change func(*account.Account)) account.Account {
	return sibling("z", "secret-a", change)
}
