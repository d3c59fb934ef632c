package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// answer is what comes of a POST.
type answer string

const (
	served    answer = "served"
	lost      answer = "lost"
	forbidden        = answer(metav1.StatusReasonForbidden)
	exists           = answer(metav1.StatusReasonAlreadyExists)
)

// poster answers each POST in turn, the last ones alike, and hands all else on.
type poster struct {
	http.RoundTripper

	answers []answer
	posts   int
	reads   int // that are answered; 0 = all are
	read    int
}

func (p *poster) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost {
		if p.read++; p.reads > 0 && p.read > p.reads {
			return nil, io.ErrUnexpectedEOF
		}
		return p.RoundTripper.RoundTrip(r)
	}
	p.posts++
	code := http.StatusForbidden
	a := p.answers[min(p.posts, len(p.answers))-1]
	switch a {
	case served:
		return p.RoundTripper.RoundTrip(r)
	case lost:
		return nil, io.ErrUnexpectedEOF
	case exists:
		code = http.StatusConflict
	case forbidden:
	}
	text := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q}`, string(a))
	return &http.Response{
		StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(strings.NewReader(text)),
	}, nil
}

// A creation whose answer was lost may yet come. Where the server refuses what is sent again, the error says both.
func TestMake_lostAndThenRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers []answer
		want    []kube.Reason // of the errors, the first one counts
		posts   int
		reads   int
	}{
		"forbidden":                          {[]answer{forbidden}, []kube.Reason{kube.Forbidden}, 1, 0},
		"lost, then made":                    {[]answer{lost, served}, nil, 2, 0},
		"lost, then forbidden":               {[]answer{lost, forbidden}, []kube.Reason{kube.UnknownOutcome, kube.Forbidden}, 2, 0},
		"lost again and again":               {[]answer{lost}, []kube.Reason{kube.UnknownOutcome}, 4, 0},
		"lost, then there, and never seen":   {[]answer{lost, exists}, []kube.Reason{kube.UnknownOutcome, kube.Exists}, 4, 0},
		"lost, then there, and not read":     {[]answer{lost, exists}, []kube.Reason{kube.UnknownOutcome, kube.Exists}, 2, 1},
		"there, then lost, and then refused": {[]answer{exists, lost, forbidden}, []kube.Reason{kube.UnknownOutcome, kube.Forbidden}, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := &poster{RoundTripper: apiserver.New(apiserver.OpenMCP()...), answers: test.answers, reads: test.reads}
				objects, err := api.New(&rest.Config{Host: "https://memory.invalid", Transport: server, QPS: -1}, "land")
				if err != nil {
					t.Fatal(err)
				}
				requests, err := objects.Requests.In("land")
				if err != nil {
					t.Fatal(err)
				}
				of := api.Ref{Namespace: "land", Name: "one"}
				_, _, err = api.Make(t.Context(), requests, of, "mark", func(ctx context.Context) (*api.ClusterRequest, error) {
					return requests.Create(ctx, metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name}, api.RequestSpec{Purpose: "work"})
				})
				if got := reasons(err); !slices.Equal(got, test.want) || server.posts != test.posts {
					t.Errorf("%v after %d POSTs: %v", got, server.posts, err)
				}
			})
		})
	}
}

// reasons are those of all errors of the server within an error.
func reasons(err error) (all []kube.Reason) {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range joined.Unwrap() {
			all = append(all, reasons(one)...)
		}
		return all
	}
	if failed, is := errors.AsType[*kube.Error](err); is {
		return []kube.Reason{failed.Reason}
	}
	return nil
}
