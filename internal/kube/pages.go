package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

const (
	// PageSize is how many objects one request of a list asks for unless its options say otherwise.
	PageSize = 500
	// maxPages bounds a list: at 500 objects a page that is half a million, and a Garden has some ten thousand Shoots.
	maxPages = 1000
	// MaxRestarts bounds how often a list is begun anew because the server had forgotten where its next page starts.
	MaxRestarts = 3
)

// List reads a list page by page, each page as [Read] does. When the server has forgotten where the next page starts the
// list is begun anew, [MaxRestarts] times at most: half a list never decides anything. page sends the request for one page
// and returns the token of the next; begin is called before each first page and drops what was read before.
//
// Errors: those of [Read]; Expired after the last restart.
func (g *Group) List(ctx context.Context, call Call, options metav1.ListOptions, begin func(),
	page func(context.Context, *rest.Request) (next string, err error),
) error {
	for restart := 0; ; restart++ {
		begin()
		err := g.pass(ctx, call, options, page)
		failed, ok := errors.AsType[*Error](err)
		if !ok || failed.Reason != Expired {
			return err
		}
		if restart == MaxRestarts {
			return &Error{Call: call, Reason: Expired, Tries: 1 + restart, Err: failed.Err}
		}
	}
}

// pass reads a list once.
func (g *Group) pass(ctx context.Context, call Call, options metav1.ListOptions,
	page func(context.Context, *rest.Request) (string, error),
) error {
	options.Limit = cmp.Or(options.Limit, PageSize)
	seen := map[string]bool{}
	for range maxPages {
		var next string
		err := Read(ctx, call, func(ctx context.Context) (err error) {
			next, err = page(ctx, g.Request(call).SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned))
			return err
		})
		if err != nil || next == "" {
			return err
		}
		if seen[next] {
			return fmt.Errorf("listing %s: the server repeats page %q", call.Resource, cut(next, maxName))
		}
		seen[next] = true
		options.Continue = next
	}
	return &Error{Call: call, Reason: Unreachable, Tries: 1, Err: fmt.Errorf("the list has more than %d pages", maxPages)}
}
