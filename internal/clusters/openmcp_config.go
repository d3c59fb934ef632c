package clusters

import (
	"fmt"
	"maps"
	"slices"
)

// The values of an operator's configuration.
const (
	ScopeCluster    = "Cluster"    // Clusters of all namespaces are looked at
	ScopeNamespaced = "Namespaced" // those of one

	StrategyBalanced = "Balanced" // the Cluster with the fewest requests
	StrategySimple   = "Simple"   // the first
	StrategyRandom   = "Random"   // any

	Shared    = "Shared"    // a Cluster for several requests
	Exclusive = "Exclusive" // for one
)

// OperatorConfig is the operator's configuration of its scheduler, in its own words.
type OperatorConfig struct {
	Scope           string                         `json:"scope,omitempty"`    // empty = [ScopeCluster]
	Strategy        string                         `json:"strategy,omitempty"` // empty = [StrategyBalanced]
	Selectors       OperatorSelectors              `json:"selectors,omitzero"`
	PurposeMappings map[string]*OperatorDefinition `json:"purposeMappings,omitempty"`
}

// OperatorSelectors say which objects the scheduler sees; nil = all.
type OperatorSelectors struct {
	Clusters *OperatorSelector `json:"clusters,omitempty"`
	Requests *OperatorSelector `json:"requests,omitempty"`
}

// OperatorDefinition says how requests of a purpose get their Cluster.
type OperatorDefinition struct {
	TenancyCount int               `json:"tenancyCount,omitempty"` // requests per shared Cluster; 0 = any number
	Template     OperatorTemplate  `json:"template"`
	Selector     *OperatorSelector `json:"selector,omitempty"` // beside the selector of all Clusters
}

// OperatorTemplate is what a new Cluster is made of.
type OperatorTemplate struct {
	Metadata OperatorMetadata    `json:"metadata,omitzero"`
	Spec     OperatorClusterSpec `json:"spec"`
}

// OperatorMetadata are the metadata of a new Cluster, those that the scheduler heeds.
type OperatorMetadata struct {
	Name         string            `json:"name,omitempty"`         // of the one Cluster of an unlimited purpose
	GenerateName string            `json:"generateName,omitempty"` // stands before the hash
	Namespace    string            `json:"namespace,omitempty"`    // empty = that of the request
	Labels       map[string]string `json:"labels,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// OperatorClusterSpec is the spec of a new Cluster.
type OperatorClusterSpec struct {
	Profile        string               `json:"profile"`
	ClusterConfigs []OperatorObjectName `json:"clusterConfigs,omitempty"`
	Kubernetes     OperatorKubernetes   `json:"kubernetes,omitzero"`
	Purposes       []string             `json:"purposes,omitempty"` // that of the request comes to them
	Tenancy        string               `json:"tenancy"`
}

// OperatorObjectName names an object.
type OperatorObjectName struct {
	Name string `json:"name"`
}

// OperatorKubernetes is what a new Cluster says of Kubernetes.
type OperatorKubernetes struct {
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
func (c OperatorConfig) Check() error {
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

func (c OperatorConfig) checkDefinition(at string, d *OperatorDefinition) error {
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
func (c OperatorConfig) defaulted() OperatorConfig {
	if c.Scope == "" {
		c.Scope = ScopeCluster
	}
	if c.Strategy == "" {
		c.Strategy = StrategyBalanced
	}
	return c
}

// Purposes returns the purposes that the configuration knows, sorted.
func (c OperatorConfig) Purposes() []string { return slices.Sorted(maps.Keys(c.PurposeMappings)) }
