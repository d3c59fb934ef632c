//go:build !race

package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

const namespace = "team-a"

var errCut = errors.New("the connection was cut")

// newPlatform is openMCP as a new process of an operation sees it; nil = that of no party. Each draws the same prefixes in each run.
func (s *stage) newPlatform(of *explore.Actor) *Scheduler {
	objects, err := api.New(&rest.Config{Host: "https://memory.invalid", Transport: staged{s, of}, QPS: -1}, namespace)
	if err != nil {
		panic(err)
	}
	p := New(objects)
	p.random = rand.NewChaCha8([32]byte{byte(s.before), byte(s.numbers[of])})
	return p
}

// staged is the connection of a process on the stage: each request waits for the explorer. The watches of a process, which its operations
// share, see each change at once.
type staged struct {
	s  *stage
	of *explore.Actor
}

// RoundTrip answers a request, and notes for the explorer what the process learns by it.
func (st staged) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := st.answer(req)
	if st.of == nil {
		return answer, err
	}
	if err == nil && answer.ContentLength < 0 {
		answer.Body = learning{answer.Body, st.of, req.URL.Path}
		return answer, nil
	}
	var text []byte
	if err != nil {
		text = []byte(err.Error())
	} else {
		text = apiserver.TextOf(answer)
		if _, items, isList := bytes.Cut(text, []byte(`"items":`)); isList { // the version of a list only begins a watch
			text = items
		}
	}
	part := "looks at " + req.URL.Path
	if by := explore.ActorOf(req.Context()); by != nil {
		part = by.Name
	}
	st.of.LearnsBeside(part, fmt.Appendf(nil, "%s %s %s", req.Method, req.URL.Path, text))
	return answer, err
}

// learning is a watch whose events a process learns.
type learning struct {
	io.ReadCloser

	of   *explore.Actor
	path string
}

func (l learning) Read(p []byte) (n int, err error) {
	n, err = l.ReadCloser.Read(p)
	l.of.LearnsBeside("watches "+l.path, p[:n])
	return n, err
}

func (st staged) answer(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	by := explore.ActorOf(req.Context())
	switch {
	case by == nil:
		return st.s.server.Answer(req, body), nil
	case req.Method == http.MethodGet:
		return st.read(by, req)
	}
	return st.write(by, req, body)
}

// isAlone reports whether no other party writes what is read: when it is read makes no difference then, and the explorer is not asked.
func (s *stage) isAlone(of parts) bool {
	switch of.resource {
	case "clusterprofiles", "providerconfigs":
		return true
	case "clusterrequests": // a list of them is to find those that the operator serves
		return s.parties[everyRequest] == 0 && (of.name == "" || s.parties[of.name] < 2)
	}
	return false
}

// everyRequest is in place of the name of a request for a party that may write each.
const everyRequest = "*"

