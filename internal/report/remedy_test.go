package report

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Each kind of problems has a title and a remedy, which is the same for all accounts.
func TestEveryProblemHasATitleAndARemedy(t *testing.T) {
	t.Parallel()
	for _, kind := range pool.ProblemKinds() {
		if Title(kind) == "" || Title(kind) == string(kind) || Remedy(kind) == "" || strings.Contains(Remedy(kind), "ga-1") {
			t.Errorf("%s: title %q, remedy %q", kind, Title(kind), Remedy(kind))
		}
	}
	if len(advices) != len(pool.ProblemKinds()) {
		t.Errorf("%d of %d kinds have a remedy", len(advices), len(pool.ProblemKinds()))
	}
	if remedy := Remedy(pool.ProblemVoidClaim); !strings.Contains(remedy, pool.AnnotationPrefix) {
		t.Errorf("the remedy of a void claim does not name its annotation: %q", remedy)
	}
}
