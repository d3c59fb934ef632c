package acceptance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// ClusterOne is the address of the Cluster one.
const ClusterOne = "hap_cluster.one"

// NewOwnLandscape is a namespace on a platform cluster, whose user has the documented rights on Clusters and nothing else.
func NewOwnLandscape(t *testing.T) PlatformLandscape {
	t.Helper()
	l := NewPlatformLandscape(t)
	l.Kubeconfig = l.ServiceAccount(t, l.Namespace, "hap", testbed.RoleExample(t, "platform-clusters.yaml")).Kubeconfig
	return l
}

// NewHeldLandscape is [NewOwnLandscape] with the rights on requests beside.
func NewHeldLandscape(t *testing.T) PlatformLandscape {
	t.Helper()
	l := NewPlatformLandscape(t)
	l.Kubeconfig = l.ServiceAccount(t, l.Namespace, "hap", slices.Concat(
		testbed.RoleExample(t, "platform-clusters.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform.yaml"))).Kubeconfig
	return l
}

// ClusterOf writes the Cluster one; attributes, each a line, win over these, and an empty value takes one away.
func ClusterOf(attributes ...string) string {
	lines := map[string]string{"name": `"one"`, "profile": fmt.Sprintf("%q", openmcp.WorkerlessProfile)}
	for _, a := range Unprotected(attributes) {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := "resource \"hap_cluster\" \"one\" {\n"
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if lines[name] != "" {
			text += fmt.Sprintf("  %s = %s\n", name, lines[name])
		}
	}
	return text + "}\n"
}

// ClusterValue checks an attribute of the Cluster one.
func ClusterValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(ClusterOne, tfjsonpath.New(attribute), check)
}
