package account

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The key and the JSON of a record are on the accounts of every landscape: a release that changed them would not find
// the claims of the one before.
func TestKeyStaysTheSame(t *testing.T) {
	t.Parallel()
	id := Identity{Namespace: "garden-kyma", GlobalAccount: "8cd57dc2-edb2-45e0-af8b-7d881006e516", Pool: "gcp_cf-eu30,euAccess",
		Name: "default"}
	equal(t, "key", id.Key(), "hap-project.io/claim-8e7e036c0883b8f584d344fdf392d77ae3ff8aed")
}

func TestKeysOfNeighboursDiffer(t *testing.T) {
	t.Parallel()
	ids := []Identity{
		{}, {"n", "a", "bc", "d"}, {"n", "ab", "c", "d"}, {"n", "a", "b", "cd"}, {"na", "", "bc", "d"}, {"n", "abc", "d", ""}, {"n", "", "abc",
			"d"}, {"nabcd", "", "", ""},
		{"n", "1:a,", "b", "c"}, {"n", "1", "a,1:b", "c"}, {"n", "a,1:b", "c", ""}, {"n", "a", "aws,shared", "d"}, {"n", "a", "aws",
			"shared,d"}, {"n", "A", "bc", "d"},
		{"n", "a", "bc", "d "}, {"n", "a", "bc", "D"},
	}
	seen := map[string]Identity{}
	for _, id := range ids {
		key := id.Key()
		if other, taken := seen[key]; taken {
			t.Errorf("%+v and %+v have one key", id, other)
		}
		seen[key] = id
		equal(t, "key of its record", Record{GlobalAccount: id.GlobalAccount, Pool: id.Pool, Name: id.Name}.Identity(id.Namespace).Key(), key)
		name := strings.TrimPrefix(key, "hap-project.io/")
		if err := CheckLabelValue(name); err != nil { // the rules for the name of an annotation are the same
			t.Errorf("%s is no name for an annotation: %v", name, err)
		}
	}
}

func TestRecordAsJSON(t *testing.T) {
	t.Parallel()
	whole := Record{
		Name: "default", GlobalAccount: "ga-1", Pool: "aws,euAccess", ClaimedAt: longAgo, Version: 1, NewlyClaimed: true,
		Details: Details{
			ClusterName: "blue", Owner: "pipeline", ReleaseMode: ReturnToPool, Lease: "720h",
			Request: Request{Plan: "aws", PlatformRegion: "cf-eu11", HyperscalerRegion: "eu-central-1", Hyperscaler: "aws"},
		},
		ReleasingSince: longAgo.Add(time.Hour),
	}
	least := Record{Name: "default", GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: longAgo, Version: 1}
	tests := map[string]struct {
		record Record
		text   string
	}{
		"all": {whole, `{"name":"default","globalAccount":"ga-1","pool":"aws,euAccess","clusterName":"blue",` +
			`"owner":"pipeline",` +
			`"request":{"plan":"aws","platformRegion":"cf-eu11","hyperscalerRegion":"eu-central-1","hyperscaler":"aws"},` +
			`"onDestroy":"return_to_pool","lease":"720h","claimedAt":"2026-03-01T12:00:00Z","version":1,"newlyClaimed":true,` +
			`"releasingSince":"2026-03-01T13:00:00Z"}`},
		"of two states": {Record{
			Name: "default", GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: longAgo, Version: 1, FormerOwner: FormerOwner{Known: true},
			Mark: Mark{Instance: "i-1", Run: "r-1", At: longAgo},
		}, `{"name":"default","globalAccount":"ga-1","pool":"aws","claimedAt":"2026-03-01T12:00:00Z","version":1,"formerOwner":"",` +
			`"mark":{"instance":"i-1","run":"r-1","at":"2026-03-01T12:00:00Z"}}`},
		"the least": {least, `{"name":"default","globalAccount":"ga-1","pool":"aws","claimedAt":"2026-03-01T12:00:00Z","version":1}`},
	}
	for name, test := range tests {
		parallel(t, name, func(t *testing.T) {
			text, err := json.Marshal(test.record)
			equal(t, "written", []any{string(text), err}, []any{test.text, nil})
			var read Record
			err = json.Unmarshal([]byte(test.text), &read)
			equal(t, "read", []any{read, err}, []any{test.record, nil})
		})
	}
	parallel(t, "of a later format, as far as its fields are known (F30)", func(t *testing.T) {
		var read Record
		err := json.Unmarshal([]byte(`{"name":"default","globalAccount":"ga-1","pool":"aws","claimedAt":"2026-03-01T13:00:00+01:00","version":2,`+
			`"quota":{"clusters":7},"request":{"plan":"aws","zones":3},"tags":["x"]}`), &read)
		want := least
		want.Version, want.Request.Plan = 2, "aws"
		equal(t, "error", err, nil)
		equal(t, "the same but for the way the time is written", read.SameAs(want), true)
	})
}

