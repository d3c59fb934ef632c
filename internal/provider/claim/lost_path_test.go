package claim_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// lostPath is a gateway that hides the SecretBindings.
type lostPath struct {
	next http.RoundTripper
	how  string
}

// How a lostPath hides them.
const (
	noPath    = "it answers as if there was no such path"
	noKind    = "the server's own lists lack them, too"
	forbidden = "they must not be listed"
)

func (p lostPath) RoundTrip(req *http.Request) (*http.Response, error) {
	const text, object = "text/plain; charset=utf-8", "application/json"
	listed := strings.HasSuffix(req.URL.Path, "/secretbindings")
	switch {
	case listed && p.how == forbidden:
		return answerOf(req, http.StatusForbidden, object, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`), nil
	case listed:
		return answerOf(req, http.StatusNotFound, text, "404 page not found\n"), nil
	case p.how == noKind && req.URL.Path == "/apis/core.gardener.cloud/v1beta1":
		return answerOf(req, http.StatusOK, object, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"core.gardener.cloud/v1beta1",`+
			`"resources":[{"name":"shoots","kind":"Shoot","namespaced":true,"verbs":["list"]}]}`), nil
	}
	return p.next.RoundTrip(req)
}

func answerOf(req *http.Request, status int, contentType, body string) *http.Response {
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewBufferString(body))}
}

// behindLostPath leads a landscape through such a gateway.
func behindLostPath(t *testing.T, l acceptance.Landscape, how string) acceptance.Landscape {
	t.Helper()
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{Wrap: func(next http.RoundTripper) http.RoundTripper { return lostPath{next, how} }})
	l.Kubeconfig = proxy.Kubeconfig(t, l.User)
	return l
}

var refusedByLostPath = regexp.MustCompile(diagnose.SummaryNotGarden)

// The answer 404 of a gateway does not say that there are no SecretBindings: a claim does not take an account that one of them makes another
// Global Account's.
func TestAccClaim_behindALostPath(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "sb-1", Kind: testbed.SecretBinding, Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-b"})
	before := l.Versions(t)
	behind := behindLostPath(t, l, noPath)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{Config: behind.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-a"),
			ExpectError: refusedByLostPath}},
	})
	if now := l.Versions(t); !maps.Equal(now, before) {
		t.Errorf("accounts were written: %v, before %v", now, before)
	}
}

// Nor does a release mark an account that a Shoot uses by one of them, however they are hidden: the Shoot names what is not seen.
func TestAccClaim_releaseBehindALostPath(t *testing.T) {
	t.Parallel()
	for how, refused := range map[string]*regexp.Regexp{
		noPath:    refusedByLostPath,
		noKind:    acceptance.ErrorLike(diagnose.SummaryNotGarden, "Shoots name SecretBinding sb-1", "the server lists no SecretBinding"),
		forbidden: acceptance.ErrorLike(diagnose.SummaryForbidden, "Shoots name SecretBinding sb-1", "Grant the verb list for the bindings"),
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "sb-1", Kind: testbed.SecretBinding, Secret: "aws-1"})
			behind := behindLostPath(t, l, how)
			config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-a")
			var before string
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: l.Provider() + config},
					{PreConfig: func() {
						l.ShootBy(t, "alive", testbed.SecretBinding, "sb-1")
						before = l.GetAccount(t, "aws-1").ResourceVersion
					}, Config: behind.Provider() + config, Destroy: true, ExpectError: refused},
					{Config: l.Provider() + config, PlanOnly: true},
					{PreConfig: func() {
						if now := l.GetAccount(t, "aws-1"); now.ResourceVersion != before {
							t.Errorf("the account was written under a live cluster: %v", now.Labels)
						}
						l.DeleteShoot(t, "alive")
					}, Config: l.Provider() + config, PlanOnly: true},
				},
				CheckDestroy: func(*terraform.State) error { return nil },
			})
		})
	}
}
