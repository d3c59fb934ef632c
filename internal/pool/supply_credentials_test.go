package pool

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// ofName is the supply of another account with the credentials of a.
func ofName(name string) func(*account.Supply) { return func(s *account.Supply) { s.Name = name } }

// Two accounts with the same credentials are one cloud account: the second is refused, whatever the first is, by the plan too.
func TestCredentialsOfAnotherAccountAreRefused(t *testing.T) {
	t.Parallel()
	untyped := func(a *account.Account) { a.HyperscalerType = "" }
	for name, other := range map[string][]func(*account.Account){
		"free": nil, "held": {heldBy("ga-1")}, "shared": {shared}, "dirty": {dirty(account.Dirtied)}, "being deleted": {terminating}, "no account": {untyped},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", other...), anAccount("c"))
			for what, err := range map[string]error{
				"plan": w.pool().MayAdd(t.Context(), supplyOf(ofName("b")), ""), "apply": errorOf(w.pool().Add(t.Context(), supplyOf(ofName("b")))),
			} {
				equal(t, what, as[*account.SameCredentialsError](t, err), &account.SameCredentialsError{
					Account: "b", Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-a"}, Others: []string{"a"},
				})
			}
			w.wantWrites(t)
		})
	}
}

// A binding of another kind with the same credentials leads into the same cloud account, whatever its name is: the account is refused, by
// the plan too, also where it takes the place of another account.
func TestCredentialsOfAnotherKindOfBindingAreRefused(t *testing.T) {
	t.Parallel()
	ref := account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-a"}
	w := newWorld(t, anAccount("a"), sibling("b", "secret-a"), sibling("a", "secret-a"), sibling("c", "secret-c"))
	supply := supplyOf(ofName("b"), func(s *account.Supply) { s.Credentials.Ref = ref })
	want := &account.SameCredentialsError{Account: "b", Ref: ref, Siblings: []string{"SecretBinding a", "SecretBinding b"}}
	equal(t, "in the place of a", as[*account.SameCredentialsError](t, w.pool().MayAdd(t.Context(), supply, w.at("a").UID)), want)
	want.Others = []string{"a"}
	for what, err := range map[string]error{
		"plan": w.pool().MayAdd(t.Context(), supply, ""), "apply": errorOf(w.pool().Add(t.Context(), supply)),
	} {
		equal(t, what, as[*account.SameCredentialsError](t, err), want)
	}
	w.wantWrites(t)

	free := supplyOf(ofName("d"), func(s *account.Supply) { s.Credentials.Ref.Name = "secret-d" })
	equal(t, "credentials of its own", w.pool().MayAdd(t.Context(), free, ""), nil)
	down := &account.UnreachableError{Verb: "list", Resource: "secretbindings", Err: errCut}
	w.on("siblings", w.called("siblings")+1, fault{answer: down})
	equal(t, "without a list", as[*account.UnreachableError](t, errorOf(w.pool().Add(t.Context(), free))), down)
	w.wantWrites(t)
}

// What has other credentials, and what takes the place of the other account, goes its way. References are compared by kind, namespace
// and name.
func TestCredentialsOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ref     account.CredentialsRef
		refused bool
	}{
		"the same":               {account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-a"}, true},
		"another version":        {account.CredentialsRef{APIVersion: "v2", Kind: "Secret", Namespace: namespace, Name: "secret-a"}, true},
		"another name":           {account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-b"}, false},
		"another namespace":      {account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: "garden-other", Name: "secret-a"}, false},
		"another kind":           {account.CredentialsRef{APIVersion: "v1", Kind: "WorkloadIdentity", Namespace: namespace, Name: "secret-a"}, false},
		"not known at plan time": {account.CredentialsRef{}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			supply := supplyOf(ofName("b"), func(s *account.Supply) { s.Credentials.Ref = test.ref })
			err := w.pool().MayAdd(t.Context(), supply, "")
			if test.refused {
				wantError[*account.SameCredentialsError](t, err)
				equal(t, "in the place of a", w.pool().MayAdd(t.Context(), supply, w.at("a").UID), nil)
				return
			}
			equal(t, "plan", err, nil)
		})
	}
	w := newWorld(t, userSecret())
	w.labelled = true
	_, err := w.pool().Add(t.Context(), supplyOf())
	equal(t, "a Secret is its own credentials", []any{err, w.called("siblings")}, []any{nil, 1})
}

