package diagnose

import (
	"errors"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// configKind is the kind of a provider's configurations, configResource how the API calls them.
const (
	configKind     = "ProviderConfig"
	configResource = "providerconfigs"
)

// ofProfiles has the errors of profiles of openMCP, and of what makes them.
var ofProfiles = []row{
	{
		summary: SummarySchedulerConfig, at: "scheduler_config", match: is[*requests.SchedulerConfigError],
		remedy: "Give the operator's configuration file as it is, by file or yamlencode: the operator drops without a word what it does not " +
			"know, and does not start with what is wrong otherwise.",
	}, {
		summary: SummaryExtensions, at: "enforced_shoot_extensions", effect: nothingWritten, match: is[*shoots.ExtensionsError],
		remedy: "Write a list of extensions as Gardener has them: yamlencode([{ type = \"shoot-oidc-service\" }]).",
	}, {
		summary: SummaryProfileUsed, at: "credentials_binding_name", effect: nothingWritten, match: is[*configs.StandingError],
		remedy: "The cluster provider would merge it into the Shoots of these Clusters, and leave behind all that they have where they are. " +
			"Name the account and the project where they are, or give the profile another name. A Shoot is seen where the Cluster names it " +
			"(status.providerStatus), or where the provider block leads to its namespace in the Garden. Where none can be seen, make the " +
			"ProviderConfig by hand as it was, and import it.",
	}, {
		summary: SummaryProfileUsed, effect: nothingWritten, match: when(func(e *configs.UsedError) bool { return e.What == configs.NotDeleted }),
		remedy: "The cluster provider takes the template of their Shoots from it. Withdraw the requests of these Clusters, and destroy the " +
			"profile when the Clusters are gone; in one configuration have the requests depend on it (depends_on), and they go first. To keep the " +
			"profile, take it out of the state with state rm, which changes nothing there.",
	}, {
		summary: SummaryProfileUsed, effect: nothingWritten, match: is[*configs.UsedError],
		remedy: "The cluster provider would make the Shoots of these Clusters follow, and leave behind all that they have where they are. Take " +
			"the change back; for another account make another profile, with a name of its own, and request new clusters with it. The profile can " +
			"go or change when the requests of these Clusters are withdrawn, and the Clusters gone. Where this error stops a destroy of other " +
			"things, run destroy with -refresh=false, which plans nothing else.",
	}, {
		summary: SummaryConfigExists, at: "name", effect: nothingWritten,
		match:  when(func(e *api.ExistsError) bool { return e.Kind == configKind && e.Deleting }),
		remedy: "Run the same command again when it is gone, or take another name.",
	}, {
		summary: SummaryConfigExists, at: "name", effect: nothingWritten,
		match: on(func(e *api.ExistsError) ([]any, bool) { return []any{e.Name}, e.Kind == configKind }),
		remedy: "To manage it here, import it: an import block with the id %q. Otherwise take another name. Where another state has it, leave " +
			"it there.",
	}, {
		summary: SummaryProfileUnpublished, at: "environment",
		match: when(func(e *configs.NotPublishedError) bool { return e.Published != "" }),
		remedy: "The first part of the name is the environment that the cluster provider runs with. Give environment that value, and apply " +
			"again. Where the object is new it is tainted now: run untaint for its address before, so that it is changed in place.",
	}, {
		summary: SummaryProfileUnpublished, match: is[*configs.NotPublishedError],
		remedy: "Clusters of this profile cannot be made yet. Compare landscape_ref, project, provider_ref and the template's cloudProfile " +
			"with what the cluster provider knows, or see why it does not run (data source hap_cluster_providers), and apply again. Where the " +
			"object is new it is tainted now: run untaint for its address before, so that it is changed in place. " +
			"Gardener's cluster provider does not let go of a ProviderConfig whose profile it has never published.",
	}, {
		summary: SummaryConfigStays, match: when(func(e *api.WaitError) bool { return e.Kind == configKind }),
		remedy: "It goes on without this run. Look whether the Gardener cluster provider runs, which has to let it go, and run the same " +
			"command again to wait on.",
	}, {
		summary: SummaryConfigGone, match: when(func(e *api.GoneError) bool { return e.Kind == configKind }), effect: nothingWritten,
		remedy: "Another party has deleted it, or the provider leads to another platform cluster. Run plan: what is gone leaves the state, and " +
			"the next apply makes it again.",
	}, {
		summary: SummaryNoProvider, match: ofConfigs(kube.NoAPI), effect: nothingWritten,
		remedy: "The API server does not know ProviderConfigs: install the Gardener cluster provider there (its custom resource definitions " +
			"come with it), or correct platform in the provider block.",
	}, {
		summary: SummaryPlatformForbidden, effect: nothingWritten, match: ofConfigs(kube.Forbidden),
		remedy: "Grant the verb %q on %s, best by the whole file examples/rbac/platform-profiles.yaml.",
	},
}

// ofConfigs matches an error of the platform cluster's server for a reason, where it was asked for a provider's configurations.
func ofConfigs(reason kube.Reason) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		failed, ok := errors.AsType[*kube.Error](err)
		if !ok || failed.Resource != configResource || failed.Reason != reason || !errors.As(err, new(*api.ServerError)) {
			return nil, false
		}
		if reason == kube.Forbidden {
			return []any{failed.Verb, failed.Resource}, true
		}
		return nil, true
	}
}

// Unseen reports whether a provider's configurations are none of what the user may see.
func Unseen(err error) bool {
	_, forbidden := ofConfigs(kube.Forbidden)(err)
	return err != nil && forbidden
}
