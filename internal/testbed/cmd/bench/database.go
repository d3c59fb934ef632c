package main

import (
	"context"
	"errors"

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
		b.add(thousands(rows)+" rows of the broker's table: one query", found[0])
	}
	return nil
}

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
