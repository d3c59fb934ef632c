package pool

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// One identity in two states: the state that took the claim up last has left its mark on it, and the release by the other is refused.

func kept(instance string) func(*protocol.ClaimRequest) {
	return func(r *protocol.ClaimRequest) { r.Instance = instance }
}

func markedBy(instance string) func(*account.Record) {
	return func(r *account.Record) { r.Mark = account.Mark{Instance: instance, At: longAgo} }
}

func formerly(owner string) func(*account.Record) {
	return func(r *account.Record) { r.FormerOwner = account.FormerOwner{Owner: owner, Known: true} }
}

// mark returns the mark on the claim first of ga-1 on account a.
func (w *world) mark() string {
	return w.at("a").Records[identity("ga-1", "first").Key()].Mark.Instance
}

// The state that adopts a claim leaves its mark: the one that had it before meets it. A run that was killed before its state was written
// is followed by one that keeps another instance, and that one ends the claim.
func TestAdoptionTakesTheClaimOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"))
	w.claim(t, w.pool(), request("ga-1", "first", kept("i-1")))
	equal(t, "mark", w.mark(), "i-1")
	second := w.claim(t, w.pool(), request("ga-1", "first", kept("i-2")))
	equal(t, "adopted, mark", []any{second.Adopted, second.Record.Mark.Instance, w.mark()}, []any{true, "i-2", "i-2"})

	first := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
	first.Instance = "i-1"
	_, err := w.pool().Release(t.Context(), first)
	wantError[*protocol.OtherStateError](t, err)
	equal(t, "tenant and dirt", []any{w.at("a").Tenant, w.at("a").Dirty}, []any{"ga-1", account.Clean})

	first.Instance = "i-2"
	outcome, err := w.pool().Release(t.Context(), first)
	equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeDirtied, nil})
}

// A caller that keeps nothing leaves the mark that is there, and so does one that may not rewrite the record.
func TestAdoptionThatLeavesTheMark(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request func(*protocol.ClaimRequest)
		record  func(*account.Record)
	}{
		"the caller keeps nothing":         {kept(""), markedBy("i-1")},
		"the record is of a newer version": {kept("i-2"), func(r *account.Record) { markedBy("i-1")(r); ofLaterFormat(r) }},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", test.record)))
			claim := w.claim(t, w.pool(), request("ga-1", "first", test.request))
			equal(t, "adopted, mark", []any{claim.Adopted, claim.Record.Mark.Instance}, []any{true, "i-1"})
			w.wantWrites(t)
		})
	}
}

// An update leaves the mark of its state where there is none, or where the state does not know that another one is there; never over that
// of another state. What is worth no write by itself does not make one.
func TestUpdateLeavesItsMark(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		recorded  string
		anew      bool // the state has kept nothing
		unchanged bool // the update changes nothing else
		want      string
	}{
		"the same state":                            {"i-1", false, false, "i-1"},
		"a record of an older version":              {"", false, false, "i-1"},
		"both are of an older version":              {"", true, false, "i-1"},
		"a state that was imported, or killed":      {"i-2", true, false, "i-1"},
		"another state":                             {"i-2", false, false, "i-2"},
		"nothing else changes, both are older":      {"", true, true, ""},
		"nothing else changes, the record is older": {"", false, true, ""},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", markedBy(test.recorded), func(r *account.Record) {
				r.Request = account.Request{Plan: "aws"}
				if test.unchanged {
					r.ClusterName = "green"
				}
			})))
			status, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Instance, r.Anew = "i-1", test.anew }))
			equal(t, "error", err, nil)
			equal(t, "mark", []any{status.Record.Mark.Instance, w.mark()}, []any{test.want, test.want})
			equal(t, "written", len(w.wrote()) == 0, test.unchanged)
		})
	}
}

