package builtin_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A person deletes a request, which hangs in its deletion, and another state makes one of its name. The other state ends the deletion where
// no Cluster goes with it. Where one would, the error names it, and nothing is written, also where both ask for the same.
func TestBuiltin_nameOfALeavingRequest(t *testing.T) {
	t.Parallel()
	same := func(ns string) *builtin.ADRRequest { return asked(own(ns)) }
	alone := func(ns string) *builtin.ADRRequest {
		dedicated, s := true, asked(own(ns))
		s.Dedicated = &dedicated
		return s
	}
	for name, test := range map[string]struct {
		beside, granted bool
		wants           func(ns string) *builtin.ADRRequest
		refused         bool
	}{
		"the last, other needs": {granted: true, wants: alone, refused: true},
		"the last, same needs":  {granted: true, wants: same, refused: true},
		"beside another":        {granted: true, beside: true, wants: same},
		"not granted":           {wants: same},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ns := platform(t)
			one := api.Ref{Namespace: ns, Name: "one"}
			if test.beside {
				grantedBy(t, p, "two", same(ns))
			}
			r, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: one, ADR: same(ns)})
			if err == nil && test.granted {
				r, err = p.Requests.AwaitGranted(t.Context(), r, quiet)
			}
			if err == nil {
				err = testbed.Shared(t).Client().Delete(t.Context(), testbed.New("ClusterRequest", ns, "one"))
			}
			if err != nil {
				t.Fatal(err)
			}
			before := written(t, p, one, r.Status.Cluster)
			other, _ := process(t, ns, 0, false)
			made, _, err := other.Requests.Make(t.Context(), builtin.Wanted{Ref: one, ADR: test.wants(ns)})
			ends, refused := errors.AsType[*builtin.EndsClusterError](err)
			switch {
			case refused != test.refused, !refused && err != nil:
				t.Fatalf("%v, want it refused: %t", err, test.refused)
			case !refused && made.UID == r.UID:
				t.Error("it is the request that is being deleted")
			case !refused:
				return
			case ends.Cluster != *r.Status.Cluster || ends.Ref != one:
				t.Errorf("it names %v", ends)
			}
			if after := written(t, p, one, r.Status.Cluster); after != before {
				t.Errorf("something was written: %v, before %v", after, before)
			}
		})
	}
}

// written is what the built-in scheduler may write of a request and of its Cluster, where it has one. A Cluster has other parties, too,
// which write its status.
func written(t *testing.T, p *openmcp.Platform, of api.Ref, cluster *api.Ref) string {
	t.Helper()
	r, err := p.Objects.Requests.Get(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	if cluster == nil {
		return r.ResourceVersion
	}
	c, err := p.Objects.Clusters.Get(t.Context(), *cluster)
	if err != nil || c.DeletionTimestamp != nil {
		t.Fatalf("the Cluster is gone, or going: %v", err)
	}
	return fmt.Sprint(r.ResourceVersion, " ", c.Generation, api.Tenants(c), c.Annotations)
}
