package testbed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// What each fault does to a write: whether the Garden did it, what the client was sent, and what the log says.
func TestFaultsOnWrites(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault   fault.Fault
		commits bool
		sent    int // 0 = the connection was cut or the client gave up
	}{
		"Delay(50ms)":       {fault.Delay(50 * time.Millisecond), true, 200},
		"CutBefore":         {fault.CutBefore(), false, 0},
		"CutAfter":          {fault.CutAfter(), true, 0},
		"CutWithin":         {fault.CutWithin(), true, 200},
		"HangBefore":        {fault.HangBefore(), false, 0},
		"HangAfter":         {fault.HangAfter(), true, 0},
		"Answer(503)":       {fault.Answer(503, "busy", "Retry-After", "7"), false, 503},
		"LoseAfter(502)":    {fault.LoseAfter(502), true, 502},
		"TooManyRequests":   {fault.TooManyRequests(3 * time.Second), false, 429},
		"Unavailable":       {fault.Unavailable(3 * time.Second), false, 503},
		"InternalError":     {fault.InternalError(), false, 500},
		"Conflict":          {fault.Conflict(), false, 409},
		"Unauthorized":      {fault.Unauthorized(), false, 401},
		"Forbidden":         {fault.Forbidden(), false, 403},
		"CommitLate(300ms)": {fault.CommitLate(300 * time.Millisecond), true, 0},
	} {
		for protocol, options := range protocols {
			t.Run(name+" "+protocol, func(t *testing.T) {
				t.Parallel()
				p := newProxied(t, options, "a")
				p.Spoil(fault.Rule{Verb: "patch", Fault: test.fault})
				c := p.client(t, "claimer", runtime.ContentTypeProtobuf)
				before := p.ns.GetAccount(t, "a")
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
				defer cancel()
				_, err := p.claim(ctx, c, before, "ga-1")
				whole := test.sent == 200 && name != "CutWithin"
				if (err == nil) != whole {
					t.Errorf("the client got %v", err)
				}
				p.awaitCommit(t, test.commits)
				got, after := p.last(t), p.ns.GetAccount(t, "a")
				expect.Equal(t, []any{got.Fault, got.Sent, got.Committed()}, []any{name, test.sent, test.commits})
				if test.commits {
					expect.Equal(t, []any{got.Code, got.Result, after.Labels["tenantName"]}, []any{200, after.ResourceVersion, "ga-1"})
				} else {
					expect.Equal(t, []any{got.Code, got.Result, after.ResourceVersion}, []any{0, "", before.ResourceVersion})
				}
				expect.Equal(t, p.Count("patch", accountsResource), 1)
			})
		}
	}
}

