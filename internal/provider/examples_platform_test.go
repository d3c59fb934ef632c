package provider

import (
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/namespaces"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const (
	exampleAccess   = `resource "hap_access_request" "deploy"`
	exampleRequest  = `resource "hap_cluster_request" "workload"`
	exampleFirst    = `resource "hap_cluster" "first"`
	examplePlatform = "team-a" // the namespace of requests
	exampleConfig   = `resource "hap_gardener_provider_config" "aws_blue"`
	exampleProfile  = "aws-blue" // the name of a ProviderConfig, which lies in no namespace
	profileResource = "hap_gardener_provider_config"
	exampleVendor   = "infrastructure/vendor/aws" // a trait that other tests have too
)

// platformBlock leads to the platform cluster, and replaces what users write there.
const platformBlock = `
variable "platform" {}
provider "hap" {
  platform      = { config_path = var.platform }
  release_grace = "0s"
}
`

// onPlatform reports whether an example works on a platform cluster of openMCP.
func (e example) onPlatform() bool {
	return slices.ContainsFunc([]string{"hap_access_request", "hap_cluster.", "hap_cluster_access", "hap_cluster_request", "hap_cluster_pro",
		"hap_cluster_schedule", profileResource}, func(name string) bool { return strings.Contains(e.text(), name) })
}

// withPlatform adds a namespace on a platform cluster, with the request that the examples refer to, and a user with the documented
// rights.
func (e example) withPlatform(t *testing.T, l acceptance.Landscape) acceptance.Landscape {
	t.Helper()
	p := openmcp.Shared(t)
	namespaces.For(t, p.Config()) // behind each Cluster is the platform cluster
	l.Platform.Namespace = p.NewNamespace(t)
	if e.ofBuiltin() {
		e.offer(t, p, l)
		l.Platform.Kubeconfig = p.ServiceAccount(t, l.Platform.Namespace, "hap", gardens.RoleExample(t, "platform-builtin.yaml")).Kubeconfig
		return l
	}
	l.Platform.Kubeconfig = p.ServiceAccount(t, l.Platform.Namespace, "hap", slices.Concat(
		gardens.RoleExample(t, "platform.yaml"), []byte("\n---\n"), gardens.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		gardens.RoleExample(t, "platform-clusters.yaml"))).Kubeconfig
	if strings.Contains(e.text(), profileResource) { // no cluster provider runs there that would publish the profiles
		for _, config := range []string{"aws-" + l.Platform.Namespace, "aws-workerless"} {
			e.publish(t, p, openmcp.Environment, config)
		}
	}
	// A shared Cluster of its purpose would be given to a request that the operator serves late, and could not be destroyed.
	if !strings.Contains(e.text(), `resource "hap_cluster_request"`) && !strings.HasPrefix(e.name, "resources/hap_cluster/") {
		request := openmcp.New("ClusterRequest", l.Platform.Namespace, "workload")
		request.Object["spec"] = map[string]any{"purpose": "workload"}
		if err := p.Client().Create(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	for _, resource := range []string{"hap_access_request", "hap_cluster", profileResource} { // what an import takes over
		if name := "resources/" + resource + "/resource.tf"; strings.HasPrefix(e.name, "resources/"+resource+"/import") {
			example{name, map[string]string{"resource.tf": exampleFile(t, name)}}.applied(t, l)
		}
	}
	return l
}

// ofBuiltin reports whether the built-in scheduler grants the requests of an example. It runs beside the operator of other tests, which
// leaves these requests alone, and serves none of their namespace.
func (e example) ofBuiltin() bool { return strings.Contains(e.text(), `scheduler   = "builtin"`) }

// vendor is the trait of the profiles of this test alone.
func vendor(l acceptance.Landscape) string { return exampleVendor + "-" + l.Platform.Namespace }

// offer has profiles with traits, with workers and without.
func (e example) offer(t *testing.T, p *openmcp.Platform, l acceptance.Landscape) {
	t.Helper()
	for name, workers := range map[string][]any{"aws-": {map[string]any{}}, "workerless-": nil} {
		config := openmcp.New("ProviderConfig", "", name+l.Platform.Namespace)
		config.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
		provider := map[string]any{"type": strings.TrimPrefix(vendor(l), "infrastructure/vendor/")}
		if workers != nil {
			provider["workers"] = workers
		}
		config.Object["spec"] = map[string]any{
			"providerRef": map[string]any{"name": openmcp.ProviderName}, "landscapeRef": map[string]any{"name": "canary"}, "project": "my-project",
			"shootTemplate": map[string]any{"spec": map[string]any{"provider": provider}},
		}
		if err := p.Client().Create(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		e.publish(t, p, openmcp.Environment, config.GetName())
	}
}

// publish makes the profile that a cluster provider publishes for a ProviderConfig.
func (e example) publish(t *testing.T, p *openmcp.Platform, environment, config string) {
	t.Helper()
	profile := openmcp.New("ClusterProfile", "", environment+"."+openmcp.ProviderName+"."+config)
	profile.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": openmcp.ProviderName}, "providerConfigRef": map[string]any{"name": config},
		"supportedVersions": []any{map[string]any{"version": openmcp.Version}},
	}
	if err := p.Client().Create(t.Context(), profile); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// here puts a text of an example into a landscape.
func here(l acceptance.Landscape, text string) string {
	pairs := []string{exampleNamespace, l.Name, exampleInside, l.Inside()}
	if l.Platform.Namespace != "" {
		pairs = append(pairs, examplePlatform, l.Platform.Namespace, exampleProfile, "aws-"+l.Platform.Namespace, exampleVendor, vendor(l))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
