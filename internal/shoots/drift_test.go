package shoots

import (
	"errors"
	"slices"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

const wanted = `
metadata: {labels: {stage: dev}}
spec:
  purpose: evaluation
  kubernetes: {version: "1.31", kubeAPIServer: {requests: {maxMutatingInflight: 200}}, kubelet: {kubeReserved: {memory: 1024Mi}}}
  hibernation: {enabled: false, schedules: [{start: "0 20 * * *"}]}
  provider:
    type: aws
    infrastructureConfig: {networks: {vpc: {cidr: 10.0.0.0/16}}}
    workers:
    - {name: a, machine: {type: small, image: {name: linux, version: 1.2.0}}, minimum: 1, maximum: 2, volume: {size: 20Gi}, maxSurge: 1}
    - {name: b, machine: {type: small}, minimum: 1, maximum: 1}
`

// live is what Gardener makes of wanted, with its defaults.
const live = `
metadata: {name: x, labels: {stage: dev, shoot.gardener.cloud/status: healthy}}
spec:
  purpose: evaluation
  kubernetes: {version: 1.31.4, kubeAPIServer: {requests: {maxMutatingInflight: 200, maxNonMutatingInflight: 400}}, kubelet: {kubeReserved: {memory: 1Gi, cpu: 80m}}}
  hibernation: {enabled: false, schedules: [{start: "0 20 * * *"}]}
  maintenance: {autoUpdate: {kubernetesVersion: true}}
  provider:
    type: aws
    infrastructureConfig: {networks: {vpc: {cidr: 10.0.0.0/16}, zones: []}}
    workers:
    - {name: b, machine: {type: small}, minimum: 1, maximum: 1}
    - {name: z, machine: {type: small}, minimum: 1, maximum: 1}
    - {name: a, machine: {type: small, image: {name: linux, version: 1.2.0}}, minimum: 1, maximum: 2, volume: {size: 20Gi}, maxSurge: 1}
`

// Drift is what another party changed of what the template names: not what Gardener fills in, raises or switches by itself.
func TestDrift(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*gardencore.Shoot)
		want   []string
	}{
		"nothing":                        {func(*gardencore.Shoot) {}, nil},
		"maintenance raises the version": {func(s *gardencore.Shoot) { s.Spec.Kubernetes.Version = "1.32.1" }, nil},
		"maintenance raises an image":    {func(s *gardencore.Shoot) { *s.Spec.Provider.Workers[2].Machine.Image.Version = "1.10.0" }, nil},
		"a version goes back": {func(s *gardencore.Shoot) { s.Spec.Kubernetes.Version = "1.30.9" },
			[]string{`spec.kubernetes.version is "1.30.9", the template says "1.31"`}},
		"another image": {func(s *gardencore.Shoot) { s.Spec.Provider.Workers[2].Machine.Image.Name = "bsd" },
			[]string{`spec.provider.workers[a].machine.image.name is "bsd", the template says "linux"`}},
		"the schedule hibernates it": {func(s *gardencore.Shoot) { *s.Spec.Hibernation.Enabled = true }, nil},
		"a number": {func(s *gardencore.Shoot) { s.Spec.Provider.Workers[2].Maximum = 7 },
			[]string{`spec.provider.workers[a].maximum is 7, the template says 2`}},
		"a field is gone": {func(s *gardencore.Shoot) { s.Spec.Purpose = nil }, []string{`spec.purpose is not there`}},
		"a worker group is gone": {func(s *gardencore.Shoot) { s.Spec.Provider.Workers = s.Spec.Provider.Workers[1:] }, []string{
			`spec.provider.workers[b] is not there`}},
		"a label": {func(s *gardencore.Shoot) { s.Labels["stage"] = "prod" }, []string{`metadata.labels.stage is "prod", the template says "dev"`}},
		"a schedule": {func(s *gardencore.Shoot) { s.Spec.Hibernation.Schedules = nil }, []string{
			`spec.hibernation.schedules is not there`}},
		"what the provider's configuration says": {func(s *gardencore.Shoot) {
			s.Spec.Provider.InfrastructureConfig.Raw = []byte(`{"networks":{"vpc":{"cidr":"10.1.0.0/16"}}}`)
		}, []string{`spec.provider.infrastructureConfig.networks.vpc.cidr is not as the template says`}},
		"two things": {func(s *gardencore.Shoot) { s.Spec.Purpose = nil; s.Spec.Provider.Workers[0].Minimum = 0 }, []string{
			`spec.provider.workers[b].minimum is 0, the template says 1`, `spec.purpose is not there`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template, err := ReadTemplate(wanted)
			if err != nil {
				t.Fatal(err)
			}
			var shoot gardencore.Shoot
			if err := yaml.UnmarshalStrict([]byte(live), &shoot); err != nil {
				t.Fatal(err)
			}
			test.change(&shoot)
			var got []string
			for _, c := range (Wanted{Template: template}).drift(&shoot, nil) {
				got = append(got, c.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// What is sent for a live Shoot has what Gardener has raised or switched as the Shoot has it: left out, the server would take it away
// and choose anew. A version that the template lowers is sent, for Gardener to refuse; each other version stays raised.
func TestFollowing(t *testing.T) {
	t.Parallel()
	template := strings.Replace(wanted, "machine: {type: small}, minimum", "kubernetes: {version: 1.31.2}, machine: {type: small}, minimum", 1)
	const (
		raised  = "1.31.4 a:1.10.0 b:1.31.3 hibernated"
		lowered = "1.30 a:1.10.0 b:1.31.3 hibernated"
	)
	for name, test := range map[string]struct{ was, now, want string }{
		"as before":                         {"", "", raised},
		"Kubernetes is lowered":             {"", `"1.31",|"1.30",`, lowered},
		"Kubernetes is loosened":            {`"1.31",|1.31.4,`, "", raised},
		"Kubernetes is loosened further":    {`"1.31",|1.31.4,`, `"1.31",|"1",`, raised},
		"a version that begins alike":       {"", `"1.31",|"1.3",`, "1.3 a:1.10.0 b:1.31.3 hibernated"},
		"Kubernetes is named no longer":     {"", `version: "1.31",|`, raised},
		"an image is lowered":               {"", "1.2.0|1.1.0", "1.31.4 a:1.1.0 b:1.31.3 hibernated"},
		"an image is loosened":              {"", `1.2.0|"1.2"`, raised},
		"an image of another name is lower": {"linux, version: 1.2.0|bsd, version: 7.0.0", "", raised},
		"a worker's Kubernetes is lowered":  {"", "1.31.2|1.31.1", "1.31.4 a:1.10.0 b:1.31.1 hibernated"},
		"a worker's Kubernetes is loosened": {"", `1.31.2|"1.31"`, raised},
		"its group is new":                  {"name: b|name: z", "", raised},
		"what is raised, and below it":      {"", `"1.31",|1.31.1,`, raised},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(change string) Template {
				from, to, _ := strings.Cut(change, "|")
				read, err := ReadTemplate(strings.Replace(template, from, to, 1))
				if err != nil {
					t.Fatal(err)
				}
				return read
			}
			var shoot, sent gardencore.Shoot
			if err := yaml.UnmarshalStrict([]byte(live), &shoot); err != nil {
				t.Fatal(err)
			}
			*shoot.Spec.Provider.Workers[2].Machine.Image.Version, *shoot.Spec.Hibernation.Enabled = "1.10.0", true
			shoot.Spec.Provider.Workers[0].Kubernetes = &gardencore.WorkerKubernetes{Version: ptr.To("1.31.3")}
			if err := yaml.UnmarshalStrict([]byte(written(read(test.now).following(&shoot, read(test.was)))), &sent); err != nil {
				t.Fatal(err)
			}
			workers := sent.Spec.Provider.Workers // a and b, as the template has them
			got := sent.Spec.Kubernetes.Version + " a:" + *workers[0].Machine.Image.Version + " b:" + *workers[1].Kubernetes.Version
			if *sent.Spec.Hibernation.Enabled {
				got += " hibernated"
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A null names nothing, an empty list says nothing, and lists that the server merges are compared by their keys.
func TestDriftOfLists(t *testing.T) {
	t.Parallel()
	template, err := ReadTemplate(`spec: {purpose: null, networking: {ipFamilies: []}, tolerations: [{key: b}, {key: c}],
  kubernetes: {version: "1.31", kubeAPIServer: {admissionPlugins: [{name: PodSecurity}]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	var shoot gardencore.Shoot
	if err := yaml.UnmarshalStrict([]byte(`spec: {purpose: evaluation, networking: {ipFamilies: [IPv4]}, tolerations: [{key: a}, {key: b}],
  kubernetes: {version: "1.31", kubeAPIServer: {admissionPlugins: [{name: Others}, {name: PodSecurity}]}}}`), &shoot); err != nil {
		t.Fatal(err)
	}
	drift := (Wanted{Template: template}).drift(&shoot, nil)
	if len(drift) != 1 || drift[0].String() != "spec.tolerations[c] is not there" {
		t.Errorf("drift is %v", drift)
	}
}

// Fields that the types do not know are compared as the server has them, where it was asked; what is empty it may leave out.
func TestDriftOfNewerFields(t *testing.T) {
	t.Parallel()
	template, err := ReadTemplate(`spec: {newer: {flag: true, off: false, none: {}, list: [{a: 1}], big: 9007199254740993},
  provider: {workers: [{name: a, newer: x, maximum: 2}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(template.Newer()) != 2 { //nolint:mnd // of the spec and of the worker group
		t.Errorf("newer are %v", template.Newer())
	}
	const asWritten = `{flag: true, list: [{a: 1, b: 2}], big: 9007199254740993, more: 1}`
	for name, test := range map[string]struct {
		newer, ofWorker string
		want            []string
	}{
		"as written":     {asWritten, "x", nil},
		"another value":  {asWritten, "z", []string{`spec.provider.workers[a].newer is "z", the template says "x"`}},
		"gone":           {"null", "x", []string{"spec.newer is not there"}},
		"a number":       {strings.Replace(asWritten, "993", "992", 1), "x", []string{"spec.newer is not as the template says"}},
		"a longer list":  {strings.Replace(asWritten, "[", "[{}, ", 1), "x", []string{"spec.newer is not as the template says"}},
		"another in it":  {strings.Replace(asWritten, "a: 1", "a: 2", 1), "x", []string{"spec.newer is not as the template says"}},
		"what was false": {strings.Replace(asWritten, "more", "off", 1), "x", []string{"spec.newer is not as the template says"}},
	} {
		text := `{spec: {newer: ` + test.newer + `, provider: {workers: [{name: b}, {name: a, maximum: 2, newer: ` + test.ofWorker + `}]}}}`
		var shoot gardencore.Shoot
		if err := yaml.Unmarshal([]byte(text), &shoot); err != nil {
			t.Fatal(err)
		}
		asJSON, err := yaml.YAMLToJSON([]byte(text))
		var whole map[string]any
		if err := errors.Join(err, strict.Decode(asJSON, &whole)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range (Wanted{Template: template}).drift(&shoot, whole) {
			got = append(got, c.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		if unseen := (Wanted{Template: template}).drift(&shoot, nil); len(unseen) > 0 {
			t.Errorf("%s: not looked at, and found %v", name, unseen)
		}
	}
}

// Of what may be a secret only the path is shown.
func TestChangeTellsNoSecret(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"metadata.annotations.token":                "metadata.annotations.token is not as the template says",
		"spec.extensions[0].providerConfig.key":     "spec.extensions[0].providerConfig.key is not as the template says",
		"spec.provider.infrastructureConfig.secret": "spec.provider.infrastructureConfig.secret is not as the template says",
		"spec.kubernetes.kubeAPIServer.admissionPlugins[PodNodeSelector].config.token": "spec.kubernetes.kubeAPIServer." +
			"admissionPlugins[PodNodeSelector].config.token is not as the template says",
		"metadata.labels.stage":                        `metadata.labels.stage is "PLANTED", the template says "b"`,
		"spec.kubernetes.kubeAPIServer.oidcConfig.abc": "spec.kubernetes.kubeAPIServer.oidcConfig.abc is not as the template says",
	} {
		if got := (Change{Path: path, Got: "PLANTED", Want: "b"}).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
