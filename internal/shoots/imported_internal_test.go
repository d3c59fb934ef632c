package shoots

import (
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
)

// What an import reads of a Shoot is the same each time: Gardener's defaults draw a time window by chance, and it may be that of the Shoot.
func TestTemplate_isTheSameEachTime(t *testing.T) {
	t.Parallel()
	begin, end := "110000+0000", "120000+0000"
	live := gardencore.Shoot{}
	live.Name, live.Spec.Region = "blue", "region-1"
	gardencore.SetObjectDefaults_Shoot(&live)
	live.Spec.Maintenance.TimeWindow = &gardencore.MaintenanceTimeWindow{Begin: begin, End: end}
	first := seen(&live).Template()
	for range 500 {
		if again := seen(&live).Template(); again != first {
			t.Fatalf("once it is\n%s, and once\n%s", first, again)
		}
	}
}
