package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	ours   = "terraform-provider-hap/test"
	gaA    = "ga-a"
	gaB    = "ga-b"
	claimA = testbed.RecordPrefix + "a"
	claimB = testbed.RecordPrefix + "b"
)

// story is a history written by hand, with the log that belongs to it.
type story struct {
	t       *testing.T
	h       *History
	log     []fault.Exchange
	version uint64
}

func newStory(t *testing.T) *story {
	t.Helper()
	return &story{t: t, h: newHistory("garden-story")}
}

func isOurs(client string) bool { return strings.HasPrefix(client, ours) }

type values map[string]string

// with returns other values; "-" removes.
func (v values) with(changes values) values {
	all := maps.Clone(v)
	if all == nil {
		all = values{}
	}
	for key, value := range changes {
		if value == "-" {
			delete(all, key)
		} else {
			all[key] = value
		}
	}
	return all
}

func asked(v values) map[string]*string {
	all := map[string]*string{}
	for key, value := range v {
		if value == "-" {
			all[key] = nil
		} else {
			all[key] = &value
		}
	}
	return all
}

func (s *story) add(k *track, r Revision) uint64 {
	s.t.Helper()
	s.version++
	r.Version = s.version
	if err := k.add(r); err != nil {
		s.t.Fatal(err)
	}
	return s.version
}

func (s *story) present(account string, labels values) {
	s.t.Helper()
	s.h.start = s.add(s.h.accounts, Revision{Event: Present, Name: account, UID: "uid-" + account, Labels: labels})
}

func (s *story) shoot(event Event, account string) {
	s.t.Helper()
	s.shootOf(event, account, nil)
}

// shootOf is shoot for a cluster with labels.
func (s *story) shootOf(event Event, account string, labels map[string]string) {
	s.t.Helper()
	s.add(s.h.shoots, Revision{Event: event, Name: "cluster", UID: "uid-cluster", Account: account, Labels: labels})
}

// patch is a write of a client on an account; one by hand is not in the log. Changes can be made to what it is.
func (s *story) patch(client, account string, labels, annotations values, changes ...func(*Revision, *fault.Exchange)) string {
	s.t.Helper()
	now := s.h.accounts.now[account]
	r := Revision{
		Event: Modified, Name: account, UID: now.uid,
		Labels: values(now.labels).with(labels), Annotations: values(now.annotations).with(annotations),
	}
	e := fault.Exchange{
		Number: len(s.log) + 1, Client: client, Verb: "patch", Resource: "credentialsbindings", Namespace: s.h.namespace,
		Name: account, UID: now.uid, Version: fmt.Sprint(now.version), Labels: asked(labels),
		Annotations: asked(annotations), Code: 200, Sent: 200, Result: fmt.Sprint(s.version + 1),
	}
	for _, change := range changes {
		change(&r, &e)
	}
	s.add(s.h.accounts, r)
	if client != byHand {
		s.log = append(s.log, e)
	}
	return fmt.Sprint(s.version)
}

// twin makes an account of which a SecretBinding has the credentials.
func (s *story) twin(labels values) {
	s.t.Helper()
	s.add(s.h.accounts, Revision{Event: Added, Name: "twin", UID: "uid-twin", Credentials: "Secret x"})
	s.add(s.h.siblings, Revision{Event: Added, Name: "SecretBinding old", UID: "uid-old", Labels: labels, Credentials: "Secret x"})
}

// byList has writes of ours go by a list that is begun now.
func (s *story) byList(writes func()) {
	s.t.Helper()
	time.Sleep(time.Millisecond)
	listed := time.Now()
	s.log = append(s.log, fault.Exchange{
		Client: ours, Verb: "list", Resource: "credentialsbindings", Namespace: s.h.namespace, Sent: 200, Began: listed, Ended: listed,
	})
	time.Sleep(time.Millisecond)
	from := len(s.log)
	writes()
	for i := range s.log[from:] {
		s.log[from+i].Began = time.Now()
	}
}

