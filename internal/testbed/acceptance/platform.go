package acceptance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// RequestOne is the address of the request one.
const RequestOne = "hap_cluster_request.one"

// PlatformLandscape is a namespace on a platform cluster with the real operator.
type PlatformLandscape struct {
	*openmcp.Platform
	Namespace  string
	Kubeconfig string
}

// NewPlatformLandscape is a namespace on the platform cluster that the tests of a package share.
func NewPlatformLandscape(t *testing.T) PlatformLandscape {
	t.Helper()
	NeedsGarden(t)
	return NewPlatformLandscapeOn(t, openmcp.Shared(t))
}

// NewPlatformLandscapeOn is a namespace on a platform cluster.
func NewPlatformLandscapeOn(t *testing.T, p *openmcp.Platform) PlatformLandscape {
	t.Helper()
	l := PlatformLandscape{Platform: p, Namespace: p.NewNamespace(t), Kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	content, err := p.Kubeconfig(l.Namespace)
	if err == nil {
		err = os.WriteFile(l.Kubeconfig, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Provider is the provider block that leads to the platform cluster, and to no Garden.
func (l PlatformLandscape) Provider() string {
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q }\n}\n", l.Kubeconfig)
}

// Builtin is the provider block by which the provider grants requests itself.
func (l PlatformLandscape) Builtin() string {
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q, scheduler = \"builtin\" }\n}\n", l.Kubeconfig)
}

// Own is a purpose that no other test has: the scheduler looks at the Clusters of all namespaces.
func (l PlatformLandscape) Own() string { return "own-" + l.Namespace }

// ADRRequest writes a request of the built-in scheduler, for this test's own purpose.
func (l PlatformLandscape) ADRRequest(label string, extra ...string) string {
	return fmt.Sprintf("resource \"hap_cluster_request\" %q {\n  name     = %q\n  purposes = [%q]\n  "+
		"purpose_definitions = { %q = {} }\n  %s\n}\n", label, label, l.Own(), l.Own(), strings.Join(Unprotected(extra), "\n  "))
}

// NewOwnPlatform is a platform cluster of this test alone, with a provider and without an operator.
func NewOwnPlatform(t *testing.T) PlatformLandscape {
	t.Helper()
	NeedsGarden(t)
	p := openmcp.Own(t)
	provider := &openmcp.Provider{Platform: p}
	t.Cleanup(provider.Start(context.Background()))
	return NewPlatformLandscapeOn(t, p)
}

// RequestOf writes a request; extra attributes go into it. It is not protected, unless they say so.
func RequestOf(label, purpose string, extra ...string) string {
	return fmt.Sprintf("resource \"hap_cluster_request\" %q {\n  name    = %q\n  purpose = %q\n  %s\n}\n", label, label, purpose,
		strings.Join(Unprotected(extra), "\n  "))
}

// Unprotected are the attributes of an object that goes with its test, unless they say otherwise.
func Unprotected(attributes []string) []string {
	if slices.ContainsFunc(attributes, func(a string) bool { return strings.HasPrefix(a, "deletion_protection") }) {
		return attributes
	}
	return append(slices.Clone(attributes), "deletion_protection = false")
}

// RequestValue checks an attribute of the request one.
func RequestValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(RequestOne, tfjsonpath.New(attribute), check)
}

// Live returns an object of openMCP as the server has it; nil = there is none.
func (l PlatformLandscape) Live(kind, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	object := openmcp.New(kind, l.Namespace, name)
	err := l.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as documented
	}
	return object, err
}

// None fails where an object of openMCP is there.
func (l PlatformLandscape) None(kind, name string) error {
	object, err := l.Live(kind, name)
	if err == nil && object != nil {
		return fmt.Errorf("%s %s is there", kind, name)
	}
	return err
}

// UID is that of an object of openMCP, which is there.
func (l PlatformLandscape) UID(t *testing.T, kind, name string) string {
	t.Helper()
	object, err := l.Live(kind, name)
	if err != nil || object == nil {
		t.Fatalf("%s %s: %v, %v", kind, name, object, err)
	}
	return string(object.GetUID())
}

// NoRequests fails where a request or a Cluster of the namespace is left.
func (l PlatformLandscape) NoRequests(*terraform.State) error {
	for _, kind := range []string{"ClusterRequest", "Cluster"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(openmcp.New(kind+"List", "", "").GroupVersionKind())
		if err := l.Client().List(context.Background(), list, client.InNamespace(l.Namespace)); err != nil {
			return err
		}
		if len(list.Items) > 0 {
			return fmt.Errorf("%d of kind %s are left, the first is %s", len(list.Items), kind, list.Items[0].GetName())
		}
	}
	return nil
}

// EmptyAfterwards checks that a second plan is empty.
var EmptyAfterwards = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// OperatorSees is how long an apply or a destroy has where the operator must do its part before a wait ends in vain: the operator's client
// sends five requests a second of each kind, for all tests together.
const OperatorSees = "40s"

// LoseCluster deletes a Cluster under its request, by taking all finalizers away.
func (l PlatformLandscape) LoseCluster(t *testing.T, name string) {
	t.Helper()
	cluster, err := l.Live("Cluster", name)
	if err != nil || cluster == nil {
		t.Fatalf("%v, %v", cluster, err)
	}
	ctx := context.Background()
	if err := l.Client().Delete(ctx, cluster.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		cluster, err = l.Live("Cluster", name)
		if err == nil && cluster == nil {
			return
		}
		if err == nil {
			base := cluster.DeepCopy()
			cluster.SetFinalizers(nil)
			_ = l.Client().Patch(ctx, cluster, client.MergeFrom(base)) // the provider writes at the same time
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the Cluster does not go")
}
