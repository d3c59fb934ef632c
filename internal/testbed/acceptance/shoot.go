package acceptance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// Inside is the namespace that the examples make within their clusters: behind all of them is one kube-apiserver.
func (l Landscape) Inside() string { return l.Name + "-apps" }

// ShootOne is the address of the cluster that [ShootOf] writes.
const ShootOne = "hap_shoot.one"

// ClusterLandscape is a landscape whose user may claim accounts and make clusters on them, with a gardenlet.
type ClusterLandscape struct {
	Landscape
	*gardenlet.Gardenlet
}

// NewClusterLandscape makes a namespace with a pool of these accounts, and a gardenlet.
func NewClusterLandscape(t *testing.T, accounts ...testbed.AccountSpec) ClusterLandscape {
	t.Helper()
	return WithGardenlet(t, NewLandscape(t, accounts...), nil)
}

// ClusterUser has a user in a landscape who may make clusters.
func ClusterUser(t *testing.T, l Landscape) Landscape {
	t.Helper()
	roles := slices.Concat(testbed.DocumentedRole(t), []byte("\n---\n"), testbed.RoleExample(t, "role-clusters.yaml"))
	l.User = l.ServiceAccount(t, "clusters", roles)
	l.Kubeconfig = l.User.Kubeconfig(t)
	return l
}

// WithGardenlet lets a gardenlet bring up the clusters of a landscape.
func WithGardenlet(t *testing.T, l Landscape, course func(*gardencore.Shoot) gardenlet.Course) ClusterLandscape {
	t.Helper()
	l = ClusterUser(t, l)
	g := gardenlet.Of(l.Namespace)
	g.Course = course
	t.Cleanup(g.Start(context.Background()))
	return ClusterLandscape{l, g}
}

// Live returns a Shoot as the server has it; nil = there is none.
func (l ClusterLandscape) Live(name string) (*gardencore.Shoot, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var shoot gardencore.Shoot
	err := l.Garden().AdminClient().Get(ctx, client.ObjectKey{Namespace: l.Name, Name: name}, &shoot)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as documented
	}
	return &shoot, err
}

// Edit changes a Shoot as a person does, beside the gardenlet.
func (l ClusterLandscape) Edit(t testing.TB, name string, change func(*gardencore.Shoot)) {
	t.Helper()
	edit.Object(t, l.Garden().AdminClient(), &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: l.Name, Name: name}}, change)
}

// NoShoot fails where the Shoot of a test is there.
func (l ClusterLandscape) NoShoot(*terraform.State) error {
	shoot, err := l.Live("blue")
	if err == nil && shoot != nil {
		return errors.New("the Shoot is there")
	}
	return err
}

// TemplateWith is the template of a cluster with one group of workers; words are replaced in pairs.
func TemplateWith(replace ...string) string {
	text := "\nmetadata:\n  labels: {stage: dev}\n" + testbed.ShootTemplate
	return strings.NewReplacer(replace...).Replace(text)
}

// ShootOf writes the cluster one: blue on the account of the claim one, for the Global Account of the claim; attributes win over these.
func ShootOf(template string, attributes ...string) string {
	lines := map[string]string{"name": `"blue"`, "credentials_binding_name": "hap_credentials_binding_claim.one.binding_name",
		"deletion_protection": "false"}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if _, named := lines["global_account"]; !named && lines["credentials_binding_name"] != "" {
		claim, claimed := strings.CutSuffix(lines["credentials_binding_name"], ".binding_name")
		if !claimed {
			claim = "hap_credentials_binding_claim.one"
		}
		lines["global_account"] = claim + ".global_account"
	}
	text := fmt.Sprintf("resource \"hap_shoot\" \"one\" {\n  template = <<-EOT\n%s\nEOT\n", template)
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

// ShootValue checks an attribute of the cluster one.
func ShootValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(ShootOne, tfjsonpath.New(attribute), check)
}

// OnPlan is called when there is a plan.
type OnPlan func()

// CheckPlan implements [plancheck.PlanCheck].
func (f OnPlan) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	f()
}