func (st staged) read(by *explore.Actor, req *http.Request) (*http.Response, error) {
	if !st.s.isAlone(st.s.partsOf(req)) {
		call := explore.Call{What: func() string { return st.s.describe(req, nil) }}
		if st.s.readsFail {
			call.Faults = explore.ReadFaults
		}
		if by.Call(call) == explore.Unanswered {
			return nil, errCut
		}
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return st.s.server.Answer(req, nil), nil
}

// write sends one write to its fate. A change or a deletion names the version that it was judged by: once the server would refuse it, it
// always will. A creation is not like that: its name may be free again.
func (st staged) write(by *explore.Actor, req *http.Request, body []byte) (*http.Response, error) {
	s, creates := st.s, req.Method == http.MethodPost
	who := authorOf(by)
	send := func() *http.Response {
		return s.server.Answer(req.WithContext(context.WithValue(context.Background(), authorKey{}, who)), body)
	}
	faults := explore.WriteFaults
	if !creates && s.server.Refuses(req, body) {
		faults = explore.MootFaults
	}
	what := func() string { return s.describe(req, body) }
	switch f := by.Call(explore.Call{What: what, Faults: faults}); f {
	case explore.WriteLost:
		return nil, errCut
	case explore.AnswerLost, explore.DiesAfter:
		_ = send().Body.Close()
		if f == explore.DiesAfter {
			runtime.Goexit()
		}
		return nil, errCut
	case explore.WriteLate, explore.DiesLate:
		valid := func() bool { return creates || !s.server.Refuses(req, body) }
		by.Park(explore.Late{
			What: what(), Sum: explore.Sum(0).Text(req.Method, req.URL.Path).Bytes(body), Stands: valid,
			Arrive: func() { who.late = true; _ = send().Body.Close() },
		})
		return nil, errCut
	}
	return send(), nil
}

type authorKey struct{}

// parts are what a request is for.
type parts struct{ resource, name, subresource string }

func (s *stage) partsOf(req *http.Request) (p parts) {
	path := strings.Split(strings.Trim(req.URL.Path, "/"), "/")[3:]
	if path[0] == "namespaces" && len(path) > 2 {
		path = path[2:]
	}
	p.resource = path[0]
	if len(path) > 1 {
		p.name = path[1]
	}
	if len(path) > 2 {
		p.subresource = path[2]
	}
	return p
}

// describe says what a request does in a few words, for the story.
func (s *stage) describe(req *http.Request, body []byte) string {
	of := s.partsOf(req)
	name := strings.TrimSuffix(strings.TrimSuffix(of.resource, "s")+" "+of.name+" "+of.subresource, " ")
	switch req.Method {
	case http.MethodGet:
		if of.name == "" {
			return "lists the " + of.resource + ": " + s.objectsNow(of.resource, "")
		}
		return "reads the " + name + ": " + s.objectsNow(of.resource, of.name)
	case http.MethodDelete:
		return "deletes the " + name
	case http.MethodPost:
		return "makes a " + name + s.inShort(body)
	}
	return "changes the " + name + ": " + s.inShort(body)
}

// inShort is what a write says, without what it was judged by.
func (s *stage) inShort(body []byte) string {
	var object map[string]any
	if json.Unmarshal(body, &object) != nil {
		return string(body)
	}
	delete(object, "apiVersion")
	delete(object, "kind")
	if metadata, ok := object["metadata"].(map[string]any); ok {
		for _, own := range []string{"uid", "resourceVersion", "namespace", "creationTimestamp", "labels"} {
			delete(metadata, own)
		}
		if annotations, ok := metadata["annotations"].(map[string]any); ok {
			delete(annotations, api.RequestAnnotation)
			delete(annotations, api.MarkAnnotation)
		}
	}
	text, _ := json.Marshal(object)
	const longest = 240
	short := s.named(string(bytes.TrimSpace(text)))
	if len(short) > longest {
		short = short[:longest] + " …"
	}
	return short
}

// named gives requests their names in a text in place of their uids.
func (s *stage) named(text string) string {
	for _, uid := range slices.Backward(s.uids) {
		text = strings.ReplaceAll(text, uid, "<"+s.names[uid]+" "+uid[strings.LastIndex(uid, "-")+1:]+">")
	}
	text = strings.ReplaceAll(text, api.TenantFinalizer, "")
	return strings.ReplaceAll(text, api.GrantAnnotation, "grant of ")
}

// objectsNow are the objects of a resource as they are, or one of them.
func (s *stage) objectsNow(resource, name string) string {
	var texts []string
	for _, o := range s.server.Objects(resource) {
		if name != "" && o.GetName() != name {
			continue
		}
		words := []string{o.GetName()}
		for _, f := range o.GetFinalizers() {
			words = append(words, "+"+s.named(f))
		}
		if o.GetDeletionTimestamp() != nil {
			words = append(words, "in deletion")
		}
		if phase, ok := phaseOf(o); ok {
			words = append(words, phase)
		}
		texts = append(texts, strings.Join(words, " "))
	}
	if len(texts) == 0 {
		return "none"
	}
	return fmt.Sprint(strings.Join(texts, "; "))
}