// awaitCommit waits for a write that outlives its client.
func (p proxied) awaitCommit(t *testing.T, commits bool) {
	t.Helper()
	if !commits {
		return
	}
	err := local.Poll(t.Context(), time.Minute, func(context.Context) error {
		if log := p.Log(); !log[len(log)-1].Committed() {
			return fmt.Errorf("not committed: %+v", log)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What the API would refuse, in its own words.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newProxied(t, fault.ProxyOptions{}, "a")
	c := p.client(t, "claimer", runtime.ContentTypeProtobuf)
	before := p.ns.GetAccount(t, "a")
	for _, test := range []struct {
		fault  fault.Fault
		code   int32
		reason metav1.StatusReason
		wait   int
	}{
		{fault.TooManyRequests(1500 * time.Millisecond), 429, metav1.StatusReasonTooManyRequests, 2},
		{fault.TooManyRequests(0), 429, metav1.StatusReasonTooManyRequests, 0},
		{fault.Unavailable(4 * time.Second), 503, metav1.StatusReasonServiceUnavailable, 4},
		{fault.InternalError(), 500, metav1.StatusReasonInternalError, 0},
		{fault.Conflict(), 409, metav1.StatusReasonConflict, 0},
		{fault.Unauthorized(), 401, metav1.StatusReasonUnauthorized, 0},
		{fault.Forbidden(), 403, metav1.StatusReasonForbidden, 0},
	} {
		lift := p.Spoil(fault.Rule{Fault: test.fault})
		_, err := p.claim(t.Context(), c, before, "ga-1")
		expect.Status(t, err, test.code, test.reason)
		if wait, _ := apierrors.SuggestsClientDelay(err); wait != test.wait {
			t.Errorf("%s asks to wait %d seconds, want %d", test.fault, wait, test.wait)
		}
		lift()
	}
	// As the real one, word for word.
	p.Spoil(fault.Rule{Nth: 2, Fault: fault.Conflict()})
	p.ns.PatchAnnotations(t, "a", map[string]*string{"note": nil, "other": new("edit")})
	var theirs, ours []byte
	for _, refused := range []*[]byte{&theirs, &ours} {
		_, err := p.claim(t.Context(), c, before, "ga-1")
		var status apierrors.APIStatus
		if !errors.As(err, &status) {
			t.Fatal(err)
		}
		*refused, _ = json.Marshal(status.Status())
	}
	expect.Equal(t, string(ours), string(theirs))
}

func TestFaultsOnLists(t *testing.T) {
	t.Parallel()
	for protocol, options := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, options, "a", "b", "c")
			c := p.client(t, "lister", runtime.ContentTypeProtobuf)
			for _, injected := range []fault.Fault{fault.CutBefore(), fault.CutAfter(), fault.CutWithin(), fault.LoseAfter(502)} {
				lift := p.Spoil(fault.Rule{Verb: "list", Resource: accountsResource, Fault: injected})
				if list, err := p.list(t.Context(), c, 0, ""); err == nil {
					t.Errorf("%s: %d accounts", injected, len(list.Items))
				}
				lift()
			}
			p.Spoil(fault.Rule{Fault: fault.ExpireToken()})
			first, err := p.list(t.Context(), c, 2, "")
			if err != nil || len(first.Items) != 2 {
				t.Fatalf("the first page: %d accounts, %v", len(first.Items), err)
			}
			_, err = p.list(t.Context(), c, 2, first.Continue)
			expect.Status(t, err, http.StatusGone, metav1.StatusReasonExpired)
			var expired *apierrors.StatusError
			if !errors.As(err, &expired) || expired.ErrStatus.Continue != first.Continue {
				t.Errorf("no way to go on is offered: %v", err)
			}
			if got := p.last(t); got.Fault != "ExpireToken" || got.Verb != "page" || got.Code != 0 || got.Sent != 410 {
				t.Errorf("%+v", got)
			}
			p.Lift()
			if rest, err := p.list(t.Context(), c, 2, first.Continue); err != nil || len(rest.Items) != 1 {
				t.Errorf("the token itself is good: %d accounts, %v", len(rest.Items), err)
			}
		})
	}
}

// A stale list is whole, of one moment in the past, and paged like any other; writes with its versions are refused.
func TestStaleLists(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON} {
		t.Run(contentType, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, fault.ProxyOptions{}, "a", "b", "c")
			c := p.client(t, "lister", contentType)
			past := p.ns.Version(t)
			for _, name := range []string{"a", "c"} {
				if _, err := p.claim(t.Context(), c, p.ns.GetAccount(t, name), "ga-"+name); err != nil {
					t.Fatal(err)
				}
			}
			p.ns.DeleteAccount(t, "b")
			p.ns.Account(t, testbed.AccountSpec{Name: "d"})
			for _, test := range []struct {
				fault fault.Fault
				want  []string
			}{
				{fault.Fault{}, []string{"a ga-a", "c ga-c", "d "}},
				{fault.Stale(past), []string{"a ", "b ", "c "}},
				{fault.StaleBy(1), []string{"a ga-a", "b ", "c "}},
				{fault.StaleBy(2), []string{"a ", "b ", "c "}},
				{fault.StaleBy(3), []string{"a ga-a", "c ga-c", "d "}}, // there were not that many
			} {
				lift := p.Spoil(fault.Rule{Verb: "list", Fault: test.fault})
				for _, limit := range []int64{0, 1} {
					got, oldest := p.tenants(t, c, limit)
					expect.Equal(t, got, test.want)
					if len(test.want) == 3 && test.want[0] == "a " {
						_, err := p.claim(t.Context(), c, oldest, "ga-late")
						expect.Status(t, err, http.StatusConflict, metav1.StatusReasonConflict)
					}
				}
				lift()
			}
		})
	}
}

// tenants lists the accounts page by page; first is the first account of all.
func (p proxied) tenants(t *testing.T, c *rest.RESTClient, limit int64) (all []string, first *securityv1alpha1.CredentialsBinding) {
	t.Helper()
	for next, page := "", 0; page == 0 || next != ""; page++ {
		list, err := p.list(t.Context(), c, limit, next)
		if err != nil || page > 10 {
			t.Fatalf("page %d: %v", page, err)
		}
		for _, account := range list.Items {
			all = append(all, account.Name+" "+account.Labels["tenantName"])
			if first == nil {
				first = &account
			}
		}
		next = list.Continue
	}
	return all, first
}

