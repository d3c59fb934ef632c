package shoot_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// What a person has made and the configuration names no longer goes off an imported Shoot, and the plan says so; what the configuration
// has never named stays, and the plan says that, too.
func TestAccShoot_importedLoses(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	more := strings.Replace(acceptance.TemplateWith("labels: {stage: dev}", "labels: {stage: dev, team: x}"), "    - name: a\n", groupB, 1)
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
	makeTheirs(t, l, more)

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

// A first apply after an import whose answer was lost is repeated as it was planned: it leaves what the first plan said to leave.
func TestAccShoot_importedAnswerLost(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{})
	l.Kubeconfig = proxy.Kubeconfig(t, l.User)
	folder := acceptance.NewFolder(t, l.Landscape)
	write := func(more ...string) {
		parts := slices.Concat([]string{acceptance.Requiring, l.Provider(), acceptance.RulesAWS, acceptance.ClaimOf("one", "ga-1")}, more)
		folder.Write(t, strings.Join(parts, "\n"))
	}
	write()
	acceptance.Run(t, folder, "apply", "-auto-approve")
	makeTheirs(t, l, strings.Replace(acceptance.TemplateWith(), "    - name: a\n", groupB, 1))
	write(acceptance.ShootOf(acceptance.TemplateWith()), "import {\n to = hap_shoot.one\n id = \"blue\"\n}\n")
	proxy.Spoil(fault.Rule{Verb: "patch", Resource: "shoots", When: func(x fault.Exchange) bool { return !x.DryRun }, Nth: 1, Fault: fault.CutAfter()})
	if lost := folder.Run(t, "apply", "-auto-approve"); lost.ExitCode == 0 {
		t.Fatalf("the answer was not lost:\n%s", lost.Output)
	}
	proxy.Lift()
	if out := acceptance.Run(t, folder, "apply", "-auto-approve").Output; !strings.Contains(out, diagnose.SummaryShootLeft) {
		t.Errorf("the second apply does not say what it leaves:\n%s", out)
	}
	s, err := l.Live("blue")
	if err != nil || len(s.Spec.Provider.Workers) != 2 {
		t.Errorf("the Shoot has the workers %+v, %v", s.Spec.Provider.Workers, err)
	}
	acceptance.Run(t, folder, "plan", "-detailed-exitcode")
}

// A cluster that is imported keeps each label and annotation that its first configuration has set, also those of Gardener's own domain, when
// the generated configuration changes.
func TestAccShoot_importedKeepsItsLabels(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	template := strings.Replace(acceptance.TemplateWith(), "labels: {stage: dev}",
		"labels: {stage: dev, networking.shoot.gardener.cloud/provider: x}\n  annotations: {shoot.gardener.cloud/foo: bar, alpha.x.gardener.cloud/y: z}", 1)
	first := acceptance.NewFolder(t, l.Landscape)
	first.Write(t, acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1")+acceptance.ShootOf(template,
		`cluster_ref = { namespace = "clusters", name = "workload" }`, `labels = { team = "a" }`))
	acceptance.Run(t, first, "apply", "-auto-approve")
	before, err := l.Live("blue")
	if err != nil {
		t.Fatal(err)
	}
	heir := acceptance.NewFolder(t, l.Landscape)
	heir.Write(t, acceptance.Requiring+l.Provider()+"import {\n  to = hap_shoot.one\n  id = \"blue\"\n}\n")
	acceptance.Run(t, heir, "plan", "-generate-config-out=generated.tf")
	content, err := os.ReadFile(filepath.Join(heir.Folder, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(content), "global_account           = null", `global_account = "ga-1"`, 1)
	for _, want := range []string{"networking.shoot.gardener.cloud/provider: x", "shoot.gardener.cloud/foo: bar", "stage: dev", "team: a", `"workload"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "created-by") || strings.Contains(text, "hap-project.io") {
		t.Errorf("the template has what Gardener and the provider keep:\n%s", text)
	}
	acceptance.WriteFile(t, heir, "generated.tf", strings.Replace(text, "maximum: 2", "maximum: 3", 1))
	acceptance.Run(t, heir, "apply", "-auto-approve")
	now, err := l.Live("blue")
	if err != nil || now.Spec.Provider.Workers[0].Maximum != 3 {
		t.Fatalf("the change has not come: %v, %v", now, err)
	}
	if !maps.Equal(now.Labels, before.Labels) {
		t.Errorf("the labels are %v, and were %v", now.Labels, before.Labels)
	}
	delete(now.Annotations, kube.ProtectionAnnotation) // an import protects
	if !maps.Equal(now.Annotations, before.Annotations) {
		t.Errorf("the annotations are %v, and were %v", now.Annotations, before.Annotations)
	}
}

const groupB = `    - name: b
      minimum: 1
      maximum: 1
      zones: [region-1a]
      machine: {type: medium, image: {name: gardenlinux, version: 1877.1.0}}
      volume: {type: ssd, size: 50Gi}
    - name: a
`

// makeTheirs has another party make the Shoot blue.
func makeTheirs(t *testing.T, l acceptance.ClusterLandscape, text string) {
	t.Helper()
	var theirs gardencore.Shoot
	if err := yaml.Unmarshal([]byte(text), &theirs); err != nil {
		t.Fatal(err)
	}
	account := "aws-1"
	theirs.ObjectMeta = metav1.ObjectMeta{Namespace: l.Name, Name: "blue", Labels: theirs.Labels}
	theirs.Spec.CredentialsBindingName = &account
	if err := l.CreateShoot(t.Context(), &theirs); err != nil {
		t.Fatal(err)
	}
}
