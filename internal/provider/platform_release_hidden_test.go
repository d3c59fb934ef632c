package provider

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// withoutConfigs is a gateway before a platform cluster that hides the ProviderConfigs: they have no path, or must not be listed.
type withoutConfigs struct {
	next      http.RoundTripper
	forbidden bool
}

func (p withoutConfigs) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "/providerconfigs") {
		return p.next.RoundTrip(req)
	}
	status, contentType, body := http.StatusNotFound, "text/plain; charset=utf-8", "404 page not found\n"
	if p.forbidden {
		status, contentType = http.StatusForbidden, "application/json"
		body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`
	}
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewBufferString(body))}, nil
}

// An account is not given back under Clusters where the ProviderConfigs behind their profiles are hidden: the answer 404 of a gateway does
// not say that there are none, and a Cluster says itself on which account its Shoot is. Nothing is written.
func TestAccPlatform_releaseWithoutProviderConfigs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		forbidden bool
		shoot     bool // the Cluster reports one
		want      string
	}{
		"a gateway has no path":                         {false, false, "platform of the provider block leads to Clusters that may come to the account"},
		"a gateway has no path, and there is a Shoot":   {false, true, "platform of the provider block leads to Clusters that may come to the account"},
		"they must not be listed, and there is a Shoot": {true, true, "account aws-1 is used by 1 cluster: Cluster NAMESPACE/live"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			proxy := fault.NewProxy(t, l.PlatformCluster.Server(), fault.ProxyOptions{Wrap: func(next http.RoundTripper) http.RoundTripper {
				return withoutConfigs{next, test.forbidden}
			}})
			object := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
			hidden := l.PlatformUser
			hidden.Kubeconfig = l.PlatformUser.Through(t, proxy.Through)
			var before string
			var cancel func()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: l.On(l.PlatformUser) + object},
					{
						PreConfig: func() {
							configure(t, l, l.Config, "aws-1", strings.TrimPrefix(l.Name, "garden-"))
							cancel = order(t, l, l.Config)
							if test.shoot {
								reportShoot(t, l, "aws-1")
							}
							before = l.GetAccount(t, "aws-1").ResourceVersion
						},
						Config: l.On(hidden) + object, Destroy: true,
						ExpectError: acceptance.ErrorLike("", strings.ReplaceAll(test.want, "NAMESPACE", l.Requests)),
					}, {
						PreConfig: func() {
							if now := l.GetAccount(t, "aws-1"); now.ResourceVersion != before {
								t.Errorf("the account was written: %v", now.Labels)
							}
							cancel()
						},
						Config: l.On(l.PlatformUser) + object,
					},
				},
			})
		})
	}
}

// reportShoot has the Cluster live report a Shoot on an account, once its cluster provider is done with it.
func reportShoot(t *testing.T, l acceptance.ProfileLandscape, account string) {
	t.Helper()
	cluster := openmcp.New("Cluster", l.Requests, "live")
	err := local.Poll(t.Context(), 3*time.Minute, func(ctx context.Context) error {
		if err := l.PlatformCluster.Client().Get(ctx, client.ObjectKeyFromObject(cluster), cluster); err != nil {
			return err
		}
		if phase, _, _ := unstructured.NestedString(cluster.Object, "status", "phase"); phase != "Ready" { // it writes the status anew until then
			return fmt.Errorf("the phase of the Cluster is %q", phase)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	patch := fmt.Sprintf(`{"status":{"providerStatus":{"shoot":{"metadata":{"namespace":%q,"name":"told"},"spec":{"credentialsBindingName":%q}}}}}`,
		l.Name, account)
	if err := l.PlatformCluster.Client().Status().Patch(t.Context(), cluster, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
}
