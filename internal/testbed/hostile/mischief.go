package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Mischief is what a server does in place of an answer.
type Mischief struct {
	Name string
	// Heavy: it sends much. Several at a time would take much memory by themselves.
	Heavy bool
	// Alike: another one differs from it in a number alone.
	Alike bool
	// Mute: nothing is answered.
	Mute  bool
	serve func(*Server, http.ResponseWriter, *http.Request)
}

// Mischiefs returns all that there is.
func Mischiefs() (all []Mischief) {
	for _, redirect := range []struct {
		status int
		to     func(*Server) string
	}{
		{http.StatusMovedPermanently, func(s *Server) string { return s.elsewhere().URL }},
		{http.StatusFound, func(s *Server) string { return s.plain().URL }},
		{http.StatusTemporaryRedirect, func(s *Server) string { return s.plain().URL }},
		{http.StatusPermanentRedirect, func(s *Server) string { return s.elsewhere().URL }},
		{http.StatusSeeOther, func(s *Server) string { return s.URL }},
	} {
		all = append(all, Mischief{
			Name:  fmt.Sprintf("redirect %d", redirect.status),
			Alike: redirect.status != http.StatusMovedPermanently && redirect.status != http.StatusTemporaryRedirect,
			serve: func(s *Server, w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, redirect.to(s)+astray+r.URL.RequestURI(), redirect.status)
			},
		})
	}
	return append(all,
		Mischief{Name: "endless answer", Heavy: true, serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
			endless(w, http.StatusOK)
		}},
		Mischief{Name: "endless refusal", Heavy: true, serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
			endless(w, http.StatusForbidden)
		}},
		Mischief{Name: "web page", serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<!doctype html><title>\x1b[2JPlease log in</title>"+strings.Repeat("<p>", 10_000))
		}},
		Mischief{Name: "control characters", serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) { refuse(w, Rude) }},
		Mischief{Name: "long refusal", serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
			refuse(w, strings.Repeat("so it is said, ", 50_000))
		}},
		Mischief{Name: "echo in a refusal", serve: func(_ *Server, w http.ResponseWriter, r *http.Request) {
			refuse(w, "not with "+r.Header.Get("Authorization"))
		}},
		Mischief{Name: "echo in the answer", serve: (*Server).echo},
		Mischief{Name: "success without the change", serve: (*Server).lie},
		Mischief{Name: "hang", Mute: true, serve: func(_ *Server, _ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise it is not seen that the client gives up
			<-r.Context().Done()
		}},
	)
}

// Rude is a text that clears a terminal, rings, goes back in the line, begins a line of its own, and turns the direction of writing.
const Rude = "\x1b[2J\x1b]0;owned\a\rApply complete!\n\nError: all is well \u202egnihton\u009b"

// endless sends the beginning of an object, without an end.
func endless(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","message":"`)
	chunk := []byte(strings.Repeat("x", 1<<16))
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// refuse refuses a request, in the words of an API server.
func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_ = json.NewEncoder(w).Encode(Object{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": http.StatusForbidden, "reason": "Forbidden", "message": message,
		"details": Object{"causes": []any{Object{"field": "spec.x" + message, "message": message}}},
	})
}

// echo carries the request out, and puts the credentials and rude words into each text of the answer.
func (s *Server) echo(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		s.api.ServeHTTP(w, r)
		return
	}
	recorded := httptest.NewRecorder()
	s.api.ServeHTTP(recorded, r)
	var answer any
	_ = json.Unmarshal(recorded.Body.Bytes(), &answer)
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(recorded.Code)
	_ = json.NewEncoder(w).Encode(spoilt(answer, "", " "+token+" "+Rude))
}

// identifying are the fields without which an answer would be one to another request.
var identifying = map[string]bool{
	"kind": true, "apiVersion": true, "name": true, "namespace": true, "uid": true, "resourceVersion": true, "creationTimestamp": true,
	"lastUpdateTime": true, "lastTransitionTime": true, "expirationTimestamp": true, "kubeconfig": true, "status": true, "type": true,
	"state": true, "phase": true, "reason": true, "hyperscalerType": true,
}

// spoilt adds a text to each text within a value.
func spoilt(value any, key, text string) any {
	switch value := value.(type) {
	case Object:
		result := Object{}
		for inner, field := range value {
			result[inner] = spoilt(field, inner, text)
		}
		return result
	case []any:
		for i := range value {
			value[i] = spoilt(value[i], key, text)
		}
		return value
	case string:
		if !identifying[key] {
			return value + text
		}
	}
	return value
}

// lie answers a write as if it was carried out, with the object as it was.
func (s *Server) lie(w http.ResponseWriter, r *http.Request) {
	read := r.Clone(r.Context())
	read.Method = http.MethodGet
	if r.Method != http.MethodPost {
		s.api.ServeHTTP(w, read)
		return
	}
	var object any
	_ = json.NewDecoder(r.Body).Decode(&object)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(object)
}

// Answer returns mischief that answers a request as an API server does that does not carry it out: with a status of the API. What message
// returns of the request is its text.
func Answer(name string, code int, reason string, message func(Request) string) Mischief {
	return Mischief{Name: name, serve: func(_ *Server, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		at := address(r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(Object{
			"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason,
			"message": message(Request{verbOf(r, at), at.group, at.resource, at.namespace, at.name}),
			"details": Object{"kind": at.resource, "name": at.name},
		})
	}}
}

// Request is what an API server was asked for.
type Request struct{ Verb, Group, Resource, Namespace, Name string }

func verbOf(r *http.Request, at place) string {
	switch {
	case r.Method == http.MethodPost:
		return "create"
	case r.Method != http.MethodGet:
		return strings.ToLower(r.Method)
	case r.URL.Query().Get("watch") != "":
		return "watch"
	case at.name == "":
		return "list"
	}
	return "get"
}

// NoAPI returns mischief that answers as an API server does that has no such path.
func NoAPI() Mischief {
	return Mischief{Name: "404 no such API", serve: func(_ *Server, w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "404 page not found", http.StatusNotFound)
	}}
}

// Cut returns mischief that ends the connection after the request, which is not carried out.
func Cut() Mischief {
	return Mischief{Name: "cut", serve: func(_ *Server, _ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}}
}

// WebPage returns mischief that answers with a page for browsers.
func WebPage() Mischief {
	return Mischief{Name: "web page", serve: func(_ *Server, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Please log in</title>")
	}}
}
