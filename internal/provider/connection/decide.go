package connection

import (
	"context"
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Decide selects an account without writing. Errors: as [Garden.Pool] and [pool.Pool.Preview], and [EmptyPoolError].
func (g *Garden) Decide(ctx context.Context, target account.Target, globalAccount string) (account.Decision, error) {
	p, err := g.Selecting()
	if err != nil {
		return account.Decision{}, err
	}
	d, err := p.Preview(ctx, target, globalAccount)
	journal.LogDecision(ctx, target, globalAccount, d, err)
	return d, g.LookAround(ctx, err)
}

// EmptyPoolError is an [account.ExhaustedError] of a pool that has no account at all. Mostly it is not the pool that is wrong
// but the way to it: the namespace, the rule, or the labels of the accounts.
type EmptyPoolError struct {
	*account.ExhaustedError
	// Namespace is where accounts were searched, Selector the labels that the pool's would have.
	Namespace, Selector string
	// Others are the pools of the namespace that have accounts, each with their number.
	Others []string
}

// Unwrap returns the error without what was found around it.
func (e *EmptyPoolError) Unwrap() error { return e.ExhaustedError }

// LookAround adds to the error of an empty pool what else there is in the namespace; other errors stay as they are.
func (g *Garden) LookAround(ctx context.Context, err error) error {
	var exhausted *account.ExhaustedError
	if !errors.As(err, &exhausted) || exhausted.Tally.Total() > 0 {
		return err
	}
	p, opened := g.Pool()
	selectors, spelt := g.settings.Keys.Selectors(exhausted.Query.Target, "")
	if errors.Join(opened, spelt) != nil {
		return err
	}
	around, failed := overview.Of(ctx, p, overview.Reads{}, overview.Facts{}, overview.Filter{})
	if failed != nil {
		return err
	}
	others := make([]string, len(around.Pools))
	for i, other := range around.Pools {
		others[i] = fmt.Sprintf("%s (%d)", other.Target, other.Tally.Total())
	}
	return &EmptyPoolError{exhausted, around.Namespace, selectors.Pool, others}
}
