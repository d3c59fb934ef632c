package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// emptyPoolError is an [pool.ExhaustedError] of a pool that has no account at all. Mostly it is not the pool that is wrong
// but the way to it: the namespace, the rule, or the labels of the accounts.
type EmptyPoolError struct {
	*pool.ExhaustedError
	// Namespace is where it was looked for, Selector the labels that its accounts would have.
	Namespace, Selector string
	// Others are the pools of the namespace that have accounts, each with their number.
	Others []string
}

// Unwrap returns the error without what was found around it.
func (e *EmptyPoolError) Unwrap() error { return e.ExhaustedError }

// lookAround adds to the error of an empty pool what else there is in the namespace; other errors stay as they are.
func (b *Backend) LookAround(ctx context.Context, err error) error {
	var exhausted *pool.ExhaustedError
	if !errors.As(err, &exhausted) || exhausted.Tally.Total() > 0 {
		return err
	}
	p, opened := b.Pool()
	selectors, spelt := b.Keys.Selectors(exhausted.Query.Target, "")
	if errors.Join(opened, spelt) != nil {
		return err
	}
	around, looked := p.Overview(ctx, pool.Filter{})
	if looked != nil {
		return err
	}
	others := make([]string, 0, len(around.Pools))
	for i := range around.Pools {
		others = append(others, fmt.Sprintf("%s (%d)", around.Pools[i].Target, around.Pools[i].Tally.Total()))
	}
	return &EmptyPoolError{exhausted, p.Namespace(), selectors.Pool, others}
}
