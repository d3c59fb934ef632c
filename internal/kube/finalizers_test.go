package kube_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Each finalizer is named, with its owner where that is known. A name that only resembles a known one has none.
func TestHeldBy(t *testing.T) {
	t.Parallel()
	for finalizer, owner := range map[string]string{
		"gardener":                              "Gardener's",
		"gardener.cloud/reference-protection":   "Gardener's, as long as another object refers to it",
		"gardener.cloud/credentialsbinding":     "a controller of Gardener",
		"core.gardener.cloud/shootstate":        "a controller of Gardener",
		"clusters.openmcp.cloud/request":        "the scheduler of openMCP",
		"request.clusters.openmcp.cloud/0a1b":   "the ClusterRequest with this UID",
		"gardener.clusters.openmcp.cloud/x":     "the Gardener cluster provider",
		"openmcp.cloud/finalizer":               "a controller of openMCP",
		"hap-project.io/builtin-scheduler":      "the built-in scheduler",
		"foregroundDeletion":                    "garbage collector",
		"orphan":                                "garbage collector",
		"kubernetes.io/pvc-protection":          "a controller of Kubernetes",
		"example.com/backup":                    "its owner is not known here",
		"gardeners":                             "its owner is not known here",
		"notgardener.cloud/x":                   "its owner is not known here",
		"request.clusters.openmcp.cloud.evil/x": "its owner is not known here",
	} {
		if got := kube.HeldBy([]string{finalizer}); !strings.HasPrefix(got, "held by the finalizer "+finalizer+" (") || !strings.Contains(got, owner) {
			t.Errorf("%s: %q, want %q", finalizer, got, owner)
		}
	}
	if got := kube.HeldBy([]string{"a", "gardener"}); !strings.HasPrefix(got, "held by the finalizers a (its owner is not known here), gardener (") {
		t.Errorf("two: %q", got)
	}
	if got := kube.HeldBy(nil); got != "" {
		t.Errorf("none: %q", got)
	}
}
