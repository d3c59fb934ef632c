package kube

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A credential is masked wherever an answer is cut into parts, and nothing else of the answer changes.
func TestMasked(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]string{
		"a password":                        "aab-aab-aac-0123456789",
		"a token whose end is in it before": "aab-aab-aac-" + strings.Repeat("0123", sought/2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testMasked(t, secret)
		})
	}
}

func testMasked(t *testing.T, secret string) {
	mask := strings.Repeat("*", len(secret))
	for name, test := range map[string]struct{ sent, want string }{
		"none":            {"an answer", "an answer"},
		"alone":           {secret, mask},
		"twice":           {"x" + secret + secret + "y", "x" + mask + mask + "y"},
		"begun":           {"x" + secret[:9], "x" + secret[:9]},
		"begun and whole": {secret[:8] + secret, secret[:8] + mask},
		"overlapping":     {"aab-" + secret, "aab-" + mask},
		"only its end":    {"aab-aac-" + secret[12:], "aab-aac-" + secret[12:]},
		"its end, whole":  {secret[12:] + secret, secret[12:] + mask},
		"long":            {strings.Repeat("aab-aab-", 9000) + secret + "z", strings.Repeat("aab-aab-", 9000) + mask + "z"},
	} {
		for how, cut := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "by halves": iotest.HalfReader,
			"with the end": iotest.DataErrReader,
		} {
			body := newMasked(io.NopCloser(cut(strings.NewReader(test.sent))), own{secret, "ab"}, minMasked)
			got, err := io.ReadAll(body)
			if err != nil || string(got) != test.want {
				t.Errorf("%s, %s: %q, %v", name, how, got, err)
			}
		}
	}
}

// A token that begins as much of the answer does: how long a page of Shoots takes to be searched for it.
func BenchmarkMasked(b *testing.B) {
	token := "eyJhbGciOiJSUzI1NiIsImtpZCI6" + strings.Repeat("Zm9vYmFyLWJheg", 40) + "Kd8sQ1x_9vTqWb3-LmZr7cYh2oNpEuJf"
	page := strings.Repeat(`{"metadata":{"name":"shoot-00001","annotations":{"key":"even here, every eyelet"}}},`, 100_000)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		body := newMasked(io.NopCloser(strings.NewReader(page)), own{token}, minMasked)
		if n, err := io.Copy(io.Discard, body); err != nil || n != int64(len(page)) {
			b.Fatal(n, err)
		}
	}
}

// What is not the beginning of a credential is passed on at once: an event of a watch is not kept for the next.
func TestMasked_holdsNothingBack(t *testing.T) {
	t.Parallel()
	from, to := io.Pipe()
	body := newMasked(from, own{"0123456789abcdef"}, minMasked)
	for _, event := range []string{`{"event":1}`, `{"event":"0123"}` + "\n"} {
		go func() { _, _ = io.WriteString(to, event) }()
		got := make([]byte, len(event))
		if _, err := io.ReadFull(body, got); err != nil || string(got) != event {
			t.Fatalf("%q, %v", got, err)
		}
	}
}

// Clean keeps what can be read, in one line.
func TestClean(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"":                            "",
		"plain text: [a, b]":          "plain text: [a, b]",
		"Äpfel 日本 €":                  "Äpfel 日本 €",
		"two\r\nlines\tand more ":     "two lines and more",
		"\x1b[2Jclear\a":              "\ufffd[2Jclear\ufffd",
		"\u202eright\u200b to left":   "\ufffdright\ufffd to left",
		"\x9bC1 \xff":                 "\ufffdC1 \ufffd",
		strings.Repeat("ä", 600):      strings.Repeat("ä", 495) + " … (cut)",
		strings.Repeat("a", maxText):  strings.Repeat("a", maxText),
		strings.Repeat("x ", 4_000_0): strings.Repeat("x ", 495) + " … (cut)",
	} {
		if got := Clean(sent); got != want {
			t.Errorf("%.40q: %q, want %q", sent, got, want)
		}
	}
}

// Confirm finds what an answer does not show.
func TestConfirm(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	got := object{
		"metadata": object{"labels": object{"a": "1", "b": "2"}, "finalizers": []string{"x"}},
		"spec":     object{"n": int64(9007199254740993), "on": false},
	}
	for missing, sent := range map[string]object{
		"":                    {"metadata": object{"labels": object{"a": "1", "c": nil}, "finalizers": []any{"x"}}, "spec": object{"n": int64(9007199254740993)}},
		"metadata.labels.a":   {"metadata": object{"labels": object{"a": "2"}}},
		"metadata.labels.b":   {"metadata": object{"labels": object{"b": nil}}},
		"metadata.finalizers": {"metadata": object{"finalizers": []string{"x", "y"}}},
		"spec.n":              {"spec": object{"n": int64(9007199254740992)}},
		"spec.on":             {"spec": object{"on": true}},
		"status.phase":        {"status": object{"phase": "Ready"}},
	} {
		err := Confirm(sent, got)
		if missing == "" {
			if err != nil {
				t.Errorf("all shows: %v", err)
			}
			continue
		}
		if err == nil || !strings.HasSuffix(err.Error(), "does not show "+missing) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	judgedBy := object{"metadata": object{"resourceVersion": "17"}}
	if err := Confirm(judgedBy, object{"metadata": object{"resourceVersion": "18"}}); err != nil {
		t.Errorf("a new version: %v", err)
	}
	if err := Confirm(object{"spec": object{"on": false, "off": nil, "list": []string{}}}, object{"spec": object{"off": "by default"}}); err != nil {
		t.Errorf("what is empty may be left out: %v", err)
	}
}
