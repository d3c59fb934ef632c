package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// selections is how many follow each other on one view.
const selections = 1000

// measureSelection measures how an account is selected among many: the first time, when all accounts are listed and all Shoots
// are counted, and from then on.
func (b *bench) measureSelection(ctx context.Context) error {
	for n := range b.accounts {
		l, err := b.landscape(ctx, n)
		if err != nil {
			return err
		}
		tell("selecting among %s accounts", thousands(l.accounts))
		t := task{Kubeconfig: l.kubeconfig, Namespace: l.Name}
		first, more := t, t
		first.Way, first.Want = "view", 1
		more.Way, more.Want = "previews", selections
		found, err := b.best(ctx, l.everyList(ctx), always(first), always(more))
		if err != nil {
			return err
		}
		floor := l.String() + ": the bytes read and dropped (the floor)"
		b.add("selection", "", floor, found[0])
		b.add("selection", floor, fmt.Sprintf("%s: first selection (the view keeps %s)", l, megabytes(found[1].Kept)), found[1])
		each := found[2].Wall / selections
		b.add("selection", "", fmt.Sprintf("%s: %s more selections (%s each)", l, thousands(selections), each.Round(time.Microsecond)), found[2])
	}
	return nil
}

// everyList asks for all that a claim decides by, Shoots and accounts, as the provider does, and throws it away.
func (l *landscape) everyList(ctx context.Context) func() (task, error) {
	return func() (task, error) {
		shoots, err := l.shootPages(ctx)
		if err != nil {
			return task{}, err
		}
		accounts, err := l.accountPages(ctx)
		pages := slices.Concat(shoots, accounts)
		return task{Way: "floor", Kubeconfig: l.kubeconfig, Namespace: l.Name, Pages: pages, Want: len(pages)}, err
	}
}

// preview selects for a Global Account that has nothing yet.
func preview(ctx context.Context, p *pool.Pool, number int) error {
	d, err := p.Preview(ctx, account.Target{HyperscalerType: hyperscalerType}, fmt.Sprintf("new-tenant-%d", number))
	if err == nil && d.Account.Name == "" {
		err = fmt.Errorf("no account was selected")
	}
	return err
}

// pool opens the pool of the task, and the Garden that it lies in.
func (t task) pool(sent *traffic) (*pool.Pool, *garden.Garden, error) {
	g, err := t.garden(sent)
	if err != nil {
		return nil, nil, err
	}
	policy := account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: 180}}
	return pool.New(t.Namespace, g, g, policy), g, nil
}

func firstPreview(_ context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	p, _, err := t.pool(sent)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) { return 1, preview(ctx, p, 0) }, nil
}

func manyPreviews(ctx context.Context, t task, sent *traffic) (func(context.Context) (int, error), error) {
	p, _, err := t.pool(sent)
	if err != nil {
		return nil, err
	}
	if err := preview(ctx, p, 0); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (int, error) {
		for i := range selections {
			if err := preview(ctx, p, i); err != nil {
				return 0, err
			}
		}
		return selections, nil
	}, nil
}