// recordWithCluster is the record of a claim that is for the Shoot of [story.shoot].
func recordWithCluster(ga string) string {
	return fmt.Sprintf(`{"name":"claim-%s","globalAccount":%q,"pool":"aws","clusterName":"cluster","version":1}`, ga, ga)
}

func recordOf(ga string) string {
	return fmt.Sprintf(`{"name":"claim-%s","globalAccount":%q,"pool":"aws","version":1}`, ga, ga)
}

// claim is a claim of ours that is acknowledged.
func (s *story) claim(account, key, ga string) {
	s.t.Helper()
	version := s.patch(ours, account, values{"tenantName": ga}, values{key: recordOf(ga)})
	s.h.Acknowledge(key, account, version)
}

// release is a release of ours that marks the account dirty, as we do it.
func (s *story) release(account, key string) {
	s.t.Helper()
	s.patch(ours, account, values{"dirty": "releasing"}, nil)
	s.h.Released(key, account)
	s.patch(ours, account, values{"dirty": "true"}, values{key: "-", lastHeldKey: "2026-03-01T12:00:00Z"})
}

func (s *story) clean(account string) {
	s.t.Helper()
	s.patch("cleanup-job", account, values{"tenantName": "-", "dirty": "-"}, nil)
}

// wantBroken wants exactly these violations, as "invariant account client"; each once.
func (s *story) wantBroken(want ...string) []Violation {
	s.t.Helper()
	found := s.h.Check(s.log, isOurs)
	var got []string
	for _, v := range found {
		got = append(got, fmt.Sprintf("%s %s %s", v.Invariant, v.Account, v.Client))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("violations %q instead of %q:", got, want)
		for _, v := range found {
			s.t.Log(v)
		}
	}
	return found
}

func TestCleanHistory(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("one", values{"hyperscalerType": "aws"})
	s.present("two", values{"hyperscalerType": "aws"})
	s.claim("one", claimA, gaA)
	s.shoot(Added, "one")
	s.shoot(Modified, "one")
	s.shoot(Deleted, "one")
	s.release("one", claimA)
	s.clean("one")
	s.claim("one", claimB, gaB)
	// Returned unused, and taken by another.
	s.claim("two", claimA, gaA)
	s.h.Released(claimA, "two")
	s.patch(ours, "two", values{"tenantName": "-"}, values{claimA: "-"})
	s.patch("broker", "two", values{"tenantName": gaB}, nil)
	s.wantBroken()

	summary := s.h.MustHold(t, s.log, isOurs)
	got := fmt.Sprint(summary.Revisions, summary.Claims, summary.Cleaned, summary.Returned, summary.DoubleHandouts,
		summary.Conflicts, summary.Orphans, summary.Handed, summary.Writes)
	want := "13 3 1 1 0 0 [] map[broker:1 terraform-provider-hap/test:3] map[broker:1 cleanup-job:1 terraform-provider-hap/test:6]"
	if got != want {
		t.Errorf("summary %s instead of %s", got, want)
	}
}

// A claim that takes a free account clears the void records there; one that comes beside it writes its own record alone.
func TestClaimBesideOtherRecordsIsClean(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("one", values{"hyperscalerType": "aws"})
	s.claim("one", claimA, gaA)
	s.patch(byHand, "one", values{"tenantName": "-", "dirty": "true"}, nil)
	s.patch("cleanup-job", "one", values{"dirty": "-"}, nil)
	const claimC = testbed.RecordPrefix + "c"
	s.h.Acknowledge(claimC, "one", s.patch(ours, "one", values{"tenantName": gaB}, values{claimA: "-", claimC: recordOf(gaB)}))
	s.h.Acknowledge(claimB, "one", s.patch(ours, "one", nil, values{claimB: recordOf(gaB)}))
	for _, v := range s.h.Check(s.log, isOurs) {
		if v.Ours {
			t.Error(v)
		}
	}
}

