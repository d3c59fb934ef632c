package shoots_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

const template = `
metadata: {labels: {stage: dev}}
spec:
  cloudProfile: {kind: CloudProfile, name: aws}
  region: region-1
  purpose: evaluation
  kubernetes: {version: 1.33.2}
  networking: {type: calico, nodes: 10.250.0.0/16}
  provider:
    type: aws
    workers:
    - {name: a, minimum: 1, maximum: 2, zones: [region-1a], machine: {type: medium, image: {name: gardenlinux, version: 1877.1.0}}, volume: {type: ssd, size: 50Gi}}
`

// stage is a namespace with one account, a gardenlet, and what is tested.
type stage struct {
	*testbed.Namespace
	shoots    *shoots.Shoots
	gardenlet *gardenlet.Gardenlet
}

func newStage(t *testing.T) stage {
	t.Helper()
	return newStageOn(t, nil)
}

// newStageOn is a stage whose Shoots go this course; nil = they succeed at once.
func newStageOn(t *testing.T, course func(*gardencore.Shoot) gardenlet.Course) stage {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden: set TF_ACC=1 (make testacc does)")
	}
	ns := testbed.Shared(t).NewNamespace(t)
	ns.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	s, err := shoots.New(ns.Garden().AdminConfig(), ns.Name)
	if err != nil {
		t.Fatal(err)
	}
	g := gardenlet.Of(ns)
	g.Course = course
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return stage{ns, s, g}
}

func wanted(t *testing.T, name, text string) shoots.Wanted {
	t.Helper()
	read, err := shoots.ReadTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return shoots.Wanted{Name: name, Template: read, Account: "aws-1", AccountField: "credentialsBindingName"}
}

// always lets a Shoot be removed.
func always(shoots.Shoot) error { return nil }

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A Shoot lives: checked without a trace, made, awaited, drifted, put right, entered, and removed.
func TestShootLives(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	if there, err := s.shoots.Check(ctx, w); err != nil || there != nil {
		t.Fatal(there, err)
	}
	s.isGone(t)
	made, _, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := s.shoots.Check(ctx, w); err != nil || there == nil || there.UID != made.UID || time.Since(there.MadeAt) > time.Hour {
		t.Errorf("checked again: %+v, %v", there, err)
	}
	var reported []string
	ready, err := s.shoots.AwaitReady(ctx, made, func(status shoots.Status) { reported = append(reported, status.String()) })
	if err != nil || !ready.Status.Ready || len(reported) == 0 {
		t.Fatalf("%v, reported %q, gardenlet: %v", err, reported, s.gardenlet.Err())
	}
	if drift := w.Drift(ready); len(drift) > 0 {
		t.Errorf("what Gardener fills in counts as drift: %v", drift)
	}
	before := s.live(t)
	_, err = s.shoots.Change(ctx, w, w, ready)
	if after := s.live(t); err != nil || after.Generation != before.Generation {
		t.Errorf("applied again without a change: generation %d, was %d: %v", after.Generation, before.Generation, err)
	}

	s.edit(t, func(shoot *gardencore.Shoot) {
		shoot.Spec.Provider.Workers[0].Maximum = 7
		shoot.Spec.Provider.Workers = append(shoot.Spec.Provider.Workers, *worker(shoot, "theirs"))
	})
	drifted, err := s.shoots.Get(ctx, "blue")
	if err != nil {
		t.Fatal(err)
	}
	if drift := w.Drift(drifted); len(drift) != 1 || drift[0].String() != "spec.provider.workers[a].maximum is 7, the template says 2" {
		t.Errorf("drift is %v", drift)
	}
	_, err = s.shoots.Change(ctx, w, w, drifted)
	if right := s.live(t).Spec.Provider.Workers; err != nil || right[0].Maximum != 2 || len(right) != 2 {
		t.Errorf("put right: %+v, %v", right, err)
	}
	s.enters(t, ctx)

	if err := s.shoots.Remove(ctx, "blue", made.UID, always, func(shoots.Status) {}); err != nil {
		t.Fatal(err, s.gardenlet.Err())
	}
	s.isGone(t)
}

