//go:build !race

package pool

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// staged is the [Store] and the [Counter] of a process on the stage: each call waits for the explorer.
type staged struct{ s *stage }

func (st staged) at(ctx context.Context, what func() string, faults []explore.Fate) explore.Fate {
	by := explore.ActorOf(ctx)
	if by == nil {
		return explore.Served
	}
	return by.Call(explore.Call{What: what, Faults: faults})
}

func (st staged) read(ctx context.Context, verb string, what func() string) error {
	var faults []explore.Fate
	if st.s.callsFail {
		faults = explore.ReadFaults
	}
	if st.at(ctx, what, faults) == explore.Unanswered {
		return &account.UnreachableError{Verb: verb, Tries: 1, Err: errCut}
	}
	if err := context.Cause(ctx); err != nil {
		return &account.UnreachableError{Verb: verb, Tries: 1, Err: err}
	}
	return nil
}

func (st staged) Allowed(context.Context) error { return nil }

func (st staged) OwnsObjects() bool { return true }

func (st staged) List(ctx context.Context) ([]account.Account, error) {
	err := st.read(ctx, "list", func() string { return "lists " + st.s.accountsNow() })
	st.learned(ctx, st.s.objectsNow(), err)
	if err != nil {
		return nil, err
	}
	return st.s.memStore.List(context.Background())
}

// Siblings is one call with List: what comes between is what comes before.
func (st staged) Siblings(context.Context) ([]account.Account, error) {
	return st.s.memStore.Siblings(context.Background())
}

// Outside is nothing: no scenario has credentials of another namespace.
func (st staged) Outside(context.Context, []account.Account) ([]account.Account, error) {
	return nil, nil
}

func (st staged) Get(ctx context.Context, name string) (account.Account, error) {
	err := st.read(ctx, "get", func() string { return "reads " + st.s.accountNow(name) })
	st.learned(ctx, st.s.object(name), err)
	if err != nil {
		return account.Account{}, err
	}
	return st.s.memStore.Get(context.Background(), name)
}

func (st staged) Count(ctx context.Context) (account.Counts, error) {
	err := st.read(ctx, "list", func() string { return "counts the clusters" })
	st.learned(ctx, st.s.clustersNow(), err)
	if err != nil {
		return account.Counts{}, err
	}
	return st.s.counter.Count(context.Background())
}

func (st staged) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	err := st.read(ctx, "list", func() string { return "looks for clusters on " + bindings[0] })
	st.learned(ctx, st.s.clustersNow(), err)
	if err != nil {
		return nil, err
	}
	return st.s.counter.Users(context.Background(), bindings...)
}

func (st staged) FindCredentials(context.Context, account.CredentialsRef) (account.Account, error) {
	return account.Account{}, nil
}

func (st staged) Write(ctx context.Context, judged account.Account, change account.Change) (after account.Account, err error) {
	what := func() string {
		return "writes " + commit{account: judged.Name, change: change, before: judged, after: judged}.String()
	}
	err = st.send(ctx, judged, what, change, func(by author) error {
		var err error
		if after, err = st.s.commit(judged, copyChange(change)); err == nil {
			st.s.wroteBy(by, judged.Name, change)
		}
		return err
	})
	st.learned(ctx, st.s.object(judged.Name), err)
	return after, err
}

func (st staged) Create(ctx context.Context, of account.Supply) (after account.Account, err error) {
	err = st.send(ctx, account.Account{Name: of.Name}, func() string { return "makes " + of.Name }, of, func(by author) error {
		var err error
		if after, err = st.s.put(of); err == nil {
			st.s.made[of.Name], st.s.wrote[by] = by, true
			st.s.checkLate(by, of.Name)
		}
		return err
	})
	st.learned(ctx, st.s.object(of.Name), err)
	return after, err
}

func (st staged) Delete(ctx context.Context, judged account.Account) error {
	err := st.send(ctx, judged, func() string { return "deletes " + judged.Name }, nil, func(author) error { return st.s.take(judged) })
	st.learned(ctx, 0, err)
	return err
}

// send sends one write to its fate. Its precondition is that the account is as it was judged.
func (st staged) send(ctx context.Context, judged account.Account, what func() string, of any, write func(by author) error) error {
	by := authorOf(explore.ActorOf(ctx))
	stands := func() bool {
		now := st.s.world.at(judged.Name)
		return now.UID == judged.UID && now.Version == judged.Version
	}
	lost := &account.UnknownOutcomeError{Account: judged.Name, Err: errCut}
	faults := explore.WriteFaults
	if !stands() {
		faults = explore.MootFaults
	}
	if st.s.callsFail {
		faults = slices.Concat(faults, explore.RightsFaults)
	}
	switch f := st.at(ctx, what, faults); f {
	case explore.WriteLost:
		return lost
	case explore.Refused:
		return &account.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace, Err: errCut}
	case explore.AnswerLost, explore.DiesAfter:
		_ = write(by)
		if f == explore.DiesAfter {
			runtime.Goexit()
		}
		return lost
	case explore.WriteLate, explore.DiesLate:
		by.by.Park(explore.Late{What: strings.TrimPrefix(what(), "writes "), Stands: stands, Arrive: func() { _ = write(by) }, Sum: sumOf(of).Text(judged.Name)})
		return lost
	}
	if err := write(by); err != nil || ctx.Err() == nil {
		return err
	}
	return &account.UnknownOutcomeError{Account: judged.Name, Err: context.Cause(ctx)}
}

// accountsNow is the pool in a few words, for the story.
func (s *stage) accountsNow() string {
	var texts []string
	for name := range s.accounts {
		texts = append(texts, s.accountNow(name))
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

// accountNow is an account in a few words.
func (s *stage) accountNow(name string) string {
	a, there := s.accounts[name]
	if !there {
		return name + " (gone)"
	}
	words := []string{"unclaimed"}
	if a.Tenant != "" {
		words[0] = "of " + a.Tenant
	}
	if a.Dirty != account.Clean {
		words = append(words, "dirty="+string(a.Dirty))
	}
	for _, r := range a.Records {
		words = append(words, "+"+r.Name)
	}
	slices.Sort(words[1:])
	return name + " (" + strings.Join(words, " ") + ")"
}
