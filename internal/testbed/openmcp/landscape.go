package openmcp

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Environment and ProviderName are parts of the name of each profile: <environment>.<provider>.<name>.
const (
	Environment  = "test"
	ProviderName = "gardener"
)

// The profiles of a platform cluster, and the Kubernetes versions that they offer.
const (
	WorkerProfile     = Environment + "." + ProviderName + ".aws"
	WorkerlessProfile = Environment + "." + ProviderName + ".workerless"
	Version           = "1.33.4"
	DeprecatedVersion = "1.31.9"
)

// Landscape is what the operator's configuration says of its scheduler.
type Landscape struct {
	Scope    string             `json:"scope,omitempty"`
	Strategy string             `json:"strategy,omitempty"`
	Purposes map[string]Purpose `json:"purposeMappings"`
	// Selectors say which requests and Clusters the operator sees.
	Selectors map[string]Selector `json:"selectors,omitempty"`
}

// Purpose is how a request of a purpose gets its Cluster.
type Purpose struct {
	TenancyCount int       `json:"tenancyCount,omitempty"` // requests per shared Cluster; 0 = any number
	Template     Template  `json:"template"`
	Selector     *Selector `json:"selector,omitempty"`
}

// Template is what a new Cluster of a purpose is made of.
type Template struct {
	Metadata TemplateMetadata `json:"metadata,omitzero"`
	Spec     TemplateSpec     `json:"spec"`
}

// TemplateMetadata are the metadata of a new Cluster.
type TemplateMetadata struct {
	Name         string            `json:"name,omitempty"`
	GenerateName string            `json:"generateName,omitempty"`
	Namespace    string            `json:"namespace,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// TemplateSpec is the spec of a new Cluster.
type TemplateSpec struct {
	Profile  string   `json:"profile"`
	Tenancy  string   `json:"tenancy"`
	Purposes []string `json:"purposes,omitempty"`
}

// Selector chooses objects by labels.
type Selector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []Expression      `json:"matchExpressions,omitempty"`
}

// Expression is one requirement of a selector.
type Expression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// Usual is a landscape with the four purposes of the proposal (ADR 015): one platform and one onboarding Cluster for all requests of a
// namespace, workload Clusters for two requests each, and an mcp Cluster of its own for each request.
func Usual() Landscape {
	purpose := func(tenancy, profile string, count int) Purpose {
		return Purpose{TenancyCount: count, Template: Template{Spec: TemplateSpec{Profile: profile, Tenancy: tenancy}}}
	}
	return Landscape{Scope: "Namespaced", Purposes: map[string]Purpose{
		"platform":   purpose("Shared", WorkerProfile, 0),
		"onboarding": purpose("Shared", WorkerlessProfile, 0),
		"workload":   purpose("Shared", WorkerProfile, 2),
		"mcp":        purpose("Exclusive", WorkerlessProfile, 0),
	}}
}

// ReadLandscape reads the scheduler's part of an operator's configuration file, YAML or JSON.
func ReadLandscape(text string) (Landscape, error) {
	var file struct {
		Scheduler Landscape `json:"scheduler"`
	}
	if err := yaml.UnmarshalStrict([]byte(text), &file); err != nil {
		return Landscape{}, fmt.Errorf("reading the operator's configuration: %w", err)
	}
	return file.Scheduler, nil
}

// Config is the operator's configuration file. YAML reads JSON.
func (l Landscape) Config() ([]byte, error) {
	content, err := json.Marshal(map[string]any{"scheduler": l})
	if err != nil {
		return nil, fmt.Errorf("encoding the operator's configuration: %w", err)
	}
	return content, nil
}
