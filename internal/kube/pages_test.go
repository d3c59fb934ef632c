package kube_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// ahead is a list of the pages a, b, c and d that is read ahead. Each page says at once which one is next, and is whole when it is let go.
type ahead struct {
	early map[string]string // what a page says at first, where that is another page than the next
	fails map[string]error  // how a page ends

	whole map[string]chan struct{} // closed when the page is let go
	kept  string

	mu    sync.Mutex
	asked string // the pages in the order of their requests
	begun int    // requests whose end is not there yet
}

const allPages = "abcd"

func anAhead() *ahead {
	a := &ahead{early: map[string]string{}, fails: map[string]error{}, whole: map[string]chan struct{}{}}
	for _, page := range allPages {
		a.whole[string(page)] = make(chan struct{})
	}
	return a
}

// pages are those that were asked for by now.
func (a *ahead) pages() string {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked
}

func (a *ahead) underway(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun += n
}

// list reads the list.
func (a *ahead) list(ctx context.Context, t *testing.T) error {
	t.Helper()
	g, _ := maps(t, always(http.StatusOK, "{}"))
	call := kube.Call{Verb: "list", Resource: "configmaps", Namespace: "n"}
	return g.ListAhead(ctx, call, metav1.ListOptions{}, func() { a.kept = "" },
		func(ctx context.Context, request *rest.Request, ahead func(string)) (kube.Page, error) {
			page := request.URL().Query().Get("continue")
			if page == "" {
				page = "a"
			}
			a.underway(1)
			defer a.underway(-1)
			a.mu.Lock()
			a.asked += page
			a.mu.Unlock()
			_, next, _ := strings.Cut(allPages, page)
			next = next[:min(1, len(next))]
			if early, other := a.early[page]; other {
				ahead(early)
			} else {
				ahead(next)
			}
			select {
			case <-a.whole[page]:
			case <-ctx.Done():
				return kube.Page{}, ctx.Err()
			}
			if err := a.fails[page]; err != nil {
				return kube.Page{}, err
			}
			return kube.Page{Next: next, Keep: func() { a.kept += page }}, nil
		})
}

// begin reads the list while the test goes on. At the end of the list none of its requests is under way.
func (a *ahead) begin(t *testing.T) (end func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		err := a.list(t.Context(), t)
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.begun != 0 {
			t.Errorf("%d requests are under way at the end", a.begun)
		}
		done <- err
	}()
	return func() error { return <-done }
}

// The next page is asked for while one is on its way, and none beyond that. Whatever comes first, the pages are kept in their order.
func TestListAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := anAhead()
		end := a.begin(t)
		if asked := a.pages(); asked != "ab" {
			t.Errorf("asked for %q at first", asked)
		}
		for _, step := range []struct{ whole, asked string }{{"b", "ab"}, {"a", "abcd"}, {"d", "abcd"}, {"c", "abcd"}} {
			close(a.whole[step.whole])
			if asked := a.pages(); asked != step.asked {
				t.Errorf("asked for %q once %s is there, want %q", asked, step.whole, step.asked)
			}
		}
		if err := end(); err != nil || a.kept != allPages {
			t.Errorf("kept %q: %v", a.kept, err)
		}
	})
}

// What a page says when it is whole counts: a page that it has named by mistake is given up. Of a page that fails, and of those after it,
// nothing is kept.
func TestListAhead_wholePageCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		early       map[string]string
		fails       string
		asked, kept string
	}{
		"another page is named at first": {early: map[string]string{"a": "d"}, asked: "adbcd", kept: allPages},
		"a page names itself at first":   {early: map[string]string{"b": "b"}, asked: "abcd", kept: allPages},
		"a page that is read fails":      {fails: "a", asked: "ab"},
		"a page that is next fails":      {fails: "b", asked: "ab", kept: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, broken := anAhead(), errors.New("broken")
				a.early = test.early
				a.fails[test.fails] = broken
				end := a.begin(t)
				a.pages()
				if test.fails != "" { // it comes first
					close(a.whole[test.fails])
					a.pages()
				}
				for page, whole := range a.whole {
					if page != test.fails {
						close(whole)
					}
				}
				err := end()
				if a.asked != test.asked || a.kept != test.kept || errors.Is(err, broken) != (test.fails != "") {
					t.Errorf("asked for %q, kept %q: %v", a.asked, a.kept, err)
				}
			})
		})
	}
}
