package configs

import "slices"

// The traits that follow from a profile (ADR 016). No released operator has traits.
const (
	traitVendor     = "infrastructure/vendor/"
	traitWorkerless = "cluster.openmcp.cloud/workerless"
	traitCompute    = "kubernetes.io/apis/compute"
)

// Traits are what the clusters of a Shoot template have, in the proposal's names, sorted (ADR 015).
func (f ShootFacts) Traits() []string {
	traits := []string{traitWorkerless}
	if f.Workers {
		traits = []string{traitCompute}
	}
	if f.Type != "" {
		traits = append(traits, traitVendor+f.Type)
	}
	slices.Sort(traits)
	return traits
}
