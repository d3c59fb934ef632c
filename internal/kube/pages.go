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
	return g.ListAhead(ctx, call, options, begin, func(ctx context.Context, request *rest.Request, _ func(string)) (Page, error) {
		next, err := page(ctx, request)
		return Page{Next: next}, err
	})
}

// Page is one page of a list, whole.
type Page struct {
	Next string // the token of the next page; empty = this was the last
	Keep func() // keeps what the page has; nil = there is nothing to do
}

// ListAhead is [Group.List] for large pages: the next page is asked for while one is still being read. page calls ahead with the token of
// the next page as soon as that is known. Two pages are read at a time, not more: the server holds each of them in memory. So two calls of
// page may run at once; Keep is called for one page after the other, in their order, and for none after a page that has failed.
//
// Errors: those of [Group.List].
func (g *Group) ListAhead(ctx context.Context, call Call, options metav1.ListOptions, begin func(),
	page func(ctx context.Context, request *rest.Request, ahead func(next string)) (Page, error),
) error {
	options.Limit = cmp.Or(options.Limit, PageSize)
	read := func(ctx context.Context, token string, ahead func(string)) (found Page, err error) {
		options := options
		options.Continue = token
		err = Read(ctx, call, func(ctx context.Context) (err error) {
			request := g.Request(call).SpecificallyVersionedParams(&options, metav1.ParameterCodec, metav1.Unversioned)
			found, err = page(ctx, request, ahead)
			return err
		})
		return found, err
	}
	for restart := 0; ; restart++ {
		begin()
		err := pass(ctx, call, read)
		failed, ok := errors.AsType[*Error](err)
		if !ok || failed.Reason != Expired {
			return err
		}
		if restart == MaxRestarts {
			return &Error{Call: call, Reason: Expired, Tries: 1 + restart, Err: failed.Err}
		}
	}
}

// underway is a page on its way. What was found may be read when done is closed.
type underway struct {
	token  string
	giveUp context.CancelFunc
	next   chan string // gets the token of the next page as soon as it is known, once
	done   chan struct{}
	page   Page
	err    error
}

// drop gives a page up, and returns when nothing of it is left.
func (p *underway) drop() {
	p.giveUp()
	<-p.done
}

// readPage reads one page of a list, and calls ahead with the token of the next, perhaps more than once.
type readPage func(ctx context.Context, token string, ahead func(next string)) (Page, error)

// begin sends the request for a page.
func (read readPage) begin(ctx context.Context, token string) *underway {
	p := &underway{token: token, next: make(chan string, 1), done: make(chan struct{})}
	ctx, p.giveUp = context.WithCancel(ctx)
	told := false
	ahead := func(next string) {
		if !told && next != "" { // a page that is read once more says it again
			told = true
			p.next <- next
		}
	}
	go func() {
		defer close(p.done)
		p.page, p.err = read(ctx, token, ahead)
	}()
	return p
}

// pass reads a list once. At its end none of its pages is under way.
func pass(ctx context.Context, call Call, read readPage) error {
	first := read.begin(ctx, "")
	var second *underway // nil = it has not been asked for
	defer func() {
		first.drop()
		if second != nil {
			second.drop()
		}
	}()
	seen := map[string]bool{}
	for range maxPages {
		if second = read.beginNext(ctx, first, seen); first.err != nil {
			return first.err
		}
		if first.page.Keep != nil {
			first.page.Keep()
		}
		next := first.page.Next
		switch {
		case next == "":
			return nil
		case seen[next]:
			return fmt.Errorf("listing %s: the server repeats page %q", call.Resource, cut(next, maxName))
		case second != nil && second.token != next: // the page was read once more, with another token
			second.drop()
			second = nil
		}
		seen[next] = true
		if second == nil {
			second = read.begin(ctx, next)
		}
		first.giveUp()
		first, second = second, nil
	}
	return &Error{Call: call, Reason: Unreachable, Tries: 1, Err: fmt.Errorf("the list has more than %d pages", maxPages)}
}

// beginNext waits for the end of a page, and returns the next page where its token was known before that; nil = it was not.
func (read readPage) beginNext(ctx context.Context, page *underway, seen map[string]bool) (next *underway) {
	select {
	case <-page.done:
		return nil
	default:
	}
	select {
	case token := <-page.next:
		if !seen[token] {
			next = read.begin(ctx, token)
		}
		<-page.done
	case <-page.done:
	}
	return next
}