// The smallest breach of each invariant, and whom it is laid to.
func TestBrokenHistories(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tell func(s *story)
		want []string
	}{
		"I1 a claim over another tenant": {func(s *story) {
			s.patch(byHand, "free", values{"tenantName": gaA}, nil)
			s.patch(ours, "free", nil, values{claimB: recordOf(gaB)})
		}, []string{"I1 free " + ours}},
		"I1 a claim without its tenant": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimB: recordOf(gaB)})
		}, []string{"I1 free " + ours}},
		"I2 from tenant to tenant": {func(s *story) {
			s.patch("broker", "free", values{"tenantName": gaA}, nil)
			s.patch("broker", "free", values{"tenantName": gaB}, nil)
		}, []string{"I2 free broker"}},
		"I2 freed without a clean-up": {func(s *story) {
			s.patch("broker", "free", values{"tenantName": gaA}, nil)
			s.patch(ours, "free", values{"tenantName": "-"}, nil)
			s.patch("broker", "free", values{"tenantName": gaB}, nil)
		}, []string{"I2 free " + ours}},
		"I2 stripped by us as if it were cleaned": {func(s *story) {
			s.patch("broker", "free", values{"tenantName": gaA, "dirty": "true"}, nil)
			s.patch(ours, "free", values{"tenantName": "-", "dirty": "-"}, nil)
			s.claim("free", claimB, gaB)
		}, []string{"I2 free " + ours}},
		"I2 freed by the job though not dirty": {func(s *story) {
			s.patch("broker", "free", values{"tenantName": gaA}, nil)
			s.clean("free")
			s.claim("free", claimB, gaB)
		}, []string{"I2 free cleanup-job"}},
		"I2 returned to the pool after a cluster": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.shoot(Added, "free")
			s.shoot(Deleted, "free")
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, []string{"I2 free " + ours}},
		"I2 returned to the pool after its own cluster": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordWithCluster(gaA)})
			s.shoot(Added, "free")
			s.shoot(Deleted, "free")
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, []string{"I2 free " + ours}},
		"returned to the pool after a cluster that another tenant had left and that went before it could be counted": {func(s *story) {
			s.shoot(Added, "free")
			s.claim("free", claimA, gaA)
			s.shoot(Modified, "free")
			s.shoot(Deleted, "free")
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, nil},
		"I2 returned to the pool after a cluster that another tenant had left and that was there to be counted": {func(s *story) {
			s.shoot(Added, "free")
			s.claim("free", claimA, gaA)
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"dirty": "releasing"}, values{claimA: recordWithCluster(gaA)})
			s.shoot(Deleted, "free")
			s.patch(ours, "free", values{"tenantName": "-", "dirty": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, []string{"I2 free " + ours}},
		"returned to the pool after a cluster that the broker made for another tenant": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.shootOf(Added, "free", values{"account": gaB})
			s.shoot(Deleted, "free")
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, nil},
		"I2 returned to the pool after a cluster that the broker made for its tenant": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.shootOf(Added, "free", values{"account": gaA})
			s.shoot(Deleted, "free")
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, []string{"I2 free " + ours}},
		"returned to the pool after another claim's cluster, as its user has asserted": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(ours, "free", nil, values{claimB: recordWithCluster(gaA)})
			s.shoot(Added, "free")
			s.shoot(Deleted, "free")
			s.h.Released(claimB, "free")
			s.patch(ours, "free", nil, values{claimB: "-"})
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, nil},
		"returned to the pool by a claim whose account was wiped and came back to its tenant": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch("broker", "free", values{"dirty": "true"}, nil)
			s.patch("cleanup-job", "free", values{"tenantName": "-", "dirty": "-"}, nil)
			s.h.Released(claimA, "free")
			s.claim("free", claimB, gaA)
			s.h.Released(claimB, "free")
			s.patch(ours, "free", nil, values{claimB: "-"})
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, nil},
		"I2 returned to the pool by a claim that did not take it": {func(s *story) {
			s.patch(byHand, "free", values{"tenantName": gaA}, nil)
			s.claim("free", claimA, gaA)
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"tenantName": "-"}, values{claimA: "-"})
			s.claim("free", claimB, gaB)
		}, []string{"I2 free " + ours}},
		"I3 acknowledged and not there": {func(s *story) {
			version := s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
			s.h.Acknowledge(claimB, "free", version)
			s.h.Unknown(claimA)
		}, []string{"I3 free " + byUs}},
		"I3 acknowledged at a version that never was": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.h.Acknowledge(claimA, "free", "4711")
		}, []string{"I3 free " + byUs}},
		"I3 on two accounts": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(ours, "other", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
		}, []string{"I3 other " + ours}},
		"I3 marked dirty under another claim": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(ours, "free", values{"dirty": "true"}, nil)
		}, []string{"I3 free " + ours}},
		"I3 handed out twice": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.claim("free", claimB, gaB)
		}, []string{"I1 free " + ours, "I2 free " + ours, "I3 free " + ours, "I3 free " + byUs}},
		"I4 marked dirty under a Shoot": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.shoot(Added, "free")
			s.release("free", claimA)
		}, []string{"I4 free " + ours}},
		"I4 freed under a Shoot by the job": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.release("free", claimA)
			s.shoot(Added, "free")
			s.clean("free")
		}, []string{"I4 free cleanup-job"}},
		"I5 shared": {func(s *story) {
			s.patch(ours, "shared", nil, values{claimA: recordOf("")})
		}, []string{"I5 shared " + ours, "I5 shared " + ours}},
		"I5 internal": {func(s *story) {
			s.claim("internal", claimA, gaA)
		}, []string{"I5 internal " + ours}},
		"I5 an internal account is fenced": {func(s *story) {
			s.patch("broker", "internal", values{"tenantName": gaA}, nil)
			s.patch(ours, "internal", values{"dirty": "releasing"}, nil)
		}, []string{"I5 internal " + ours}},
		"I5 an internal account is freed": {func(s *story) {
			s.patch("broker", "internal", values{"tenantName": gaA}, nil)
			s.claim("internal", claimA, gaA)
			s.h.Released(claimA, "internal")
			s.patch(ours, "internal", values{"tenantName": "-"}, values{claimA: "-"})
		}, []string{"I5 internal " + ours}},
		"I5 another tenant's labels": {func(s *story) {
			s.patch(byHand, "free", values{"tenantName": gaB}, values{claimA: recordOf(gaA)})
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"dirty": "true"}, values{claimA: "-"})
		}, []string{"I5 free " + ours}},
		"I5 the labels of an account without a tenant": {func(s *story) {
			s.patch(byHand, "free", values{"dirty": "true"}, values{claimA: recordOf(gaA)})
			s.h.Released(claimA, "free")
			s.patch(ours, "free", values{"dirty": "-"}, values{claimA: "-"})
		}, []string{"I5 free " + ours}},
		"I5 an account without a tenant": {func(s *story) {
			s.patch(ours, "free", values{"dirty": "releasing"}, nil)
		}, []string{"I5 free " + ours}},
		"I6 another claim's record": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(ours, "free", nil, values{claimA: "-"})
		}, []string{"I6 free " + ours}},
		"I6 the record of a claim that was released before, and made anew": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.h.Released(claimA, "free")
			s.claim("free", claimA, gaA)
			s.patch(ours, "free", nil, values{claimA: "-"})
		}, []string{"I6 free " + ours}},
		"I6 the record of another claim of the tenant is changed": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(ours, "free", nil, values{claimB: recordOf(gaA), claimA: strings.Replace(recordOf(gaA), "}", `,"used":true}`, 1)})
		}, []string{"I6 free " + ours}},
		"I6 a claim of the tenant is removed as another comes": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(ours, "free", nil, values{claimB: recordOf(gaA), claimA: "-"})
		}, []string{"I6 free " + ours, "I6 free " + ours}},
		"I6 a void record of another tenant is removed by a claim on an account that is held": {func(s *story) {
			s.patch(byHand, "free", values{"tenantName": gaB}, values{claimA: recordOf(gaA)})
			s.patch(ours, "free", nil, values{claimB: recordOf(gaB), claimA: "-"})
		}, []string{"I6 free " + ours, "I6 free " + ours}},
		"a claim that was not acknowledged withdraws its void record, and exists there after all": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
			s.patch("broker", "free", values{"dirty": "true"}, nil)
			s.clean("free")
			s.patch(ours, "free", nil, values{claimA: "-"})
			s.claim("free", claimA, gaA)
		}, nil},
		"I6 a void record is withdrawn by another run": {func(s *story) {
			s.claim("free", claimA, gaA)
			s.patch(byHand, "free", values{"tenantName": gaB}, nil)
			s.patch(ours+"-2", "free", nil, values{claimA: "-"})
		}, []string{"I2 free " + byHand, "I6 free " + ours + "-2"}},
		"a later run of a claim that was not acknowledged withdraws its void record": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
			s.h.Unknown(claimA)
			s.patch("broker", "free", values{"dirty": "true"}, nil)
			s.clean("free")
			s.patch(ours+"-2", "free", nil, values{claimA: "-"})
		}, nil},
		"I6 a record is withdrawn from an account of its tenant": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
			s.patch(ours, "free", nil, values{claimA: "-"})
		}, []string{"I6 free " + ours}},
		"I6 two records at once": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA), claimB: recordOf(gaA)})
		}, []string{"I6 free " + ours}},
		"I7 another label": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA, "euAccess": "true"}, values{claimA: recordOf(gaA)})
		}, []string{"I7 free " + ours}},
		"I7 another annotation": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA), "note": "hello"})
		}, []string{"I7 free " + ours}},
		"I7 the time of a release without its end": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA), lastHeldKey: "2026-03-01T12:00:00Z"})
		}, []string{"I7 free " + ours}},
		"I7 the rest": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, nil, func(r *Revision, _ *fault.Exchange) { r.Rest = 1 })
		}, []string{"I7 free " + ours}},
		"I7 without the version": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, nil, func(_ *Revision, e *fault.Exchange) { e.Version = "" })
		}, []string{"I7 free " + ours}},
		"I7 without the UID": {func(s *story) {
			s.patch(ours, "free", values{"tenantName": gaA}, nil, func(_ *Revision, e *fault.Exchange) { e.UID = "" })
		}, []string{"I7 free " + ours}},
		"I7 refused, and without a version": {func(s *story) {
			s.log = append(s.log, fault.Exchange{
				Client: ours, Verb: "patch", Resource: "credentialsbindings", Namespace: s.h.namespace, Name: "free",
				UID: "uid-free", Code: 409,
			})
		}, []string{"I7 free " + ours}},
		"I7 an account deleted": {func(s *story) {
			s.add(s.h.accounts, Revision{Event: Deleted, Name: "free", UID: "uid-free"})
			s.log = append(s.log, fault.Exchange{
				Client: ours, Verb: "delete", Resource: "credentialsbindings", Namespace: s.h.namespace, Name: "free", Code: 200,
			})
		}, []string{"I7 free " + ours}},
		"I8 an account is taken whose SecretBinding another Global Account holds": {func(s *story) {
			s.twin(values{"tenantName": gaB})
			s.byList(func() { s.claim("twin", claimA, gaA) })
		}, []string{"I8 twin " + ours}},
		"I8 an account is taken whose SecretBinding is dirty": {func(s *story) {
			s.twin(values{"dirty": "true"})
			s.byList(func() { s.claim("twin", claimA, gaA) })
		}, []string{"I8 twin " + ours}},
		"I8 an account is taken whose SecretBinding a Shoot names": {func(s *story) {
			s.twin(nil)
			s.shoot(Added, "SecretBinding old")
			s.byList(func() { s.claim("twin", claimA, gaA) })
		}, []string{"I8 twin " + ours}},
		"I8 an account is marked while a Shoot names its SecretBinding": {func(s *story) {
			s.twin(values{"tenantName": gaA})
			s.claim("twin", claimA, gaA)
			s.shoot(Added, "SecretBinding old")
			s.h.Released(claimA, "twin")
			s.byList(func() { s.patch(ours, "twin", values{"dirty": "true"}, values{claimA: "-"}) })
		}, []string{"I8 twin " + ours}},
		"what came after the list cannot be held against a claim": {func(s *story) {
			s.byList(func() {
				s.twin(values{"tenantName": gaB})
				s.claim("twin", claimA, gaA)
			})
		}, nil},
		"what a list says, half of which is still on its way, cannot be held against a claim": {func(s *story) {
			s.twin(values{"tenantName": gaB})
			s.byList(func() {
				s.log = append(s.log, fault.Exchange{
					Client: ours, Verb: "list", Resource: "secretbindings", Namespace: s.h.namespace, Sent: 200, Ended: time.Now().Add(time.Hour),
				})
				s.claim("twin", claimA, gaA)
			})
		}, nil},
		"a revision is missing": {func(s *story) {
			s.log = append(s.log, fault.Exchange{
				Client: "broker", Verb: "update", Resource: "credentialsbindings", Namespace: s.h.namespace, Name: "free",
				Code: 200, Result: fmt.Sprint(s.version + 1),
			})
			s.version++
			s.patch(byHand, "free", values{"tenantName": gaA}, nil)
		}, []string{"gap free " + byUs}},
	}
	broken := map[Invariant]bool{}
	for _, test := range tests {
		for _, want := range test.want {
			invariant, _, _ := strings.Cut(want, " ")
			broken[Invariant(invariant)] = true
		}
	}
	for _, invariant := range append(Invariants(), Gap) {
		if !broken[invariant] {
			t.Errorf("no story breaks %s", invariant)
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.present("free", values{"hyperscalerType": "aws"})
			s.present("other", values{"hyperscalerType": "aws"})
			s.present("shared", values{"hyperscalerType": "aws", "shared": "true"})
			s.present("internal", values{"hyperscalerType": "aws", "internal": "true"})
			test.tell(s)
			for _, v := range s.wantBroken(test.want...) {
				if v.Ours != (isOurs(v.Client) || v.Client == byUs) {
					t.Errorf("ours = %t: %s", v.Ours, v)
				}
			}
		})
	}
}

