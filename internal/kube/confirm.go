package kube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// UnconfirmedError says that a server answered a write with success, and that its answer does not show the write. What became of it is
// not known: [Write] returns it as an UnknownOutcome.
type UnconfirmedError struct {
	What string // the first thing that the answer does not show, such as "metadata.labels.dirty"
}

func (e *UnconfirmedError) Error() string {
	return "the server answered with success, and its answer does not show " + e.What
}

// Confirm checks that the answer to a write shows all that was written. sent and got are encoded as JSON, or are JSON. Of what was sent,
// null means that a field is not there; outside of the metadata a server may have put a default there. A list is compared as a whole. A
// metadata.resourceVersion that was sent is what the write was judged by, and not compared.
//
// Errors: [*UnconfirmedError].
func Confirm(sent, got any) error {
	wanted, err := plain(sent)
	if err != nil {
		return err
	}
	have, err := plain(got)
	if err != nil {
		return err
	}
	if missing := unshown(wanted, have, ""); missing != "" {
		return &UnconfirmedError{What: missing}
	}
	return nil
}

// plain is a value as JSON has it. Numbers keep their digits.
func plain(value any) (decoded any, err error) {
	text, raw := value.([]byte)
	if !raw {
		if text, err = json.Marshal(value); err != nil {
			return nil, fmt.Errorf("encoding what was written: %w", err)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&decoded); err != nil {
		return nil, fmt.Errorf("decoding what was written: %w", err)
	}
	return decoded, nil
}

// unshown returns the path of the first field that was sent and does not show; empty = all shows.
func unshown(sent, got any, path string) string {
	fields, isObject := sent.(map[string]any)
	if !isObject {
		if sent == nil && !strings.HasPrefix(path, "metadata.") {
			return ""
		}
		if isEmpty(sent) && isEmpty(got) || equal(sent, got) {
			return ""
		}
		return path
	}
	have, _ := got.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		at := name
		if path != "" {
			at = path + "." + name
		}
		if at == "metadata.resourceVersion" {
			continue
		}
		if missing := unshown(fields[name], have[name], at); missing != "" {
			return missing
		}
	}
	return ""
}

// isEmpty reports whether a value may be left out of an answer.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	case string:
		return value == ""
	case bool:
		return !value
	case json.Number:
		return value.String() == "0"
	}
	return false
}

func equal(a, b any) bool {
	first, errA := json.Marshal(a)
	second, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(first, second)
}
