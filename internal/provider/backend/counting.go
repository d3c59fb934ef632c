package backend

import (
	"cmp"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// databaseVariable names the database where the attribute does not.
const DatabaseVariable = "HAP_DATABASE_URL"

// counting is how clusters are to be counted.
type Counting struct {
	Source         pool.Source // empty = by what is configured
	OnDisagreement pool.Disagreement
	Database       *kebdb.Settings // nil = none is configured in the provider block
}

// settings returns the settings of the database as the block and the environment have them; nil = there is none.
func (c Counting) Settings(getenv func(string) string) *kebdb.Settings {
	wanted := c.Database != nil || c.Source == pool.SourceDatabase || c.Source == pool.SourceBoth || getenv(DatabaseVariable) != ""
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

// by says which source counts, with these settings of a database.
func (c Counting) By(settings *kebdb.Settings) pool.Source {
	if settings == nil {
		return pool.SourceGardener
	}
	return cmp.Or(c.Source, pool.SourceBoth)
}

// open returns who counts, and by which source. It does not dial.
func (c Counting) Open(shoots pool.Counter, getenv func(string) string) (pool.Counter, pool.Source, error) {
	settings := c.Settings(getenv)
	if settings == nil {
		return shoots, c.By(settings), nil
	}
	database, err := kebdb.New(*settings)
	if err != nil {
		return nil, "", err
	}
	source := c.By(settings)
	return &pool.Counting{Shoots: shoots, Instances: journal.LogQueries(database, settings.URL, getenv("PGPASSWORD")), Source: source, OnDisagreement: c.OnDisagreement}, source, nil
}

// countedBy says who counts, as far as it is known.
func (b *Backend) CountedBy() pool.Source {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}
