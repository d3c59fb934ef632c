package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
)

// jsonObject is an object of JSON.
type jsonObject = map[string]any

// FakeGarden answers what claims ask of a Garden, in JSON: accounts of the type aws, no clusters, and writes that succeed.
type FakeGarden struct {
	namespace string

	mu       sync.Mutex
	accounts map[string]jsonObject // their metadata by name
	version  int
	asked    []string
}

// NewFakeGarden is a Garden with free accounts.
func NewFakeGarden(accounts int) *FakeGarden {
	g := &FakeGarden{namespace: "garden-cost", accounts: map[string]jsonObject{}}
	for i := range accounts {
		name := fmt.Sprintf("aws-%04d", i)
		g.accounts[name] = jsonObject{
			"name": name, "namespace": g.namespace, "uid": "uid-" + name, "resourceVersion": "0",
			"labels": jsonObject{"hyperscalerType": "aws"}, "annotations": jsonObject{},
		}
	}
	return g
}

// ServeHTTP implements [http.Handler].
func (g *FakeGarden) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := path.Base(r.URL.Path)
	g.asked = append(g.asked, r.Method+" "+last)
	meta, isAccount := g.accounts[last]
	var answer jsonObject
	switch {
	case isAccount:
		if r.Method == http.MethodPatch {
			g.patch(r, meta)
		}
		answer = g.account(last, meta)
	case last == "credentialsbindings":
		var items []any
		for name, meta := range g.accounts {
			items = append(items, g.account(name, meta))
		}
		answer = kubernetesObject("security.gardener.cloud/v1alpha1", "CredentialsBindingList", jsonObject{})
		answer["items"] = items
	case last == "secretbindings":
		answer = kubernetesObject("core.gardener.cloud/v1beta1", "SecretBindingList", jsonObject{})
		answer["items"] = []any{}
	case last == "shoots":
		answer = kubernetesObject("core.gardener.cloud/v1beta1", "ShootList", jsonObject{})
		answer["items"] = []any{}
	case strings.HasSuffix(last, "accessreviews"):
		answer = kubernetesObject("authorization.k8s.io/v1", "SelfSubjectAccessReview", jsonObject{})
		answer["status"] = jsonObject{"allowed": true}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// Asked returns the requests since the last call, each as its method and the last part of its path.
func (g *FakeGarden) Asked() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked := g.asked
	g.asked = nil
	return asked
}

func kubernetesObject(version, kind string, meta jsonObject) jsonObject {
	return jsonObject{"apiVersion": version, "kind": kind, "metadata": meta}
}

func (g *FakeGarden) account(name string, meta jsonObject) jsonObject {
	account := kubernetesObject("security.gardener.cloud/v1alpha1", "CredentialsBinding", meta)
	account["provider"] = jsonObject{"type": "aws"}
	account["credentialsRef"] = jsonObject{"apiVersion": "v1", "kind": "Secret", "namespace": g.namespace, "name": name}
	return account
}

// patch merges labels and annotations into an account.
func (g *FakeGarden) patch(r *http.Request, meta jsonObject) {
	var patch struct {
		Metadata struct{ Labels, Annotations jsonObject }
	}
	_ = json.NewDecoder(r.Body).Decode(&patch)
	for name, changes := range map[string]jsonObject{"labels": patch.Metadata.Labels, "annotations": patch.Metadata.Annotations} {
		to, _ := meta[name].(jsonObject)
		for key, value := range changes {
			if to[key] = value; value == nil {
				delete(to, key)
			}
		}
	}
	g.version++
	meta["resourceVersion"] = fmt.Sprint(g.version)
}
