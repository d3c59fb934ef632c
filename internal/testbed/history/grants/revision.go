package grants

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// What the invariants are about, as the objects have it. It is written down here anew: what judges the product shares no code with it.
const (
	kindCluster       = "Cluster"
	kindRequest       = "ClusterRequest"
	exclusive         = "Exclusive"
	granted           = "Granted"
	holderFinalizer   = "request.clusters.openmcp.cloud/" // the uid of a request follows
	recordAnnotation  = "grant.hap-project.io/"           // the same
	builtinFinalizer  = "hap-project.io/builtin-scheduler"
	operatorFinalizer = "clusters.openmcp.cloud/request"
)

// event says what became of an object in a revision.
type event uint8

const (
	present event = iota // it was there when the history began
	added
	modified
	deleted
)

func (e event) String() string { return [...]string{"present", "added", "modified", "deleted"}[e] }

func eventOf(t watch.EventType) event {
	switch t {
	case watch.Added:
		return added
	case watch.Deleted:
		return deleted
	}
	return modified
}

// revision is what a history keeps of an object at one version.
type revision struct {
	event
	kind, name, uid string // the name with its namespace
	version         uint64
	terminating     bool

	// Of a Cluster.
	exclusive bool
	holders   []string          // the uids of the requests that hold it, by their finalizers
	records   map[string]string // the records of grants, by uid

	// Of a ClusterRequest.
	builtin, operator bool   // who serves it, by the finalizers
	grantedTo         string // the Cluster that its status names while it says Granted
}

func revisionOf(e event, object *unstructured.Unstructured) revision {
	r := revision{
		event: e, kind: object.GetKind(), name: object.GetNamespace() + "/" + object.GetName(), uid: string(object.GetUID()),
		version: number(object.GetResourceVersion()), terminating: object.GetDeletionTimestamp() != nil,
		builtin:  slices.Contains(object.GetFinalizers(), builtinFinalizer),
		operator: slices.Contains(object.GetFinalizers(), operatorFinalizer),
		records:  map[string]string{},
	}
	for _, f := range object.GetFinalizers() {
		if uid, ok := strings.CutPrefix(f, holderFinalizer); ok {
			r.holders = append(r.holders, uid)
		}
	}
	for key, text := range object.GetAnnotations() {
		if uid, ok := strings.CutPrefix(key, recordAnnotation); ok {
			r.records[uid] = text
		}
	}
	tenancy, _, _ := unstructured.NestedString(object.Object, "spec", "tenancy")
	r.exclusive = tenancy == exclusive
	if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); phase == granted && r.kind == kindRequest {
		namespace, _, _ := unstructured.NestedString(object.Object, "status", "cluster", "namespace")
		name, _, _ := unstructured.NestedString(object.Object, "status", "cluster", "name")
		r.grantedTo = namespace + "/" + name
	}
	return r
}

func byVersion(a, b revision) int {
	if a.event == present || b.event == present { // those come first
		return cmp.Compare(min(a.event, added), min(b.event, added))
	}
	return cmp.Compare(a.version, b.version)
}

// holds reports whether a request holds the Cluster at this revision.
func (r revision) holds(uid string) bool {
	return r.event != deleted && slices.Contains(r.holders, uid)
}

// prefixOf reads the prefix of a record.
func prefixOf(record string) (prefix string, err error) {
	var content struct {
		Prefix *string `json:"prefix"`
	}
	if err := json.Unmarshal([]byte(record), &content); err != nil || content.Prefix == nil {
		return "", cmp.Or(err, errNoPrefix)
	}
	return *content.Prefix, nil
}
