package diagnose

import (
	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
)

// ofSeed has the errors of requests with the semantics of seed 004.
var ofSeed = []row{
	{
		summary: SummarySeedRequest, effect: nothingWritten, match: is[*clusters.InputError],
		remedy: "The error names the part that is wrong, and what to write instead. A request is decided on where it says one thing alone, and " +
			"the Clusters of the platform cluster do.",
	}, {
		summary: SummaryDenied, match: is[*openmcp.DeniedError],
		remedy: "Change what the request asks for, or have a cluster provider offer what it needs; hap_cluster_schedule with engine = \"adr\" " +
			"says of each Cluster and profile why it does not fit. The request is kept, tainted, with the denial in its status: the next apply " +
			"makes it anew, and it is decided on again. It holds no Cluster.",
	}, {
		summary: SummaryPlatformUnknown, match: is[*openmcp.UndecidedError],
		remedy: "Run the same command again: it looks what became of the write, and goes on from there.",
	}, {
		summary: SummaryRequestStays, match: is[*openmcp.LeavingError], effect: nothingWritten,
		remedy: "Apply with -replace for this request, or destroy it: either ends the deletion that another party has begun.",
	}, {
		summary: SummaryOperatorRuns, match: is[*openmcp.OperatorRunsError],
		remedy: "Set platform.scheduler = \"operator\" in the provider block, and write purpose in place of purposes: what the built-in " +
			"scheduler has granted is handed over then. It cannot be handed back.",
	}, {
		summary: SummarySeedLost, match: is[*openmcp.SeedLostError],
		remedy: "Another party has changed the request. Destroy it and apply again; where it holds a Cluster that is to live on, write the " +
			"annotation hap-project.io/request by hand, as another request of the built-in scheduler has it.",
	},
}
