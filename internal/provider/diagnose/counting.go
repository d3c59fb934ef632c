package diagnose

import (
	"errors"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// explainCounting says what an error of the count means to the user. No path: it would be read relative to the resource
// that ran into it, and the settings stand in the provider block.
func explainCounting(err error) (explanation, bool) {
	const failClosed = "Nothing was claimed or released: without a count nobody knows where there is room, or whether an account is in use. "
	var (
		differ       *pool.DisagreementError
		nowhere      *kebdb.NotConfiguredError
		setting      *kebdb.SettingError
		unreachable  *kebdb.UnreachableError
		unauthorized *kebdb.UnauthorizedError
		forbidden    *kebdb.ForbiddenError
		missing      *kebdb.MissingError
		refused      *kebdb.RefusedError
	)
	switch {
	case errors.As(err, &differ):
		return explanation{SummaryDisagreement, nil, "Nothing was claimed. Find out which of the two is right: suspended clusters have a row and no Shoot, clusters made beside the broker a Shoot and no row. " +
			`To go by the higher number, set cluster_count.on_disagreement = "highest".`}, true
	case errors.As(err, &nowhere):
		return explanation{SummaryNoDatabase, nil, `Set database.url in the provider block, or count by Gardener alone: cluster_count = { source = "gardener" }, and no database in the provider block.`}, true
	case errors.As(err, &setting):
		return explanation{SummaryBadDatabase, nil, "Correct database.url in the provider block, " +
			"or the variables " + backend.DatabaseVariable + " and PG* that it takes the rest from."}, true
	case errors.As(err, &unreachable):
		return explanation{SummaryDatabaseDown, nil, failClosed + "Check host and port in database.url (or " + backend.DatabaseVariable + ", PGHOST and PGPORT), the network and the server, and run the same command again. " +
			`cluster_count = { source = "gardener" } counts without the database; a release asks it all the same.`}, true
	case errors.As(err, &unauthorized):
		return explanation{SummaryDatabaseLogin, nil, failClosed + "Check the name of the database, the user and the password: in database.url or " + backend.DatabaseVariable + ", and what is left out there in PGDATABASE, PGUSER and PGPASSWORD. The role must be allowed to log in to this database."}, true
	case errors.As(err, &forbidden):
		return explanation{SummaryDatabaseDenied, nil, failClosed + "Have the owner of the table run the grants for this role."}, true
	case errors.As(err, &missing):
		return explanation{SummaryNotTheBrokers, nil, failClosed + "Check that database.url names the broker's database, and that the broker is recent enough to note the account of each cluster."}, true
	case errors.As(err, &refused):
		return explanation{SummaryDatabaseError, nil, failClosed + "The same query would be refused again: see the answer above."}, true
	}
	return explanation{}, false
}
