package acceptance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// AccessOne is the address of the AccessRequest one.
const AccessOne = "hap_access_request.one"

// AccessLandscape is a namespace on a platform cluster with the request "mcp1" and its Cluster. Its user has exactly the documented
// rights.
type AccessLandscape struct {
	*openmcp.Platform
	User      openmcp.User
	Namespace string
	Cluster   string // of the request, in the namespace
}

// NewAccessLandscape is a namespace on a platform cluster with a Cluster to get access to.
func NewAccessLandscape(t *testing.T) AccessLandscape {
	t.Helper()
	NeedsGarden(t)
	p := openmcp.Shared(t)
	l := AccessLandscape{Platform: p, Namespace: p.NewNamespace(t)}
	l.User = p.ServiceAccount(t, l.Namespace, "hap", testbed.RoleExample(t, "platform.yaml"))
	request := openmcp.New("ClusterRequest", l.Namespace, "mcp1")
	request.Object["spec"] = map[string]any{"purpose": "mcp"}
	if err := p.Client().Create(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	err := local.Poll(t.Context(), 30*time.Second, func(context.Context) error {
		request, err := l.Object("ClusterRequest", "mcp1")
		if err != nil {
			return err
		}
		l.Cluster, _, _ = unstructured.NestedString(request.Object, "status", "cluster", "name")
		if l.Cluster == "" {
			return errors.New("there is no Cluster")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Provider is the provider block that leads to the platform cluster, and to no Garden.
func (l AccessLandscape) Provider() string {
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q }\n}\n", l.User.Kubeconfig)
}

// Object returns an object of openMCP as the server has it.
func (l AccessLandscape) Object(kind, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	object := openmcp.New(kind, l.Namespace, name)
	return object, l.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
}

// NoAccess fails where an AccessRequest is left.
func (l AccessLandscape) NoAccess(*terraform.State) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(openmcp.New("AccessRequestList", "", "").GroupVersionKind())
	if err := l.Client().List(context.Background(), list, client.InNamespace(l.Namespace)); err != nil || len(list.Items) > 0 {
		return fmt.Errorf("%d AccessRequests are left: %w", len(list.Items), err)
	}
	return nil
}

// UID is that of the AccessRequest one.
func (l AccessLandscape) UID(t *testing.T) string {
	t.Helper()
	object, err := l.Object("AccessRequest", "one")
	if err != nil {
		t.Fatal(err)
	}
	return string(object.GetUID())
}

// Allowing is a token that allows these verbs on namespaces.
func Allowing(verbs string) string {
	return fmt.Sprintf(`token = { permissions = [{ rules = [{ api_groups = [""], resources = ["namespaces"], verbs = [%s] }] }] }`, verbs)
}

// AccessOf writes an access to the Cluster of mcp1; attributes win over these.
func (l AccessLandscape) AccessOf(label string, attributes ...string) string {
	lines := map[string]string{"name": fmt.Sprintf("%q", label), "cluster_ref": fmt.Sprintf("{ name = %q }", l.Cluster)}
	for _, a := range append([]string{Allowing(`"list"`)}, attributes...) {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if lines["request_ref"] != "" {
		lines["cluster_ref"] = ""
	}
	text := fmt.Sprintf("resource \"hap_access_request\" %q {\n", label)
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

// AccessValue checks an attribute of the access one.
func AccessValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(AccessOne, tfjsonpath.New(attribute), check)
}
