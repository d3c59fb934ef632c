package configs_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// silent answers the first list of profiles, and none after it.
type silent struct {
	http.RoundTripper
	lists atomic.Int32
}

func (s *silent) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/clusterprofiles") && s.lists.Add(1) > 1 {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return s.RoundTripper.RoundTrip(req)
}

// A wait that ends within a list says what the list before has shown: the profile has another name.
func TestAwaitPublished_lastListIsCutOff(t *testing.T) {
	t.Parallel()
	s := &silent{RoundTripper: apiserver.New(apiserver.OpenMCP()...)}
	p, _ := overMemory(t, s)
	made := makeConfig(t, p)
	publish(t, s, "prod.gardener.b")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := p.AwaitPublished(ctx, made, "test.gardener.b")
	refused, is := errors.AsType[*configs.NotPublishedError](err)
	if !is || refused.Published != "prod.gardener.b" || s.lists.Load() < 2 {
		t.Errorf("%v, after %d lists", err, s.lists.Load())
	}
}

// makeConfig makes the ProviderConfig b.
func makeConfig(t *testing.T, p *configs.Profiles) *api.ProviderConfig {
	t.Helper()
	made, _, err := p.MakeConfig(t.Context(), configs.Wanted{
		Name: "b", Provider: "gardener", Landscape: "l", Project: "p", Template: map[string]any{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// publish makes the profile of the ProviderConfig b, under a name.
func publish(t *testing.T, server http.RoundTripper, name string) {
	t.Helper()
	send(t, server, http.MethodPost, "clusters.openmcp.cloud/v1alpha1/clusterprofiles",
		`{"apiVersion":"clusters.openmcp.cloud/v1alpha1","kind":"ClusterProfile","metadata":{"name":"`+name+`"},`+
			`"spec":{"providerRef":{"name":"gardener"},"providerConfigRef":{"name":"b"},"supportedVersions":[]}}`)
}

// send writes an object, or a merge patch of it.
func send(t *testing.T, server http.RoundTripper, method, path, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://memory.invalid/apis/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", map[string]string{
		http.MethodPost: "application/json", http.MethodPatch: "application/merge-patch+json",
	}[method])
	resp, err := server.RoundTrip(req)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
}

// The cluster provider publishes a profile, and writes the status of its ProviderConfig after that. It is waited for a moment, and no
// longer than until it is of the ProviderConfig as it is now, whatever it says.
func TestAwaitStatus(t *testing.T) {
	t.Parallel()
	const whole = 2 * time.Second
	for name, c := range map[string]struct {
		after   time.Duration // when the status is written; 0 = never
		status  string
		phase   string
		took    time.Duration // at least, and half a second more at most
		changed bool          // the ProviderConfig was ready, and has changed
	}{
		"after the profile": {after: time.Second, status: `"phase":"Ready","observedGeneration":1`, phase: api.Ready, took: time.Second},
		"of an older one":   {after: time.Second, status: `"phase":"Ready","observedGeneration":0`, phase: api.Ready, took: whole},
		"of a refusal": {
			after: time.Second, status: `"phase":"Progressing","observedGeneration":1`, phase: "Progressing", took: time.Second,
		},
		"never":                {took: whole},
		"after the whole wait": {after: time.Minute, status: `"phase":"Ready","observedGeneration":1`, took: whole},
		"after a change": {
			after: time.Second, status: `"phase":"Progressing","observedGeneration":2`, phase: "Progressing", took: time.Second, changed: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const config = "gardener.clusters.openmcp.cloud/v1alpha1/providerconfigs/b"
				server := apiserver.New(apiserver.OpenMCP()...)
				p, _ := overMemory(t, server)
				made := makeConfig(t, p)
				publish(t, server, "test.gardener.b")
				if c.changed {
					send(t, server, http.MethodPatch, config+"/status", `{"status":{"phase":"Ready","observedGeneration":1}}`)
					send(t, server, http.MethodPatch, config, `{"spec":{"project":"another"}}`)
				}
				if c.after > 0 {
					go func() {
						time.Sleep(c.after)
						send(t, server, http.MethodPatch, config+"/status", `{"status":{`+c.status+`}}`)
					}()
				}
				begun := time.Now()
				live, err := p.AwaitPublished(t.Context(), made, "test.gardener.b")
				if err != nil {
					t.Fatal(err)
				}
				live = p.AwaitStatus(t.Context(), live)
				if took := time.Since(begun); live.Status.Phase != c.phase || took < c.took || took > c.took+500*time.Millisecond {
					t.Errorf("phase %q after %s", live.Status.Phase, took)
				}
				time.Sleep(c.after)
				synctest.Wait()
			})
		})
	}
}
