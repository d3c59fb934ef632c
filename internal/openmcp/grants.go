package openmcp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// grantAnnotation begins the annotation of a Cluster in which the built-in scheduler keeps a grant; the uid of the request follows. It
// counts only beside the finalizer of that request: the operator takes the finalizer away with the request, and leaves the annotation.
const grantAnnotation = "grant.hap-project.io/"

// Grant is who holds a Cluster: the ClusterRequestGrant of the proposal (ADR 017).
type Grant struct {
	// UID is that of the request.
	UID string `json:"-"`
	// Request names it; zero where the operator has granted it: its finalizer has the uid alone.
	Request Ref `json:"request"`
	// Prefix is what was granted with it. It is empty on an exclusive Cluster, and where the operator has granted the request.
	Prefix string `json:"prefix"`
	// Recorded says that the built-in scheduler has granted it.
	Recorded bool `json:"-"`
}

// Grants returns who holds a Cluster, in the order in which they came.
func Grants(c *Cluster) []Grant {
	tenants := Tenants(c)
	all := make([]Grant, len(tenants))
	for i, uid := range tenants {
		if text, ok := c.Annotations[grantAnnotation+uid]; ok {
			all[i].Recorded = json.Unmarshal([]byte(text), &all[i]) == nil
		}
		all[i].UID = uid
	}
	return all
}

// GrantOf returns what a request holds of a Cluster.
func GrantOf(c *Cluster, uid string) (g Grant, found bool) {
	all := Grants(c)
	i := slices.IndexFunc(all, func(g Grant) bool { return g.UID == uid })
	if i < 0 {
		return g, false
	}
	return all[i], true
}

// Holds reports whether a request holds a Cluster.
func Holds(c *Cluster, r *ClusterRequest) bool {
	_, held := GrantOf(c, string(r.UID))
	return held
}

// bareGrants are the records of a Cluster whose requests do not hold it, in the order of their UIDs: such a request is gone, or another
// party has taken its finalizer off.
func bareGrants(c *Cluster) (all []Grant) {
	tenants := Tenants(c)
	for _, key := range slices.Sorted(maps.Keys(c.Annotations)) {
		if uid, ok := strings.CutPrefix(key, grantAnnotation); ok && !slices.Contains(tenants, uid) {
			g := Grant{UID: uid}
			g.Recorded = json.Unmarshal([]byte(c.Annotations[key]), &g) == nil
			all = append(all, g)
		}
	}
	return all
}

// lives reports whether the request of a record lives. One of which that is not known, or that may not be read, counts as one that lives.
//
// Errors: those of [kube.Read].
func (p *Platform) lives(ctx context.Context, g Grant) (bool, error) {
	if !g.Recorded || g.Request.Name == "" || g.Request.Namespace == "" {
		return true, nil
	}
	live, err := p.RequestNow(ctx, g.Request)
	switch {
	case IsGone(err):
		return false, nil
	case slices.Contains([]kube.Reason{kube.Forbidden, kube.NoAPI, kube.Rejected}, reason(err)):
		return true, nil
	case err != nil:
		return false, err
	}
	return string(live.UID) == g.UID, nil
}

// forget has a patch of a Cluster's annotations take the records of requests away that are gone.
func (p *Platform) forget(ctx context.Context, c *Cluster, annotations map[string]any) error {
	for _, g := range bareGrants(c) {
		key := grantAnnotation + g.UID
		if _, said := annotations[key]; said {
			continue
		}
		lives, err := p.lives(ctx, g)
		if err != nil {
			return err
		}
		if !lives {
			annotations[key] = nil
		}
	}
	return nil
}

// adrCluster is a Cluster as package adr takes it, for the request of this name and uid. What holds it under another uid is
// another request, also where it had the same name. A prefix is taken as long as its record is there: the request may live, and its objects
// with it, although another party has taken its finalizer off.
func adrCluster(c *Cluster, of Ref, uid string) adr.Cluster {
	seen := seenCluster(c)
	cluster := adr.Cluster{
		Ref: seen.Ref, Profile: seen.Profile, Version: seen.Version, Purposes: seen.Purposes, Dedicated: seen.Tenancy == Exclusive,
	}
	for _, g := range Grants(c) {
		holder := clusters.Ref(of)
		if g.UID != uid {
			holder = clusters.Ref{Namespace: g.Request.Namespace, Name: g.Request.Name + " (UID " + g.UID + ")"}
		}
		cluster.Grants = append(cluster.Grants, adr.Grant{Request: holder, Prefix: g.Prefix})
	}
	for _, g := range bareGrants(c) {
		if g.UID != uid && g.Prefix != "" {
			holder := clusters.Ref{Namespace: g.Request.Namespace, Name: g.Request.Name + " (UID " + g.UID + ", without its finalizer)"}
			cluster.Grants = append(cluster.Grants, adr.Grant{Request: holder, Prefix: g.Prefix})
		}
	}
	return cluster
}
