package fault

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const makesSecrets = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: makes-secrets}
rules:
- {apiGroups: [""], resources: [secrets], verbs: [create]}
`

// kube-apiserver ends a connection on which a token was wrong. What else is under way on it has not been processed, and is
// sent again: a proxy that names no fault makes none.
func TestProxyOutlastsTheEndOfItsConnection(t *testing.T) {
	t.Parallel()
	const writers, writesEach = 4, 50
	ns := testbed.Shared(t).NewNamespace(t)
	proxy := NewProxy(t, ns.Garden(), ProxyOptions{})
	config := ns.ServiceAccount(t, "writer", []byte(makesSecrets)).Config()
	proxy.Through(config)
	stranger := rest.CopyConfig(config)
	stranger.BearerToken = "wrong"

	ctx, cancel := context.WithCancel(t.Context())
	var strangers, writing sync.WaitGroup
	strangers.Go(func() {
		for ctx.Err() == nil {
			makeSecret(ctx, t, stranger, ns.Name)
		}
	})
	for range writers {
		writing.Go(func() {
			for range writesEach {
				if code := makeSecret(ctx, t, config, ns.Name); code != http.StatusCreated {
					t.Errorf("got the answer %d, want 201; 0 = none", code)
				}
			}
		})
	}
	writing.Wait()
	cancel()
	strangers.Wait()
	refused := 0
	for _, x := range proxy.Log() {
		if x.Code == http.StatusUnauthorized {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no wrong token was refused meanwhile")
	}
}

// makeSecret returns the status of the answer; 0 = there was none.
func makeSecret(ctx context.Context, t *testing.T, config *rest.Config, namespace string) int {
	t.Helper()
	body := strings.NewReader(`{"apiVersion":"v1","kind":"Secret","metadata":{"generateName":"a-"}}`)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, config.Host+"/api/v1/namespaces/"+namespace+"/secrets", body)
	if err != nil {
		t.Error(err)
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Error(err)
		return 0
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}
