package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// measureDatabase measures the count of all live rows of the broker's table.
func (b *bench) measureDatabase(ctx context.Context) (err error) {
	tell("starting a local PostgreSQL")
	server, err := postgres.Start(ctx, postgres.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	for _, rows := range b.rows {
		db, err := server.MakeDatabase(ctx)
		if err != nil {
			return err
		}
		tell("making %s rows", thousands(rows))
		if err := db.Fill(ctx, postgres.FillOptions{Rows: rows, Accounts: 10_000, GlobalAccounts: 2000}); err != nil {
			return err
		}
		live := rows - (rows+7)/10 // every tenth is deleted, from the third on
		tell("counting %s rows", thousands(rows))
		found, err := b.best(ctx, always(task{Way: "database", Database: db.ReaderURL(), Want: live}))
		if err != nil {
			return err
		}
		found[0].Requests = 1
		floor, err := b.countStar(ctx, db)
		if err != nil {
			return err
		}
		table := thousands(rows) + " rows of the broker's table"
		under := table + ": `count(*)` in `psql` (the floor)"
		b.add("database", "", under, measurement{Wall: floor, Requests: 1})
		b.add("database", under, table+": our count", found[0])
	}
	return nil
}

// countStar is the fastest of several counts of all live rows, with neither account nor owner, as psql measures the time.
func (b *bench) countStar(ctx context.Context, db *postgres.Database) (time.Duration, error) {
	fastest := time.Duration(math.MaxInt64)
	for range b.rounds {
		said, err := db.Ask(ctx, db.URL(), "\\timing on\nselect count(*) from instances where deleted_at = timestamptz '0001-01-01 00:00:00+00'")
		if err != nil {
			return 0, err
		}
		milliseconds := timing.FindStringSubmatch(said)
		if milliseconds == nil {
			return 0, fmt.Errorf("psql tells no time: %s", said)
		}
		took, err := time.ParseDuration(milliseconds[1] + "ms")
		if err != nil {
			return 0, err
		}
		fastest = min(fastest, took)
	}
	return fastest, nil
}

// timing is how psql says how long a statement took.
var timing = regexp.MustCompile(`Time: ([0-9.]+) ms`)

// countInstances is what the provider does.
func countInstances(_ context.Context, t task, _ *traffic) (func(context.Context) (int, error), error) {
	db, err := kebdb.New(kebdb.Settings{URL: t.Database})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		counts, err := db.Count(ctx)
		return counts.Total(), err
	}, nil
}
