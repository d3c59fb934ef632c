package grants

import (
	"fmt"
	"slices"
	"testing"
)

// story is a history that is written by hand.
type story struct {
	h        History
	clusters map[string]*revision
	requests map[string]*revision
	version  uint64
}

func newStory() *story {
	return &story{clusters: map[string]*revision{}, requests: map[string]*revision{}}
}

func (s *story) tell(r *revision, e event) {
	s.version++
	now := *r
	now.event, now.version, now.holders, now.records = e, s.version, slices.Clone(r.holders), map[string]string{}
	for uid, record := range r.records {
		now.records[uid] = record
	}
	s.h.revisions = append(s.h.revisions, now)
}

// asked makes a request that the built-in scheduler serves.
func (s *story) asked(names ...string) {
	for _, name := range names {
		s.requests[name] = &revision{kind: kindRequest, name: "ns/" + name, uid: name, builtin: true}
		s.tell(s.requests[name], added)
	}
}

// request changes a request.
func (s *story) request(name string, change func(*revision)) {
	change(s.requests[name])
	s.tell(s.requests[name], modified)
}

// cluster makes a Cluster, or changes it.
func (s *story) cluster(name string, change func(*revision)) {
	c, there := s.clusters[name]
	e := modified
	if !there {
		c, e = &revision{kind: kindCluster, name: "ns/" + name, uid: "cluster-" + name, records: map[string]string{}}, added
		s.clusters[name] = c
	}
	change(c)
	s.tell(c, e)
}

func recordOf(prefix string) string {
	return fmt.Sprintf(`{"request":{"name":"x"},"prefix":%q}`, prefix)
}

// given gives a Cluster to a request, with a prefix.
func (s *story) given(cluster, request, prefix string) {
	s.cluster(cluster, func(c *revision) { join(c, request, prefix) })
}

func join(c *revision, request, prefix string) {
	c.holders, c.records[request] = append(c.holders, request), recordOf(prefix)
}

func leave(c *revision, request string) {
	c.holders = slices.DeleteFunc(c.holders, func(uid string) bool { return uid == request })
	delete(c.records, request)
}

// named writes the grant into the status of a request.
func (s *story) named(request, cluster string) {
	s.request(request, func(r *revision) { r.grantedTo = "ns/" + cluster })
}

// granted is all that a grant of the Cluster c is.
func (s *story) granted(request, prefix string) {
	s.asked(request)
	s.given("c", request, prefix)
	s.named(request, "c")
}

// withdrawn begins the deletion of a request.
func (s *story) withdrawn(request string) {
	s.request(request, func(r *revision) { r.terminating = true })
}

// left takes a request off the Cluster c.
func (s *story) left(request string) {
	s.cluster("c", func(c *revision) { leave(c, request) })
}

