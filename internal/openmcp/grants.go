package openmcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// grantAnnotation begins the annotation of a Cluster in which the built-in scheduler keeps a grant; the uid of the request follows. It
// counts only beside the finalizer of that request: the operator takes the finalizer away with the request, and leaves the annotation.
const grantAnnotation = "grant.hap-project.io/"

// Grant is who holds a Cluster: the ClusterRequestGrant of seed 004.
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

// staleGrants are the annotations of grants whose requests hold the Cluster no longer.
func staleGrants(c *Cluster) (keys []string) {
	tenants := Tenants(c)
	for key := range c.Annotations {
		if uid, ok := strings.CutPrefix(key, grantAnnotation); ok && !slices.Contains(tenants, uid) {
			keys = append(keys, key)
		}
	}
	return keys
}

// seedCluster is a Cluster as the engine of seed 004 looks at it, for the request of this name and uid. What holds it under another uid is
// another request, also where it had the same name.
func seedCluster(c *Cluster, of Ref, uid string) clusters.Cluster {
	seen := seenCluster(c)
	cluster := clusters.Cluster{
		Ref: seen.Ref, Profile: seen.Profile, Version: seen.Version, Purposes: seen.Purposes, Dedicated: seen.Tenancy == Exclusive,
	}
	for _, g := range Grants(c) {
		holder := clusters.Ref(of)
		if g.UID != uid {
			holder = clusters.Ref{Namespace: g.Request.Namespace, Name: g.Request.Name + " (UID " + g.UID + ")"}
		}
		cluster.Grants = append(cluster.Grants, clusters.Grant{Request: holder, Prefix: g.Prefix})
	}
	return cluster
}