// enters gets a kubeconfig and lists namespaces with it; the certificate ends when Gardener says so.
func (s stage) enters(t *testing.T, ctx context.Context) { //nolint:revive // the test comes first
	t.Helper()
	ca, err := s.shoots.CA(ctx, "blue")
	if err != nil || !strings.Contains(ca, "BEGIN CERTIFICATE") {
		t.Errorf("the authority of the cluster is %q, %v", ca, err)
	}
	for _, role := range []shoots.Role{shoots.Admin, shoots.Viewer} {
		access, err := s.shoots.Access(ctx, "blue", role, 20*time.Minute)
		if err != nil {
			t.Errorf("%s: %v", role, err)
			continue
		}
		config, err := clientcmd.RESTConfigFromKubeConfig(access.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode(config.CertData)
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !certificate.NotAfter.Equal(access.ExpiresAt) || time.Until(certificate.NotAfter) > 21*time.Minute {
			t.Errorf("%s: the certificate ends %v, Gardener says %v: %v", role, certificate.NotAfter, access.ExpiresAt, err)
		}
		cluster, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := cluster.List(ctx, &corev1.NamespaceList{}); err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
}

// A Shoot that exists is never seized, and one that this configuration has made in a run that was cut short is found again.
func TestMakeFindsItsOwn(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	first, found, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	second, again, err := s.shoots.Make(ctx, w)
	if err != nil || second.UID != first.UID || found || !again {
		t.Errorf("made again: %v, found %v and %v", err, found, again)
	}
	other := wanted(t, "blue", strings.Replace(template, "evaluation", "development", 1))
	var exists *shoots.ExistsError
	_, checked := s.shoots.Check(ctx, other)
	for name, err := range map[string]error{"check": checked, "make": third(s.shoots.Make(ctx, other))} {
		if !errors.As(err, &exists) {
			t.Errorf("%s of another configuration: %v", name, err)
		}
	}
	if purpose := *s.live(t).Spec.Purpose; purpose != gardencore.ShootPurposeEvaluation {
		t.Errorf("the Shoot was seized: its purpose is %s", purpose)
	}
}

// A check that Gardener cannot answer yet, such as where its admission does not know a new account, is sent again: it changes nothing.
// One that is not answered in time does not say that anything may have been made.
func TestCheckOutlastsABrokenServer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	role := testbed.RoleExample(t, "role-clusters.yaml")
	config := s.ServiceAccount(t, "hap", role).Config()
	proxy := fault.NewProxy(t, s.Garden(), fault.ProxyOptions{})
	proxy.Through(config)
	behind, err := shoots.New(config, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	check := func(ctx context.Context) error {
		_, err := behind.Check(ctx, wanted(t, "blue", template))
		return err
	}

	for n := range 2 {
		proxy.Spoil(fault.Rule{Verb: "create", Resource: "shoots", Nth: n + 1, Fault: fault.InternalError()})
	}
	if err := check(within(t)); err != nil || proxy.Count("create", "shoots") != 3 {
		t.Errorf("two answers of three are 500: sent %d times, %v", proxy.Count("create", "shoots"), err)
	}
	proxy.Spoil(fault.Rule{Verb: "create", Resource: "shoots", Fault: fault.InternalError()})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if failed, ok := errors.AsType[*kube.Error](check(ctx)); !ok || failed.Reason != kube.Unreachable {
		t.Errorf("each answer is 500: %v", failed)
	}
	s.isGone(t)
}

// A change never makes a Shoot again that was deleted, nor writes on another one of its name.
func TestChangeOfTheVeryShoot(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	first, _, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.shoots.Remove(ctx, "blue", first.UID, always, func(shoots.Status) {}); err != nil {
		t.Fatal(err)
	}
	var gone *shoots.GoneError
	if _, err := s.shoots.Change(ctx, w, w, first); !errors.As(err, &gone) {
		t.Errorf("a change of a deleted Shoot: %v", err)
	}
	s.isGone(t)
	if _, _, err := s.shoots.Make(ctx, w); err != nil {
		t.Fatal(err)
	}
	if _, err := s.shoots.Change(ctx, w, w, first); !errors.As(err, &gone) {
		t.Errorf("a change of another Shoot of the name: %v", err)
	}
}

// live is the Shoot blue as the server has it.
func (s stage) live(t *testing.T) *gardencore.Shoot {
	t.Helper()
	var shoot gardencore.Shoot
	if err := s.Garden().AdminClient().Get(t.Context(), client.ObjectKey{Namespace: s.Name, Name: "blue"}, &shoot); err != nil {
		t.Fatal(err)
	}
	return &shoot
}

// edit changes the Shoot blue as a person does, beside the gardenlet.
func (s stage) edit(t *testing.T, change func(*gardencore.Shoot)) {
	t.Helper()
	edit.Object(t, s.Garden().AdminClient(), &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: s.Name, Name: "blue"}}, change)
}

