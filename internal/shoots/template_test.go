package shoots

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

const whole = `
metadata:
  labels: {stage: dev}
spec:
  cloudProfile: {kind: CloudProfile, name: aws}
  region: eu-central-1
  provider:
    type: aws
    infrastructureConfig: {apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1, kind: InfrastructureConfig, anything: 1}
    workers:
    - name: a
      machine: {type: m5.large}
      minimum: 1
      maximum: 2
`

// What is wrong is reported with its path, all of it in one go. A field of the spec that Gardener's types do not know is for the server to judge:
// it is listed with the field that was probably meant.
func TestReadTemplate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"a whole template":  {whole, nil},
		"JSON":              {`{"spec": {"region": "r"}}`, nil},
		"with its kind":     {"apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n" + whole, nil},
		"an unknown field":  {"spec: {regoin: x}", []string{`spec.regoin: Gardener knows no such field (did you mean region?)`}},
		"two levels deep":   {"spec: {provider: {tpye: aws}}", []string{`spec.provider.tpye: Gardener knows no such field (did you mean type?)`}},
		"in a list":         {"spec: {provider: {workers: [{name: a, machine: {typ: x}}]}}", []string{"spec.provider.workers[0].machine.typ: Gardener knows no such field (did you mean type?)"}},
		"like nothing":      {"spec: {wibble: 1}", []string{"spec.wibble: Gardener knows no such field"}},
		"two at once":       {"spec: {regoin: x, purpos: y}", []string{"spec.purpos: Gardener knows no such field (did you mean purpose?)", "spec.regoin: Gardener knows no such field (did you mean region?)"}},
		"beside the spec":   {"spec: {}\nspce: {}", []string{"spce: Gardener knows no such field (did you mean spec?)"}},
		"a number too long": {"spec: {region: 12345678901234567890}", []string{"spec.region: the number 12345678901234567890 in line 1 cannot be kept exactly: a whole number has at most 64 bits, another at most 17 digits; quote it if it is a text"}},
		"another type":      {"spec: {region: [x]}", []string{"spec.region: it is a JSON array, where Gardener has a string"}},
		"twice the same":    {"spec: {region: x, region: y}", []string{"line 1: key \"region\" already set in map"}},
		"no YAML":           {"spec: {", []string{"line 1: did not find expected node content"}},
		"no object":         {"- a", []string{"it is no object with metadata and spec"}},
		"nothing":           {"", []string{"it is no object with metadata and spec"}},
		"no spec":           {"metadata: {labels: {a: b}}", []string{"spec: it is missing"}},
		"a name":            {"metadata: {name: x}\nspec: {}", []string{"metadata.name: remove it: the Shoot gets its name from the attribute name of hap_shoot, or from the Cluster of a profile"}},
		"a namespace":       {"metadata: {namespace: x}\nspec: {}", []string{"metadata.namespace: remove it: the Shoot is made in the namespace of the provider, or of the project of a profile"}},
		"other metadata":    {"metadata: {uid: x}\nspec: {}", []string{"metadata.uid: remove it: a template has labels and annotations, and no other metadata"}},
		"a status":          {"spec: {}\nstatus: {}", []string{"status: remove it: only Gardener writes it"}},
		"another kind":      {"kind: Seed\nspec: {}", []string{`kind: it is "Seed", and must be "Shoot" or left out`}},
		"an operation":      {"metadata: {annotations: {gardener.cloud/operation: reconcile}}\nspec: {}", []string{`metadata.annotations["gardener.cloud/operation"]: remove it: ` + onlyOnce}},
		"nulls":             {"metadata: null\nspec: {region: null, provider: {workers: [{name: a, zones: null}]}}", nil},
		"another API group": {"apiVersion: v1\nspec: {}", []string{`apiVersion: it is "v1", and must be "core.gardener.cloud/v1beta1" or left out`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := ReadTemplate(test.text)
			var got []string
			for _, p := range template.Newer() {
				got = append(got, p.String())
			}
			var wrong *TemplateError
			if errors.As(err, &wrong) {
				for _, p := range wrong.Problems {
					got = append(got, p.String())
				}
			} else if err != nil {
				t.Fatalf("%T: %v", err, err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTemplateSaysWhatMattersToAccounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		workerless bool
		bindings   string
	}{
		whole:                                 {false, "[]"},
		"spec: {provider: {type: aws}}":       {true, "[]"},
		"spec: {credentialsBindingName: a-1}": {true, "[credentialsBindingName: a-1]"},
		"spec: {secretBindingName: a-2}":      {true, "[secretBindingName: a-2]"},
		`spec: {secretBindingName: a-2, credentialsBindingName: ""}`: {true, "[credentialsBindingName:  secretBindingName: a-2]"},
	} {
		template, err := ReadTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		if template.Workerless() != want.workerless || fmt.Sprint(template.Bindings()) != want.bindings {
			t.Errorf("%q: workerless %v, bindings %v", text, template.Workerless(), template.Bindings())
		}
		for _, field := range []string{"credentialsBindingName", "secretBindingName"} { // what is written has one at most
			spec, _ := template.Object(field, "mine")["spec"].(map[string]any)
			one, other := spec["credentialsBindingName"], spec["secretBindingName"]
			if spec[field] != "mine" || one != nil && other != nil {
				t.Errorf("%q: %v", text, spec)
			}
		}
	}
}
