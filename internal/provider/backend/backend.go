package backend

import "time"

const (
	// ReadTimeout bounds what only reads, where the configuration does not say.
	ReadTimeout = 2 * time.Minute
	// PreviewTimeout bounds a read of the pool that a plan can do without.
	PreviewTimeout = 10 * time.Second
)

// Backend is what the objects of one provider block share. Terraform configures the provider anew for each plan and apply.
type Backend struct {
	Settings
	*Connection
	*Ledger
	// OpenMCP is the way to the platform cluster.
	OpenMCP *Platform
	// Releases collects what the deletes of this run warn of.
	Releases *GatheredWarnings
	// Imports collects what the imports of this run warn of.
	Imports *GatheredWarnings

	preview  preview // of the pool
	gardener preview // of what Gardener is asked beside the pool
	bound    preview // of the Shoots that have the labels of a Cluster
	platform preview // of the platform cluster
	limits   limits
	read     readCredentials
}

// New returns the backend of a provider block. It does not dial.
func New(s Settings) *Backend {
	return &Backend{
		Settings: s, Connection: &Connection{settings: s}, Ledger: &Ledger{}, Releases: NewGatheredWarnings(),
		Imports: NewGatheredWarnings(), OpenMCP: &Platform{settings: s.Platform, agent: s.Agent},
	}
}