// isGone fails where there is the Shoot blue.
func (s stage) isGone(t *testing.T) {
	t.Helper()
	if _, err := s.shoots.Get(t.Context(), "blue"); !errors.As(err, new(*shoots.GoneError)) {
		t.Errorf("Shoot blue: %v", err)
	}
}

func third(_ shoots.Shoot, _ bool, err error) error { return err }

func worker(shoot *gardencore.Shoot, name string) *gardencore.Worker {
	i := slices.IndexFunc(shoot.Spec.Provider.Workers, func(w gardencore.Worker) bool { return w.Name == "a" })
	copied := shoot.Spec.Provider.Workers[i].DeepCopy()
	copied.Name = name
	return copied
}

// What a template names no longer is taken back, also where the POST has written it; what it never named stays.
func TestChangeTakesBack(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	more := strings.Replace(template, "    - {name: a,", "    - {name: b, minimum: 1, maximum: 1, zones: [region-1a], machine: {type: medium, image: {name: gardenlinux, version: 1877.1.0}}, "+
		"volume: {type: ssd, size: 50Gi}}\n    - {name: a,", 1)
	made, _, err := s.shoots.Make(ctx, wanted(t, "blue", more))
	if err != nil {
		t.Fatal(err)
	}
	if got := workers(s.live(t)); !slices.Equal(got, []string{"b", "a"}) {
		t.Fatalf("the workers are %v", got)
	}
	if _, err := s.shoots.Change(ctx, wanted(t, "blue", template), wanted(t, "blue", more), made); err != nil {
		t.Fatal(err)
	}
	if got := workers(s.live(t)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the workers are %v", got)
	}
}

