package scenarios

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// platformLife is how one object is made, changed, mended and destroyed.
type platformLife struct {
	kind          platformKind
	first, second func(platformStage) []string           // the configurations
	seen          func(unstructured.Unstructured) string // what changes
	before, after string                                 // what is seen of it then
	lose          func(*testing.T, platformStage)
	adopted, name string // the summary of the warning that it was there, and the end of the name in it
}

func platformLives() map[string]platformLife {
	return map[string]platformLife{
		"request": {
			kind: requestKind,
			first: func(platformStage) []string {
				return []string{platformRequest("blue", "mcp", `labels = { stage = "one" }`)}
			},
			second: func(platformStage) []string {
				return []string{platformRequest("blue", "mcp", `labels = { stage = "two" }`)}
			},
			seen: func(o unstructured.Unstructured) string { return o.GetLabels()["stage"] }, before: "one", after: "two",
			lose: func(t *testing.T, s platformStage) {
				t.Helper()
				s.mayLose(t, true) // by another party
				s.lose(t, s.only(t, platformKind{kind: "Cluster"}))
				s.mayLose(t, false)
			},
			adopted: "Request was made before", name: "/blue (UID",
		},
		"access": {
			kind: accessKind,
			first: func(platformStage) []string {
				return []string{platformRequest("blue", "mcp"), platformAccess("in", "blue", "list")}
			},
			second: func(platformStage) []string {
				return []string{platformRequest("blue", "mcp"), platformAccess("in", "blue", "get")}
			},
			seen: func(o unstructured.Unstructured) string { return fmt.Sprint(o.Object["spec"]) }, before: "verbs:[list]", after: "verbs:[get]",
			lose: func(t *testing.T, s platformStage) {
				t.Helper()
				s.lose(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "in.kubeconfig"}})
			},
			adopted: "Request was made before", name: "/in (UID",
		},
		"configuration": {
			kind:   configKind,
			first:  func(s platformStage) []string { return []string{s.providerConfig("blue", "region-1")} },
			second: func(s platformStage) []string { return []string{s.providerConfig("blue", "region-2")} },
			seen:   func(o unstructured.Unstructured) string { return fmt.Sprint(o.Object["spec"]) }, before: "region:region-1", after: "region:region-2",
			adopted: "Provider configuration was made before", name: "ProviderConfig blue-",
		},
	}
}

// Killed at each write by which a request, an access or a configuration is made, changed, mended and destroyed: the next run goes on with
// the one that stands, and a destroy leaves nothing.
func TestPlatformKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	for name, life := range sampled(t, platformLives()) {
		for when, block := range map[string]func() *fault.Block{"before": fault.BlockBefore, "after": fault.BlockAfter} {
			t.Run(name+" killed "+when+" the commit", func(t *testing.T) {
				t.Parallel()
				life.play(t, block, when == "after")
			})
		}
	}
}

func (l platformLife) play(t *testing.T, block func() *fault.Block, committed bool) {
	t.Helper()
	s := newPlatformStage(t, fault.ProxyOptions{})
	c := s.configure(t, l.first(s)...)
	c.killedAt(t, applying, l.kind, block())
	l.wantMade(t, s, committed)
	result := c.succeeds(t, applying...)
	if committed { // a program may leave out all but the first of such warnings
		warns(t, result, l.adopted)
	} else if strings.Contains(result.Output, l.name) {
		t.Errorf("nothing was made before:\n%s", result.Output)
	}
	l.wantSeen(t, s, l.before)
	uids := c.wantStanding(t)

	c.write(t, l.second(s)...)
	c.killedAt(t, applying, l.kind, block())
	c.succeeds(t, applying...)
	l.wantSeen(t, s, l.after)
	if l.lose != nil {
		l.lose(t, s)
		c.killedAt(t, applying, l.kind, block())
		c.succeeds(t, applying...)
	}
	for address, uid := range c.wantStanding(t) {
		if uids[address] != uid {
			t.Errorf("%s was made anew", address)
		}
	}
	c.succeeds(t, "plan", "-detailed-exitcode")

	s.mayLose(t, true)
	c.killedAt(t, destroying, l.kind, block())
	c.succeeds(t, destroying...)
	s.wantNothing(t, "destroyed")
	if left := c.State(t).Addresses(); len(left) > 0 {
		t.Errorf("the state has %v", left)
	}
}

// wantMade checks whether the object was made by the run that was killed.
func (l platformLife) wantMade(t *testing.T, s platformStage, made bool) {
	t.Helper()
	if all := s.live(t, l.kind); len(all) > 0 != made {
		t.Errorf("killed: %d of kind %s are there", len(all), l.kind.kind)
	}
}

// wantSeen checks what changes.
func (l platformLife) wantSeen(t *testing.T, s platformStage, want string) {
	t.Helper()
	if got := l.seen(*s.only(t, l.kind)); !strings.Contains(got, want) {
		t.Errorf("there is %s, want %s", got, want)
	}
}
