package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// startDatabase starts PostgreSQL with one empty database of the broker's shape. Without PostgreSQL on this machine it
// says so and returns nil: all but counting in the database works without it.
func startDatabase(ctx context.Context, start func(context.Context, postgres.Options) (*postgres.Server, error)) (*database, error) {
	server, err := start(ctx, postgres.Options{})
	if errors.Is(err, postgres.ErrNotInstalled) {
		fmt.Fprintln(os.Stderr, "garden: no database:", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	made, err := server.MakeDatabase(ctx)
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return &database{server: server, reader: made.ReaderURL(), broker: made.URL()}, nil
}

// database is what the provider is to count in.
type database struct {
	server *postgres.Server
	reader string // its URL as the role that may only read it, for the provider
	broker string // its URL as its owner, in the place of the broker
}

func (d *database) stop() error {
	if d == nil {
		return nil
	}
	return d.server.Stop()
}
