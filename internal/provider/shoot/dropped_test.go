package shoot_test

import (
	"slices"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// What a person has made and the configuration names no longer goes off an imported Shoot, and the plan says so; what the configuration
// has never named stays, and the plan says that, too.
func TestAccShoot_importedLoses(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	more := strings.Replace(acceptance.TemplateWith("labels: {stage: dev}", "labels: {stage: dev, team: x}"), "    - name: a\n", `    - name: b
      minimum: 1
      maximum: 1
      zones: [region-1a]
      machine: {type: medium, image: {name: gardenlinux, version: 1877.1.0}}
      volume: {type: ssd, size: 50Gi}
    - name: a
`, 1)
	some := acceptance.TemplateWith("labels: {stage: dev}", "labels: {stage: dev, team: x}")
	folder := acceptance.NewFolder(t, l.Landscape)
	write := func(more ...string) {
		parts := slices.Concat([]string{acceptance.Requiring, l.Provider(), acceptance.RulesAWS, acceptance.ClaimOf("one", "ga-1")}, more)
		folder.Write(t, strings.Join(parts, "\n"))
	}
	run := func(wants []string, args ...string) {
		t.Helper()
		r := folder.Run(t, args...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(r.Output, "│", "")), " ")
		for _, want := range wants {
			if !strings.Contains(said, want) {
				t.Errorf("%v does not say %q:\n%s", args, want, r.Output)
			}
		}
		if about := strings.Contains(said, "fields of another party"); r.ExitCode != 0 || about != (len(wants) > 0) {
			t.Errorf("%v ended with %d, and says something of another party: %v\n%s", args, r.ExitCode, about, r.Output)
		}
	}
	live := func(labels, workers string) {
		t.Helper()
		s, err := l.Live("blue")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, w := range s.Spec.Provider.Workers {
			names = append(names, w.Name)
		}
		if got := s.Labels["stage"] + s.Labels["team"]; got != labels || strings.Join(names, "") != workers {
			t.Errorf("the labels are %q, the workers %v", got, names)
		}
	}
	write()
	run(nil, "apply", "-auto-approve")
	var theirs gardencore.Shoot
	if err := yaml.Unmarshal([]byte(more), &theirs); err != nil {
		t.Fatal(err)
	}
	account := "aws-1"
	theirs.ObjectMeta = metav1.ObjectMeta{Namespace: l.Name, Name: "blue", Labels: theirs.Labels}
	theirs.Spec.CredentialsBindingName = &account
	if err := l.Garden().AdminClient().Create(t.Context(), &theirs); err != nil {
		t.Fatal(err)
	}

	write(acceptance.ShootOf(some), "import {\n to = hap_shoot.one\n id = \"blue\"\n}\n")
	left := []string{diagnose.SummaryShootLeft, "(field manager hap-testbed)", "leaves them on the Shoot", "- spec.provider.workers[b] To have"}
	run(left, "plan")
	run(left, "apply", "-auto-approve")
	live("devx", "ba")
	run(nil, "plan", "-detailed-exitcode")

	write(acceptance.ShootOf(more))
	run(nil, "apply", "-auto-approve")
	write(acceptance.ShootOf(acceptance.TemplateWith()))
	taken := []string{diagnose.SummaryShootDropped, "takes them off the Shoot: - metadata.labels.team - spec.provider.workers[b] Name those"}
	run(taken, "plan")
	live("devx", "ba")
	run(taken, "apply", "-auto-approve")
	live("dev", "a")
	run(nil, "plan", "-detailed-exitcode")
}
