package operator

import (
	"fmt"
	"maps"
	"slices"
)

// The values of an operator's configuration.
const (
	ScopeCluster    = "Cluster"    // Clusters of all namespaces are considered
	ScopeNamespaced = "Namespaced" // those of one

	StrategyBalanced = "Balanced" // the Cluster with the fewest requests
	StrategySimple   = "Simple"   // the first
	StrategyRandom   = "Random"   // any

	Shared    = "Shared"    // a Cluster for several requests
	Exclusive = "Exclusive" // for one
)

// Config is the operator's configuration of its scheduler, in its own words.
type Config struct {
	Scope           string                 `json:"scope,omitempty"`    // empty = [ScopeCluster]
	Strategy        string                 `json:"strategy,omitempty"` // empty = [StrategyBalanced]
	Selectors       Selectors              `json:"selectors,omitzero"`
	PurposeMappings map[string]*Definition `json:"purposeMappings,omitempty"`
}

// Selectors say which objects the scheduler sees; nil = all.
type Selectors struct {
	Clusters *Selector `json:"clusters,omitempty"`
	Requests *Selector `json:"requests,omitempty"`
}

// Definition says how requests of a purpose get their Cluster.
type Definition struct {
	TenancyCount int       `json:"tenancyCount,omitempty"` // requests per shared Cluster; 0 = any number
	Template     Template  `json:"template"`
	Selector     *Selector `json:"selector,omitempty"` // beside the selector of all Clusters
}

// Template is what a new Cluster is made of.
type Template struct {
	Metadata Metadata    `json:"metadata,omitzero"`
	Spec     ClusterSpec `json:"spec"`
}

// Metadata are the metadata of a new Cluster, those that the scheduler heeds.
type Metadata struct {
	Name         string            `json:"name,omitempty"`         // of the one Cluster of an unlimited purpose
	GenerateName string            `json:"generateName,omitempty"` // comes before the hash
	Namespace    string            `json:"namespace,omitempty"`    // empty = that of the request
	Labels       map[string]string `json:"labels,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// ClusterSpec is the spec of a new Cluster.
type ClusterSpec struct {
	Profile        string       `json:"profile"`
	ClusterConfigs []ObjectName `json:"clusterConfigs,omitempty"`
	Kubernetes     Kubernetes   `json:"kubernetes,omitzero"`
	Purposes       []string     `json:"purposes,omitempty"` // that of the request comes to them
	Tenancy        string       `json:"tenancy"`
}

// ObjectName names an object.
type ObjectName struct {
	Name string `json:"name"`
}

// Kubernetes is what a new Cluster says of Kubernetes.
type Kubernetes struct {
	Version string `json:"version,omitempty"`
}

// ConfigError says what is wrong with an operator's configuration. The operator does not start with it, or can make no Cluster.
type ConfigError struct {
	Field   string // such as "scheduler.purposeMappings[mcp].tenancyCount"
	Message string
}

func (e *ConfigError) Error() string { return e.Field + ": " + e.Message }

func misconfigured(field, format string, args ...any) *ConfigError {
	return &ConfigError{Field: "scheduler." + field, Message: fmt.Sprintf(format, args...)}
}

// Check returns an error for a configuration with which the operator does not start, or with whose templates it can make no Cluster.
//
// Errors: [*ConfigError].
func (c Config) Check() error {
	c = c.defaulted()
	if c.Scope != ScopeCluster && c.Scope != ScopeNamespaced {
		return misconfigured("scope", "%q is neither %s nor %s", c.Scope, ScopeCluster, ScopeNamespaced)
	}
	if !slices.Contains([]string{StrategyBalanced, StrategySimple, StrategyRandom}, c.Strategy) {
		return misconfigured("strategy", "%q is none of %s, %s, %s", c.Strategy, StrategyBalanced, StrategySimple, StrategyRandom)
	}
	if err := c.Selectors.Clusters.check("selectors.clusters"); err != nil {
		return err
	}
	if err := c.Selectors.Requests.check("selectors.requests"); err != nil {
		return err
	}
	for _, purpose := range slices.Sorted(maps.Keys(c.PurposeMappings)) {
		at := fmt.Sprintf("purposeMappings[%s]", purpose)
		if purpose == "" {
			return misconfigured("purposeMappings", "a purpose needs a name")
		}
		if err := c.checkDefinition(at, c.PurposeMappings[purpose]); err != nil {
			return err
		}
	}
	return nil
}

func (c Config) checkDefinition(at string, d *Definition) error {
	if d == nil {
		return misconfigured(at, "it says nothing")
	}
	if d.Template.Spec.Profile == "" {
		return misconfigured(at+".template.spec.profile", "it is missing")
	}
	switch tenancy := d.Template.Spec.Tenancy; {
	case tenancy != Shared && tenancy != Exclusive:
		return misconfigured(at+".template.spec.tenancy", "%q is neither %s nor %s", tenancy, Shared, Exclusive)
	case d.TenancyCount < 0:
		return misconfigured(at+".tenancyCount", "it is less than 0")
	case d.TenancyCount > 0 && tenancy == Exclusive:
		return misconfigured(at+".tenancyCount", "an exclusive Cluster has one request; leave it out")
	}
	if err := d.Selector.check(at + ".selector"); err != nil {
		return err
	}
	labels := d.Template.Metadata.Labels
	if !c.Selectors.Clusters.matches(labels) {
		return misconfigured(at+".template.metadata.labels", "the Cluster that they make is not chosen by selectors.clusters")
	}
	if !d.Selector.matches(labels) {
		return misconfigured(at+".template.metadata.labels", "the Cluster that they make is not chosen by selector")
	}
	return checkLabels(at+".template.metadata.labels", labels)
}

// defaulted is the configuration with what the operator puts where nothing is said.
func (c Config) defaulted() Config {
	if c.Scope == "" {
		c.Scope = ScopeCluster
	}
	if c.Strategy == "" {
		c.Strategy = StrategyBalanced
	}
	return c
}

// Purposes returns the purposes that the configuration knows, sorted.
func (c Config) Purposes() []string { return slices.Sorted(maps.Keys(c.PurposeMappings)) }
