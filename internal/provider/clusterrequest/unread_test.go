package clusterrequest_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A request is not withdrawn where the apply cannot read its Cluster: it may be the last that holds what another one protects. Whatever
// comes back in place of the Cluster, and whether the request itself is protected or another one that goes with it, both requests stay.
func TestAccClusterRequest_clusterNotRead(t *testing.T) {
	t.Parallel()
	const object = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d}`
	for name, answer := range map[string]struct {
		code  int
		body  string
		lasts bool // otherwise the first read alone is answered so: a client reads again by itself
	}{
		"the server fails":      {http.StatusInternalServerError, fmt.Sprintf(object, "InternalError", http.StatusInternalServerError), true},
		"it must not be read":   {http.StatusForbidden, fmt.Sprintf(object, "Forbidden", http.StatusForbidden), false},
		"the token has ended":   {http.StatusUnauthorized, fmt.Sprintf(object, "Unauthorized", http.StatusUnauthorized), true},
		"a gateway has no path": {http.StatusNotFound, "404 page not found\n", false},
	} {
		for _, protected := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/protected %t", name, protected), func(t *testing.T) {
				t.Parallel()
				l := acceptance.NewPlatformLandscape(t)
				var hides atomic.Bool
				block := gatewayTo(t, l, "operator", func(w http.ResponseWriter, r *http.Request) bool {
					if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/clusters/") || !hides.CompareAndSwap(true, answer.lasts) {
						return false
					}
					w.Header().Set("Content-Type", map[bool]string{true: "application/json", false: "text/plain"}[strings.HasPrefix(answer.body, "{")])
					w.WriteHeader(answer.code)
					_, _ = w.Write([]byte(answer.body))
					return true
				})
				of := func(name string, protected bool, extra ...string) string {
					return acceptance.RequestOf(name, "onboarding", append(extra, fmt.Sprintf("deletion_protection = %t", protected))...)
				}
				const brief = `timeouts = { delete = "4s" }`
				both := of("one", protected, brief) + of("two", !protected, brief)
				var cluster, uid string
				inprocess.Test(t, resource.TestCase{
					ProtoV6ProviderFactories: acceptance.Factories,
					Steps: []resource.TestStep{
						{Config: block + both, Check: func(*terraform.State) error { cluster, uid = clusterOf(t, l); return nil }},
						{
							Config: block + of("two", !protected, brief), ExpectError: acceptance.ErrorLike(""),
							ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
								acceptance.AfterThePlan(func() { hides.Store(true) }),
							}},
						}, {
							PreConfig: func() {
								hides.Store(false)
								stays(t, l, cluster, uid)
								for _, name := range []string{"one", "two"} {
									if r, err := l.Live("ClusterRequest", name); err != nil || r == nil || r.GetDeletionTimestamp() != nil {
										t.Errorf("request %s is withdrawn: %v, %v", name, r, err)
									}
								}
							},
							Config: block + of("one", false) + of("two", false),
						},
					},
				})
			})
		}
	}
}
