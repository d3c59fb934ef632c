package builtin

import (
	"context"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// scope says among which Clusters a shared one is searched.
func (s *Scheduler) scope() adr.Scope {
	if s.ClusterWide {
		return adr.ScopeCluster
	}
	return adr.ScopeNamespaced
}

// servers says who serves the requests that hold Clusters, by their UIDs: the built-in scheduler where they are not named.
type servers map[string]adr.Server

// serversOf says who serves the requests that hold Clusters which a request may come to share, as the requests themselves say it. looked =
// the caller knows that the operator serves none of the request's own namespace: only those of other namespaces are read, and anew. A plan
// has not looked, and its requests share what is read.
//
// Errors: those of [kube.Read].
func (s *Scheduler) serversOf(ctx context.Context, of api.Ref, asked ADRRequest, all []*api.Cluster, looked bool) (servers, error) {
	by, read := servers{}, map[string]*requestsOf{}
	for _, c := range all {
		if !s.mayShare(c, of, asked) {
			continue
		}
		for _, g := range slices.Concat(api.Grants(c), bareGrants(c)) {
			namespace := g.Request.Namespace
			if !g.Recorded || namespace == "" || looked && namespace == of.Namespace {
				continue
			}
			if read[namespace] == nil {
				requests, err := s.readRequests(ctx, namespace, looked)
				if err != nil {
					return nil, err
				}
				read[namespace] = requests
			}
			if server := read[namespace].serverOf(g); server != adr.ServedHere {
				by[g.UID] = server
			}
		}
	}
	return by, nil
}

// mayShare reports whether a request may come to share a Cluster, but for what its profile and its grants say.
func (s *Scheduler) mayShare(c *api.Cluster, of api.Ref, asked ADRRequest) bool {
	lacks := func(purpose string) bool { return !slices.Contains(c.Spec.Purposes, purpose) }
	return c.Spec.Tenancy == api.Shared && c.DeletionTimestamp == nil && (s.ClusterWide || c.Namespace == of.Namespace) &&
		!slices.ContainsFunc(asked.Purposes, lacks)
}

// requestsOf are the requests of a namespace, by their UIDs; nil = they may not be read.
type requestsOf struct {
	byUID map[string]*api.ClusterRequest
}

func (s *Scheduler) readRequests(ctx context.Context, namespace string, anew bool) (*requestsOf, error) {
	kind, err := s.objects.Requests.In(namespace)
	if err != nil {
		return nil, err
	}
	read := kind.Recent
	if anew {
		read = kind.All
	}
	all, err := read(ctx)
	if slices.Contains([]kube.Reason{kube.Forbidden, kube.NoAPI, kube.Rejected}, api.Reason(err)) {
		return &requestsOf{}, nil
	}
	if err != nil {
		return nil, err
	}
	of := &requestsOf{byUID: make(map[string]*api.ClusterRequest, len(all))}
	for _, r := range all {
		of.byUID[string(r.UID)] = r
	}
	return of, nil
}

// serverOf says who serves the request of a grant. One that is gone no scheduler serves.
func (of *requestsOf) serverOf(g api.Grant) adr.Server {
	if of.byUID == nil {
		return adr.ServedUnknown
	}
	if r := of.byUID[g.UID]; r != nil && HandedOver(r) {
		return adr.ServedByOperator
	}
	return adr.ServedHere
}
