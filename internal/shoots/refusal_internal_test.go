package shoots

import (
	"slices"
	"testing"
)

// Of a refusal, what another one has as well is separated, also where an admission plug-in says all of it in one sentence.
func TestRefusedError_Beyond(t *testing.T) {
	t.Parallel()
	const region = `spec.region: Unsupported value: "nowhere": supported values: "region-1", "eu-central-1"`
	plugin := func(text string) Problem {
		return Problem{Text: `shoots.core.gardener.cloud "s" is forbidden: ` + text}
	}
	standing := Problem{Path: "spec.region", Text: region[len("spec.region: "):]}
	for name, test := range map[string]struct{ now, was, added, old []Problem }{
		"the same":        {[]Problem{plugin(region)}, []Problem{plugin(region)}, nil, []Problem{standing}},
		"nothing existed": {[]Problem{plugin(region)}, nil, []Problem{standing}, nil},
		"one beside it": {
			[]Problem{plugin("[spec.kubernetes.version: Unsupported value: \"9\", " + region + ", metadata.name: Too long]")}, []Problem{plugin(region)},
			[]Problem{{Path: "spec.kubernetes.version", Text: `Unsupported value: "9"`}, {Path: "metadata.name", Text: "Too long"}}, []Problem{standing},
		},
		"fields by themselves": {
			[]Problem{{Path: "spec.a", Text: "is wrong"}, {Path: "spec.b", Text: "is wrong"}}, []Problem{{Path: "spec.b", Text: "is wrong"}},
			[]Problem{{Path: "spec.a", Text: "is wrong"}}, []Problem{{Path: "spec.b", Text: "is wrong"}},
		},
		"no field": {
			[]Problem{plugin("the project is being deleted")}, []Problem{plugin(region)}, []Problem{{Text: "the project is being deleted"}}, nil,
		},
		"another sentence": {[]Problem{{Text: `namespaces "n" not found`}}, nil, []Problem{{Text: `namespaces "n" not found`}}, nil},
	} {
		now, was := RefusedError{Problems: test.now}, RefusedError{Problems: test.was}
		if added, old := now.Beyond(&was); !slices.Equal(added, test.added) || !slices.Equal(old, test.old) {
			t.Errorf("%s: new is %q, and old is %q", name, added, old)
		}
	}
}

// A refusal is that of the attribute which says all of what is refused, and of the template where that says any of it.
func TestWanted_attributeOf(t *testing.T) {
	t.Parallel()
	w := Wanted{Name: "s", Labels: map[string]string{"stage": "a b"}, Annotations: map[string]string{"c  d": "x"},
		ClusterNamespace: "team", ClusterName: "one.two"}
	label := Problem{Path: "metadata.labels", Text: `Invalid value: "a b": a valid label must be an empty string or consist of`}
	annotation := Problem{Path: "metadata.annotations", Text: `Invalid value: "c d": name part must consist of`}
	template := Problem{Path: "spec.region", Text: "Unsupported value"}
	for name, test := range map[string]struct {
		problems []Problem
		want     string
	}{
		"name":                   {[]Problem{{Path: "metadata.name", Text: "Invalid value"}}, "name"},
		"name, by a plug-in":     {[]Problem{{Text: `shoots.core.gardener.cloud "s" is forbidden: name: Invalid value: "s"`}}, "name"},
		"label":                  {[]Problem{label}, "labels"},
		"label, said twice":      {[]Problem{label, label}, "labels"},
		"label of the template":  {[]Problem{{Path: "metadata.labels", Text: `Invalid value: "x y"`}}, ""},
		"label of the Cluster":   {[]Problem{{Path: "metadata.labels", Text: `Invalid value: "one.two": must be`}}, "cluster_ref"},
		"annotation":             {[]Problem{annotation}, "annotations"},
		"spec":                   {[]Problem{template}, ""},
		"label and spec":         {[]Problem{label, template}, ""},
		"label and annotation":   {[]Problem{label, annotation}, ""},
		"no field":               {[]Problem{{Text: "the project is being deleted"}}, ""},
		"nothing that is quoted": {[]Problem{{Path: "metadata.annotations", Text: "Too long: may not be more than 262144 bytes"}}, ""},
	} {
		if got := w.attributeOf(test.problems); got != test.want {
			t.Errorf("%s: it is at %q, and not at %q", name, got, test.want)
		}
	}
}

// A field is immutable where the server says so itself, not where it repeats a value of the user's.
func TestImmutable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		problems []Problem
		want     []string
		only     bool
	}{
		"a field": {[]Problem{{Path: "spec.networking.type", Text: `Invalid value: "cilium": field is immutable`}}, []string{"spec.networking.type"}, true},
		"a value": {[]Problem{{Path: "spec.provider.workers[0].machine.type", Text: `Unsupported value: "immutable": supported values: "large"`}}, nil, false},
		"of a plug-in": {
			[]Problem{{Text: `shoots "s" is forbidden: [spec.a: Forbidden: it is immutable, spec.b: Invalid value: "immutable!": no]`}}, []string{"spec.a"}, false},
		"without a field": {[]Problem{{Text: "the region is immutable"}}, []string{"the region is immutable"}, true},
		"one twice":       {[]Problem{{Path: "spec.a", Text: "field is immutable"}, {Path: "spec.a", Text: "must stay: field is immutable"}}, []string{"spec.a"}, true},
	} {
		fields, only := (&RefusedError{Problems: test.problems}).Immutable()
		if !slices.Equal(fields, test.want) || only != test.only {
			t.Errorf("%s: %q, only these: %t; want %q, %t", name, fields, only, test.want, test.only)
		}
	}
}
