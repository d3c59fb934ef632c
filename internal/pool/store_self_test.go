package pool

import (
	"errors"
	"slices"
	"testing"
)

// The other tests are worth what these two promise: that the store refuses what the API server refuses, and that the
// history checker sees what must not happen.

func TestMemStoreEnforcesPreconditions(t *testing.T) {
	t.Parallel()
	s := newStore(account("a", bearing("ga-1", "x")))
	ctx := t.Context()
	judged, err := s.Get(ctx, "a")
	equal(t, "error", err, nil)
	ga := "ga-1"
	claim := Change{Tenant: &ga}

	judged.Records["scribble"] = Record{}
	equal(t, "records after a scribble on a copy", len(s.at("a").Records), 1)
	list, err := s.List(ctx)
	equal(t, "list", []any{len(list), list[0].Name, list[0].Credentials.Ref.Name, err}, []any{1, "a", "secret-a", nil})

	foreign := judged
	foreign.UID = "uid-of-another"
	_, err = s.Write(ctx, foreign, claim)
	wantError[*ConflictError](t, err)
	after, err := s.Write(ctx, judged, claim)
	equal(t, "written", []any{after.Tenant, after.Version != judged.Version, err}, []any{"ga-1", true, nil})
	_, err = s.Write(ctx, judged, claim)
	wantError[*ConflictError](t, err)
	equal(t, "writes", s.wrote(), []string{"a tenant=ga-1"})

	s.on("write", 4, fault{lost: lostOnTheWay}) // arrives after an edit: too late
	_, err = s.Write(ctx, after, Change{Tenant: new(string)})
	wantError[*UnknownOutcomeError](t, err)
	s.edit("a", func(*Account) {})
	s.deliver()
	equal(t, "tenant", s.at("a").Tenant, "ga-1")

	s.remove("a")
	_, err = s.Write(ctx, after, claim)
	wantError[*NotFoundError](t, err)
	_, err = s.Get(ctx, "a")
	wantError[*NotFoundError](t, err)
	s.on("get", 3, fault{answer: errCut})
	if _, err = s.Get(ctx, "a"); !errors.Is(err, errCut) {
		t.Errorf("got error %v, want %v", err, errCut)
	}
}

func TestHistoryCheckerSeesBrokenPromises(t *testing.T) {
	t.Parallel()
	ga, none, yes, fence, clean := "ga-1", "", Dirtied, Releasing, Clean
	own := recordOf("ga-1", "first")
	key := identity("ga-1", "first").Key()
	fenced, changed, fencedLater := own, own, own
	fenced.ReleasingSince, changed.ReleasingSince, fencedLater.ReleasingSince = longAgo, longAgo, longAgo
	changed.Owner = "another"
	ofLaterFormat(&fencedLater)
	claim := Change{Tenant: &ga, Records: map[string]*Record{key: &own}}
	mark := Change{Dirty: &yes, Records: map[string]*Record{key: nil}}
	free := Change{Tenant: &none, Dirty: &clean, Records: map[string]*Record{key: nil}}
	held := []func(*Account){heldBy("ga-1"), bearing("ga-1", "first"), dirty(Releasing)}
	with := func(more ...func(*Account)) []func(*Account) { return append(slices.Clone(held), more...) }
	tests := []struct {
		name   string
		before []func(*Account)
		change Change
		users  int
		broken int
	}{
		{"a claim", nil, claim, 0, 0},
		{"a claim of another tenant's account", []func(*Account){heldBy("ga-2")}, claim, 0, 2},
		{"a claim of a shared account", []func(*Account){shared}, claim, 0, 1},
		{"a claim of an internal account", []func(*Account){internal}, claim, 0, 2},
		{"a mark of an internal account", with(internal), mark, 0, 1},
		{"a fence on an internal account", with(dirty(Clean), internal), Change{Dirty: &fence}, 0, 1},
		{"a fence taken from an internal account", with(internal), Change{Dirty: &clean}, 0, 0},
		{"a return of an internal account", with(internal), free, 0, 1},
		{"a claim of a dirty account", []func(*Account){dirty(Dirtied)}, claim, 0, 1},
		{"a record on a foreign account", []func(*Account){heldBy("ga-2")}, Change{Records: map[string]*Record{key: &own}}, 0, 1},
		{"a mark", held, mark, 0, 0},
		{"a mark under a cluster", held, mark, 1, 1},
		{"a mark under another claim", with(bearing("ga-1", "second")), mark, 0, 1},
		{"a mark without a fence", with(dirty(Clean)), mark, 0, 1},
		{"a return", held, free, 0, 0},
		{"a return under a cluster", held, free, 1, 1},
		{"a return under another claim", with(bearing("ga-1", "second")), free, 0, 1},
		{"a fence", with(dirty(Clean)), Change{Dirty: &fence}, 1, 0},
		{"a fence under another claim", with(dirty(Clean), bearing("ga-1", "second")), Change{Dirty: &fence}, 0, 1},
		{"a fence over a mark", with(dirty(Dirtied)), Change{Dirty: &fence}, 0, 1},
		{"a fence that says since when", with(dirty(Clean)), Change{Dirty: &fence, Records: map[string]*Record{key: &fenced}}, 0, 0},
		{"a fence that does not say since when", with(dirty(Clean)), Change{Dirty: &fence, Records: map[string]*Record{key: &own}}, 0, 1},
		{"a fence in another claim's name", with(dirty(Clean), bearing("ga-1", "second")),
			Change{Dirty: &fence, Records: map[string]*Record{key: &fenced}}, 0, 1},
		{"a fence that makes a record", []func(*Account){heldBy("ga-1")}, Change{Dirty: &fence, Records: map[string]*Record{key: &fenced}}, 0, 1},
		{"a fence that changes the record", with(dirty(Clean)), Change{Dirty: &fence, Records: map[string]*Record{key: &changed}}, 0, 1},
		{"a fence in a record of a later format", with(dirty(Clean), bearing("ga-1", "first", ofLaterFormat)),
			Change{Dirty: &fence, Records: map[string]*Record{key: &fencedLater}}, 0, 1},
		{"a fence taken back", held, Change{Dirty: &clean}, 1, 0},
		{"a fence taken back with its date", held, Change{Dirty: &clean, Records: map[string]*Record{key: &own}}, 0, 0},
		{"a fence taken back without its date", held, Change{Dirty: &clean, Records: map[string]*Record{key: &fenced}}, 0, 1},
		{"a mark taken back", with(dirty(Dirtied)), Change{Dirty: &clean}, 0, 1},
		{"a void record removed", []func(*Account){heldBy("ga-2"), bearing("ga-1", "first")}, Change{Records: map[string]*Record{key: nil}}, 0,
			0},
		{"a void record removed with a mark", []func(*Account){heldBy("ga-2"), bearing("ga-1", "first"), dirty(Releasing)}, mark, 0, 1},
		{"a void record removed by a claim that comes to a held account", []func(*Account){heldBy("ga-1"), bearing("ga-2", "other")},
			Change{Records: map[string]*Record{key: &own, recordOf("ga-2", "other").Identity(namespace).Key(): nil}}, 0, 2},
		{"a void record removed by a claim that takes a free account", []func(*Account){bearing("ga-2", "other")},
			Change{Tenant: &ga, Records: map[string]*Record{key: &own, recordOf("ga-2", "other").Identity(namespace).Key(): nil}}, 0, 0},
		{"nothing", held, Change{}, 0, 1},
	}
	for _, test := range tests {
		s := newStore(account("a", test.before...))
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
