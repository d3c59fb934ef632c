package garden

import (
	"bytes"
	"fmt"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// furnish sets what a Shoot of production has beside its workers.
func furnish(shoot *gardencore.Shoot) {
	shoot.Labels = map[string]string{"account": "not-this-one", "name": "nor-this"}
	shoot.Annotations = map[string]string{"name": "nor-this", "note": "übergroß 雪 🐟\n\x00"}
	spec := &shoot.Spec
	spec.Purpose = new(gardencore.ShootPurposeProduction)
	spec.Hibernation = &gardencore.Hibernation{Enabled: new(false),
		Schedules: []gardencore.HibernationSchedule{{Start: new("0 20 * * *"), End: new("0 6 * * *")}}}
	spec.Maintenance = &gardencore.Maintenance{
		AutoUpdate: &gardencore.MaintenanceAutoUpdate{KubernetesVersion: true, MachineImageVersion: new(true)},
		TimeWindow: &gardencore.MaintenanceTimeWindow{Begin: "220000+0100", End: "230000+0100"},
	}
	spec.Kubernetes.KubeAPIServer = &gardencore.KubeAPIServerConfig{EventTTL: &metav1.Duration{Duration: 3600e9}}
	spec.Kubernetes.VerticalPodAutoscaler = &gardencore.VerticalPodAutoscaler{Enabled: true}
	spec.Monitoring = &gardencore.Monitoring{Alerting: &gardencore.Alerting{EmailReceivers: []string{"a@example.com"}}}
	spec.Tolerations = []gardencore.Toleration{{Key: "example.com/seed", Value: new("yes")}}
	spec.SchedulerName = new("default-scheduler")
}

// What a real gardener-apiserver sends is read as the typed decoder reads it: large Shoots, small ones, one with much
// set, those that name no CredentialsBinding, and one on its way out.
func TestScanOfRealShoots(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Accounts(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "c", HyperscalerType: "aws"})
	p.LargeShoots(t, "a", 5)
	p.Shoots(t, "c", 1)
	unnamed(t, p)
	furnished := &gardencore.Shoot{}
	if err := p.Garden().AdminClient().Get(t.Context(), client.ObjectKey{Namespace: p.Name, Name: "a-0"}, furnished); err != nil {
		t.Fatal(err)
	}
	furnished.ObjectMeta = metav1.ObjectMeta{Namespace: p.Name, Name: "furnished"}
	furnish(furnished)
	if err := p.CreateShoot(t.Context(), furnished); err != nil {
		t.Fatal(err)
	}
	p.DeleteShootHeld(t, "a-1")

	g := p.garden(t)
	options := metav1.ListOptions{Limit: 3}
	names := map[string]string{}
	for range 5 {
		raw, err := g.core.Request(kube.Call{Verb: "list", Resource: shoots, Namespace: p.Name}).
			SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned).Do(t.Context()).Raw()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(raw, protobufMagic) {
			t.Fatalf("the answer is no protobuf: %.20q", raw)
		}
		got, err := readShoots(bytes.NewReader(raw), alone)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := typed(raw)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "page", got, want)
		for _, shoot := range got.Shoots {
			names[shoot.name] = fmt.Sprintf("%s|%s|%t", shoot.credentialsBinding, shoot.secretBinding, shoot.deleting)
		}
		if options.Continue = got.Continue; got.Continue == "" {
			break
		}
	}
	equal(t, "Shoots", names, map[string]string{
		"a-0": "a||false", "a-1": "a||true", "a-2": "a||false", "a-3": "a||false", "a-4": "a||false", "c-0": "c||false",
		"furnished": "a||false", "a-by-secret": "|a|false", "a-workerless": "||false",
	})
}
