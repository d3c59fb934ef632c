package settings

import (
	"cmp"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// DatabaseVariable names the database where the attribute does not.
const DatabaseVariable = "HAP_DATABASE_URL"

// Counting is how clusters are to be counted.
type Counting struct {
	Source         account.Source       // where the numbers come from; empty = both where a database is configured, else Gardener
	OnDisagreement account.Disagreement // what happens where two sources differ; empty = the higher number counts
	Database       *kebdb.Settings      // the database of the provider block; nil = there is none
}

// Settings returns the settings of the database as the block and the environment have them; nil = there is none.
func (c Counting) Settings(getenv func(string) string) *kebdb.Settings {
	wanted := c.Database != nil || c.Source == account.SourceDatabase || c.Source == account.SourceBoth || getenv(DatabaseVariable) != ""
	if !wanted {
		return nil
	}
	var s kebdb.Settings
	if c.Database != nil {
		s = *c.Database
	}
	s.URL, s.Getenv = cmp.Or(s.URL, getenv(DatabaseVariable)), getenv
	return &s
}

// By says which source counts, with these settings of a database.
func (c Counting) By(settings *kebdb.Settings) account.Source {
	if settings == nil {
		return account.SourceGardener
	}
	return cmp.Or(c.Source, account.SourceBoth)
}
