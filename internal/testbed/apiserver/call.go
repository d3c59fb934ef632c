package apiserver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a request asks for.
const (
	get    = "get"
	list   = "list"
	create = "create"
	patch  = "patch"
	remove = "delete"
)

const (
	jsonType   = "application/json"
	mergePatch = "application/merge-patch+json"
)

// call is what a request asks for; verb is empty where a server cannot do it.
type call struct {
	verb, namespace, name, subresource string
	resource                           *Resource
	body                               []byte
}

// prefix begins the keys of the objects that a list is of.
func (c call) prefix() string {
	if c.namespace == "" {
		return c.resource.Resource + "/"
	}
	return c.resource.Resource + "/" + c.namespace + "/"
}

func (c call) key() string { return c.resource.Resource + "/" + c.namespace + "/" + c.name }

// callOf reads a request; false = a server has no such path.
func (s *Server) callOf(req *http.Request, body []byte) (c call, known bool) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if len(parts) < 4 || parts[0] != "apis" {
		return c, false
	}
	group, version, rest := parts[1], parts[2], parts[3:]
	if rest[0] == "namespaces" && len(rest) > 2 {
		c.namespace, rest = rest[1], rest[2:]
	}
	for i := range s.resources {
		r := &s.resources[i]
		if r.Group == group && r.Version == version && r.Resource == rest[0] {
			c.resource = r
		}
	}
	if c.resource == nil || len(rest) > 3 || !c.resource.Namespaced && c.namespace != "" {
		return c, false
	}
	if len(rest) > 1 {
		c.name = rest[1]
	}
	if len(rest) > 2 {
		if c.subresource = rest[2]; c.subresource != "status" {
			return c, false
		}
	}
	c.body, c.verb = body, verbOf(req.Method, c.name != "")
	return c, true
}

func verbOf(method string, named bool) string {
	switch {
	case method == http.MethodGet && named:
		return get
	case method == http.MethodGet:
		return list
	case method == http.MethodPost && !named:
		return create
	case method == http.MethodPatch && named:
		return patch
	case method == http.MethodDelete && named:
		return remove
	}
	return ""
}

// unsupported is the refusal of a patch of another type.
func unsupported() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, " +
			"application/merge-patch+json, application/apply-patch+yaml",
	}}
}

func response(req *http.Request, code int, kind string, text []byte) *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code, Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: http.Header{"Content-Type": {kind}}, Body: body{bytes.NewReader(text), text}, ContentLength: int64(len(text)), Request: req,
	}
}

// body is that of an answer which is not a watch.
type body struct {
	io.Reader

	text []byte
}

func (body) Close() error { return nil }

// TextOf is the whole body of an answer; nil = it is a watch.
func TextOf(answer *http.Response) []byte {
	b, _ := answer.Body.(body)
	return b.text
}
