package pool

import (
	"errors"
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// The other tests are worth what these two promise: that the store refuses what the API server refuses, and that the
// history checker sees what must not happen.

func TestMemStoreEnforcesPreconditions(t *testing.T) {
	t.Parallel()
	s := newStore(anAccount("a", bearing("ga-1", "x")))
	ctx := t.Context()
	judged, err := s.Get(ctx, "a")
	equal(t, "error", err, nil)
	ga := "ga-1"
	claim := account.Change{Tenant: &ga}

	judged.Records["scribble"] = account.Record{}
	equal(t, "records after a scribble on a copy", len(s.at("a").Records), 1)
	list, err := s.List(ctx)
	equal(t, "list", []any{len(list), list[0].Name, list[0].Credentials.Ref.Name, err}, []any{1, "a", "secret-a", nil})

	foreign := judged
	foreign.UID = "uid-of-another"
	_, err = s.Write(ctx, foreign, claim)
	wantError[*account.ConflictError](t, err)
	after, err := s.Write(ctx, judged, claim)
	equal(t, "written", []any{after.Tenant, after.Version != judged.Version, err}, []any{"ga-1", true, nil})
	_, err = s.Write(ctx, judged, claim)
	wantError[*account.ConflictError](t, err)
	equal(t, "writes", s.wrote(), []string{"a tenant=ga-1"})

	s.on("write", 4, fault{lost: lostOnTheWay}) // arrives after an edit: too late
	_, err = s.Write(ctx, after, account.Change{Tenant: new(string)})
	wantError[*account.UnknownOutcomeError](t, err)
	s.edit("a", func(*account.Account) {})
	s.deliver()
	equal(t, "tenant", s.at("a").Tenant, "ga-1")

	s.remove("a")
	_, err = s.Write(ctx, after, claim)
	wantError[*account.NotFoundError](t, err)
	_, err = s.Get(ctx, "a")
	wantError[*account.NotFoundError](t, err)
	s.on("get", 3, fault{answer: errCut})
	if _, err = s.Get(ctx, "a"); !errors.Is(err, errCut) {
		t.Errorf("got error %v, want %v", err, errCut)
	}
}

func TestHistoryCheckerSeesBrokenPromises(t *testing.T) {
	t.Parallel()
	ga, none, yes, fence, clean := "ga-1", "", account.Dirtied, account.Releasing, account.Clean
	own := recordOf("ga-1", "first")
	key := identity("ga-1", "first").Key()
	fenced, changed, fencedLater := own, own, own
	fenced.ReleasingSince, changed.ReleasingSince, fencedLater.ReleasingSince = longAgo, longAgo, longAgo
	changed.Owner = "another"
	ofLaterFormat(&fencedLater)
	claim := account.Change{Tenant: &ga, Records: map[string]*account.Record{key: &own}}
	mark := account.Change{Dirty: &yes, Records: map[string]*account.Record{key: nil}}
	free := account.Change{Tenant: &none, Dirty: &clean, Records: map[string]*account.Record{key: nil}}
	held := []func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first"), dirty(account.Releasing)}
	with := func(more ...func(*account.Account)) []func(*account.Account) {
		return append(slices.Clone(held), more...)
	}
	tests := []struct {
		name   string
		before []func(*account.Account)
		change account.Change
		users  int
		broken int
	}{
		{"a claim", nil, claim, 0, 0},
		{"a claim of another tenant's account", []func(*account.Account){heldBy("ga-2")}, claim, 0, 2},
		{"a claim of a shared account", []func(*account.Account){shared}, claim, 0, 1},
		{"a claim of an internal account", []func(*account.Account){internal}, claim, 0, 2},
		{"a mark of an internal account", with(internal), mark, 0, 1},
		{"a fence on an internal account", with(dirty(account.Clean), internal), account.Change{Dirty: &fence}, 0, 1},
		{"a fence taken from an internal account", with(internal), account.Change{Dirty: &clean}, 0, 0},
		{"a return of an internal account", with(internal), free, 0, 1},
		{"a claim of a dirty account", []func(*account.Account){dirty(account.Dirtied)}, claim, 0, 1},
		{"a record on a foreign account", []func(*account.Account){heldBy("ga-2")}, account.Change{Records: map[string]*account.Record{key: &own}}, 0, 1},
		{"a mark", held, mark, 0, 0},
		{"a mark under a cluster", held, mark, 1, 1},
		{"a mark under another claim", with(bearing("ga-1", "second")), mark, 0, 1},
		{"a mark without a fence", with(dirty(account.Clean)), mark, 0, 1},
		{"a return", held, free, 0, 0},
		{"a return under a cluster", held, free, 1, 1},
		{"a return under another claim", with(bearing("ga-1", "second")), free, 0, 1},
		{"a fence", with(dirty(account.Clean)), account.Change{Dirty: &fence}, 1, 0},
		{"a fence under another claim", with(dirty(account.Clean), bearing("ga-1", "second")), account.Change{Dirty: &fence}, 0, 1},
		{"a fence over a mark", with(dirty(account.Dirtied)), account.Change{Dirty: &fence}, 0, 1},
		{"a fence that says since when", with(dirty(account.Clean)), account.Change{Dirty: &fence, Records: map[string]*account.Record{key: &fenced}}, 0, 0},
		{"a fence that does not say since when", with(dirty(account.Clean)), account.Change{Dirty: &fence, Records: map[string]*account.Record{key: &own}}, 0, 1},
		{"a fence in another claim's name", with(dirty(account.Clean), bearing("ga-1", "second")),
			account.Change{Dirty: &fence, Records: map[string]*account.Record{key: &fenced}}, 0, 1},
		{"a fence that makes a record", []func(*account.Account){heldBy("ga-1")}, account.Change{Dirty: &fence, Records: map[string]*account.Record{key: &fenced}}, 0, 1},
		{"a fence that changes the record", with(dirty(account.Clean)), account.Change{Dirty: &fence, Records: map[string]*account.Record{key: &changed}}, 0, 1},
		{"a fence in a record of a later format", with(dirty(account.Clean), bearing("ga-1", "first", ofLaterFormat)),
			account.Change{Dirty: &fence, Records: map[string]*account.Record{key: &fencedLater}}, 0, 1},
		{"a fence taken back", held, account.Change{Dirty: &clean}, 1, 0},
		{"a fence taken back with its date", held, account.Change{Dirty: &clean, Records: map[string]*account.Record{key: &own}}, 0, 0},
		{"a fence taken back without its date", held, account.Change{Dirty: &clean, Records: map[string]*account.Record{key: &fenced}}, 0, 1},
		{"a mark taken back", with(dirty(account.Dirtied)), account.Change{Dirty: &clean}, 0, 1},
		{"a void record removed", []func(*account.Account){heldBy("ga-2"), bearing("ga-1", "first")}, account.Change{Records: map[string]*account.Record{key: nil}}, 0,
			0},
		{"a void record removed with a mark", []func(*account.Account){heldBy("ga-2"), bearing("ga-1", "first"), dirty(account.Releasing)}, mark, 0, 1},
		{"a void record removed by a claim that comes to a held account", []func(*account.Account){heldBy("ga-1"), bearing("ga-2", "other")},
			account.Change{Records: map[string]*account.Record{key: &own, recordOf("ga-2", "other").Identity(namespace).Key(): nil}}, 0, 2},
		{"a void record removed by a claim that takes a free account", []func(*account.Account){bearing("ga-2", "other")},
			account.Change{Tenant: &ga, Records: map[string]*account.Record{key: &own, recordOf("ga-2", "other").Identity(namespace).Key(): nil}}, 0, 0},
		{"nothing", held, account.Change{}, 0, 1},
	}
	for _, test := range tests {
		s := newStore(anAccount("a", test.before...))
		s.users = func(string) int { return test.users }
		if _, err := s.Write(t.Context(), s.at("a"), test.change); err != nil {
			t.Fatal(err)
		}
		broken := s.log[len(s.log)-1].broken()
		if len(broken) != test.broken {
			t.Errorf("%s: got broken promises %q, want %d", test.name, broken, test.broken)
		}
	}
}
