package api

import (
	"encoding/json"
	"slices"
	"strings"
)

// GrantAnnotation begins the annotation of a Cluster in which the built-in scheduler keeps a grant; the uid of the request follows. It
// counts only beside the finalizer of that request: the operator takes the finalizer away with the request, and leaves the annotation.
const GrantAnnotation = "grant.hap-project.io/"

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
		if text, ok := c.Annotations[GrantAnnotation+uid]; ok {
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

// Tenants returns the uids of the requests that hold a Cluster: each has a finalizer there.
func Tenants(c *Cluster) (uids []string) {
	for _, finalizer := range c.Finalizers {
		if uid, ok := strings.CutPrefix(finalizer, TenantFinalizer); ok && !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// IsLastOf reports whether no other request than this holds a Cluster, but for those that leave too.
func IsLastOf(c *Cluster, uid string, leaves func(uid string) bool) bool {
	return !slices.ContainsFunc(Tenants(c), func(one string) bool { return one != uid && !leaves(one) })
}

// GoesAlong reports whether a Cluster is deleted with the last request that holds it.
func GoesAlong(c *Cluster) bool { return c.Labels[DeletedWithoutRequests] == "true" }
