package apiserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := openmcp.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// session sends the steps of one fact to a server, and writes down what it answers.
type session struct {
	t               *testing.T
	client          *http.Client
	host, namespace string

	words    map[string]string // placeholders of steps
	versions map[string]string // versions in the order in which they came
	answers  []string
}

func newSession(t *testing.T, client *http.Client, host, namespace string) *session {
	t.Helper()
	return &session{t: t, client: client, host: strings.TrimRight(host, "/"), namespace: namespace, words: map[string]string{}, versions: map[string]string{}}
}

func (s *session) filled(step string) string {
	for word, value := range s.words {
		step = strings.ReplaceAll(step, word, value)
	}
	return step
}

// play sends all steps, and returns the status and the reason of the last answer.
func (s *session) play(f fact) (last string) {
	s.t.Helper()
	for _, step := range f.steps {
		last = s.send(s.filled(step))
	}
	return last
}

func (s *session) request(ctx context.Context, step string) *http.Request {
	s.t.Helper()
	method, rest, _ := strings.Cut(step, " ")
	path, body, _ := strings.Cut(rest, " ")
	kind := "application/json"
	switch method {
	case "POST":
		of := map[string]string{"clusters": "Cluster", "clusterrequests": "ClusterRequest"}[path]
		body = `{"apiVersion":"clusters.openmcp.cloud/v1alpha1","kind":"` + of + `",` + body[1:]
	case "PATCH":
		kind = "application/merge-patch+json"
	case "TEXT":
		method, kind = http.MethodPatch, "text/plain"
	}
	req, err := http.NewRequestWithContext(ctx, method, s.host+"/apis/clusters.openmcp.cloud/v1alpha1/namespaces/"+s.namespace+"/"+path,
		strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", "application/json")
	return req
}

func (s *session) send(step string) (outcome string) {
	s.t.Helper()
	answer, err := s.client.Do(s.request(s.t.Context(), step))
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		s.t.Fatal(err)
	}
	outcome = fmt.Sprint(answer.StatusCode)
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		s.answers = append(s.answers, outcome+" "+string(text))
		return outcome
	}
	if reason, ok := object["reason"].(string); ok {
		outcome += " " + reason
	}
	s.note(object)
	plain, _ := json.Marshal(s.plain(object, ""))
	s.answers = append(s.answers, outcome+" "+string(plain))
	return outcome
}

// note remembers the uid and the versions of an object.
func (s *session) note(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	uid, _ := metadata["uid"].(string)
	version, _ := metadata["resourceVersion"].(string)
	if name == "" || uid == "" {
		return
	}
	if s.words["$uid."+name] != uid {
		s.words["$before."+name] = s.words["$rv."+name]
		s.words["$first."+name] = version
	}
	s.words["$uid."+name], s.words["$rv."+name] = uid, version
}

// plain is an answer without what differs from one run to the next.
func (s *session) plain(value any, key string) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "managedFields")
		if value["kind"] == "ClusterList" { // its version is that of the whole server
			delete(value, "metadata")
		}
		for key, field := range value {
			value[key] = s.plain(field, key)
		}
		return value
	case []any:
		for i := range value {
			value[i] = s.plain(value[i], "")
		}
	case string:
		return s.plainText(value, key)
	}
	return value
}

func (s *session) plainText(text, key string) string {
	switch {
	case key == "resourceVersion":
		if s.versions[text] == "" {
			s.versions[text] = fmt.Sprintf("version %d", len(s.versions)+1)
		}
		return s.versions[text]
	case key == "uid" && !strings.HasPrefix(text, "0000"):
		return "UID"
	case strings.HasPrefix(text, "made-"):
		return "made-…"
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return fmt.Sprintf("some time ago: %t", time.Since(at) < time.Hour)
	}
	text = strings.ReplaceAll(text, s.namespace, "NAMESPACE")
	if key == "message" {
		for _, value := range s.words {
			text = replacedWord(text, value)
		}
	}
	return text
}

// replacedWord takes an identity out of a message.
func replacedWord(text, value string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.Trim(w, "(,).") == value {
			words[i] = strings.Replace(w, value, "ID", 1)
		}
	}
	return strings.Join(words, " ")
}

// events are those of a watch of the Clusters after the version of the first, one for each step.
func (s *session) events(steps ...string) (lines []string) {
	s.t.Helper()
	s.send(makeHeld)
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	answer, err := s.client.Do(s.request(ctx, s.filled("GET clusters?watch=1&resourceVersion=$rv.a")))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	events := json.NewDecoder(answer.Body)
	for _, step := range steps {
		s.send(s.filled(step))
		var event map[string]any
		if err := events.Decode(&event); err != nil {
			s.t.Fatal(err)
		}
		text, _ := json.Marshal(s.plain(event, ""))
		lines = append(lines, string(text))
	}
	return lines
}

var watched = []string{
	`PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`,
	`POST clusters {"metadata":{"name":"b"},"spec":{"profile":"p","tenancy":"Shared"}}`,
	`DELETE clusters/a`, `DELETE clusters/b`, `PATCH clusters/a {"metadata":{"finalizers":null}}`,
}

// inMemory plays a fact on a server in memory.
func inMemory(t *testing.T, f fact) (last string, answers []string) {
	t.Helper()
	s := newSession(t, &http.Client{Transport: apiserver.New(apiserver.OpenMCP()...)}, "https://memory.invalid", "in-memory")
	last = s.play(f)
	return last, s.answers
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for _, f := range facts {
		if last, answers := inMemory(t, f); last != f.want {
			t.Errorf("%s: %s, not %s\n%s", f.says, last, f.want, strings.Join(answers, "\n"))
		}
	}
}

// The server in memory answers as kube-apiserver does, to the word. What differs of the answers of two servers is left out: uids, versions
// but for their order, times, and managedFields.
func TestFacts_kubeAPIServer(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs a local platform cluster: set TF_ACC=1 (make testacc does)")
	}
	platform := openmcp.Own(t)
	client, err := rest.HTTPClientFor(platform.Config())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range facts {
		s := newSession(t, client, platform.Config().Host, platform.NewNamespace(t))
		last := s.play(f)
		if last != f.want {
			t.Errorf("%s: %s, not %s", f.says, last, f.want)
		}
		if _, answers := inMemory(t, f); fmt.Sprint(s.answers) != fmt.Sprint(answers) {
			t.Errorf("%s: kube-apiserver answers\n%s\nand the server in memory\n%s", f.says, strings.Join(s.answers, "\n"),
				strings.Join(answers, "\n"))
		}
	}
	theirs := newSession(t, client, platform.Config().Host, platform.NewNamespace(t)).events(watched...)
	memory := newSession(t, &http.Client{Transport: apiserver.New(apiserver.OpenMCP()...)}, "https://memory.invalid", "in-memory").events(watched...)
	if fmt.Sprint(theirs) != fmt.Sprint(memory) {
		t.Errorf("kube-apiserver sends\n%s\nand the server in memory\n%s", strings.Join(theirs, "\n"), strings.Join(memory, "\n"))
	}
	t.Logf("%d facts, and %d events", len(facts), len(theirs))
}
