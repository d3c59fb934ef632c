package diagnose

import (
	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
)

// ofBuiltin has the errors of requests that the built-in scheduler decides on.
var ofBuiltin = []row{
	{
		summary: SummaryDenied, effect: nothingWritten, match: when(func(e *builtin.DeniedError) bool {
			return e.Foreseen && e.Reason == clusters.ReasonUnknownPurpose
		}),
		remedy: "Define the purpose in purpose_definitions, or correct purposes. Where this error stops a destroy, run destroy with " +
			"-refresh=false.",
	}, {
		summary: SummaryDenied, effect: nothingWritten, match: when(func(e *builtin.DeniedError) bool {
			return e.Foreseen && e.Reason == adr.ReasonNoAccount
		}),
		remedy: "Claim another account for the Global Account, and make a profile for it with hap_gardener_provider_config, or make room in " +
			"one of those that the message names. Where this run makes room, or claims the account, the apply finds it.",
	}, {
		summary: SummaryDenied, effect: nothingWritten,
		match: when(func(e *builtin.DeniedError) bool { return e.Foreseen && e.Reason == adr.ReasonNoProfile }),
		remedy: "A cluster provider has to publish a profile: the data source hap_cluster_providers says which run, with their conditions, and " +
			"hap_gardener_provider_config makes one of Gardener. Where this run installs them, apply that first, with -target. Where this " +
			"error stops a destroy, run destroy with -refresh=false.",
	}, {
		summary: SummaryDenied, effect: nothingWritten, match: when(func(e *builtin.DeniedError) bool { return e.Foreseen }),
		remedy: "Change what the request asks for, or have a cluster provider offer what it needs; hap_cluster_schedule with engine = \"adr\" " +
			"says of each Cluster and profile why it does not fit. Where this run makes what offers it, apply that first, with -target. Where " +
			"this error stops a destroy, run destroy with -refresh=false.",
	}, {
		summary: SummaryADRRequest, effect: nothingWritten, match: is[*adr.InputError],
		remedy: "The error names the part that is wrong, and what to write instead. A request is decided on where it says one thing alone, and " +
			"the Clusters of the platform cluster do.",
	}, {
		summary: SummaryDenied, match: when(func(e *builtin.DeniedError) bool { return e.Reason == builtin.ReasonNameTaken }),
		remedy: "The request is kept as it is, and is denied again as long as that Cluster has the name: no apply by itself ends this. Apply " +
			"with -replace for this request, or destroy it: another request gets a Cluster of another name. That Cluster stays, unless it was " +
			"granted to this request before, and goes with it. Where that Cluster is not needed, have it deleted by the party that has made it: " +
			"the next apply makes the Cluster of the request anew.",
	}, {
		summary: SummaryDenied, match: when(func(e *builtin.DeniedError) bool { return e.Reason == adr.ReasonNoAccount }),
		remedy: "Claim another account for the Global Account, and make a profile for it with hap_gardener_provider_config, or have the cause " +
			"that the message names of an account mended: delete a cluster of a full one, raise multi_account.limits, have a dirty one cleaned. " +
			"The request holds no Cluster. It is kept, with the denial in its status, and the next apply decides on it again.",
	}, {
		summary: SummaryDenied, match: when(func(e *builtin.DeniedError) bool { return e.Standing }),
		remedy: "The request still exists, untainted, with the denial in its status, and holds no Cluster. Have a cluster provider offer what " +
			"it needs, or change purpose_definitions: the next apply decides on it again. Otherwise it is denied by each apply: change what the " +
			"request asks for, which makes another one, apply with -replace for it, or destroy it.",
	}, {
		summary: SummaryDenied, match: is[*builtin.DeniedError],
		remedy: "Change what the request asks for, or have a cluster provider offer what it needs; hap_cluster_schedule with engine = \"adr\" " +
			"says of each Cluster and profile why it does not fit. The request is kept, tainted, with the denial in its status: the next apply " +
			"makes it anew, and it is decided on again. It holds no Cluster.",
	}, {
		summary: SummaryPlatformUnknown, match: is[*builtin.UndecidedError],
		remedy: "Run the same command again: it looks what became of the write, and goes on from there.",
	}, {
		summary: SummaryRequestStays, match: when(func(e *builtin.TurnError) bool { return e.Leaving }),
		remedy: "No controller ends this deletion: run the same command again, with a longer timeouts.delete where many requests go at once.",
	}, {
		summary: SummaryNotGranted, match: is[*builtin.TurnError],
		remedy: "Run the same command again, with longer timeouts where many requests come at once, or where the platform cluster is slow.",
	}, {
		summary: SummaryRequestExists, at: "name", effect: nothingWritten,
		match: with(func(e *builtin.EndsClusterError) []any { return []any{e.Ref.String()} }),
		remedy: "Another state may have it, and protect the Cluster: run plan there, which says what its apply ends. Where no state has it, " +
			"import it with the id %q and what it asks for, with deletion_protection = false: the apply after that of the import ends it. " +
			"Otherwise take another name.",
	}, {
		summary: SummaryRequestStays, match: is[*builtin.LeavingError], effect: nothingWritten,
		remedy: "Apply with -replace for this request, or destroy it: either ends the deletion that another party has begun.",
	}, {
		summary: SummaryOperatorRuns, match: is[*builtin.SecondClusterError],
		remedy: "The request may hold that Cluster besides the one in its status. Both go with the request. To end the Cluster before, take " +
			"the request's finalizer and its annotation grant.hap-project.io/<uid> off it, and delete it.",
	}, {
		summary: SummaryOperatorRuns, match: is[*builtin.OperatorRunsError],
		remedy: "Set platform.scheduler = \"operator\" in the provider block, and write purpose in place of purposes: what the built-in " +
			"scheduler has granted is handed over then. It cannot be handed back.",
	}, {
		summary: SummaryRequestLost, match: is[*builtin.RequestLostError],
		remedy: "Another party has changed the request. Destroy it and apply again; where it holds a Cluster that is to live on, write the " +
			"annotation hap-project.io/request by hand, as another request of the built-in scheduler has it.",
	},
}