// What a template names no longer is taken off the Shoot, whichever other party has set it as well, or has changed it since. What the
// template never named stays, and so does all that the first change of a Shoot does not name which was imported.
func TestChangeTakesBack_ofOthers(t *testing.T) {
	t.Parallel()
	group := "    - {name: b, minimum: 1, maximum: 1, zones: [region-1a], machine: {type: medium, image: {name: gardenlinux, version: 1877.1.0}}, " +
		"volume: {type: ssd, size: 50Gi}}\n    - {name: a,"
	more := strings.NewReplacer("    - {name: a,", group, "{stage: dev}", "{stage: dev, team: x}", "  purpose: evaluation\n",
		"  purpose: development\n  hibernation: {enabled: false, schedules: [{start: \"00 20 * * *\"}]}\n").Replace(template)
	less := strings.Replace(template, "  purpose: evaluation\n", "", 1)
	scheduled := strings.Replace(more, "enabled: false, ", "", 1)
	all := []string{"metadata.labels.team", "spec.hibernation.enabled", "spec.hibernation.schedules", "spec.provider.workers[b]", "spec.purpose"}
	for name, test := range map[string]struct {
		applied     bool                    // a change of this configuration has reached the Shoot
		edit        func(*gardencore.Shoot) // what the other party does then
		to          string
		taken, left []string
		workers     []string
		hibernated  *bool // nil = the Shoot has no hibernation
	}{
		"all":               {applied: true, to: less, taken: all, workers: []string{"a"}},
		"first of imported": {to: less, left: all, workers: []string{"b", "a"}, hibernated: ptr.To(false)},
		"changed since": {applied: true, to: less, taken: all, workers: []string{"a"}, edit: func(s *gardencore.Shoot) {
			s.Labels["team"], s.Spec.Provider.Workers[0].Maximum, s.Spec.Hibernation.Enabled = "y", 5, ptr.To(true)
		}},
		"left to schedules": {applied: true, to: scheduled, workers: []string{"b", "a"}, hibernated: ptr.To(true), edit: func(s *gardencore.Shoot) {
			s.Spec.Hibernation.Enabled = ptr.To(true)
		}},
		"nothing": {applied: true, to: more, workers: []string{"b", "a"}, hibernated: ptr.To(false)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ctx := newStage(t), within(t)
			w := wanted(t, "blue", more)
			s.makeTheirs(t, strings.Replace(more, "{stage: dev,", "{stage: dev, keep: \"1\",", 1))
			now, err := s.shoots.Get(ctx, "blue")
			if err == nil && test.applied {
				now, err = s.shoots.Change(ctx, w, w, now)
			}
			if err == nil && test.edit != nil {
				s.edit(t, test.edit)
				now, err = s.shoots.Get(ctx, "blue")
			}
			if err != nil {
				t.Fatal(err)
			}
			to := wanted(t, "blue", test.to)
			dropped, err := s.shoots.CheckChange(ctx, to, w, now)
			if err != nil || !slices.Equal(dropped.Taken, test.taken) || !slices.Equal(dropped.Left, test.left) {
				t.Errorf("the plan drops %+v, %v", dropped, err)
			}
			if s.live(t).Labels["team"] == "" {
				t.Error("the plan has written")
			}
			now, err = s.shoots.Change(ctx, to, w, now)
			if err != nil {
				t.Fatal(err)
			}
			live := s.live(t)
			if _, err := s.shoots.Change(ctx, to, to, now); err != nil || s.live(t).Generation != live.Generation {
				t.Errorf("the same change once more: %v", err)
			}
			if got := workers(live); !slices.Equal(got, test.workers) {
				t.Errorf("the workers are %v", got)
			}
			if _, there := live.Labels["team"]; there == (len(test.taken) > 0) || live.Labels["keep"] != "1" || live.Labels["stage"] != "dev" {
				t.Errorf("the labels are %v", live.Labels)
			}
			switch h := live.Spec.Hibernation; {
			case (h == nil) != (test.hibernated == nil):
				t.Errorf("the hibernation is %v", h)
			case h != nil && !ptr.Equal(h.Enabled, test.hibernated):
				t.Errorf("hibernated: %v", h.Enabled)
			}
		})
	}
}

