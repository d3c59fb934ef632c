package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// emptyPoolError is an [pool.ExhaustedError] of a pool that has no account at all. Mostly it is not the pool that is wrong
// but the way to it: the namespace, the rule, or the labels of the accounts.
type EmptyPoolError struct {
	*pool.ExhaustedError
	namespace, selector string
	// others are the pools of the namespace that have accounts, each with their number.
	others []string
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

// mostPools is how many other pools are listed.
const mostPools = 12

// next says what is there instead, and what to check.
func (e *EmptyPoolError) Next() string {
	text := fmt.Sprintf("There is no account at all for pool %s: in namespace %s none matches %s. ", e.Query.Target, e.namespace, e.selector)
	if len(e.others) == 0 {
		return text + "No other pool has an account there either: set the provider's namespace to that of the Gardener project, or label the first accounts."
	}
	names := slices.Clone(e.others[:min(mostPools, len(e.others))])
	if more := len(e.others) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return text + fmt.Sprintf("There are accounts of other pools: %s. Check the request and its rule, or add an account with these labels.", strings.Join(names, "; "))
}