// What uses the credentials is listed once for many accounts, and without that list nothing is made.
func TestCredentialsAreListedOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		p := w.pool()
		own := func(i int) account.Supply {
			time.Sleep(time.Duration(i) * time.Millisecond) // one after the other
			return supplyOf(ofName(fmt.Sprintf("a-%03d", i)), func(s *account.Supply) { s.Credentials.Ref.Name = fmt.Sprint("s-", i) })
		}
		const accounts = 200
		errs := together(accounts, func(i int) error { return p.MayAdd(t.Context(), own(i), "") })
		equal(t, "plan", errs, make([]error, accounts))
		errs = together(accounts, func(i int) error { return errorOf(p.Add(t.Context(), own(i))) })
		equal(t, "apply", errs, make([]error, accounts))
		equal(t, "lists", []int{w.called("list"), w.called("siblings")}, []int{1, 1})

		time.Sleep(protocol.MaxFreeAge + time.Second)
		down := &account.UnreachableError{Verb: "list", Resource: "credentialsbindings", Err: errCut}
		w.on("list", 2, fault{answer: down})
		equal(t, "without a list", as[*account.UnreachableError](t, errorOf(p.Add(t.Context(), own(accounts)))), down)
		equal(t, "made", w.at(own(accounts).Name).Name, "")
	})
}

// Of several accounts with the same credentials that one process makes at the same time one comes about. One that was taken out a
// moment before, whatever a list says, does not keep another from being made.
func TestAccountsWithTheSameCredentialsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		p := w.pool()
		w.storm = func(call string) fault {
			if call == "create" {
				return fault{before: func() { time.Sleep(100 * time.Millisecond) }}
			}
			return fault{}
		}
		made := 0
		for _, err := range together(8, func(i int) error { return errorOf(p.Add(t.Context(), supplyOf(ofName(fmt.Sprint("a-", i))))) }) {
			if err == nil {
				made++
			} else {
				wantError[*account.SameCredentialsError](t, err)
			}
		}
		equal(t, "made", made, 1)
		standing := w.wrote()[0]
		name := standing[:len(standing)-len(" made")]
		equal(t, "removal", p.Remove(t.Context(), protocol.RemoveRequest{Name: name, UID: w.at(name).UID}), nil)
		time.Sleep(time.Millisecond)
		equal(t, "the next", errorOf(p.Add(t.Context(), supplyOf(ofName("b")))), nil)
	})
}

// Gardener forbids an account whose credentials are missing, as it forbids what the user has no right to.
func TestMissingCredentialsAreNoMissingRight(t *testing.T) {
	t.Parallel()
	forbidden := &account.ForbiddenError{Verb: "create", Err: errCut}
	for name, test := range map[string]struct {
		missing bool
		read    error
		want    func(*testing.T, error)
	}{
		"missing":     {true, nil, wantError[*account.NoCredentialsError]},
		"there":       {false, nil, wantError[*account.ForbiddenError]},
		"not visible": {false, &account.NoCredentialsError{Err: forbidden}, wantError[*account.ForbiddenError]},
		"not known":   {false, errors.New("down"), wantError[*account.ForbiddenError]},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t)
			w.noCredentials = map[string]bool{"secret-a": test.missing}
			w.on("create", 1, fault{answer: forbidden})
			if test.read != nil {
				w.on("credentials", 2, fault{answer: test.read}) // the first read is for their labels
			}
			err := errorOf(w.pool().Add(t.Context(), supplyOf()))
			test.want(t, err)
			equal(t, "missing", errors.As(err, new(*account.NoCredentialsError)), test.missing)
			w.wantWrites(t)
		})
	}
}

