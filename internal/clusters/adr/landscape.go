package adr

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// Landscape is what a scheduler knows when a request comes.
type Landscape struct {
	// Purposes are the definitions of the purposes by name.
	Purposes map[string]Purpose
	// Profiles are those of all ClusterProviders that are deployed. Each has a name of its own.
	Profiles []Profile
	// Clusters are all there are, with what is granted on them.
	Clusters []Cluster
	// Equivalences are groups of traits with the same meaning.
	Equivalences [][]string
	// Scope says which Clusters are shared; empty: all.
	Scope Scope
}

// Scope says among which Clusters a shared one is searched, as the openmcp-operator has it. The values are part of the provider's
// interface.
type Scope string

const (
	// ScopeNamespaced has a request share Clusters of its own namespace alone.
	ScopeNamespaced Scope = "namespaced"
	// ScopeCluster has it share Clusters of all namespaces.
	ScopeCluster Scope = "cluster"
)

// Purpose says what clusters of a purpose have in common.
type Purpose struct {
	// Dedicated says that such a cluster is not shared.
	Dedicated bool `json:"dedicated,omitempty"`
	// Traits are those that the purpose asks for.
	Traits []Trait `json:"traits,omitempty"`
	// TenancyCount is the most requests that may hold a shared Cluster; 0: any number.
	TenancyCount int `json:"tenancyCount,omitempty"`
}

// Profile is a kind of cluster that a ClusterProvider makes.
type Profile struct {
	Name, Provider string
	// Traits are all that its clusters have. A trait that is not listed is absent.
	Traits []string
	// Versions are the Kubernetes versions it offers; none: it does not say which.
	Versions []Version
	// Account is the account in which its clusters come to be; nil: it has none, or accounts are not regarded.
	Account *Account
}

// Version is a Kubernetes version that a profile offers.
type Version struct {
	Version    string
	Deprecated bool
}

// Cluster is a cluster that exists.
type Cluster struct {
	Ref clusters.Ref
	// Profile is the name of the profile it is made from; its traits are the Cluster's.
	Profile string
	// Version is the Kubernetes version; empty: not known.
	Version  string
	Purposes []string
	// Dedicated says that it belongs to one request and is not shared.
	Dedicated bool
	Grants    []Grant
}

// Grant is a ClusterRequestGrant: a request that the Cluster was given to.
type Grant struct {
	Request clusters.Ref
	// Prefix is empty on a dedicated Cluster.
	Prefix string
	// Server is who serves the request.
	Server Server
	// Left says that the request does not hold the Cluster any more, and may yet use names with the prefix. It is no tenant.
	Left bool
}

// tenants is how many requests hold the Cluster.
func (c *Cluster) tenants() (n int) {
	for _, g := range c.Grants {
		if !g.Left {
			n++
		}
	}
	return n
}

// Server says which scheduler serves a request that holds a Cluster. Of one that another scheduler serves it is not known how it is shared.
type Server string

const (
	// ServedHere is the scheduler that decides.
	ServedHere Server = ""
	// ServedByOperator is the openmcp-operator.
	ServedByOperator Server = "operator"
	// ServedUnknown says that the request cannot be read.
	ServedUnknown Server = "unknown"
)

// elementOf names an element of a list.
func elementOf(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// check returns an error for profiles that share a name or have none, and for texts that cannot name a trait.
func (l Landscape) check() error {
	profiles := make(map[string]bool, len(l.Profiles))
	for i, p := range l.Profiles {
		at := elementOf("landscape.profiles", i)
		switch {
		case p.Name == "":
			return wrong(at, "the profile needs a name")
		case profiles[p.Name]:
			return wrong(at, "each profile needs a name of its own; %q is there twice: write the provider in front of it", p.Name)
		}
		profiles[p.Name] = true
		for j, name := range p.Traits {
			if err := checkTrait(elementOf(at+".traits", j), name); err != nil {
				return err
			}
		}
	}
	for i, group := range l.Equivalences {
		for j, name := range group {
			if err := checkTrait(elementOf(elementOf("landscape.equivalences", i), j), name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkClusters returns an error for Clusters that share a name or have none.
func (l Landscape) checkClusters() error {
	seen := make(map[clusters.Ref]bool, len(l.Clusters))
	for i := range l.Clusters {
		ref := l.Clusters[i].Ref
		if err := checkRef(elementOf("landscape.clusters", i), ref); err != nil {
			return err
		}
		if seen[ref] {
			return wrong(elementOf("landscape.clusters", i), "the Cluster %v is there twice", ref)
		}
		seen[ref] = true
	}
	return nil
}

// sortedClusters returns the Clusters by namespace and name.
func (l Landscape) sortedClusters() []*Cluster {
	sorted := make([]*Cluster, len(l.Clusters))
	for i := range l.Clusters {
		sorted[i] = &l.Clusters[i]
	}
	slices.SortFunc(sorted, func(a, b *Cluster) int { return a.Ref.Compare(b.Ref) })
	return sorted
}

// grantOf returns the Cluster on which a request holds a grant, and its prefix; nil without a grant. Two grants of one request are
// an error: which of them counts cannot be known.
func grantOf(request clusters.Ref, all []*Cluster) (of *Cluster, prefix string, err error) {
	for _, c := range all {
		for _, g := range c.Grants {
			if g.Request != request || g.Left {
				continue
			}
			if of == c {
				return nil, "", wrong("landscape.clusters", "%v holds two grants on %v; take one away", request, c.Ref)
			}
			if of != nil {
				return nil, "", wrong("landscape.clusters", "%v holds two grants, on %v and on %v; take one away", request, of.Ref, c.Ref)
			}
			of, prefix = c, g.Prefix
		}
	}
	return of, prefix, nil
}
