//go:build !race

package builtin

import (
	"errors"
	"maps"
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// A person copies the Cluster of a request, with its metadata, or moves the grant to another one. Which of the two is in use cannot be
// determined: an apply refuses, and neither is deleted or left by the request. A copy without the finalizer is no grant.
func TestSecondClusterIsNotDeleted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		finalizers []any
		moved      bool
		refused    func(error) bool
	}{
		"copied":                        {[]any{"provider"}, false, func(err error) bool { return errors.As(err, new(*adr.InputError)) }},
		"copied, without the finalizer": {nil, false, func(err error) bool { return err == nil }},
		"moved":                         {[]any{"provider"}, true, func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stage{server: apiserver.New(apiserver.OpenMCP()...)}
			s.offer()
			objects, err := api.New(&rest.Config{Host: "https://memory.invalid", Transport: s.server, QPS: -1}, namespace)
			if err != nil {
				t.Fatal(err)
			}
			p := New(objects)
			ctx := api.Steady(t.Context())
			w := Wanted{Ref: api.Ref{Namespace: namespace, Name: "first"}, ADR: &ADRRequest{Purposes: []string{"work"}, Definitions: map[string]adr.Purpose{"work": {}}}}
			r, _, err := p.Make(ctx, w)
			if err == nil {
				r, err = p.AwaitGranted(ctx, r, quiet)
			}
			if err != nil {
				t.Fatal(err)
			}
			c, err := p.objects.Clusters.Get(ctx, *r.Status.Cluster)
			if err != nil {
				t.Fatal(err)
			}
			if test.finalizers != nil {
				test.finalizers = append(test.finalizers, c.Finalizers[0])
			}
			s.others(http.MethodPost, "clusters", fields{
				"metadata": fields{"name": "another", "labels": c.Labels, "annotations": maps.Clone(c.Annotations), "finalizers": test.finalizers},
				"spec":     fields{"profile": c.Spec.Profile, "tenancy": api.Shared, "purposes": []any{"work"}, "kubernetes": fields{}},
			})
			if test.moved {
				s.others(http.MethodPatch, "clusters/"+c.Name, fields{"metadata": fields{"finalizers": []any{}, "annotations": nil}})
			}
			for range 2 {
				if _, err := p.AwaitGranted(ctx, r, quiet); !test.refused(err) {
					t.Errorf("the apply ends with: %v", err)
				}
			}
			for _, o := range s.server.Objects("clusters") {
				if o.GetDeletionTimestamp() != nil {
					t.Errorf("Cluster %s is being deleted", o.GetName())
				}
				if o.GetName() == "another" && len(o.GetFinalizers()) != len(test.finalizers) {
					t.Errorf("Cluster %s has the finalizers %q", o.GetName(), o.GetFinalizers())
				}
			}
			if n := len(s.server.Objects("clusters")); n != 2 {
				t.Errorf("%d Clusters", n)
			}
		})
	}
}
