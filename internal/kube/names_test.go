package kube_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// A name passes where the API server takes it: as the name of an object, and as that of a namespace.
func TestNames(t *testing.T) {
	t.Parallel()
	for text, is := range map[string]struct{ name, label bool }{
		"a":                      {true, true},
		"blue-1":                 {true, true},
		"a.b":                    {true, false},
		"a..b":                   {false, false},
		"a.-b":                   {false, false},
		"a-.b":                   {false, false},
		"a.":                     {false, false},
		"-a":                     {false, false},
		"A":                      {false, false},
		"a_b":                    {false, false},
		"":                       {false, false},
		strings.Repeat("a", 63):  {true, true},
		strings.Repeat("a", 64):  {true, false},
		strings.Repeat("a", 254): {false, false},
	} {
		if got := kube.IsName(text); got != is.name {
			t.Errorf("%q is a name: %t", text, got)
		}
		if got := kube.IsLabelName(text); got != is.label {
			t.Errorf("%q is the name of a namespace: %t", text, got)
		}
	}
}
