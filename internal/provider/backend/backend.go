// Package backend is what the objects of one provider block share.
package backend

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// ReadTimeout bounds what only reads, where the configuration does not say.
const ReadTimeout = 2 * time.Minute

// Backend is what the objects of one provider block share. Terraform configures the provider anew for each plan and apply.
type Backend struct {
	Settings settings.Settings
	Garden   *connection.Garden
	Platform *connection.Platform
	Previews *connection.Previews
	Ledger   *ledger.Ledger
	Releases *ledger.Warnings // what the deletes of this run warn of
	Imports  *ledger.Warnings // what the imports of this run warn of
}

// New returns the backend of a provider block. It does not dial.
func New(s settings.Settings) *Backend {
	garden := connection.ToGarden(s)
	return &Backend{
		Settings: s, Garden: garden, Platform: connection.ToPlatform(s, garden), Previews: &connection.Previews{},
		Ledger: &ledger.Ledger{}, Releases: &ledger.Warnings{}, Imports: &ledger.Warnings{},
	}
}
