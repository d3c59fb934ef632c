package configs

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// The traits that follow from a profile (ADR 016). No released operator has traits.
const (
	traitVendor     = "infrastructure/vendor/"
	traitWorkerless = "cluster.openmcp.cloud/workerless"
	traitCompute    = "kubernetes.io/apis/compute"
)

// traitsAnnotation has the traits of a ProviderConfig that do not follow from its template, as a JSON list: the cluster provider writes the
// ClusterProfile, and has no room for them there.
const traitsAnnotation = "hap-project.io/traits"

// Traits are what the clusters of a Shoot template have, in the proposal's names, sorted (ADR 015): those that follow from the template, and
// the ProviderConfig's own that do not contradict them.
func (f ShootFacts) Traits() []string {
	traits := f.derived()
	for _, own := range f.Own {
		if f.Contradicted(own) == "" {
			traits = append(traits, own)
		}
	}
	slices.Sort(traits)
	return slices.Compact(traits)
}

// derived are the traits that follow from the template.
func (f ShootFacts) derived() []string {
	traits := []string{traitWorkerless}
	if f.Workers {
		traits = []string{traitCompute}
	}
	if f.Type != "" {
		traits = append(traits, traitVendor+f.Type)
	}
	return traits
}

// Contradicted returns the trait that follows from the template, and that a trait of one's own contradicts; empty = there is none.
func (f ShootFacts) Contradicted(own string) string {
	switch {
	case own == traitWorkerless && f.Workers:
		return traitCompute
	case own == traitCompute && !f.Workers:
		return traitWorkerless
	case strings.HasPrefix(own, traitVendor) && f.Type != "" && own != traitVendor+f.Type:
		return traitVendor + f.Type
	}
	return ""
}

// OwnTraits are the traits that a ProviderConfig says itself, sorted, each once. What is no trait is none of them: another party may have
// written it.
func OwnTraits(c *api.ProviderConfig) (own []string) {
	var said []string
	if json.Unmarshal([]byte(c.Annotations[traitsAnnotation]), &said) != nil {
		return nil
	}
	said = slices.DeleteFunc(said, func(name string) bool { return !adr.IsTrait(name) })
	slices.Sort(said)
	return slices.Compact(said)
}

// writtenTraits is the annotation of these traits; empty = there is none.
func writtenTraits(own []string) string {
	if len(own) == 0 {
		return ""
	}
	text, _ := json.Marshal(slices.Compact(slices.Sorted(slices.Values(own)))) // texts can always be written
	return string(text)
}