// What hands and others may do is no breach of ours, and ends a claim without one.
func TestHandsEndClaims(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("free", values{"hyperscalerType": "aws"})
	s.claim("free", claimA, gaA)
	s.patch(byHand, "free", values{"dirty": "true"}, nil)
	s.clean("free") // the record stays behind, void
	s.claim("free", claimB, gaB)
	s.wantBroken()
	summary := s.h.MustHold(t, s.log, isOurs)
	if summary.DoubleHandouts != 0 || len(summary.Orphans) != 0 {
		t.Error(summary)
	}
}

// A destroyed claim takes its record along, whichever tenant holds the account by then: one write, and no label changes.
func TestOwnRecordGoesFromAnyAccount(t *testing.T) {
	t.Parallel()
	for name, labels := range map[string]values{
		"another tenant's":           {"tenantName": gaB},
		"another tenant's and dirty": {"tenantName": gaB, "dirty": "true"},
		"free":                       {"tenantName": "-"},
		"free and dirty":             {"tenantName": "-", "dirty": "true"},
		"internal":                   {"internal": "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.present("free", values{"hyperscalerType": "aws"})
			s.claim("free", claimA, gaA)
			s.patch(byHand, "free", values{"dirty": "true"}, nil)
			s.clean("free")
			s.patch(byHand, "free", values{"tenantName": gaA}.with(labels), nil)
			s.h.Released(claimA, "free")
			s.patch(ours, "free", nil, values{claimA: "-"})
			s.wantBroken()
			if summary := s.h.judge(s.log, isOurs).summary; len(summary.Leftovers)+len(summary.Orphans) > 0 {
				t.Error(summary)
			}
		})
	}
}

