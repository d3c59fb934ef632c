package configs_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
	made, _, err := p.MakeConfig(t.Context(), configs.Wanted{
		Name: "b", Provider: "gardener", Landscape: "l", Project: "p", Template: map[string]any{},
	})
	if err != nil {
		t.Fatal(err)
	}
	published := `{"apiVersion":"clusters.openmcp.cloud/v1alpha1","kind":"ClusterProfile","metadata":{"name":"prod.gardener.b"},` +
		`"spec":{"providerRef":{"name":"gardener"},"providerConfigRef":{"name":"b"},"supportedVersions":[]}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"https://memory.invalid/apis/clusters.openmcp.cloud/v1alpha1/clusterprofiles", strings.NewReader(published))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err = p.AwaitPublished(ctx, made, "test.gardener.b")
	refused, is := errors.AsType[*configs.NotPublishedError](err)
	if !is || refused.Published != "prod.gardener.b" || s.lists.Load() < 2 {
		t.Errorf("%v, after %d lists", err, s.lists.Load())
	}
}