// The plan names what the change takes off the Shoot, and nothing else: what is empty in the template stays where another party has filled it,
// a schedule of another party goes on switching hibernation, a field that our types do not know stays, and Gardener gives what it fills in.
func TestChangeTakesBack_whatThePlanNames(t *testing.T) {
	t.Parallel()
	with := func(pairs ...string) string {
		return strings.NewReplacer(append(pairs, "{stage: dev}", "{stage: dev, team: x}")...).Replace(template)
	}
	const team = "metadata.labels.team"
	schedules := `schedules: [{start: "00 20 * * *"}]}`
	for name, test := range map[string]struct {
		theirs, before, to string
		edit               func(*gardencore.Shoot)
		newer              [2]string
		taken              []string
		check              func(*gardencore.Shoot) bool
	}{
		"an empty object": {theirs: with("  purpose:", "  dns: {domain: d0.example.org}\n  purpose:"), before: with("  purpose:", "  dns: {}\n  purpose:"),
			to: template, taken: []string{team}, check: func(s *gardencore.Shoot) bool { return *s.Spec.DNS.Domain == "d0.example.org" }},
		"a field of a newer Gardener": {theirs: with("nodes:", "services: 100.64.0.0/13, pods: 100.96.0.0/11, nodes:"), before: with(), to: template,
			newer: [2]string{"services", "newerServices"}, taken: []string{team},
			check: func(s *gardencore.Shoot) bool { return *s.Spec.Networking.Services == "100.64.0.0/13" }},
		"hibernation, with schedules of theirs": {theirs: with("  purpose:", "  hibernation: {enabled: false, "+schedules+"\n  purpose:"),
			before: with("  purpose:", "  hibernation: {enabled: false}\n  purpose:"), to: template, taken: []string{team},
			edit: func(s *gardencore.Shoot) { s.Spec.Hibernation.Enabled = ptr.To(true) }, check: func(s *gardencore.Shoot) bool { return *s.Spec.Hibernation.Enabled }},
		"all of an object that Gardener fills in": {theirs: with("  purpose:", "  maintenance: {timeWindow: {begin: 030000+0000, end: 040000+0000}}\n  purpose:"),
			before: with("  purpose:", "  maintenance: {timeWindow: {begin: 030000+0000, end: 040000+0000}}\n  purpose:"), to: with(),
			taken: []string{"spec.maintenance.timeWindow.begin", "spec.maintenance.timeWindow.end"},
			check: func(s *gardencore.Shoot) bool { return s.Spec.Maintenance.TimeWindow.Begin != "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ctx := newStage(t), within(t)
			all := s.shoots
			if test.newer[0] != "" {
				config := s.Garden().AdminConfig()
				config.Wrap(func(next http.RoundTripper) http.RoundTripper {
					return asJSON{fault.NewerField(test.newer[0], test.newer[1])(next)}
				})
				var err error
				if all, err = shoots.New(config, s.Name); err != nil {
					t.Fatal(err)
				}
			}
			s.makeTheirs(t, test.theirs)
			before, to := wanted(t, "blue", test.before), wanted(t, "blue", test.to)
			now, err := all.Get(ctx, "blue")
			if err == nil {
				now, err = all.Change(ctx, before, before, now)
			}
			if err == nil && test.edit != nil {
				s.edit(t, test.edit)
				now, err = all.Get(ctx, "blue")
			}
			if err != nil {
				t.Fatal(err)
			}
			dropped, err := all.CheckChange(ctx, to, before, now)
			if err != nil || !slices.Equal(dropped.Taken, test.taken) || len(dropped.Left) > 0 {
				t.Errorf("the plan drops %+v, %v", dropped, err)
			}
			if _, err := all.Change(ctx, to, before, now); err != nil {
				t.Fatal(err)
			}
			live := s.live(t)
			if _, there := live.Labels["team"]; there == slices.Contains(test.taken, team) || !test.check(live) {
				t.Errorf("the Shoot has the labels %v and the spec %+v", live.Labels, live.Spec)
			}
		})
	}
}

// asJSON has the server answer in JSON.
type asJSON struct{ http.RoundTripper }

func (a asJSON) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json")
	return a.RoundTripper.RoundTrip(r)
}

// makeTheirs has another party make the Shoot blue.
func (s stage) makeTheirs(t *testing.T, text string) {
	t.Helper()
	var theirs gardencore.Shoot
	if err := yaml.Unmarshal([]byte(text), &theirs); err != nil {
		t.Fatal(err)
	}
	theirs.ObjectMeta = metav1.ObjectMeta{Namespace: s.Name, Name: "blue", Labels: theirs.Labels}
	theirs.Spec.CredentialsBindingName = ptr.To("aws-1")
	if err := s.CreateShoot(t.Context(), &theirs); err != nil {
		t.Fatal(err)
	}
}