// The record of a destroyed claim that is left on an account could count again: it is found wherever it lies.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(s *story){
		"on another tenant's account": func(s *story) { s.patch("broker", "one", values{"tenantName": gaB}, nil) },
		"on a free account":           func(*story) {},
		"on the tenant's account":     func(s *story) { s.patch("broker", "one", values{"tenantName": gaA}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.present("one", values{"hyperscalerType": "aws"})
			s.claim("one", claimA, gaA)
			s.patch("broker", "one", values{"dirty": "true"}, nil)
			s.clean("one")
			tell(s)
			if left := s.h.judge(s.log, isOurs).summary.Leftovers; len(left) > 0 {
				t.Errorf("the claim was not destroyed, and its record is one of %q", left)
			}
			s.h.Released(claimA, "one")
			if left := s.h.judge(s.log, isOurs).summary.Leftovers; !slices.Equal(left, []string{"one " + claimA}) {
				t.Errorf("left over: %q", left)
			}
			s.h.Unknown(claimA)
			if left := s.h.judge(s.log, isOurs).summary.Leftovers; len(left) > 0 {
				t.Errorf("no claimer knows how the destroy ended, and the record is one of %q", left)
			}
			s.h.Settled(claimA)
			if left := s.h.judge(s.log, isOurs).summary.Leftovers; len(left) != 1 {
				t.Errorf("left over once it is known: %q", left)
			}
		})
	}
}

