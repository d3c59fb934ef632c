package family

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// private is the private state of an object.
type private map[string][]byte

// privateOf reads private state. ok = false: it cannot be read, or is not what the framework writes, or has notes of the framework, whose
// names begin with a dot.
func privateOf(text []byte) (p private, ok bool) {
	if len(text) == 0 {
		return private{}, true
	}
	if json.Unmarshal(text, &p) != nil || len(p) == 0 {
		return nil, false
	}
	for key, value := range p {
		if strings.HasPrefix(key, ".") || !utf8.Valid(value) || !json.Valid(value) {
			return nil, false
		}
	}
	return p, true
}

// noted is private state with the note of [PlanAlone]; was is what it was before, and text what that was read from.
func (p private) noted(was private, text []byte, alone bool) ([]byte, error) {
	if (string(p[aloneKey]) == "true") != alone {
		p[aloneKey] = strconv.AppendBool(nil, alone)
	} else if maps.EqualFunc(p, was, bytes.Equal) {
		return text, nil
	}
	return json.Marshal(p)
}

// encoded is private state as Terraform keeps it; nil = there is none.
func (p private) encoded() ([]byte, error) {
	if len(p) == 0 {
		return nil, nil
	}
	return json.Marshal(p)
}

// GetKey implements [reader].
func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

// SetKey implements [privateState]. An empty value takes the key away.
func (p private) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if p[key] = value; len(value) == 0 {
		delete(p, key)
	}
	return nil
}
