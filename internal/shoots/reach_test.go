package shoots

import "testing"

// What a change may reach decides which values of a Shoot stay known in a plan.
func TestReaches(t *testing.T) {
	t.Parallel()
	const (
		before = `{spec: {region: eu, kubernetes: {version: "1.33.2", kubeAPIServer: {requests: {maxMutatingInflight: 1}}}, dns: {domain: a.b}}}`
		text   = "# a comment\nspec:\n  dns: {domain: a.b}\n  region: eu\n" +
			"  kubernetes: {kubeAPIServer: {requests: {maxMutatingInflight: 1}}, version: \"1.33.2\"}\n"
	)
	for name, test := range map[string]struct {
		to   Wanted
		want Reach
	}{
		"nothing":            {Wanted{Template: templateOf(t, before)}, Reach{}},
		"the text alone":     {Wanted{Template: templateOf(t, text)}, Reach{}},
		"a label":            {Wanted{Template: templateOf(t, before), Labels: map[string]string{"a": "b"}}, Reach{}},
		"an annotation":      {Wanted{Template: templateOf(t, before), Annotations: map[string]string{"a": "b"}}, Reach{}},
		"a cluster":          {Wanted{Template: templateOf(t, before), ClusterNamespace: "a", ClusterName: "b"}, Reach{}},
		"a template label":   {Wanted{Template: templateOf(t, "metadata: {labels: {a: b}}\n"+text)}, Reach{}},
		"the account":        {Wanted{Template: templateOf(t, before), Account: "aws-2"}, Reach{Operation: true}},
		"the region":         {Wanted{Template: templateOf(t, `{spec: {region: us, kubernetes: {version: "1.33.2", kubeAPIServer: {requests: {maxMutatingInflight: 1}}}, dns: {domain: a.b}}}`)}, Reach{Operation: true}},
		"the version":        {Wanted{Template: templateOf(t, `{spec: {region: eu, kubernetes: {version: "1.34.0", kubeAPIServer: {requests: {maxMutatingInflight: 1}}}, dns: {domain: a.b}}}`)}, Reach{Operation: true, Version: true}},
		"no version":         {Wanted{Template: templateOf(t, `{spec: {region: eu, kubernetes: {kubeAPIServer: {requests: {maxMutatingInflight: 1}}}, dns: {domain: a.b}}}`)}, Reach{Operation: true, Version: true}},
		"the API server":     {Wanted{Template: templateOf(t, `{spec: {region: eu, kubernetes: {version: "1.33.2"}, dns: {domain: a.b}}}`)}, Reach{Operation: true, Addresses: true}},
		"the domain":         {Wanted{Template: templateOf(t, `{spec: {region: eu, kubernetes: {version: "1.33.2", kubeAPIServer: {requests: {maxMutatingInflight: 1}}}}}`)}, Reach{Operation: true, Addresses: true}},
		"hibernated":         {Wanted{Template: templateOf(t, `{spec: {hibernation: {enabled: true}, region: eu, kubernetes: {version: "1.33.2", kubeAPIServer: {requests: {maxMutatingInflight: 1}}}, dns: {domain: a.b}}}`)}, Reach{Operation: true, Hibernation: true, Addresses: true}},
		"a field of workers": {Wanted{Template: templateOf(t, `{spec: {provider: {workers: [{name: a, maximum: 2}]}, region: eu, kubernetes: {version: "1.33.2", kubeAPIServer: {requests: {maxMutatingInflight: 1}}}, dns: {domain: a.b}}}`)}, Reach{Operation: true}},
	} {
		if got := (Wanted{Template: templateOf(t, before)}).Reaches(test.to); got != test.want {
			t.Errorf("%s reaches %+v, want %+v", name, got, test.want)
		}
	}
}

func templateOf(t *testing.T, text string) Template {
	t.Helper()
	template, err := ReadTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}
