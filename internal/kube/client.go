package kube

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// What a request accepts: the whole object, or nothing but the metadata. With the latter there is nothing to fall back
// to: a server that cannot do it answers 406, not with the whole object.
const (
	AcceptObject   = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	AcceptMetadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
		"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	AcceptMetadataList = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// Client speaks with one API server. All groups share its connections.
type Client struct {
	Run    string // which the objects that are made name, see [RunAnnotation]; empty = not known
	config *rest.Config
	http   *http.Client
}

// NewClient returns a client. It does not dial.
func NewClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return guard{next} })
	config.WarningHandlerWithContext = warnings{}
	// One for all groups: client-go shares no connections where the configuration has a dialer or a proxy.
	shared, program, err := httpClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making the HTTP client: %w", err)
	}
	if program != nil {
		shared.Transport = bounded{shared.Transport, program}
	}
	return &Client{config: config, http: shared}, nil
}

// warnings logs the warnings that a server sends beside its answers.
type warnings struct{}

// HandleWarningHeaderWithContext logs a warning, if it is of the API.
func (warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	if code == apiWarning && text != "" {
		klog.FromContext(ctx).Info("Warning of the server: " + Clean(text))
	}
}

// apiWarning is the code of the warnings of the API.
const apiWarning = 299

// Group speaks with one API group. It is safe for use by many goroutines.
type Group struct{ client rest.Interface }

// Group returns the client of an API group. Answers come as protobuf, or as JSON where the group has no protobuf; codecs
// decode them.
func (c *Client) Group(group schema.GroupVersion, codecs runtime.NegotiatedSerializer) (*Group, error) {
	config := rest.CopyConfig(c.config)
	config.APIPath = "/apis"
	if group.Group == "" {
		config.APIPath = "/api"
	}
	config.GroupVersion = &group
	config.NegotiatedSerializer = codecs
	config.ContentType = runtime.ContentTypeJSON // of what is sent: custom resources have no protobuf
	config.AcceptContentTypes = AcceptObject
	client, err := rest.RESTClientForConfigAndClient(config, c.http)
	if err != nil {
		return nil, fmt.Errorf("making the client for %s: %w", group, err)
	}
	return &Group{client}, nil
}

// Call says what a request is for. Requests are made of it, and errors name it.
type Call struct {
	Verb      string // one of Kubernetes' verbs: get, list, create, update, patch, delete
	Resource  string // the plural name, such as "shoots"
	Namespace string // empty for what lies in none
	Name      string // the object's, where there is one; a create sends it within the object
	// Subresource is what of the object, such as "status"; empty = all of it.
	Subresource string
}

// Of returns the resource as a Role names it: "clusterrequests", or "clusterrequests/status".
func (c Call) Of() string {
	if c.Subresource == "" {
		return c.Resource
	}
	return c.Resource + "/" + c.Subresource
}

var methods = map[string]string{
	"create": http.MethodPost, "update": http.MethodPut, "patch": http.MethodPatch, "delete": http.MethodDelete,
}

// Request begins a request. client-go does not repeat it: [Read] repeats reads, and only a caller that judges anew repeats a
// write.
func (g *Group) Request(call Call) *rest.Request {
	request := g.client.Verb(cmp.Or(methods[call.Verb], http.MethodGet)).Resource(call.Resource).MaxRetries(0)
	if call.Namespace != "" {
		request.Namespace(call.Namespace)
	}
	if call.Name != "" && call.Verb != "create" {
		request.Name(call.Name)
	}
	if call.Subresource != "" {
		request.SubResource(call.Subresource)
	}
	return request
}

// Answer decodes an answer that must be of the type T. Decoded into an object, an answer of another type would leave it
// empty, and an empty list is a decision.
func Answer[T runtime.Object](result rest.Result) (T, error) {
	var wanted T
	answer, err := result.Get()
	if err != nil {
		return wanted, err
	}
	wanted, ok := answer.(T)
	if !ok {
		return wanted, fmt.Errorf("the server answers with a %T", answer)
	}
	return wanted, nil
}

// bounded ends each request when its context ends, also where the transport below does not listen: client-go runs the
// program that makes tokens (exec) within a request, without its context and under a lock.
type bounded struct {
	next    http.RoundTripper
	program *program // nil = what it writes is not reported
}

// RoundTrip returns the answer, or why the context ended first. The request then goes on unheard until it ends by itself.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	type answer struct {
		response *http.Response
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		response, err := b.next.RoundTrip(req) //nolint:bodyclose // the receiver of the answer closes it
		answers <- answer{response, b.program.failed(err)}
	}()
	select {
	case a := <-answers:
		return a.response, a.err
	case <-req.Context().Done():
		go func() {
			if a := <-answers; a.response != nil {
				_ = a.response.Body.Close()
			}
		}()
		return nil, context.Cause(req.Context())
	}
}