// A block holds a request in a moment that the test knows, and lets it go.
func TestBlockReleased(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		block   *fault.Block
		commits bool
	}{"BlockBefore": {fault.BlockBefore(), false}, "BlockAfter": {fault.BlockAfter(), true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, fault.ProxyOptions{}, "a")
			p.Spoil(fault.Rule{Verb: "patch", Fault: test.block.Fault})
			c := p.client(t, "claimer", runtime.ContentTypeProtobuf)
			before := p.ns.GetAccount(t, "a")
			result := make(chan error, 1)
			go func() {
				_, err := p.claim(t.Context(), c, before, "ga-1")
				result <- err
			}()
			held := test.block.Wait(t)
			expect.Equal(t, []any{held.Name, held.Fault, held.Sent, held.Committed()}, []any{"a", name, 0, test.commits})
			expect.Equal(t, p.ns.GetAccount(t, "a").Labels["tenantName"] == "ga-1", test.commits)
			select {
			case err := <-result:
				t.Fatalf("answered while it is held: %v", err)
			default:
			}
			test.block.Release()
			test.block.Release()
			if err := <-result; err != nil {
				t.Error(err)
			}
			expect.Equal(t, p.ns.GetAccount(t, "a").Labels["tenantName"], "ga-1")
		})
	}
}

// A client that goes while its request is held before the commit has not written anything, even if it is released later.
func TestBlockedClientGoes(t *testing.T) {
	t.Parallel()
	for protocol, options := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, options, "a")
			block := fault.BlockBefore()
			p.Spoil(fault.Rule{Verb: "patch", Fault: block.Fault})
			before := p.ns.GetAccount(t, "a")
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			go func() {
				<-block.Held()
				leave()
			}()
			if _, err := p.claim(ctx, p.client(t, "claimer", runtime.ContentTypeProtobuf), before, "ga-1"); err == nil {
				t.Error("the client got an answer")
			}
			got := p.last(t) // the proxy has noticed
			block.Release()
			expect.Equal(t, []any{got.Code, got.Sent, p.ns.GetAccount(t, "a").ResourceVersion}, []any{0, 0, before.ResourceVersion})
		})
	}
}

func TestDoRunsBeforeAndAfterTheCommit(t *testing.T) {
	t.Parallel()
	p := newProxied(t, fault.ProxyOptions{}, "a")
	var seen []string
	look := func() { seen = append(seen, p.ns.GetAccount(t, "a").Labels["tenantName"]) }
	p.Spoil(fault.Rule{Verb: "patch", Fault: fault.Do(look, look)})
	p.Spoil(fault.Rule{Verb: "get", Fault: fault.Do(nil, nil)})
	c := p.client(t, "claimer", runtime.ContentTypeProtobuf)
	if _, err := p.claim(t.Context(), c, p.ns.GetAccount(t, "a"), "ga-1"); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, seen, []string{"", "ga-1"})
	expect.Equal(t, p.reads(t, c, 1), []int{200})
}

// Whatever the proxy holds ends when it closes.
func TestProxyClosesOverHeldRequests(t *testing.T) {
	t.Parallel()
	for protocol, options := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			faults := []fault.Fault{
				fault.HangBefore(),
				fault.HangAfter(),
				fault.Delay(time.Hour),
				fault.BlockBefore().Fault,
				fault.BlockAfter().Fault,
				fault.CommitLate(time.Hour),
			}
			p := newProxied(t, options, "a")
			for i, injected := range faults {
				p.Spoil(fault.Rule{Verb: "get", Nth: i + 1, Fault: injected})
			}
			c := p.client(t, "reader", runtime.ContentTypeJSON)
			ended := make(chan error, len(faults))
			for range faults {
				go func() {
					ended <- c.Get().Namespace(p.ns.Name).Resource(accountsResource).Name("a").MaxRetries(0).Do(context.WithoutCancel(t.Context())).Error()
				}()
			}
			err := local.Poll(t.Context(), time.Minute, func(context.Context) error {
				if n := p.Count("get", accountsResource); n != len(faults) {
					return fmt.Errorf("%d requests came", n)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			closes(t, p.Proxy)
			p.Close()
			for range faults {
				if err := <-ended; err == nil {
					t.Error("a held request was answered")
				}
			}
			if i := slices.IndexFunc(p.Log(), func(x fault.Exchange) bool { return x.Ended.IsZero() }); i >= 0 {
				t.Errorf("still under way: %+v", p.Log()[i])
			}
		})
	}
}
