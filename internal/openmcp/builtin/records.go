package builtin

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
)

// bareGrants are the records of a Cluster whose requests do not hold it, in the order of their UIDs: such a request is gone, or another
// party has taken its finalizer off.
func bareGrants(c *api.Cluster) (all []api.Grant) {
	tenants := api.Tenants(c)
	for _, key := range slices.Sorted(maps.Keys(c.Annotations)) {
		if uid, ok := strings.CutPrefix(key, api.GrantAnnotation); ok && !slices.Contains(tenants, uid) {
			g := api.Grant{UID: uid}
			g.Recorded = json.Unmarshal([]byte(c.Annotations[key]), &g) == nil
			all = append(all, g)
		}
	}
	return all
}

// lives reports whether the request of a record lives. One of which that is not known, or that may not be read, counts as one that lives.
//
// Errors: those of [kube.Read].
func (s *Scheduler) lives(ctx context.Context, g api.Grant) (bool, error) {
	if !g.Recorded || g.Request.Name == "" || g.Request.Namespace == "" {
		return true, nil
	}
	live, err := s.objects.Requests.Get(ctx, g.Request)
	switch {
	case api.IsGone(err):
		return false, nil
	case slices.Contains([]kube.Reason{kube.Forbidden, kube.NoAPI, kube.Rejected}, api.Reason(err)):
		return true, nil
	case err != nil:
		return false, err
	}
	return string(live.UID) == g.UID, nil
}

// forget has a patch of a Cluster's annotations take the records of requests away that are gone.
func (s *Scheduler) forget(ctx context.Context, c *api.Cluster, annotations map[string]any) error {
	for _, g := range bareGrants(c) {
		key := api.GrantAnnotation + g.UID
		if _, said := annotations[key]; said {
			continue
		}
		lives, err := s.lives(ctx, g)
		if err != nil {
			return err
		}
		if !lives {
			annotations[key] = nil
		}
	}
	return nil
}

// adrCluster is a Cluster as package adr takes it, for the request of this name and uid, with who serves the others. What holds it under
// another uid is another request, also where it had the same name. A prefix is taken as long as its record is there: the request may live,
// and its objects with it, although another party has taken its finalizer off.
func adrCluster(c *api.Cluster, of api.Ref, uid string, by servers) adr.Cluster {
	seen := requests.SeenCluster(c)
	cluster := adr.Cluster{
		Ref: seen.Ref, Profile: seen.Profile, Version: seen.Version, Purposes: seen.Purposes, Dedicated: seen.Tenancy == api.Exclusive,
	}
	for _, g := range api.Grants(c) {
		holder, server := clusters.Ref(of), adr.ServedHere
		if g.UID != uid {
			holder, server = clusters.Ref{Namespace: g.Request.Namespace, Name: g.Request.Name + " (UID " + g.UID + ")"}, by[g.UID]
			if !g.Recorded { // the built-in scheduler has not granted it
				server = adr.ServedByOperator
			}
		}
		cluster.Grants = append(cluster.Grants, adr.Grant{Request: holder, Prefix: g.Prefix, Server: server})
	}
	for _, g := range bareGrants(c) {
		if g.UID != uid && g.Prefix != "" {
			holder := clusters.Ref{Namespace: g.Request.Namespace, Name: g.Request.Name + " (UID " + g.UID + ", without its finalizer)"}
			cluster.Grants = append(cluster.Grants, adr.Grant{Request: holder, Prefix: g.Prefix, Server: by[g.UID], Left: true})
		}
	}
	return cluster
}
