package shoots

import (
	"slices"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/yaml"
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
		"a field is gone": {func(s *gardencore.Shoot) { s.Spec.Purpose = nil }, []string{`spec.purpose is nothing, the template says "evaluation"`}},
		"a worker group is gone": {func(s *gardencore.Shoot) { s.Spec.Provider.Workers = s.Spec.Provider.Workers[1:] }, []string{
			`spec.provider.workers[b] is nothing, the template says {"machine":{"type":"small"},"maximum":1,"minimum":1,"name":"b"}`}},
		"a label": {func(s *gardencore.Shoot) { s.Labels["stage"] = "prod" }, []string{`metadata.labels.stage is "prod", the template says "dev"`}},
		"a schedule": {func(s *gardencore.Shoot) { s.Spec.Hibernation.Schedules = nil }, []string{
			`spec.hibernation.schedules is nothing, the template says [{"start":"0 20 * * *"}]`}},
		"what the provider's configuration says": {func(s *gardencore.Shoot) {
			s.Spec.Provider.InfrastructureConfig.Raw = []byte(`{"networks":{"vpc":{"cidr":"10.1.0.0/16"}}}`)
		}, []string{`spec.provider.infrastructureConfig.networks.vpc.cidr is "10.1.0.0/16", the template says "10.0.0.0/16"`}},
		"two things": {func(s *gardencore.Shoot) { s.Spec.Purpose = nil; s.Spec.Provider.Workers[0].Minimum = 0 }, []string{
			`spec.provider.workers[b].minimum is 0, the template says 1`, `spec.purpose is nothing, the template says "evaluation"`}},
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
			for _, c := range (Wanted{Template: template}).drift(&shoot) {
				got = append(got, c.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