// A Shoot that is imported gets the template that it was made from, and one that another client has made one without the defaults.
func TestShoot_Template(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	if _, _, err := s.shoots.Make(ctx, w); err != nil {
		t.Fatal(err)
	}
	theirs := &gardencore.Shoot{ObjectMeta: s.live(t).ObjectMeta, Spec: s.live(t).Spec}
	theirs.Name, theirs.ResourceVersion, theirs.UID, theirs.ManagedFields, theirs.Annotations = "green", "", "", nil, nil
	theirs.Finalizers = nil // the Garden gives them
	if err := s.CreateShoot(ctx, theirs); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blue", "green"} {
		now, err := s.shoots.Get(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		text := now.Template()
		w := wanted(t, name, text)
		if drift := w.Drift(now); len(drift) > 0 {
			t.Errorf("%s drifts from what was imported: %v", name, drift)
		}
		for _, field := range []string{"stage: dev", "type: medium", "size: 50Gi"} {
			if !strings.Contains(text, field) {
				t.Errorf("%s lacks %q:\n%s", name, field, text)
			}
		}
		for _, field := range []string{"credentialsBindingName", "schedulerName", "workersSettings", "cri:", "hap-project.io"} {
			if strings.Contains(text, field) {
				t.Errorf("%s has %q:\n%s", name, field, text)
			}
		}
		if _, err := s.shoots.Change(ctx, w, w, now); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The account of a live cluster never changes.
func TestChangeMovesNoCluster(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	made, _, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	w.Account = "aws-2"
	var moved *shoots.MovedError
	if _, err := s.shoots.Change(ctx, w, w, made); !errors.As(err, &moved) || moved.Now != "CredentialsBinding aws-1" ||
		moved.Wanted != "CredentialsBinding aws-2" {
		t.Errorf("a change of the account: %v", err)
	}
	if account := *s.live(t).Spec.CredentialsBindingName; account != "aws-1" {
		t.Errorf("the cluster is on %s", account)
	}
}

// A cluster that another party moves between a read and the write is not moved back, whatever the template names and whatever is written:
// each write has the version that was judged.
func TestWritesBearWhatWasJudged(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	s.Accounts(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	versionless := strings.Replace(template, "kubernetes: {version: 1.33.2}", "kubernetes: {}", 1) // nothing is borrowed from the Shoot
	w := wanted(t, "blue", versionless)
	made, _, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	var writes []string
	config := s.Garden().AdminConfig()
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		return rival{inner, func(r *http.Request) {
			writes = append(writes, r.Method)
			live := s.live(t)
			moved := live.DeepCopy()
			moved.Spec.CredentialsBindingName = ptr.To("aws-2")
			if err := s.Garden().AdminClient().Patch(ctx, moved, client.MergeFrom(live)); err != nil {
				t.Error(err)
			}
		}}
	})
	raced, err := shoots.New(config, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	changed := w
	changed.Labels = map[string]string{"a": "b"}
	var moved *shoots.MovedError
	if _, err := raced.Change(ctx, changed, w, made); !errors.As(err, &moved) || moved.Now != "CredentialsBinding aws-2" {
		t.Errorf("a change: %v", err)
	}
	if live := s.live(t); *live.Spec.CredentialsBindingName != "aws-2" || live.Labels["a"] != "" {
		t.Errorf("the cluster is on %s, with labels %v", *live.Spec.CredentialsBindingName, live.Labels)
	}
	if !slices.Equal(writes, []string{http.MethodPatch}) {
		t.Errorf("the rival came before %v", writes)
	}
}

// rival does something once, right before the first write of a connection.
type rival struct {
	http.RoundTripper
	first func(*http.Request)
}

func (r rival) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet && !strings.Contains(request.URL.RawQuery, "dryRun") {
		r.first(request)
	}
	return r.RoundTripper.RoundTrip(request)
}

// forgetful loses the first POST, and has the server refuse each further one.
type forgetful struct {
	http.RoundTripper
	posts *int
}

func (f forgetful) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPost {
		return f.RoundTripper.RoundTrip(request)
	}
	if *f.posts++; *f.posts == 1 {
		return nil, io.ErrUnexpectedEOF
	}
	text := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(strings.NewReader(text))}, nil
}

// A POST whose answer was lost may yet come, also where the server refuses the one that is sent again.
func TestMake_lostAndThenRefused(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	posts := 0
	config := s.Garden().AdminConfig()
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return forgetful{inner, &posts} })
	cut, err := shoots.New(config, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = cut.Make(ctx, wanted(t, "blue", template))
	failed, ok := errors.AsType[*kube.Error](err)
	if !ok || failed.Reason != kube.UnknownOutcome || !strings.Contains(err.Error(), "no") || posts != 2 {
		t.Errorf("after %d POSTs: %v", posts, err)
	}
}

