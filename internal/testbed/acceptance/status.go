package acceptance

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// StatusNow is the address of the status that [StatusBlock] writes.
const StatusNow = "data.hap_pool_status.now"

// StatusBlock looks at the pool; extra attributes go into it. Its report is an output, as in a pipeline.
func StatusBlock(extra string) string {
	return fmt.Sprintf("\ndata \"hap_pool_status\" \"now\" {\n%s\n}\n\noutput \"report\" { value = data.hap_pool_status.now.report }\n", extra)
}

// StatusOf checks one attribute of the status.
func StatusOf(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(StatusNow, tfjsonpath.New(attribute), check)
}

// Numbers checks each number of a map.
func Numbers(values map[string]int64) map[string]knownvalue.Check {
	checks := map[string]knownvalue.Check{}
	for name, n := range values {
		checks[name] = knownvalue.Int64Exact(n)
	}
	return checks
}
