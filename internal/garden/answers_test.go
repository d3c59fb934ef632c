package garden

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What the answers to a write, and the answer 404, mean.

// statusText is an answer of the API itself.
func statusText(t *testing.T, code int, reason metav1.StatusReason, details *metav1.StatusDetails) string {
	t.Helper()
	text, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: "no", Details: details, //nolint:gosec // a status code
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func causedBy(field string) *metav1.StatusDetails {
	return &metav1.StatusDetails{Name: "a", Kind: bindings, Causes: []metav1.StatusCause{
		{Type: metav1.CauseTypeFieldValueInvalid, Field: "metadata.labels"}, {Type: metav1.CauseTypeFieldValueInvalid, Field: field},
	}}
}

var judgedAccount = account.Account{Name: "a", UID: "5c1e", Version: "17"}

func TestAnswersToAWrite(t *testing.T) {
	t.Parallel()
	busy := func(t *testing.T, err error) { equal(t, "account", as[*account.BusyError](t, err).Account, "a") }
	conflict := func(t *testing.T, err error) { equal(t, "account", as[*account.ConflictError](t, err).Account, "a") }
	rejected := func(t *testing.T, err error) { equal(t, "verb", as[*account.RejectedError](t, err).Verb, "patch") }
	noAPI := func(t *testing.T, err error) { equal(t, "verb", as[*account.NoAPIError](t, err).Verb, "patch") }
	failed := func(t *testing.T, err error) { equal(t, "tries", as[*account.FailedError](t, err).Tries, 2) }
	unknown := func(t *testing.T, err error) {
		equal(t, "account", as[*account.UnknownOutcomeError](t, err).Account, "a")
	}
	missing := func(t *testing.T, err error) { equal(t, "account", as[*account.NotFoundError](t, err).Account, "a") }
	forbidden := func(t *testing.T, err error) {
		e := as[*account.ForbiddenError](t, err)
		equal(t, "what is forbidden", []string{e.Verb, e.Resource, e.Namespace}, []string{"patch", bindings, "garden"})
	}
	tests := map[string]struct {
		script script
		means  func(t *testing.T, err error)
		sent   int
	}{
		"409":                 {always(409, statusText(t, 409, metav1.StatusReasonConflict, nil)), conflict, 1},
		"409 of a gateway":    {always(409, "conflict"), conflict, 1},
		"422 for the UID":     {always(422, statusText(t, 422, metav1.StatusReasonInvalid, causedBy("metadata.uid"))), conflict, 1},
		"422 for a label":     {always(422, statusText(t, 422, metav1.StatusReasonInvalid, causedBy("metadata.labels"))), rejected, 1},
		"422 without a cause": {always(422, "no"), rejected, 1},
		"400":                 {always(400, "no"), rejected, 1},
		"403":                 {always(403, statusText(t, 403, metav1.StatusReasonForbidden, nil)), forbidden, 1},
		"404": {always(404, statusText(t, 404, metav1.StatusReasonNotFound,
			&metav1.StatusDetails{Name: "a", Kind: bindings})), missing, 1},
		"404 of a gateway":   {always(404, "<html>not found</html>"), noAPI, 1},
		"405":                {always(405, "no"), rejected, 1},
		"413":                {always(413, "too large"), rejected, 1},
		"415":                {always(415, "no"), rejected, 1},
		"408":                {always(408, "too slow"), unknown, 1},
		"a redirect":         {always(302, "elsewhere"), unknown, 1},
		"no binding":         {always(200, "<html>please log in</html>"), unknown, 1},
		"half an answer":     {failures["cut within the answer"], unknown, 1},
		"no answer":          {silent, unknown, 1},
		"a connection cut":   {failures["cut before the answer"], unknown, 1},
		"a connection reset": {failures["connection reset"], unknown, 1},
		"no connection":      {failures["connection refused"], unknown, 1},
		"401, and again": {always(401, "who?"),
			func(t *testing.T, err error) { equal(t, "verb", as[*account.UnauthorizedError](t, err).Verb, "patch") }, 2},
		"500":                      {failures["500"], unknown, 1},
		"502 of a gateway":         {failures["502 of a gateway"], unknown, 1},
		"503":                      {failures["503"], unknown, 1},
		"503 with Retry-After":     {failures["503, Retry-After"], unknown, 1},
		"504":                      {failures["504"], unknown, 1},
		"429":                      {failures["429"], busy, 1},
		"429 with Retry-After":     {failures["429, Retry-After"], busy, 1},
		"500 of the API":           {always(500, statusText(t, 500, metav1.StatusReasonInternalError, nil)), failed, 2},
		"504 of the API (timeout)": {always(504, statusText(t, 504, metav1.StatusReasonTimeout, nil)), unknown, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, a := scripted(t, test.script)
				change, _ := claimed()
				start := time.Now()
				_, err := g.Write(t.Context(), judgedAccount, change)
				test.means(t, err)
				equal(t, "requests", a.sent(), test.sent)
				if took := time.Since(start); took > time.Minute {
					t.Errorf("the answer came after %s", took)
				}
			})
		})
	}
}

