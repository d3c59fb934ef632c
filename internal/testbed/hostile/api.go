package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Object is an object of an API, as JSON has it.
type Object = map[string]any

// API keeps objects in memory and serves them: lists without pages, watches without events, and writes that succeed.
type API struct {
	mu      sync.Mutex
	objects map[string]Object // by path
	version int
	commits int
}

// NewAPI returns an API with these objects, by their paths, such as /api/v1/namespaces/n/secrets/a.
func NewAPI(objects map[string]Object) *API {
	a := &API{objects: map[string]Object{}}
	for path, object := range objects {
		a.put(address(path), object)
	}
	return a
}

// Clone returns an API with the same objects, of which no write is counted yet.
func (a *API) Clone() *API {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, err := json.Marshal(a.objects)
	copied := &API{version: a.version}
	if err == nil {
		err = json.Unmarshal(text, &copied.objects)
	}
	if err != nil {
		panic(err) // cannot happen: they came from JSON
	}
	return copied
}

// Commits returns how many writes were carried out.
func (a *API) Commits() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.commits
}

// Get returns an object by its path; nil = there is none.
func (a *API) Get(path string) Object {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.objects[path]
}

// place is where an object lies.
type place struct {
	group, namespace, resource, name, subresource string
	collection                                    string // the path of its list
}

func address(path string) (p place) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	p.group, parts = strings.Join(parts[1:min(3, len(parts))], "/"), parts[min(3, len(parts)):]
	if strings.HasPrefix(path, "/api/") {
		p.group, parts = "v1", strings.Split(strings.Trim(path, "/"), "/")[2:]
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		p.namespace, parts = parts[1], parts[2:]
	}
	for i, to := range []*string{&p.resource, &p.name, &p.subresource} {
		if i < len(parts) {
			*to = parts[i]
		}
	}
	p.collection = strings.TrimSuffix(path, "/"+strings.Join(parts[min(1, len(parts)):], "/"))
	return p
}

func (p place) path() string { return p.collection + "/" + p.name }

