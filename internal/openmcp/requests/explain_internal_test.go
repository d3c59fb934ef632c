package requests

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// What a Cluster of a name says of a request that is not granted.
func TestConflict(t *testing.T) {
	t.Parallel()
	request := &api.ClusterRequest{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "wl1", UID: "own"}, Spec: api.RequestSpec{Purpose: "platform"}}
	hash := operator.NameHash("team-a", "wl1")
	of := func(namespace, name, purpose string, deleting bool, tenants ...string) *api.Cluster {
		c := &api.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: api.ClusterSpec{
			Purposes: []string{purpose}, Tenancy: api.Shared, Profile: "small",
		}}
		for _, uid := range tenants {
			c.Finalizers = append(c.Finalizers, api.TenantFinalizer+uid)
		}
		if deleting {
			now := metav1.NewTime(time.Now())
			c.DeletionTimestamp = &now
		}
		return c
	}
	for name, test := range map[string]struct {
		cluster *api.Cluster
		want    string // empty = nothing is reported
	}{
		"held by one other":                 {of("team-a", "platform", "other", false, "a"), "1 other request holds it"},
		"held by two others":                {of("team-a", "platform", "other", false, "a", "b"), "2 other requests hold it"},
		"shared by requests of its purpose": {of("team-a", "platform", "platform", false, "a"), ""},
		"in another namespace":              {of("team-b", "platform", "other", false, "a"), ""},
		"held by no one":                    {of("team-a", "platform", "other", false), "the profile that the purpose asks for"},
		"of its purpose, held by no one":    {of("team-a", "platform", "platform", false), ""},
		"derived, held by no one":           {of("team-a", "platform-"+hash, "other", false), "(it has small)"},
		"its own":                           {of("team-a", "platform", "other", false, "own", "a"), ""},
		"of another name":                   {of("team-a", "onboarding", "other", false, "a"), ""},
		"derived, full":                     {of("team-a", "platform-"+hash, "platform", false, "a", "b"), "2 other requests hold it"},
		"derived from a template":           {of("clusters", "blue-"+hash, "platform", false, "a"), "1 other request holds it"},
		"being deleted":                     {of("team-a", "platform-"+hash, "platform", true), "is being deleted"},
		"shared, and being deleted":         {of("team-a", "platform", "platform", true, "a"), "is being deleted"},
	} {
		if got := conflict(test.cluster, request); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, not %q", name, got, test.want)
		}
	}
}