func TestRecordsAreComparedToTheSecond(t *testing.T) {
	t.Parallel()
	r := recordOf("ga-1", "first")
	tests := map[string]struct {
		change func(*Record)
		same   bool
	}{
		"itself":          {func(*Record) {}, true},
		"in another zone": {func(r *Record) { r.ClaimedAt = r.ClaimedAt.In(time.FixedZone("", 3600)) }, true},
		"half a second":   {func(r *Record) { r.ClaimedAt = r.ClaimedAt.Add(time.Second / 2) }, true},
		"a second":        {func(r *Record) { r.ClaimedAt = r.ClaimedAt.Add(time.Second) }, false},
		"owner":           {func(r *Record) { r.Owner = "x" }, false},
		"cluster":         {func(r *Record) { r.ClusterName = "x" }, false},
		"newly claimed":   {func(r *Record) { r.NewlyClaimed = true }, false},
		"request":         {func(r *Record) { r.Request.Plan = "x" }, false},
		"version":         {func(r *Record) { r.Version = 2 }, false},
		"on destroy":      {func(r *Record) { r.ReleaseMode = Keep }, false},
		"lease":           {func(r *Record) { r.Lease = "1h" }, false},
		"fenced":          {func(r *Record) { r.ReleasingSince = longAgo }, false},
	}
	for name, test := range tests {
		other := r
		test.change(&other)
		equal(t, name, r.SameAs(other), test.same)
		equal(t, name+", the other way round", other.SameAs(r), test.same)
	}
}

func TestExpiresAt(t *testing.T) {
	t.Parallel()
	for lease, want := range map[Lease]time.Time{
		"": {}, "a month": {}, "0s": {}, "-1h": {}, "90m": longAgo.Add(90 * time.Minute), "87600h": longAgo.Add(87600 * time.Hour),
	} {
		equal(t, string(lease), Record{ClaimedAt: longAgo, Details: Details{Lease: lease}}.ExpiresAt(), want)
	}
	equal(t, "of a claim that was never made", Record{Details: Details{Lease: "1h"}}.ExpiresAt(), time.Time{})
}

// A record counts only while its tenant holds the account.
func TestClaimsOfAnAccount(t *testing.T) {
	t.Parallel()
	a := anAccount("a", bearing("ga-1", "x"), bearing("ga-1", "y"), bearing("ga-2", "z"))
	x, z := identity("ga-1", "x").Key(), identity("ga-2", "z").Key()
	for tenant, want := range map[string][]any{"": {0, false, false}, "ga-1": {2, true, false}, "ga-2": {1, false, true},
		"ga-3": {0, false, false}} {
		a.Tenant = tenant
		_, holdsX := a.Holds(x)
		_, holdsZ := a.Holds(z)
		equal(t, "under tenant "+tenant, []any{len(a.Claims()), holdsX, holdsZ}, want)
	}
}

func TestReadRecord(t *testing.T) {
	t.Parallel()
	for text, readable := range map[string]bool{
		`{"name":"a","globalAccount":"ga-1","version":1}`:               true,
		`{"name":"a","globalAccount":"ga-1","version":9,"new":{"x":1}}`: true,
		`{"name":"a","globalAccount":"ga-1","lease":{"until":"x"}}`:     true, // a later format says more
		``:                                false,
		`null`:                            false,
		`{}`:                              false,
		`[]`:                              false,
		`{"name":"a"`:                     false,
		`{"name":"a","globalAccount":""}`: false,
		`{"name":"a","globalAccount":7}`:  false,
		`{"globalAccount":"ga-1","claimedAt":"yesterday"}`: false,
		`{"globalAccount":"ga-1","request":"aws"}`:         false,
	} {
		_, err := ReadRecord(text)
		equal(t, text, err == nil, readable)
	}
}

// A mark is foreign to a state that has left another one, and to one that was imported before it was left.
func TestKeeper_isForeign(t *testing.T) {
	t.Parallel()
	theirs, then := "theirs", time.Unix(1, 0)
	met := func(instance string) *Imported { return Meet(Mark{Instance: instance, At: then}, "next") }
	for name, c := range map[string]struct {
		keeper Keeper
		mark   string
		want   bool
	}{
		"no mark":                               {Keeper{Instance: "mine"}, "", false},
		"its own":                               {Keeper{Instance: "mine"}, "mine", false},
		"of another state":                      {Keeper{Instance: "mine"}, theirs, true},
		"of a state that it was met with":       {Keeper{Imported: met(theirs)}, theirs, false},
		"left since the import":                 {Keeper{Imported: met(theirs)}, "new", true},
		"left since, where there was none":      {Keeper{Imported: met("")}, theirs, true},
		"its own, after the import":             {Keeper{Instance: "mine", Imported: met(theirs)}, "mine", false},
		"its first change, whose state is lost": {Keeper{Imported: met(theirs)}, "next", false},
		"of an older state, or a lost one":      {Keeper{}, theirs, false},
	} {
		if got := c.keeper.IsForeign(Mark{Instance: c.mark, At: then}); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	if changed := (Mark{Instance: theirs, At: then.Add(time.Minute)}); !(Keeper{Imported: met(theirs)}).IsForeign(changed) {
		t.Error("a mark whose state has changed the claim since the import is not foreign")
	}
}