// A Secret with the labels of an account that is not free gets no binding: that would be free. Where its labels cannot be read nothing is
// made either, but for credentials that are missing, or hidden from the user: the server decides on these.
func TestCredentialsWithTheLabelsOfAnAccount(t *testing.T) {
	t.Parallel()
	misread := func(a *account.Account) {
		a.Misread = []account.Misread{{Key: "tenant-name", Value: "ga-1", Says: account.ClassHeld, Others: true}}
	}
	for name, test := range map[string]struct {
		labels []func(*account.Account)
		supply account.Supply
		want   []string // what is said of them; nil = the account is made
	}{
		"none":                     {nil, supplyOf(), nil},
		"of a free account":        {[]func(*account.Account){}, supplyOf(), nil},
		"held":                     {[]func(*account.Account){heldBy("ga-1")}, supplyOf(), []string{"held by Global Account ga-1"}},
		"dirty":                    {[]func(*account.Account){dirty(account.Dirtied)}, supplyOf(), []string{"dirty=true"}},
		"held and quarantined":     {[]func(*account.Account){heldBy("ga-1"), dirty(account.Quarantined)}, supplyOf(), []string{"held by Global Account ga-1", "dirty=quarantine"}},
		"held, under another key":  {[]func(*account.Account){misread}, supplyOf(), []string{"tenant-name=ga-1"}},
		"shared":                   {[]func(*account.Account){shared}, supplyOf(), []string{"shared"}},
		"shared, as the account":   {[]func(*account.Account){shared}, supplyOf(asShared), nil},
		"internal":                 {[]func(*account.Account){internal}, supplyOf(), []string{"internal"}},
		"internal, as the account": {[]func(*account.Account){internal}, supplyOf(func(s *account.Supply) { s.Internal = true }), nil},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t)
			if test.labels != nil {
				w.secrets = map[string]account.Account{"secret-a": anAccount("secret-a", test.labels...)}
			}
			plan := w.pool().FindCredentials(t.Context(), test.supply)
			apply := errorOf(w.pool().Add(t.Context(), test.supply))
			if test.want == nil {
				equal(t, "plan, apply", []error{plan, apply}, []error{nil, nil})
				return
			}
			for what, err := range map[string]error{"plan": plan, "apply": apply} {
				equal(t, what, as[*account.SupplyError](t, err), &account.SupplyError{
					Account: "a", Obstacle: account.ObstacleLabelled, Credentials: test.supply.Credentials.Ref, Doubts: test.want,
				})
			}
			w.wantWrites(t)
		})
	}
	w := newWorld(t)
	w.on("credentials", 1, fault{answer: errCut})
	equal(t, "labels that are not known", errors.Is(errorOf(w.pool().Add(t.Context(), supplyOf())), errCut), true)
	w.wantWrites(t)
	w.noCredentials = map[string]bool{"secret-a": true}
	equal(t, "no such credentials, to the server all the same", errorOf(w.pool().Add(t.Context(), supplyOf())), nil)
}

// An account with quotas is only made anew where its owner says what quotas the new one has: by a changed part, and by -replace.
func TestQuotasAreNotLostInAReplacement(t *testing.T) {
	t.Parallel()
	one, two := account.QuotaRef{Namespace: "garden", Name: "one"}, account.QuotaRef{Namespace: "garden", Name: "two"}
	for name, test := range map[string]struct {
		has, wants []account.QuotaRef
		lost       bool
	}{
		"none, and none is said":   {nil, nil, false},
		"none, and one is wanted":  {nil, []account.QuotaRef{one}, false},
		"one, and none is said":    {[]account.QuotaRef{one}, nil, true},
		"two, and none is said":    {[]account.QuotaRef{one, two}, nil, true},
		"one, which is kept":       {[]account.QuotaRef{one}, []account.QuotaRef{one}, false},
		"one, another is wanted":   {[]account.QuotaRef{one}, []account.QuotaRef{two}, false},
		"one, which is given up":   {[]account.QuotaRef{one}, []account.QuotaRef{}, false},
		"two, in a changed order":  {[]account.QuotaRef{one, two}, []account.QuotaRef{two, one}, false},
		"none, and none is wanted": {nil, []account.QuotaRef{}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t)
			supply := func(quotas []account.QuotaRef) account.Supply {
				return supplyOf(func(s *account.Supply) { s.Credentials.Quotas = quotas })
			}
			made, err := w.pool().Add(t.Context(), supply(test.has))
			equal(t, "error", err, nil)
			equal(t, "quotas of the account", w.at(made.Account.Name).Credentials.Quotas, test.has)
			uid, next := made.Account.UID, supply(test.wants)
			for what, err := range map[string]error{
				"changed part": w.pool().MayReplace(t.Context(), made.Account.Name, uid, next), "-replace": w.pool().MayAdd(t.Context(), next, uid),
			} {
				if !test.lost {
					equal(t, what, err, nil)
					continue
				}
				refused := as[*account.SupplyError](t, err)
				equal(t, what, refused.Obstacle, account.ObstacleQuotas)
				equal(t, "quotas that are named", refused.Quotas, test.has)
			}
		})
	}
}