// A write whose answer was lost has left a record on one account, and the claim was made on another.
func TestLeftoverOfAClaimThatWentElsewhere(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("one", values{"hyperscalerType": "aws"})
	s.present("two", values{"hyperscalerType": "aws"})
	s.patch(ours, "one", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
	s.patch("broker", "one", values{"dirty": "true"}, nil)
	s.clean("one")
	if left := s.h.judge(s.log, isOurs).summary.Leftovers; len(left) > 0 {
		t.Errorf("the claim goes on, and its record is one of %q", left)
	}
	s.claim("two", claimA, gaA)
	if left := s.h.judge(s.log, isOurs).summary.Leftovers; !slices.Equal(left, []string{"one " + claimA}) {
		t.Errorf("left over: %q", left)
	}
}

// An account that its tenant holds for no claim, neither dirty nor with a Shoot, is out of sight of the broker, the clean-up job and the
// claims.
func TestAbandonedAccounts(t *testing.T) {
	t.Parallel()
	// The dead claim A counts beside B again: the destroy of B leaves the account to it.
	revived := func(s *story) {
		s.claim("one", claimA, gaA)
		s.patch("broker", "one", values{"dirty": "true"}, nil)
		s.clean("one")
		s.h.Released(claimA, "one")
		s.claim("one", claimB, gaA)
		s.h.Released(claimB, "one")
		s.patch(ours, "one", nil, values{claimB: "-"})
	}
	for name, test := range map[string]struct {
		tell func(s *story)
		want int
	}{
		"left to a dead claim": {revived, 1},
		"left to a living claim": {func(s *story) {
			s.claim("one", claimA, gaA)
			s.claim("one", claimB, gaA)
			s.h.Released(claimB, "one")
			s.patch(ours, "one", nil, values{claimB: "-"})
		}, 0},
		"left without any record": {func(s *story) {
			s.claim("one", claimA, gaA)
			s.h.Released(claimA, "one")
			s.patch(ours, "one", nil, values{claimA: "-"})
		}, 1},
		"kept": {func(s *story) {
			s.claim("one", claimA, gaA)
			s.h.Kept(claimA, "one")
			s.patch(ours, "one", nil, values{claimA: "-"})
		}, 0},
		"with a Shoot": {func(s *story) {
			revived(s)
			s.shoot(Added, "one")
		}, 0},
		"marked dirty afterwards":     {func(s *story) { revived(s); s.patch("broker", "one", values{"dirty": "true"}, nil) }, 0},
		"given to another afterwards": {func(s *story) { revived(s); s.patch(byHand, "one", values{"tenantName": gaB}, nil) }, 0},
		"rid of a void record": {func(s *story) {
			s.claim("one", claimA, gaA)
			s.patch("broker", "one", values{"dirty": "true"}, nil)
			s.clean("one")
			s.patch("broker", "one", values{"tenantName": gaB}, nil)
			s.h.Released(claimA, "one")
			s.patch(ours, "one", nil, values{claimA: "-"})
		}, 0},
		"never ours": {func(s *story) { s.patch("broker", "one", values{"tenantName": gaA}, nil) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.present("one", values{"hyperscalerType": "aws"})
			test.tell(s)
			if got := s.h.judge(s.log, isOurs).summary.Abandoned; len(got) != test.want {
				t.Errorf("abandoned: %q, want %d", got, test.want)
			}
		})
	}
}

func TestOrphans(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("lost", nil)
	s.present("unknown", nil)
	s.present("known", nil)
	s.patch(ours, "lost", values{"tenantName": gaA}, values{claimA: recordOf(gaA)})
	s.patch(ours, "unknown", values{"tenantName": gaB}, values{claimB: recordOf(gaB)})
	s.h.Unknown(claimB)
	s.claim("known", testbed.RecordPrefix+"c", gaA)
	s.wantBroken()
	orphans := s.h.judge(s.log, isOurs).summary.Orphans
	if !slices.Equal(orphans, []string{"lost " + claimA}) {
		t.Errorf("orphans %q", orphans)
	}
}

// A write is laid to who has made it, also where the answer never came, and where others were answered with the version.
func TestWhoHasWritten(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("free", nil)
	unanswered := func(_ *Revision, e *fault.Exchange) { e.Code, e.Result, e.Sent = 0, "", 0 }
	s.patch(ours, "free", values{"tenantName": gaA}, values{claimA: recordOf(gaA)}, unanswered)
	attempt := s.log[0]
	attempt.Client, attempt.Annotations = "another", asked(values{claimB: recordOf(gaB)})
	s.log = slices.Insert(s.log, 0, attempt) // never arrived
	blind := func(_ *Revision, e *fault.Exchange) { e.UID, e.Version = "", "" }
	s.patch("broker", "free", values{"dirty": "true"}, nil, blind)
	nothing := s.log[len(s.log)-1]
	nothing.Client, nothing.Version = ours, nothing.Result
	s.log = slices.Insert(s.log, 0, nothing) // changed nothing
	s.patch(byHand, "free", values{"dirty": "-"}, nil)

	writes := s.h.judge(s.log, isOurs).summary.Writes
	want := map[string]int{ours: 1, "broker": 1, byHand: 1}
	if !maps.Equal(writes, want) {
		t.Errorf("writes %v instead of %v", writes, want)
	}
}

func TestViolationInOneLine(t *testing.T) {
	t.Parallel()
	v := Violation{Invariant: "I4", Account: "one", Version: "12", What: "marked", Client: "broker"}
	if got := v.String(); got != "I4: account one at version 12: marked (broker)" || strings.Contains(got, "\n") {
		t.Error(got)
	}
}