// Each write of a live Shoot has its uid and the version that was judged.
func TestEachWriteBearsUIDAndVersion(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	var writes []string
	config := s.Garden().AdminConfig()
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		return rival{inner, func(r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			writes = append(writes, r.Method)
			text := string(body)
			if r.Method != http.MethodPost && (!strings.Contains(text, "resourceVersion") || !strings.Contains(text, "uid")) {
				t.Errorf("%s %s: %s", r.Method, r.URL, text)
			}
		}}
	})
	seen, err := shoots.New(config, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	w := wanted(t, "blue", template)
	made, _, err := seen.Make(ctx, w)
	if err == nil {
		_, err = seen.Change(ctx, w, w, made)
	}
	if err == nil {
		err = seen.Remove(ctx, "blue", made.UID, always, func(shoots.Status) {})
	}
	if all := strings.Join(writes, " "); err != nil || len(writes) < 5 || !strings.HasPrefix(all, "POST ") || !strings.HasSuffix(all, "DELETE") {
		t.Errorf("%s: %v", all, err)
	}
}

// Few Shoots are read one by one, and many by one list.
func TestReadOfMany(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	if _, _, err := s.shoots.Make(ctx, wanted(t, "blue", template)); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if now, err := s.shoots.Read(ctx, "blue"); err != nil || now.Name != "blue" || now.Account != "aws-1" {
			t.Fatalf("%+v, %v", now, err)
		}
		if _, err := s.shoots.Read(ctx, "green"); !errors.As(err, new(*shoots.GoneError)) {
			t.Fatal(err)
		}
	}
}

func workers(shoot *gardencore.Shoot) (names []string) {
	for _, w := range shoot.Spec.Provider.Workers {
		names = append(names, w.Name)
	}
	return names
}

// A version that the template has raised stays where a later change leaves it alone: the server would choose the newest one.
func TestChangeKeepsTheVersion(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	first := wanted(t, "blue", template)
	made, _, err := s.shoots.Make(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	raised := strings.Replace(template, "1.33.2", "1.33.5", 1)
	second := wanted(t, "blue", raised)
	now, err := s.shoots.Change(ctx, second, first, made)
	if err != nil || now.KubernetesVersion != "1.33.5" {
		t.Fatalf("raised to %s: %v", now.KubernetesVersion, err)
	}
	third := wanted(t, "blue", strings.Replace(raised, "stage: dev", "stage: test", 1))
	if now, err = s.shoots.Change(ctx, third, second, now); err != nil || now.KubernetesVersion != "1.33.5" {
		t.Errorf("after a change of a label it has %s: %v", now.KubernetesVersion, err)
	}
	var refused *shoots.RefusedError
	if _, err := s.shoots.Change(ctx, first, third, now); !errors.As(err, &refused) {
		t.Errorf("lowered by the template: %v", err)
	}
}

// F40: Gardener answers 500 to a Shoot that names what is not there. The same answer twice is a refusal: of a check, and of a write, which
// leaves nothing in doubt.
func TestRefusedWith500(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, test := range map[string]struct{ old, now, says string }{
		"mistyped cloudProfile":            {"name: aws", "name: asw", "asw"},
		"missing NamespacedCloudProfile":   {"kind: CloudProfile", "kind: NamespacedCloudProfile", "aws"},
		"unknown seedName":                 {"region:", "seedName: nowhere\n  region:", "nowhere"},
		"a cloudProfile and its older way": {"region:", "cloudProfileName: other\n  region:", "cloudProfileName"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(template, test.old, test.now, 1)
			if text == template {
				t.Fatalf("the template has no %q", test.old)
			}
			w := wanted(t, "refused", text)
			_, checked := s.shoots.Check(within(t), w)
			_, _, made := s.shoots.Make(within(t), w)
			for what, err := range map[string]error{"check": checked, "write": made} {
				refused, ok := errors.AsType[*shoots.RefusedError](err)
				if !ok || !strings.Contains(refused.Error(), test.says) {
					t.Errorf("%s: got %T: %v, want a refusal that names %q", what, err, err, test.says)
				}
			}
		})
	}
}
