package main

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	pages "github.com/hap-project/terraform-provider-hap/internal/report"
	"github.com/hap-project/terraform-provider-hap/internal/takeover"
)

// measureStatus measures what hap_pool_status costs: what is asked of the Garden, and beside it all that is made of the answers.
func (b *bench) measureStatus(ctx context.Context) error {
	for n := range b.accounts {
		l, err := b.landscape(ctx, n)
		if err != nil {
			return err
		}
		tell("the status of %s accounts", thousands(l.accounts))
		floor := task{Way: "inventory", Kubeconfig: l.kubeconfig, Namespace: l.Name, Want: l.accounts}
		whole := floor
		whole.Way = "status"
		found, err := b.best(ctx, always(floor), always(whole))
		if err != nil {
			return err
		}
		under := l.String() + ": listed and counted, and nothing made of it (the floor)"
		b.add("status", "", under, found[0])
		b.add("status", under, l.String()+": the status, with report, metrics and configuration", found[1])
	}
	return nil
}

// inventory reads what a status is made of.
func inventory(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	p, g, err := t.pool(sent)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		of, err := p.Inventory(ctx)
		if err != nil {
			return 0, err
		}
		_, err = g.Objects(ctx)
		return len(of.Accounts), err
	}, nil
}

// wholeStatus makes all that the data source has.
func wholeStatus(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	p, g, err := t.pool(sent)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		o, err := overview.Of(ctx, p, overview.Reads{Objects: g.Objects, Siblings: g.SiblingObjects}, overview.Facts{}, overview.Filter{})
		if err != nil {
			return 0, err
		}
		if page := pages.Markdown(o, account.SourceGardener); len(page) > pages.MaxBytes {
			return 0, fmt.Errorf("the report has %d bytes", len(page))
		}
		if config, _ := takeover.Config(o, takeover.Terms{}); config == "" || pages.Prometheus(o) == "" {
			return 0, fmt.Errorf("the status is empty")
		}
		return len(o.Accounts), nil
	}, nil
}
