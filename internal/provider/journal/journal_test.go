package journal

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// logOf returns a context whose log can be read.
func logOf(t *testing.T) (context.Context, func() []map[string]any) {
	t.Helper()
	var buffer bytes.Buffer
	return tflogtest.RootLogger(t.Context(), &buffer), func() []map[string]any {
		entries, err := tflogtest.MultilineJSONDecode(&buffer)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
}

// A secret that the log knows is not shown, wherever it comes up.
func TestJournal_masksSecrets(t *testing.T) {
	t.Parallel()
	ctx, read := logOf(t)
	j := newJournal(logGarden, "t0ps3cret", "", "ab")
	j.tell(ctx, "about t0ps3cret", fields{"path": "/x/t0ps3cret", "about": "abba"}, nil)
	j.tell(ctx, "refused", fields{}, errors.New("https://user:t0ps3cret@host: refused"))
	j.trace(ctx, "more", fields{"value": "t0ps3cret"})
	entries := read()
	if len(entries) != 3 {
		t.Fatalf("entries: %v", entries)
	}
	for i, want := range []map[string]any{
		{"@level": "debug", "@message": "about ***", "path": "/x/***", "about": "abba"},
		{"@level": "warn", "@message": "refused", "error": "https://user:***@host: refused"},
		{"@level": "trace", "@message": "more", "value": "***"},
	} {
		for key, value := range want {
			if entries[i][key] != value {
				t.Errorf("entry %d: %s is %q, want %q", i, key, entries[i][key], value)
			}
		}
		if module, _ := entries[i]["@module"].(string); !strings.HasSuffix(module, ".garden") {
			t.Errorf("entry %d is of %q", i, module)
		}
	}
}

// answering is a transport that answers by itself.
type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(req *http.Request) (*http.Response, error) { return a(req) }

// Of a request the log knows what was asked and how it ended: no header, no query, no body.
func TestLoggedTransport_tellsNoSecrets(t *testing.T) {
	t.Parallel()
	ctx, read := logOf(t)
	transport := &loggedTransport{answering(func(req *http.Request) (*http.Response, error) {
		if req.Method == http.MethodPut {
			return nil, errors.New("connection reset")
		}
		return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Audit-Id": {"PLANTED"}}, Body: http.NoBody}, nil
	}), newJournal(logGarden), "the platform cluster"}
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		req, err := http.NewRequestWithContext(ctx, method, "https://user:PLANTED@garden.invalid/api/v1/secrets/a?token=PLANTED",
			strings.NewReader("PLANTED"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer PLANTED")
		answer, err := transport.RoundTrip(req)
		if (method == http.MethodPut) != (err != nil) {
			t.Errorf("%s: %v", method, err)
		}
		if answer != nil {
			_ = answer.Body.Close()
		}
	}
	entries := read()
	if len(entries) != 2 || entries[0]["@message"] != "request to the platform cluster" || entries[0]["verb"] != "GET" || entries[0]["path"] != "/api/v1/secrets/a" ||
		entries[0]["status"] != float64(http.StatusForbidden) ||
		entries[1]["verb"] != "PUT" || entries[1]["error"] != "connection reset" || entries[1]["status"] != nil {
		t.Errorf("entries: %v", entries)
	}
	for _, entry := range entries {
		for key, value := range entry {
			if text, ok := value.(string); ok && strings.Contains(text, "PLANTED") {
				t.Errorf("%s shows %q", key, text)
			}
		}
	}
}

// storing is a store that answers a write by itself.
type storing struct{ pool.Store }

func (storing) Write(context.Context, account.Account, account.Change) (account.Account, error) {
	return account.Account{}, &account.ConflictError{Account: "aws-1", Err: errors.New("it has changed")}
}

// A write that was lost to another client is logged with what it was to change, but not with what users wrote into a record.
func TestLoggedStore_tellsOfLostWrites(t *testing.T) {
	t.Parallel()
	ctx, read := logOf(t)
	tenant := "ga-1"
	_, err := loggedStore{storing{}}.Write(ctx, account.Account{Name: "aws-1", Version: "7"},
		account.Change{Tenant: &tenant, Records: map[string]*account.Record{"key-a": {Details: account.Details{Owner: "PLANTED"}}, "key-b": nil}})
	var conflict *account.ConflictError
	if !errors.As(err, &conflict) {
		t.Errorf("the error is %v", err)
	}
	entries := read()
	if len(entries) != 1 {
		t.Fatalf("entries: %v", entries)
	}
	for key, want := range map[string]any{
		"@level": "warn", "account": "aws-1", "version": "7", "tenant": "ga-1", "records_set": "key-a", "records_removed": "key-b",
		"error": "account aws-1 has changed since it was read: it has changed", "dirty": nil,
	} {
		if entries[0][key] != want {
			t.Errorf("%s is %v, want %v", key, entries[0][key], want)
		}
	}
}

// What an operation waits for is in the log at the level info, with how long it has waited and goes on.
func TestTellWait(t *testing.T) {
	t.Parallel()
	ctx, read := logOf(t)
	progress := protocol.Progress{For: "an account of pool aws", Waited: 65*time.Second + 3, Pause: 40 * time.Second, Left: time.Hour}
	TellWait(ctx)(progress)
	progress.Failed = errors.New("no answer")
	TellWait(ctx)(progress)
	entries := read()
	if len(entries) != 2 {
		t.Fatalf("entries: %v", entries)
	}
	if message := entries[1]["@message"]; message != "waiting for an account of pool aws; the last read failed: no answer" {
		t.Errorf("the second message is %v", message)
	}
	for key, want := range map[string]any{"@level": "info", "@message": "waiting for an account of pool aws", "waited": "1m5s",
		"next_look": "40s", "at_most": "1h0m0s"} {
		if entries[0][key] != want {
			t.Errorf("%s is %v, want %v", key, entries[0][key], want)
		}
	}
}
