package shoot_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A protected cluster that is tainted is refused at plan, and not only by the apply; untainted and unprotected it is made anew.
func TestAccShoot_taintedAndProtected(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	folder := acceptance.NewFolder(t, l.Landscape)
	write := func(attributes ...string) {
		parts := []string{acceptance.Requiring, l.Provider(), acceptance.RulesAWS, acceptance.ClaimOf("one", "ga-1"),
			acceptance.ShootOf(acceptance.TemplateWith(), attributes...)}
		folder.Write(t, strings.Join(parts, "\n"))
	}
	uid := func() string {
		s, err := l.Live("blue")
		if err != nil {
			t.Fatal(err)
		}
		return string(s.UID)
	}
	write("deletion_protection = true")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	was := uid()
	acceptance.Run(t, folder, "taint", acceptance.ShootOne)
	refused := folder.Run(t, "plan")
	if refused.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryShootProtected, "take the taint away").MatchString(refused.Output) {
		t.Errorf("the plan ends with %d:\n%s", refused.ExitCode, refused.Output)
	}
	acceptance.Run(t, folder, "untaint", acceptance.ShootOne)
	write("deletion_protection = false")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if uid() != was {
		t.Error("the cluster was made anew")
	}
	acceptance.Run(t, folder, "taint", acceptance.ShootOne)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if uid() == was {
		t.Error("the cluster was not made anew")
	}
}
