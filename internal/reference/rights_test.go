package main

import (
	"slices"
	"strings"
	"testing"
)

const role = `# What it is for.
#
# A word of warning.
kind: KIND
rules:
  # Reason of the rule.
  - apiGroups: [a]
    resources: [b, c]
    verbs: [get, list]
  - apiGroups: [a]
    # What holds for d.
    resources: [d]
    verbs:
      # The first,
      # in two lines.
      - get
      # The second.
      - list
`

// The table of a Role has the reason of each verb, from the comment above the verb or above its rule.
func TestRights(t *testing.T) {
	t.Parallel()
	for kind, where := range map[string]string{"Role": "", "ClusterRole": " everywhere"} {
		purpose, rows, err := readRoles([]byte(strings.Replace(role, "KIND", kind, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, r.row())
		}
		want := []string{
			"| `get`, `list` | `b`, `c`" + where + " | Reason of the rule. |",
			"| `get` | `d`" + where + " | What holds for d. The first, in two lines. |",
			"| `list` | `d`" + where + " | The second. |",
		}
		if purpose != "What it is for.\n\nA word of warning." || !slices.Equal(got, want) {
			t.Errorf("%q\n%s", purpose, strings.Join(got, "\n"))
		}
	}
}

// A verb without a reason, and a file that does not say what it is for, are errors.
func TestRights_withoutReason(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]string{
		"      # The second.\n":                        "",
		"  # Reason of the rule.\n":                    "no comment says why get on b, c is needed",
		"# What it is for.\n#\n# A word of warning.\n": "no comment says what the Role is for",
	} {
		_, _, err := readRoles([]byte(strings.Replace(role, comment, "", 1)))
		if (want == "") != (err == nil) || err != nil && err.Error() != want {
			t.Errorf("without %q: %v", comment, err)
		}
	}
}