// 429: it was turned away before it was judged. The caller judges anew, after the wait that the server asks for.
func TestWriteWaitsAsLongAsTheServerAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, _ := scripted(t, always(http.StatusTooManyRequests, "too many", "Retry-After", "20"))
		change, _ := claimed()
		start := time.Now()
		_, err := g.Write(t.Context(), judgedAccount, change)
		fails[*account.BusyError](t, err)
		equal(t, "wait", time.Since(start), 20*time.Second)

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start = time.Now()
		_, err = g.Write(ctx, judgedAccount, change)
		fails[*account.BusyError](t, err)
		equal(t, "wait of one in a hurry", time.Since(start), 5*time.Second)
	})
}

// A caller who has given up already gets no write on its way.
func TestCancelledWriteIsNotSent(t *testing.T) {
	t.Parallel()
	interrupted := errors.New("interrupted by the user")
	for name, cancel := range map[string]struct {
		context func(context.Context) context.Context
		want    error
	}{
		"cancelled": {func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancelCause(ctx)
			cancel(interrupted)
			return ctx
		}, interrupted},
		"out of time": {func(ctx context.Context) context.Context {
			ctx, cancel := context.WithTimeout(ctx, -time.Second)
			cancel()
			return ctx
		}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, a := scripted(t, always(http.StatusOK, "{}"))
			change, _ := claimed()
			_, err := g.Write(cancel.context(t.Context()), judgedAccount, change)
			var unknown *account.UnknownOutcomeError
			if !errors.Is(err, cancel.want) || errors.As(err, &unknown) {
				t.Errorf("got %T: %v", err, err)
			}
			equal(t, "requests", a.sent(), 0)
		})
	}
}

// Only the API's own word that there is no such account means that it is gone: state is thrown away on it.
func TestNotEvery404IsAGoneAccount(t *testing.T) {
	t.Parallel()
	gone := &metav1.StatusDetails{Name: "a", Group: "security.gardener.cloud", Kind: bindings}
	for name, test := range map[string]struct {
		body string
		gone bool
	}{
		"of the API":                        {statusText(t, 404, metav1.StatusReasonNotFound, gone), true},
		"a page of a proxy":                 {"<html><body>404 Not Found</body></html>", false},
		"an empty page":                     {"", false},
		"of a server without the API group": {"404 page not found\n", false},
		"a status that names nothing":       {statusText(t, 404, metav1.StatusReasonNotFound, nil), false},
		"JSON of another server":            {`{"error":"no such cluster"}`, false},
		"a status about the namespace": {statusText(t, 404, metav1.StatusReasonNotFound,
			&metav1.StatusDetails{Name: "garden", Kind: "namespaces"}), false},
		"a status about the account's Secret": {statusText(t, 404, metav1.StatusReasonNotFound,
			&metav1.StatusDetails{Name: "a", Kind: "secrets"}), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := scripted(t, always(http.StatusNotFound, test.body))
			_, getErr := g.Get(t.Context(), "a")
			_, writeErr := g.Write(t.Context(), judgedAccount, account.Change{Tenant: new("ga-1")})
			for what, err := range map[string]error{"get": getErr, "write": writeErr} {
				var notFound *account.NotFoundError
				if err == nil || errors.As(err, &notFound) != test.gone {
					t.Errorf("%s: got %T: %v", what, err, err)
				}
			}
		})
	}
}

