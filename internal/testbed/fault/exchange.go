package fault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Exchange is one request that came to a [Proxy] and what became of it.
type Exchange struct {
	// Number counts the requests of a proxy from 1, in the order they came.
	Number int
	// Client is the User-Agent of the request: every party of a test has one of its own.
	Client string
	// Verb is "get", "list", "page" (a list that goes on from a continue token), "watch", "create", "update", "patch"
	// or "delete".
	Verb string
	// Group, Resource, Namespace and Name say what was asked for. Name is empty for lists; Resource is empty for what is
	// no resource, such as the version, and names a subresource after a slash.
	Group, Resource, Namespace, Name string
	// Limit is the length of a page that a list asked for, before the proxy has shortened it; 0 = none.
	Limit int
	// DryRun says that the Garden was asked to check a write, and not to do it.
	DryRun bool
	// UID and Version are the precondition of a write: metadata.uid and metadata.resourceVersion of its body.
	UID, Version string
	// Labels and Annotations are what a patch or an update sets; nil values remove a key. An update names all it keeps.
	Labels, Annotations map[string]*string

	// Fault names what the proxy did to the request; empty = nothing.
	Fault string
	// Code is what the Garden answered; 0 = it was never asked, has not answered yet, or never will. A write that was
	// forwarded is followed to its end even if the client has gone.
	Code int
	// Result is the resourceVersion that a write has made.
	Result string
	// Sent is the status that the client was given; 0 = none.
	Sent int
	// Began and Ended are when the request came and when it was done with, by the clock of the proxy. Ended may be zero
	// for a moment after the client has its answer.
	Began, Ended time.Time
}

// Committed reports whether the Garden has done the write, whatever answer the client got.
func (e Exchange) Committed() bool {
	return e.Writes() && !e.DryRun && e.Code >= 200 && e.Code < 300
}

// Writes reports whether the request asked for a change.
func (e Exchange) Writes() bool {
	switch e.Verb {
	case "create", "update", "patch", "delete":
		return true
	}
	return false
}

// newExchange reads from a request what is asked for, and by which client.
func newExchange(r *http.Request) *Exchange {
	x := &Exchange{Client: r.UserAgent(), Verb: strings.ToLower(r.Method), Began: time.Now()}
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case path[0] == "api" && len(path) > 2:
		path = path[2:]
	case path[0] == "apis" && len(path) > 3:
		x.Group, path = path[1], path[3:]
	default: // discovery, the version, the health
		return x
	}
	if path[0] == "namespaces" && len(path) > 2 {
		x.Namespace, path = path[1], path[2:]
	}
	x.Resource = path[0]
	if len(path) > 1 {
		x.Name = path[1]
	}
	if len(path) > 2 {
		x.Resource += "/" + path[2]
	}
	x.Verb = verbOf(r, x.Name)
	x.Limit, _ = strconv.Atoi(r.URL.Query().Get("limit"))
	x.DryRun = r.URL.Query().Has("dryRun")
	return x
}

func verbOf(r *http.Request, name string) string {
	switch r.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodGet:
		query := r.URL.Query()
		switch watch := query.Get("watch"); {
		case watch == "true" || watch == "1":
			return "watch"
		case name != "":
			return "get"
		case query.Get("continue") != "":
			return "page"
		}
		return "list"
	}
	return strings.ToLower(r.Method)
}

// fill adds what the body of a write says.
func (e *Exchange) fill(body []byte) {
	m := metadataOf(body)
	e.UID, e.Version, e.Labels, e.Annotations = m.UID, m.ResourceVersion, m.Labels, m.Annotations
	if e.Verb == "create" && e.Name == "" {
		e.Name = m.Name
	}
}

// metadata is what a log says of an object or of a patch.
type metadata struct {
	Name            string             `json:"name"`
	UID             string             `json:"uid"`
	ResourceVersion string             `json:"resourceVersion"`
	Labels          map[string]*string `json:"labels"`
	Annotations     map[string]*string `json:"annotations"`
}

// metadataOf reads an object or a merge patch, in JSON or in protobuf; of anything else nothing.
func metadataOf(body []byte) metadata {
	if encoded, ok := bytes.CutPrefix(body, []byte("k8s\x00")); ok {
		return metadataOfProtobuf(encoded)
	}
	var object struct {
		Metadata      metadata `json:"metadata"`
		Preconditions metadata `json:"preconditions"` // of a delete
	}
	if json.Unmarshal(body, &object) != nil {
		return metadataOfOperations(body)
	}
	m := object.Metadata
	m.UID = cmp.Or(m.UID, object.Preconditions.UID)
	m.ResourceVersion = cmp.Or(m.ResourceVersion, object.Preconditions.ResourceVersion)
	return m
}

// metadataOfOperations reads the precondition of a JSON patch; of anything else nothing.
func metadataOfOperations(body []byte) (m metadata) {
	var operations []struct {
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	_ = json.Unmarshal(body, &operations)
	for _, o := range operations {
		switch o.Path {
		case "/metadata/uid":
			_ = json.Unmarshal(o.Value, &m.UID)
		case "/metadata/resourceVersion":
			_ = json.Unmarshal(o.Value, &m.ResourceVersion)
		}
	}
	return m
}

// metadataOfProtobuf makes use of every object's metadata being its first field, so that no type needs to be known.
func metadataOfProtobuf(encoded []byte) metadata {
	var envelope runtime.Unknown
	var object metav1.PartialObjectMetadata
	if envelope.Unmarshal(encoded) != nil || envelope.APIVersion == "v1" && envelope.Kind == "Status" {
		return metadata{}
	}
	if object.Unmarshal(envelope.Raw) != nil {
		return metadata{}
	}
	return metadata{
		Name: object.Name, UID: string(object.UID), ResourceVersion: object.ResourceVersion,
		Labels: pointers(object.Labels), Annotations: pointers(object.Annotations),
	}
}

func pointers(values map[string]string) map[string]*string {
	if values == nil {
		return nil
	}
	all := make(map[string]*string, len(values))
	for key, value := range values {
		all[key] = &value
	}
	return all
}