var kinds = map[string]string{
	"credentialsbindings": "CredentialsBinding", "secretbindings": "SecretBinding", "shoots": "Shoot", "secrets": "Secret",
	"configmaps": "ConfigMap", "clusterrequests": "ClusterRequest", "clusters": "Cluster", "accessrequests": "AccessRequest",
	"clusterprofiles": "ClusterProfile", "clusterproviders": "ClusterProvider", "providerconfigs": "ProviderConfig",
	"selfsubjectaccessreviews": "SelfSubjectAccessReview",
	"workloadidentities":       "WorkloadIdentity",
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	code, answer := a.answer(r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}

func (a *API) answer(r *http.Request) (int, Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := address(r.URL.Path)
	object, there := a.objects[at.path()]
	switch {
	case r.Method == http.MethodPost:
		return http.StatusCreated, a.post(at, r)
	case at.name == "":
		return http.StatusOK, a.list(at, r)
	case !there:
		return http.StatusNotFound, Object{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": http.StatusNotFound, "reason": "NotFound",
			"message": at.resource + " not found", "details": Object{"kind": at.resource, "name": at.name},
		}
	case r.Method == http.MethodDelete:
		delete(a.objects, at.path())
		a.commits++
		return http.StatusOK, Object{"kind": "Status", "apiVersion": "v1", "status": "Success"}
	case r.Method == http.MethodPatch:
		var patch any
		_ = json.NewDecoder(r.Body).Decode(&patch)
		if changes, merges := patch.(Object); merges && r.URL.Query().Get("dryRun") == "" {
			object = merged(object, changes)
			a.put(at, object)
			a.commits++
		}
	}
	return http.StatusOK, shown(object, r)
}

// shown is an object as it was asked for: whole, or the metadata alone.
func shown(object Object, r *http.Request) Object {
	if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata;") {
		return Object{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"]}
	}
	return object
}

func (a *API) list(at place, r *http.Request) Object {
	kind, version := kinds[at.resource]+"List", at.group
	whole := !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList")
	if !whole {
		kind, version = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	items := []any{}
	for _, path := range slices.Sorted(maps.Keys(a.objects)) {
		of := address(path)
		if of.resource != at.resource || of.group != at.group || at.namespace != "" && of.namespace != at.namespace {
			continue
		}
		item := a.objects[path]
		if !whole {
			item = Object{"metadata": item["metadata"]}
		}
		items = append(items, item)
	}
	return Object{"kind": kind, "apiVersion": version, "metadata": Object{"resourceVersion": fmt.Sprint(a.version)}, "items": items}
}

// post makes an object, or answers what is asked in the form of one.
func (a *API) post(at place, r *http.Request) Object {
	var object Object
	_ = json.NewDecoder(r.Body).Decode(&object)
	switch {
	case at.resource == "selfsubjectaccessreviews":
		object["status"] = Object{"allowed": true}
		return object
	case at.subresource != "":
		until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		object["status"] = Object{"kubeconfig": []byte(Kubeconfig), "expirationTimestamp": until}
		return object
	}
	metadata, _ := object["metadata"].(Object)
	at.name, _ = metadata["name"].(string)
	if r.URL.Query().Get("dryRun") != "" {
		metadata["uid"], metadata["resourceVersion"] = "dry-run", "0"
		return object
	}
	a.commits++
	metadata["namespace"] = at.namespace
	a.put(at, object)
	return a.objects[at.path()]
}

// put keeps an object, with what controllers make of it at once.
func (a *API) put(at place, object Object) {
	a.version++
	metadata, _ := object["metadata"].(Object)
	if metadata == nil {
		metadata = Object{}
		object["metadata"] = metadata
	}
	metadata["name"], metadata["resourceVersion"] = at.name, fmt.Sprint(a.version)
	given := Object{
		"uid": "uid-" + at.resource + "-" + at.name, "generation": 1, "creationTimestamp": time.Now().UTC().Format(time.RFC3339),
	}
	for key, value := range given {
		if metadata[key] == nil {
			metadata[key] = value
		}
	}
	if at.namespace != "" {
		metadata["namespace"] = at.namespace
	}
	object["kind"], object["apiVersion"] = kinds[at.resource], at.group
	if status, known := statuses[at.resource]; known && object["status"] == nil {
		object["status"] = status()
	}
	if at.resource == "clusterrequests" {
		metadata["finalizers"] = []any{"clusters.openmcp.cloud/request"}
	}
	a.objects[at.path()] = object
}

// Kubeconfig is what access to a cluster consists of here.
const Kubeconfig = `{"apiVersion":"v1","kind":"Config","current-context":"c",` +
	`"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],` +
	`"clusters":[{"name":"c","cluster":{"server":"https://cluster.invalid"}}],"users":[{"name":"u","user":{"token":"for-the-cluster"}}]}`

// Platform is the namespace of the Cluster "granted", which each request is granted.
const Platform = "platform"

// statuses are what controllers say of an object that is served.
var statuses = map[string]func() Object{
	"shoots": func() Object {
		now := time.Now().UTC().Format(time.RFC3339)
		return Object{
			"observedGeneration": 1, "technicalID": "shoot--x", "hibernated": false, "uid": "u",
			"gardener":      Object{"id": "", "name": "", "version": ""},
			"lastOperation": Object{"type": "Create", "state": "Succeeded", "progress": 100, "description": "done", "lastUpdateTime": now},
			"conditions": []any{Object{
				"type": "APIServerAvailable", "status": "True", "reason": "x", "message": "x", "lastTransitionTime": now, "lastUpdateTime": now,
			}},
		}
	},
	"clusterrequests": func() Object {
		return Object{"phase": "Granted", "observedGeneration": 1, "cluster": Object{"namespace": Platform, "name": "granted"}}
	},
	"accessrequests": func() Object {
		return Object{"phase": "Granted", "observedGeneration": 1, "secretRef": Object{"name": "access"}}
	},
	"clusters": func() Object { return Object{"phase": "Ready", "observedGeneration": 1} },
}

// merged is an object with the changes of a merge patch.
func merged(object, changes Object) Object {
	result := maps.Clone(object)
	for key, value := range changes {
		inner, isObject := value.(Object)
		was, wasObject := result[key].(Object)
		switch {
		case value == nil:
			delete(result, key)
		case isObject && wasObject:
			result[key] = merged(was, inner)
		case isObject:
			result[key] = merged(Object{}, inner)
		default:
			result[key] = value
		}
	}
	return result
}
