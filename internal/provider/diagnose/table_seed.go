package diagnose

import "github.com/hap-project/terraform-provider-hap/internal/clusters"

// ofSeed has the errors of requests with the semantics of seed 004.
var ofSeed = []row{
	{
		summary: SummarySeedRequest, effect: nothingWritten, match: is[*clusters.InputError],
		remedy: "The error names the part that is wrong, and what to write instead. A request is decided on where it says one thing alone, and " +
			"the Clusters of the platform cluster do.",
	},
}