// Each story breaks the invariants that it names, and no other; some break none.
func TestStories(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tell func(s *story)
		want []Invariant
	}{
		"a whole life": {func(s *story) {
			s.granted("a", "foo-")
			s.granted("b", "bar-")
			s.withdrawn("a")
			s.left("a")
			s.tell(s.requests["a"], deleted)
			s.granted("d", "foo-")
			s.withdrawn("b")
			s.withdrawn("d")
			s.cluster("c", func(c *revision) { c.terminating = true })
			s.left("b")
			s.left("d")
			s.tell(s.clusters["c"], deleted)
		}, nil},

		"the same prefix":       {func(s *story) { s.granted("a", "foo-"); s.asked("b"); s.given("c", "b", "foo-") }, []Invariant{G1}},
		"the longer one comes":  {func(s *story) { s.granted("a", "foo-"); s.asked("b"); s.given("c", "b", "foo-bar-") }, []Invariant{G1}},
		"the shorter one comes": {func(s *story) { s.granted("a", "foo-bar-"); s.asked("b"); s.given("c", "b", "foo-") }, []Invariant{G1}},
		"prefixes of two Clusters": {func(s *story) {
			s.asked("a", "b")
			s.given("c", "a", "foo-")
			s.given("d", "b", "foo-")
		}, nil},
		"no prefix on a shared Cluster": {func(s *story) { s.asked("a"); s.given("c", "a", "") }, []Invariant{G1}},
		"no prefix on an exclusive one": {func(s *story) {
			s.asked("a")
			s.cluster("c", func(c *revision) { c.exclusive = true; join(c, "a", "") })
		}, nil},
		"no record": {func(s *story) {
			s.asked("a")
			s.cluster("c", func(c *revision) { c.holders = []string{"a"} })
		}, []Invariant{G1}},
		"no record of the operator's": {func(s *story) {
			s.asked("a")
			s.request("a", func(r *revision) { r.builtin, r.operator = false, true })
			s.cluster("c", func(c *revision) { c.holders = []string{"a"} })
		}, nil},
		"a record that cannot be read": {func(s *story) {
			s.asked("a")
			s.cluster("c", func(c *revision) { c.holders, c.records["a"] = []string{"a"}, `{"prefix":` })
		}, []Invariant{G1}},
		"a record of a request that has left": {func(s *story) {
			s.granted("a", "foo-")
			s.request("a", func(r *revision) { r.builtin, r.operator = false, true })
			s.withdrawn("a")
			s.cluster("c", func(c *revision) { c.holders = nil }) // the operator takes the finalizer alone
			s.granted("b", "foo-")
			s.cluster("c", func(c *revision) { delete(c.records, "a") })
		}, nil},

		"two on an exclusive Cluster": {func(s *story) {
			s.asked("a", "b")
			s.cluster("c", func(c *revision) { c.exclusive = true; join(c, "a", "") })
			s.given("c", "b", "")
		}, []Invariant{G2}},
		"two Clusters": {func(s *story) { s.granted("a", "foo-"); s.given("d", "a", "bar-") }, []Invariant{G2}},
		"another Cluster after the first": {func(s *story) {
			s.granted("a", "foo-")
			s.tell(s.clusters["c"], deleted)
			s.clusters["c"].uid = "anew"
			s.tell(s.clusters["c"], added)
		}, []Invariant{G3, G4}}, // when the first goes by force

		"another prefix": {func(s *story) {
			s.granted("a", "foo-")
			s.cluster("c", func(c *revision) { c.records["a"] = recordOf("bar-") })
		}, []Invariant{G3}},
		"the record goes": {func(s *story) {
			s.granted("a", "foo-")
			s.request("a", func(r *revision) { r.builtin = false })
			s.cluster("c", func(c *revision) { delete(c.records, "a") })
		}, []Invariant{G3}},
		"a record comes later": {func(s *story) {
			s.asked("a")
			s.request("a", func(r *revision) { r.builtin = false })
			s.cluster("c", func(c *revision) { c.holders = []string{"a"} })
			s.cluster("c", func(c *revision) { c.records["a"] = recordOf("foo-") })
		}, []Invariant{G3}},
		"a record without a finalizer": {func(s *story) {
			s.asked("a")
			s.cluster("c", func(c *revision) { c.records["a"] = recordOf("foo-") })
		}, []Invariant{G3}},
		"freed before the deletion": {func(s *story) { s.asked("a"); s.given("c", "a", "foo-"); s.left("a") }, []Invariant{G3}},
		"freed by another's write": {func(s *story) {
			s.granted("a", "foo-")
			s.asked("b")
			s.cluster("c", func(c *revision) { leave(c, "a"); join(c, "b", "bar-") })
		}, []Invariant{G3, G4}},
		"a record stays behind": {func(s *story) {
			s.granted("a", "foo-")
			s.withdrawn("a")
			s.cluster("c", func(c *revision) { c.holders = nil })
		}, []Invariant{G3}},
		"handed over and withdrawn": {func(s *story) {
			s.granted("a", "foo-")
			s.request("a", func(r *revision) { r.builtin = false })
			s.request("a", func(r *revision) { r.operator = true })
			s.withdrawn("a")
			s.cluster("c", func(c *revision) { c.holders = nil })
		}, nil},
		"handed over and freed": {func(s *story) {
			s.asked("a")
			s.given("c", "a", "foo-")
			s.request("a", func(r *revision) { r.builtin, r.operator = false, true })
			s.cluster("c", func(c *revision) { c.holders = nil })
		}, []Invariant{G3}},

		"named without a grant": {func(s *story) {
			s.asked("a", "b")
			s.given("c", "b", "foo-")
			s.named("a", "c")
		}, []Invariant{G4}},
		"named before the grant": {func(s *story) { s.asked("a"); s.named("a", "c") }, []Invariant{G4}},
		"another Cluster is named": {func(s *story) {
			s.asked("a", "b")
			s.given("c", "a", "foo-")
			s.given("d", "b", "foo-")
			s.named("a", "d")
		}, []Invariant{G4}},
		"named while it goes": {func(s *story) {
			s.granted("a", "foo-")
			s.withdrawn("a")
			s.left("a")
			s.request("a", func(*revision) {})
		}, nil},
		"granted and not named": {func(s *story) { s.asked("a"); s.given("c", "a", "foo-") }, nil},
		"the operator's Cluster is lost": {func(s *story) {
			s.asked("a")
			s.request("a", func(r *revision) { r.builtin, r.operator = false, true })
			s.cluster("c", func(c *revision) { c.holders = []string{"a"} })
			s.named("a", "c")
			s.tell(s.clusters["c"], deleted)
		}, []Invariant{G4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory()
			test.tell(s)
			var got []Invariant
			broken, left := s.h.Check()
			for _, v := range broken {
				got = append(got, v.Invariant)
			}
			if !slices.Equal(got, test.want) || len(left) > 0 {
				t.Errorf("broken %v, want %v: %v, left %q\n%s", got, test.want, broken, left, s.h.story())
			}
		})
	}
}

// A grant whose request is gone is left over in the end, whether it was there before the request went, or came late.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	for name, tell := range map[string]func(s *story){
		"never taken off": func(s *story) { s.granted("a", "foo-"); s.withdrawn("a"); s.tell(s.requests["a"], deleted) },
		"came late": func(s *story) {
			s.asked("a")
			s.withdrawn("a")
			s.tell(s.requests["a"], deleted)
			s.given("c", "a", "foo-")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory()
			tell(s)
			want := "Cluster ns/c is held by ns/a (UID a), which is gone"
			if broken, left := s.h.Check(); len(broken) > 0 || len(left) != 1 || left[0] != want {
				t.Errorf("%v, left %q, want %q", broken, left, want)
			}
			s.left("a")
			if broken, left := s.h.Check(); len(broken)+len(left) > 0 {
				t.Errorf("taken off: %v, left %q", broken, left)
			}
		})
	}
}
