package shoots_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
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
	watcher   *shoots.Watcher
	gardenlet *gardenlet.Gardenlet
}

func newStage(t *testing.T) stage {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("needs a local Garden: TF_ACC is not set")
	}
	ns := testbed.Shared(t).NewNamespace(t)
	ns.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	s, err := shoots.New(ns.Garden().AdminConfig(), ns.Name)
	if err != nil {
		t.Fatal(err)
	}
	g := gardenlet.Of(ns)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return stage{ns, s, shoots.NewWatcher(s), g}
}

func wanted(t *testing.T, name, text string) shoots.Wanted {
	t.Helper()
	read, err := shoots.ReadTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return shoots.Wanted{Name: name, Template: read, Account: "aws-1", AccountField: "credentialsBindingName"}
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A Shoot lives: checked without a trace, made, awaited, drifted, put right, entered, and removed.
func TestShootLives(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	if err := s.shoots.Check(ctx, w); err != nil {
		t.Fatal(err)
	}
	if _, err := s.shoots.Get(ctx, "blue"); !is(err, kube.NotFound) {
		t.Fatalf("the check has left something behind: %v", err)
	}
	made, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	ready, err := s.watcher.AwaitReady(ctx, "blue", made.UID, func(status shoots.Status) { told = append(told, status.String()) })
	if err != nil || !shoots.StatusOf(ready).Ready || len(told) == 0 {
		t.Fatalf("%v, told %q, gardenlet: %v", err, told, s.gardenlet.Err())
	}
	if drift := w.Template.Drift(ready); len(drift) > 0 {
		t.Errorf("what Gardener fills in counts as drift: %v", drift)
	}
	again, err := s.shoots.Change(ctx, w, ready, shoots.ForReal)
	if err != nil || again.Generation != ready.Generation {
		t.Errorf("applied again without a change: generation %d, was %d: %v", again.Generation, ready.Generation, err)
	}

	other := again.DeepCopy()
	other.Spec.Provider.Workers[0].Maximum = 7
	other.Spec.Provider.Workers = append(other.Spec.Provider.Workers, *worker(again, "theirs"))
	if err := s.Garden().AdminClient().Update(ctx, other); err != nil {
		t.Fatal(err)
	}
	drifted, err := s.shoots.Get(ctx, "blue")
	if err != nil {
		t.Fatal(err)
	}
	if drift := w.Template.Drift(drifted); len(drift) != 1 || drift[0].String() != "spec.provider.workers[a].maximum is 7, the template says 2" {
		t.Errorf("drift is %v", drift)
	}
	right, err := s.shoots.Change(ctx, w, drifted, shoots.ForReal)
	if err != nil || right.Spec.Provider.Workers[0].Maximum != 2 || len(right.Spec.Provider.Workers) != 2 {
		t.Errorf("put right: %+v, %v", right.Spec.Provider.Workers, err)
	}
	s.enters(t, ctx)

	if err := s.watcher.Remove(ctx, "blue", made.UID, func(shoots.Status) {}); err != nil {
		t.Fatal(err, s.gardenlet.Err())
	}
	if _, err := s.shoots.Get(ctx, "blue"); !is(err, kube.NotFound) {
		t.Errorf("it is there still: %v", err)
	}
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

// A Shoot that stands is never seized, and one that this configuration has made in a run that was cut short is found again.
func TestMakeFindsItsOwn(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	first, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.shoots.Make(ctx, w)
	if err != nil || second.UID != first.UID {
		t.Errorf("made again: %v", err)
	}
	other := wanted(t, "blue", strings.Replace(template, "evaluation", "development", 1))
	var exists *shoots.ExistsError
	for name, err := range map[string]error{"check": s.shoots.Check(ctx, other), "make": second2(s.shoots.Make(ctx, other))} {
		if !errors.As(err, &exists) {
			t.Errorf("%s of another configuration: %v", name, err)
		}
	}
	live, err := s.shoots.Get(ctx, "blue")
	if err != nil || *live.Spec.Purpose != gardencore.ShootPurposeEvaluation {
		t.Errorf("the Shoot was seized: %v", err)
	}
}

// A change never makes a Shoot again that was deleted, nor writes on another one of its name.
func TestChangeOfTheVeryShoot(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	first, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.watcher.Remove(ctx, "blue", first.UID, func(shoots.Status) {}); err != nil {
		t.Fatal(err)
	}
	var gone *shoots.GoneError
	if _, err := s.shoots.Change(ctx, w, first, shoots.ForReal); !errors.As(err, &gone) {
		t.Errorf("a change of a deleted Shoot: %v", err)
	}
	if _, err := s.shoots.Get(ctx, "blue"); !is(err, kube.NotFound) {
		t.Errorf("the change has made it again: %v", err)
	}
	if _, err := s.shoots.Make(ctx, w); err != nil {
		t.Fatal(err)
	}
	if _, err := s.shoots.Change(ctx, w, first, shoots.ForReal); !errors.As(err, &gone) {
		t.Errorf("a change of another Shoot of the name: %v", err)
	}
}

func is(err error, reason kube.Reason) bool {
	failed, ok := errors.AsType[*kube.Error](err)
	return ok && failed.Reason == reason
}

func second2(_ *gardencore.Shoot, err error) error { return err }

func worker(shoot *gardencore.Shoot, name string) *gardencore.Worker {
	i := slices.IndexFunc(shoot.Spec.Provider.Workers, func(w gardencore.Worker) bool { return w.Name == "a" })
	copied := shoot.Spec.Provider.Workers[i].DeepCopy()
	copied.Name = name
	return copied
}