// Each change by its own state gives the mark another time, also within one second and by a clock that was set back: a state that has imported
// the claim before sees the change. Nothing but the mark of that state changes so.
func TestUpdateRenewsItsMark(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]time.Time{"long ago": longAgo, "by a clock that went ahead": time.Now().Add(time.Hour).Truncate(time.Second)} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", func(r *account.Record) { r.Mark = account.Mark{Instance: "i-1", At: left} })))
			before := left
			for _, cluster := range []string{"green", "red"} {
				status, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Instance, r.ClusterName = "i-1", cluster }))
				equal(t, "error", err, nil)
				if at := status.Record.Mark.At; !at.After(before) {
					t.Errorf("%s: the mark is of %s, and was of %s", cluster, at, before)
				} else {
					before = at
				}
			}
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Instance, r.ClusterName = "i-1", "red" }))
			equal(t, "error", err, nil)
			equal(t, "the mark after an update that changes nothing", w.at("a").Records[identity("ga-1", "first").Key()].Mark.At.Unix(), before.Unix())
		})
	}
}

// An update that changes the owner is killed before the state is written, and the claim is removed from the configuration: the state knows
// the former owner alone, and the destroy goes through. A state that is not known to be the one that changed it meets the owner as before.
func TestReleaseAfterAnOwnerChangeThatWasKilled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		owner, instance string // of the state
		lost            bool
		refused         bool
	}{
		"by the former owner":                       {"pipeline", "i-1", false, false},
		"by the new owner":                          {"colleague", "i-1", false, false},
		"by the former owner, its notes lost":       {"pipeline", "", true, false},
		"by an older state with the former owner":   {"pipeline", "", false, true},
		"by another state with the former owner":    {"pipeline", "i-2", false, true},
		"by an owner that it never had":             {"stranger", "i-1", false, true},
		"by an owner that it never had, notes lost": {"stranger", "", true, true},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", markedBy("i-1"))))
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Owner, r.Instance = "colleague", "i-1" }))
			equal(t, "error", err, nil)
			w.wantWrites(t, "a +first") // one write, as for any update
			req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
			req.Owner, req.Instance, req.Lost = test.owner, test.instance, test.lost
			outcome, err := w.pool().Release(t.Context(), req)
			if test.refused {
				equal(t, "recorded", as[*protocol.OwnerError](t, err).Recorded, "colleague")
				w.wantWrites(t, "a +first")
				return
			}
			equal(t, "outcome", []any{outcome, err}, []any{protocol.OutcomeDirtied, nil})
		})
	}
}

// A configuration that goes back to the former owner after such a kill goes on, and the next change forgets the former owner.
func TestUpdateAfterAnOwnerChangeThatWasKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", markedBy("i-1"), ownedBy("colleague"), formerly("pipeline"))))
	status, err := w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Instance = "i-1" }))
	equal(t, "error", err, nil)
	equal(t, "owner and former", []any{status.Record.Owner, status.Record.FormerOwner},
		[]any{"pipeline", account.FormerOwner{Owner: "colleague", Known: true}})
	status, err = w.pool().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.ClusterName, r.Instance = "red", "i-1" }))
	equal(t, "error", err, nil)
	equal(t, "former", status.Record.FormerOwner, account.FormerOwner{})
}

// Two providers with aliases are two processes of one run. The second of them that makes the same claim is refused, and not taken for the
// heir of a run that was killed; a process that was started later is one.
func TestSameClaimUnderTwoAliases(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run     account.Run
		refused bool
	}{
		"another process of the run":                     {account.Run{ID: "r-1", Began: longAgo}, true},
		"started in the second of the claim":             {account.Run{ID: "r-1", Began: time.Now()}, true},
		"started after it, in a run of its own ID":       {account.Run{ID: "r-1"}, true},
		"a later process":                                {account.Run{ID: "r-1", Began: time.Now().Add(time.Hour)}, false},
		"another run":                                    {account.Run{ID: "r-2", Began: longAgo}, false},
		"a run that cannot be distinguished from others": {account.Run{ID: "", Began: longAgo}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			w.claim(t, w.pool(), request("ga-1", "first", kept("i-1"), func(r *protocol.ClaimRequest) { r.Run = account.Run{ID: "r-1", Began: longAgo} }))
			claim, err := w.pool().Claim(t.Context(), request("ga-1", "first", kept("i-2"), func(r *protocol.ClaimRequest) { r.Run = test.run }))
			if test.refused {
				equal(t, "account", as[*protocol.DuplicateError](t, err).Account, "a")
				equal(t, "mark", w.mark(), "i-1")
				return
			}
			equal(t, "adopted", []any{claim.Adopted, err}, []any{true, nil})
		})
	}
}