// F38: a write counts as done only where its answer shows it: what a gateway, a redirect that was followed, or a server that lies
// answers with 200 is no commit. The outcome is unknown then, and is found out by reading.
func TestAnswerToAWriteShowsTheChange(t *testing.T) {
	t.Parallel()
	tenant, key := "ga-1", account.AnnotationPrefix+"x"
	record := &account.Record{Name: "blue", GlobalAccount: tenant, ClaimedAt: time.Unix(1700000000, 0).UTC()}
	change := account.Change{Tenant: &tenant, Records: map[string]*account.Record{key: record}}
	encoded, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	object := func(edit func(meta *metav1.ObjectMeta)) script {
		meta := metav1.ObjectMeta{
			Name: "a", UID: "5c1e", ResourceVersion: "18",
			Labels: map[string]string{"tenantName": tenant}, Annotations: map[string]string{key: string(encoded)},
		}
		edit(&meta)
		text, err := json.Marshal(map[string]any{"apiVersion": "security.gardener.cloud/v1alpha1", "kind": "CredentialsBinding", "metadata": meta})
		if err != nil {
			t.Fatal(err)
		}
		return always(200, string(text))
	}
	for name, test := range map[string]struct {
		edit  func(meta *metav1.ObjectMeta)
		shows string // empty = it is the answer of a server that has carried it out
	}{
		"as it was sent":               {func(*metav1.ObjectMeta) {}, ""},
		"with more than was sent":      {func(m *metav1.ObjectMeta) { m.Labels["x"] = "y" }, ""},
		"as it was before":             {func(m *metav1.ObjectMeta) { m.Labels, m.Annotations, m.ResourceVersion = nil, nil, "17" }, "metadata.annotations"},
		"without the label":            {func(m *metav1.ObjectMeta) { m.Labels = nil }, "metadata.labels.tenantName"},
		"with another tenant":          {func(m *metav1.ObjectMeta) { m.Labels["tenantName"] = "ga-2" }, "metadata.labels.tenantName"},
		"without the record":           {func(m *metav1.ObjectMeta) { m.Annotations = nil }, "metadata.annotations." + key},
		"with another record":          {func(m *metav1.ObjectMeta) { m.Annotations[key] = "{}" }, "metadata.annotations." + key},
		"with the version of before":   {func(m *metav1.ObjectMeta) { m.ResourceVersion = "17" }, "metadata.resourceVersion"},
		"without a version":            {func(m *metav1.ObjectMeta) { m.ResourceVersion = "" }, "metadata.resourceVersion"},
		"of another object":            {func(m *metav1.ObjectMeta) { m.UID = "ffff" }, "metadata.uid"},
		"of an object of another name": {func(m *metav1.ObjectMeta) { m.Name = "b" }, "metadata.name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, server := scripted(t, object(test.edit))
			_, err := g.Write(t.Context(), judgedAccount, change)
			if test.shows == "" {
				if err != nil {
					t.Errorf("the error is %v", err)
				}
				return
			}
			lost := as[*account.UnknownOutcomeError](t, err)
			if !strings.Contains(lost.Error(), "does not show ") || !strings.Contains(lost.Error(), test.shows) {
				t.Errorf("the error is %v", err)
			}
			equal(t, "requests", server.sent(), 1)
		})
	}
}

// A server keeps the version of an object where there is nothing to change.
func TestAnswerToAWriteOfNothing(t *testing.T) {
	t.Parallel()
	g, _ := scripted(t, always(200, `{"apiVersion":"security.gardener.cloud/v1alpha1","kind":"CredentialsBinding",`+
		`"metadata":{"name":"a","uid":"5c1e","resourceVersion":"17","labels":{"hyperscalerType":"aws","tenantName":"ga-1"}}}`))
	judged, tenant := judgedAccount, "ga-1"
	judged.Tenant, judged.HyperscalerType = tenant, "aws"
	if _, err := g.Write(t.Context(), judged, account.Change{Tenant: &tenant}); err != nil {
		t.Errorf("the error is %v", err)
	}
}
