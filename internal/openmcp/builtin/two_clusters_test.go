//go:build !race

package builtin

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
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
			ctx := kube.Steady(t.Context())
			s, p, r, c := grantedOne(ctx, t, true)
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

// grantedOne is a platform cluster in memory with a request that is granted a Cluster; its status may not say so.
func grantedOne(ctx context.Context, t *testing.T, says bool) (*stage, *Scheduler, *api.ClusterRequest, *api.Cluster) {
	t.Helper()
	s := &stage{server: apiserver.New(apiserver.OpenMCP()...)}
	s.offer()
	objects, err := api.New(&rest.Config{Host: "https://memory.invalid", Transport: s.server, QPS: -1}, namespace)
	if err != nil {
		t.Fatal(err)
	}
	p := New(objects)
	w := Wanted{Ref: api.Ref{Namespace: namespace, Name: "first"}, ADR: &ADRRequest{
		Purposes: []string{"work"}, Definitions: map[string]adr.Purpose{"work": {}},
	}}
	r, _, err := p.Make(ctx, w)
	switch {
	case err == nil && says:
		r, err = p.AwaitGranted(ctx, r, quiet)
	case err == nil:
		_, _, err = p.grant(ctx, r, *w.ADR, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	held, err := p.HeldBy(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	return s, p, r, held
}

// A request whose status names no Cluster can hold two: the creation of one came late, and the run died before it wrote the status. Its
// withdrawal asks the guards of both, and ends both.
func TestWithdraw_twoClusters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		protected string // the one that a guard keeps
		left      int
	}{
		"both go":                 {"", 0},
		"a guard keeps one":       {"work", 2},
		"a guard keeps the other": {"another", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := kube.Steady(t.Context())
			s, p, r, c := grantedOne(ctx, t, false)
			s.others(http.MethodPost, "clusters", fields{
				"metadata": fields{"name": "another", "labels": c.Labels, "finalizers": []any{c.Finalizers[0]}},
				"spec":     fields{"profile": c.Spec.Profile, "tenancy": api.Shared, "purposes": []any{"work"}, "kubernetes": fields{}},
			})
			kept := errors.New("it is protected")
			guard := Guard{Before: func(c *api.Cluster) error {
				if test.protected != "" && strings.HasPrefix(c.Name, test.protected) {
					return kept
				}
				return nil
			}}
			err := p.Withdraw(ctx, r.Ref(), string(r.UID), quiet, guard)
			if test.left == 0 && err != nil || test.left > 0 && !errors.Is(err, kept) {
				t.Errorf("the withdrawal ends with: %v", err)
			}
			if n := len(s.server.Objects("clusters")); n != test.left {
				t.Errorf("%d Clusters are left, not %d", n, test.left)
			}
			if n := len(s.server.Objects("clusterrequests")); (n > 0) != (test.left > 0) {
				t.Errorf("%d requests are left", n)
			}
			for _, o := range append(s.server.Objects("clusters"), s.server.Objects("clusterrequests")...) {
				if o.GetDeletionTimestamp() != nil {
					t.Errorf("%s %s is being deleted", o.GetKind(), o.GetName())
				}
			}
		})
	}
}
