package testbed

import (
	"encoding/json"
	"time"
)

// Exchange is one request that came to a [Proxy] and what became of it.
type Exchange struct {
	// Number counts the requests of a proxy from 1, in the order they came.
	Number int
	// Client is the User-Agent of who asked: every party of a test has one of its own.
	Client string
	// Verb is "get", "list", "page" (a list that goes on from a continue token), "watch", "create", "update", "patch"
	// or "delete".
	Verb string
	// Resource, Namespace and Name say what was asked for; Name is empty for lists.
	Resource, Namespace, Name string
	// UID and Version are the precondition of a write: metadata.uid and metadata.resourceVersion of its body.
	UID, Version string
	// Labels and Annotations are what a patch or an update sets; nil values remove a key. An update names all it keeps.
	Labels, Annotations map[string]*string

	// Fault names what the proxy did to the request; empty = nothing.
	Fault string
	// Code is what the Garden answered; 0 = it was never asked, or the answer never came.
	Code int
	// Result is the resourceVersion that a write has made.
	Result string
	// Sent is the status that the client was given; 0 = none.
	Sent int
	// Began and Ended are when the request came and when it was done with, by the clock of the proxy.
	Began, Ended time.Time
}

// Committed reports whether the Garden has done the write, whatever the client was told.
func (e Exchange) Committed() bool {
	return e.writes() && e.Code >= 200 && e.Code < 300
}

// writes reports whether the request asked for a change.
func (e Exchange) writes() bool {
	switch e.Verb {
	case "create", "update", "patch", "delete":
		return true
	}
	return false
}

// metadataOf reads precondition, labels and annotations from the body of a write in JSON.
func metadataOf(body []byte) (uid, version string, labels, annotations map[string]*string) {
	var object struct {
		Metadata struct {
			UID             string             `json:"uid"`
			ResourceVersion string             `json:"resourceVersion"`
			Labels          map[string]*string `json:"labels"`
			Annotations     map[string]*string `json:"annotations"`
		} `json:"metadata"`
	}
	if json.Unmarshal(body, &object) != nil {
		return "", "", nil, nil
	}
	m := object.Metadata
	return m.UID, m.ResourceVersion, m.Labels, m.Annotations
}
