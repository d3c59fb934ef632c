package diagnose

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	engine "github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// One error for each row of the table, in its order: the row takes it, and no row before. It is reported at the attribute that
// caused it, never at one of the provider block, with what was tried, what came back, what was done and what to do.
func TestTable_eachRowTakesItsError(t *testing.T) {
	t.Parallel()
	inner := errors.New("cause")
	basic := &kube.BasicAuthError{Err: errors.New(`User "system:anonymous" cannot list`)}
	here := kube.Place{Object: "kubernetes"}
	aws := pool.Query{Target: pool.Target{HyperscalerType: "aws"}}
	empty := &pool.ExhaustedError{Query: aws}
	dirty := &pool.ExhaustedError{Query: aws, Tally: pool.Tally{pool.ClassDirty: 1}}
	others := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"}
	identity := pool.Identity{GlobalAccount: "ga", Name: "blue"}
	inUse := &pool.InUseError{Account: "a", Users: []pool.User{{Kind: "Shoot", Name: "s"}}}
	unreachable := func(err error) error { return &pool.UnreachableError{Tries: 1, Err: err} }
	platform := func(reason kube.Reason, err error) error {
		call := kube.Call{Verb: "create", Resource: "clusterrequests", Namespace: "n"}
		return &api.ServerError{Err: &kube.Error{Call: call, Reason: reason, Tries: 1, Err: err}}
	}
	ofConfigs := func(reason kube.Reason, err error) error {
		call := kube.Call{Verb: "create", Resource: "providerconfigs"}
		return &api.ServerError{Err: &kube.Error{Call: call, Reason: reason, Tries: 1, Err: err}}
	}
	written := func(reason kube.Reason, err error) error {
		call := kube.Call{Verb: "create", Resource: "clusters", Namespace: "n"}
		return &api.ServerError{Err: &kube.Error{Call: call, Reason: reason, Tries: 1, Err: err}}
	}
	shootAnswer := func(reason kube.Reason, err error) error {
		return &kube.Error{Call: kube.Call{Verb: "patch", Resource: "shoots", Namespace: "n", Name: "s"}, Reason: reason, Tries: 1, Err: err}
	}
	for i, test := range []struct {
		err     error
		summary string
		at      string
		says    string // in what follows the error
	}{
		{&api.WaitError{Err: &kube.Error{Call: kube.Call{Verb: "watch", Resource: "clusters"}, Reason: kube.Forbidden, Err: inner}},
			SummaryPlatformForbidden, "", `Grant the verb "watch" on clusters in all namespaces`},
		{&api.NotGrantedError{Kind: "AccessRequest", Err: api.ErrDenied}, SummaryAccessNotGranted, "",
			"it has the AccessRequest looked at again"},
		{&api.NotGrantedError{Kind: "AccessRequest", Err: inner}, SummaryAccessNotGranted, "", "run the same command again to wait on"},
		{&access.MovedError{}, SummaryAccessMoved, "", "it makes the access anew"},
		{&access.SecretGoneError{}, SummaryAccessSecretGone, "", "apply with -replace"},
		{&access.BadSecretError{}, SummaryAccessSecretBad, "", "The cluster provider writes the Secret"},
		{&access.ExpiredError{}, SummaryAccessEnded, "", "look whether it runs"},
		{&requests.SchedulerConfigError{}, SummarySchedulerConfig, "scheduler_config", "Give the operator's configuration file as it is"},
		{&shoots.ExtensionsError{}, SummaryExtensions, "enforced_shoot_extensions", "Nothing was written. Write a list of extensions"},
		{&configs.StandingError{}, SummaryProfileUsed, "credentials_binding_name", "Nothing was written. The cluster provider would merge it"},
		{&configs.UsedError{What: configs.NotDeleted}, SummaryProfileUsed, "", "Nothing was written. The cluster provider takes the template"},
		{&configs.UsedError{}, SummaryProfileUsed, "", "Nothing was written. The cluster provider would make the Shoots"},
		{&api.ExistsError{Kind: "ProviderConfig", Deleting: true}, SummaryConfigExists, "name", "when it is gone"},
		{&api.ExistsError{Kind: "ProviderConfig", Ref: api.Ref{Name: "c"}}, SummaryConfigExists, "name", `an import block with the id "c"`},
		{&configs.NotPublishedError{Config: "a", Profile: "x.gardener.a", Published: "y.gardener.a"}, SummaryProfileUnpublished, "environment",
			"Give environment that value"},
		{&configs.NotPublishedError{Config: "a", Profile: "x.gardener.a"}, SummaryProfileUnpublished, "", "Compare landscape_ref"},
		{&api.WaitError{Kind: "ProviderConfig", Err: inner}, SummaryConfigStays, "", "Look whether the Gardener cluster provider runs"},
		{&api.GoneError{Kind: "ProviderConfig"}, SummaryConfigGone, "", "Nothing was written. Another party has deleted it"},
		{ofConfigs(kube.NoAPI, inner), SummaryNoProvider, "", "install the Gardener cluster provider"},
		{ofConfigs(kube.Forbidden, inner), SummaryPlatformForbidden, "", `Grant the verb "create" on providerconfigs`},
		{&builtin.DeniedError{Foreseen: true, Reason: engine.ReasonUnknownPurpose}, SummaryDenied, "", "Nothing was written. Define the purpose"},
		{&builtin.DeniedError{Foreseen: true, Reason: adr.ReasonNoAccount}, SummaryDenied, "", "Nothing was written. Claim another account"},
		{&builtin.DeniedError{Foreseen: true, Reason: adr.ReasonNoProfile}, SummaryDenied, "", "Nothing was written. A cluster provider has to publish"},
		{&builtin.DeniedError{Foreseen: true}, SummaryDenied, "", "Nothing was written. Change what the request asks for"},
		{&adr.InputError{}, SummaryADRRequest, "", "Nothing was written. The error names the part that is wrong"},
		{&builtin.DeniedError{Standing: true, Reason: builtin.ReasonNameTaken}, SummaryDenied, "", "as long as that Cluster has the name"},
		{&builtin.DeniedError{Reason: adr.ReasonNoAccount}, SummaryDenied, "", "Claim another account"},
		{&builtin.DeniedError{Standing: true}, SummaryDenied, "", "The request stands, untainted"},
		{&builtin.DeniedError{}, SummaryDenied, "", "Change what the request asks for"},
		{&builtin.UndecidedError{Err: inner}, SummaryPlatformUnknown, "", "Run the same command again: it looks what became"},
		{&builtin.TurnError{Leaving: true, Err: inner}, SummaryRequestStays, "", "No controller ends this deletion"},
		{&builtin.TurnError{Err: inner}, SummaryNotGranted, "", "where many requests come at once"},
		{&builtin.LeavingError{}, SummaryRequestStays, "", "Apply with -replace for this request"},
		{&builtin.SecondClusterError{Err: inner}, SummaryOperatorRuns, "", "Both go with the request"},
		{&builtin.OperatorRunsError{}, SummaryOperatorRuns, "", "It cannot be handed back"},
		{&builtin.RequestLostError{}, SummaryRequestLost, "", "Destroy it and apply again"},
		{&clusters.HeldError{Attribute: "tenancy"}, SummaryClusterHeld, "tenancy", "Nothing was written. Take the change back"},
		{&configs.AdoptError{}, SummaryShootMoved, "profile", "Nothing was written. The cluster provider would merge the template"},
		{&api.ExistsError{Kind: "Cluster", Deleting: true}, SummaryShootDeleting, "name", "when it is gone"},
		{&api.ExistsError{Kind: "Cluster", Ref: api.Ref{Namespace: "n", Name: "c"}}, SummaryShootExists, "name",
			`an import block with the id "n/c"`},
		{&api.WaitError{Kind: "Cluster", For: clusters.UntilDeleted, Err: inner}, SummaryShootStays, "", "Run the same command again to wait on"},
		{&api.GoneError{Kind: "Cluster", UID: "u"}, SummaryShootGone, "", "Nothing was written. Another party has deleted it"},
		{written(kube.Forbidden, inner), SummaryPlatformForbidden, "", `platform-clusters.yaml, or for requests with scheduler = "builtin" by`},
		{&connection.NoPlatformError{}, SummaryNoPlatform, "", "Write platform = {"},
		{&kube.NotConfiguredError{Place: kube.Place{Object: "platform"}}, SummaryNoPlatform, "", "Name the API server in platform"},
		{&api.ExistsError{Kind: "ClusterRequest", Deleting: true}, SummaryRequestExists, "name", "when it is gone"},
		{&api.ExistsError{Kind: "ClusterRequest", Ref: api.Ref{Namespace: "n", Name: "r"}}, SummaryRequestExists, "name",
			`an import block with the id "n/r"`},
		{&requests.NoSchedulerError{Ignored: true}, SummaryNoScheduler, "", "Take the annotation away"},
		{&requests.NoSchedulerError{Blind: inner}, SummaryNoScheduler, "", "Let the account list Clusters in all namespaces"},
		{&requests.NoSchedulerError{Err: inner}, SummaryNoScheduler, "", "Check that the openmcp-operator runs"},
		{&api.NotGrantedError{Err: api.ErrDenied}, SummaryNotGranted, "", "has one that stands looked at again"},
		{&api.NotGrantedError{Err: inner}, SummaryNotGranted, "", "The operator says why in its log alone"},
		{&api.WaitError{For: api.UntilGone, Err: inner}, SummaryRequestStays, "", "Run the same command again to wait on"},
		{&api.WaitError{For: "it is ready", Err: inner}, SummaryClusterUnready, "", "The cluster provider goes on with it"},
		{&requests.PrefixError{}, SummaryPrefix, "", "Give one of the two requests another name"},
		{&api.GoneError{}, SummaryNoSuchRequest, "", "Nothing was written. Check the namespace and the name"},
		{&api.GoneError{UID: "u"}, SummaryRequestGone, "", "Nothing was written. Another party has deleted it"},
		{platform(kube.Forbidden, errors.New("create not allowed while custom resource definition is terminating")), SummaryNoOpenMCP, "",
			"run the same command again when"},
		{platform(kube.NoAPI, inner), SummaryNoOpenMCP, "", "install the openmcp-operator"},
		{platform(kube.Forbidden, basic), SummaryPlatformUnauthorized, "", "remove platform.username and platform.password"},
		{platform(kube.Forbidden, inner), SummaryPlatformForbidden, "",
			`on clusterrequests in namespace "n", best by the whole file examples/rbac/platform.yaml, or with scheduler = "builtin" by`},
		{platform(kube.Unauthorized, inner), SummaryPlatformUnauthorized, "", "by platform.exec"},
		{platform(kube.OverQuota, inner), SummaryPlatformQuota, "", "Nothing was written. Have the quota raised"},
		{platform(kube.WebhookDown, inner), SummaryPlatformFailed, "", "asks an admission webhook"},
		{platform(kube.Failed, inner), SummaryPlatformFailed, "", "have the API server looked at"},
		{platform(kube.Unreachable, &kube.ForeignAnswerError{}), SummaryNotPlatform, "", "Check platform.host"},
		{platform(kube.Unreachable, &tls.CertificateVerificationError{Err: inner}), SummaryPlatformUnreachable, "",
			"Set platform.cluster_ca_certificate"},
		{platform(kube.NotSent, &kube.ProgramError{Err: inner}), SummaryProgram, "", "check platform.exec"},
		{platform(kube.Unreachable, inner), SummaryPlatformUnreachable, "", "Check platform in the provider block"},
		{platform(kube.UnknownOutcome, inner), SummaryPlatformUnknown, "", "it looks what became of the write"},
		{platform(kube.Throttled, inner), SummaryPlatformBusy, "", "-parallelism"},
		{platform(kube.Conflict, inner), SummaryPlatformConflict, "", "Run plan again"},
		{platform(kube.Denied, inner), SummaryPlatformRejected, "", "The same request would be refused again: see the answer above."},
		{platform(kube.Rejected, errors.New(`create clusterrequests a in namespace "n": namespaces "n" not found`)), SummaryPlatformRejected, "",
			"Make the namespace on the platform cluster"},
		{platform(kube.Rejected, inner), SummaryPlatformRejected, "", "refused, never dropped"},
		{&shoots.ReservedError{Attribute: "labels"}, SummaryTemplate, "labels", "Nothing was written. Take it out"},
		{&shoots.TemplateError{}, SummaryTemplate, "template", "Nothing was written. Correct the template"},
		{&shoots.MovedError{}, SummaryShootMoved, "credentials_binding_name", "Nothing was written. Gardener would leave behind"},
		{&shoots.RefusedError{Problems: []shoots.Problem{{Text: `namespaces "n" not found`}}, Err: inner}, SummaryNoProject, "",
			"Nothing was written. Set the provider's namespace"},
		{&shoots.RefusedError{Err: &kube.Error{Reason: kube.Rejected, Err: inner}}, SummaryShootRefused, "template",
			"Nothing was written. Correct what Gardener names"},
		{&shoots.ExistsError{Name: "s", Deleting: true}, SummaryShootDeleting, "name",
			"Nothing was written. Run the same command again when it is gone"},
		{&shoots.ExistsError{Name: "s"}, SummaryShootExists, "name",
			`Nothing was written. To manage that cluster here, import it: an import block with the id "s"`},
		{&shoots.GoneError{Name: "s"}, SummaryShootGone, "", "Nothing was written. Another party has deleted it"},
		{&shoots.WaitError{Err: &shoots.DeletingError{}}, SummaryShootDeleting, "", "Wait until it is gone"},
		{&shoots.GivenUpError{Pending: "maintain"}, SummaryShootGivenUp, "", "Take that annotation away"},
		{&shoots.GivenUpError{Last: shoots.Status{Failures: []shoots.Failure{{Codes: []string{"ERR_INFRA_DEPENDENCIES"}, Text: "a VM"}}}},
			SummaryShootGivenUp, "", "ERR_INFRA_DEPENDENCIES: a VM. Something in the cloud account stands in the way: remove it there."},
		{&shoots.WaitError{Err: context.DeadlineExceeded}, SummaryShootStays, "", "Gardener goes on with it where a finalizer of its own is left"},
		{shootAnswer(kube.UnknownOutcome, &kube.ForeignAnswerError{}), SummaryNotGarden, "", "Check kubernetes.host"},
		{shootAnswer(kube.UnknownOutcome, inner), SummaryUnknownOutcome, "", "it finds out what has become of the cluster"},
		{shootAnswer(kube.NotFound, inner), SummaryShootGone, "", "Run plan: a cluster that is gone leaves the state"},
		{shootAnswer(kube.Conflict, inner), SummaryBusy, "", "run the same command again"},
		{&pool.HostError{Reason: pool.HostFull}, SummaryAccountFull, "credentials_binding_name", "Nothing was written. Make another claim"},
		{&pool.HostError{Reason: pool.HostUnnamed}, SummaryNoTenant, "global_account", "Nothing was written. Set global_account to that of"},
		{&pool.HostError{Reason: pool.HostForeign}, SummaryNoHost, "credentials_binding_name",
			"Nothing was written. Take binding_name and global_account of one and the same hap_credentials_binding_claim"},
		{&pool.HostError{Reason: pool.HostUnclaimed}, SummaryNoHost, "credentials_binding_name",
			"take binding_name of a hap_credentials_binding_claim"},
		{&pool.HostError{Reason: pool.HostDirty}, SummaryNoHost, "credentials_binding_name",
			"Nothing was written. Take the account of another claim"},
		{&pool.FenceLeftError{Cause: &pool.UnknownOutcomeError{Account: "a", Err: inner}, Err: unreachable(inner), Ended: true},
			SummaryUnknownOutcome, "", "Take no label away by hand before. Run the same command again"},
		{&pool.FenceLeftError{Err: &pool.UnknownOutcomeError{Account: "a", Err: &kube.ForeignAnswerError{}}, Unseen: true}, SummaryNotGarden, "",
			"neither marked nor freed. Something else answers"},
		{&pool.FenceLeftError{Err: inner, Unseen: true}, SummaryUnknownOutcome, "", "neither marked nor freed, and the claim stands. Where the fence"},
		{&pool.FenceLeftError{Cause: inUse, Err: &pool.RejectedError{Err: inner}}, SummaryFenceLeft, "", "Delete the clusters first"},
		{&kebdb.UnreachableError{Err: context.Canceled}, SummaryInterrupted, "", "Run the same command again: it goes on"},
		{&pool.DisagreementError{}, SummaryDisagreement, "", "Nothing was claimed. Find out"},
		{&kebdb.NotConfiguredError{}, SummaryNoDatabase, "", "Set database.url"},
		{&kebdb.SettingError{}, SummaryBadDatabase, "", "Correct database.url"},
		{&kebdb.UnreachableError{Err: inner}, SummaryDatabaseDown, "", "Nothing was claimed or released: "},
		{&kebdb.UnauthorizedError{Err: inner}, SummaryDatabaseLogin, "", "Nothing was claimed or released: "},
		{&kebdb.ForbiddenError{Err: inner}, SummaryDatabaseDenied, "", "Nothing was claimed or released: "},
		{&kebdb.ViewError{Err: inner}, SummaryNotTheBrokers, "", "Nothing was claimed or released: "},
		{&kebdb.MissingError{Err: inner}, SummaryNotTheBrokers, "", "Nothing was claimed or released: "},
		{&kebdb.RefusedError{Err: inner}, SummaryDatabaseError, "", "Nothing was claimed or released: "},
		{&garden.LostBindingError{}, SummaryLostBinding, "", "Nothing was claimed or released: "},
		{&garden.NotSecretError{}, SummaryNotSecret, "", "Only a Secret"},
		{&garden.SecretNotFoundError{Ref: pool.CredentialsRef{Namespace: "n"}}, SummarySecretNotFound, "", `in namespace "n"`},
		{&connection.EmptyPoolError{ExhaustedError: &pool.ExhaustedError{Query: aws, Waited: time.Minute}}, SummaryExhausted, "plan",
			"Nothing was claimed. Run the same command again to go on waiting"},
		{&connection.EmptyPoolError{ExhaustedError: empty, Namespace: "n", Selector: "x=y"}, SummaryExhausted, "plan",
			"Nothing was claimed. There is no account at all for pool aws: in namespace n none matches x=y. No other pool"},
		{&connection.EmptyPoolError{ExhaustedError: empty, Others: others}, SummaryExhausted, "plan",
			"other pools: a; b; c; d; e; f; g; h; i; j; k; l; and 2 more. Check"},
		{empty, SummaryExhausted, "plan", "There is no account at all for pool aws: check"},
		{&pool.ExhaustedError{Query: pool.Query{Target: pool.Target{Shared: true}}, Tally: dirty.Tally}, SummaryExhausted, "plan",
			"Add a shared account"},
		{&pool.ExhaustedError{Query: aws, Tally: dirty.Tally, Hidden: []string{"a (dirty=false)"}}, SummaryExhausted, "plan",
			"Nothing was claimed. Take the labels away"},
		{dirty, SummaryExhausted, "plan", "Nothing was claimed. Add accounts to the pool, or have the clean-up job"},
		{&pool.ExhaustedError{Query: aws, Tally: pool.Tally{pool.ClassInternal: 1}}, SummaryExhausted, "plan",
			"Nothing was claimed. Add accounts to the pool, or release"},
		{&pool.GuardError{}, SummaryGuard, "global_account", "raise multi_account.min_bindings_for_guard above the number"},
		{&pool.TakenError{Account: "a", Wanted: "c", Pinned: true}, SummaryNotHeld, "global_account", "Nothing was written. Claim"},
		{&pool.TakenError{Account: "a", Tenant: "b", Wanted: "c", Pinned: true}, SummaryTaken, "binding_name", "name another one"},
		{&pool.TakenError{Account: "a", Tenant: "b", Wanted: "c"}, SummaryTaken, "global_account", "destroy the claim"},
		{&pool.PinError{Account: "a", Why: "b"}, SummaryPin, "binding_name", "Nothing was written. Name another"},
		{&pool.UnusableError{Verdict: pool.Verdict(pool.ClassOccupied)}, SummaryUnusable, "", "whose the clusters are"},
		{&pool.UnusableError{Verdict: pool.VerdictMoved}, SummaryUnusable, "name", "euAccess and shared say which pool it is in"},
		{&pool.UnusableError{Verdict: pool.Verdict(pool.ClassInternal)}, SummaryUnusable, "name", "take the label internal off"},
		{&pool.UnusableError{Verdict: pool.Verdict(pool.ClassDeleting)}, SummaryUnusable, "name", "when nothing refers to it any more"},
		{&pool.UnusableError{Verdict: pool.Verdict(pool.ClassDirty)}, SummaryUnusable, "name", "under another name"},
		{&pool.ExistsError{Account: "a", Deleting: true}, SummaryAccountDeleting, "name", "Nothing was written. Gardener keeps it until no Shoot"},
		{&pool.MaybeAddedError{Account: "a", Err: &pool.UnknownOutcomeError{Account: "a", Err: &kube.ForeignAnswerError{}}}, SummaryNotGarden, "",
			"Check kubernetes.host"},
		{&pool.MaybeAddedError{Account: "a", Err: &pool.UnknownOutcomeError{Account: "a", Err: inner}}, SummaryUnknownOutcome, "",
			"the write has taken effect: import the account: its import ID is its name, a."},
		{&pool.SameCredentialsError{Account: "a", Others: []string{"b"}, Declared: true}, SummarySameCredentials, "credentials_ref",
			"Nothing was written. Give each account credentials of its own"},
		{&pool.SameCredentialsError{Account: "a", Others: []string{"b"}, Siblings: []string{"SecretBinding a"}}, SummarySameCredentials, "credentials_ref",
			"Where SecretBinding a is no longer needed"},
		{&pool.SameCredentialsError{Account: "a", Others: []string{"b", "c"}}, SummarySameCredentials, "credentials_ref",
			"its import ID is its name, b. If"},
		{&pool.NotFoundError{Account: "a", Anew: "uid"}, SummaryAccountAnew, "name", "its import ID is its name, a."},
		{&pool.SupplyError{Obstacle: pool.ObstacleBroker, Part: pool.PartShared}, SummaryAccountShared, "shared", "Take the account out of the pool"},
		{&pool.ExistsError{Account: "a"}, SummaryAccountExists, "name", "Nothing was written. If it is meant to be the same account, import it: its import ID is its name, a."},
		{&pool.NoCredentialsError{Ref: pool.CredentialsRef{Namespace: "n"}, Err: &pool.ForbiddenError{Verb: "get", Err: inner}},
			SummaryNoCredentials, "credentials_ref", `Grant get on it in namespace "n"`},
		{&pool.NoCredentialsError{}, SummaryNoCredentials, "credentials_ref", "Nothing was written. Make it first"},
		{&garden.CredentialsRefError{}, SummaryCredentialsRef, "credentials_ref", "Nothing was written. Correct credentials_ref"},
		{&pool.SupplyError{Obstacle: pool.ObstacleTenant, Part: pool.PartInternal, Internal: true}, SummaryAccountHeld, "internal",
			"take the label internal off by hand and set internal = false"},
		{&pool.SupplyError{Obstacle: pool.ObstacleTenant, Part: pool.PartShared}, SummaryAccountHeld, "shared", "Nothing was written. Undo"},
		{&pool.SupplyError{Obstacle: pool.ObstacleRecords, Part: pool.PartShared}, SummaryAccountRecords, "shared", "Destroy the claims"},
		{&pool.SupplyError{Obstacle: pool.ObstacleUnreadable, Claims: []string{"k"}}, SummaryUnreadableRecord, "", "Nothing was written. Where the text"},
		{&pool.SupplyError{Obstacle: pool.ObstacleClusters, Part: pool.PartType}, SummaryInUse, "hyperscaler_type", "Nothing was written. Undo"},
		{&pool.SupplyError{Obstacle: pool.ObstacleReleasing}, SummaryAccountReleasing, "", "when the release has ended"},
		{&pool.SupplyError{Obstacle: pool.ObstacleDeleting, Err: context.DeadlineExceeded}, SummaryAccountDeleting, "", "until no Shoot refers to it"},
		{&pool.SupplyError{Obstacle: pool.ObstacleDirty, Part: pool.PartQuarantine}, SummaryAccountDirty, "quarantine", "Wait until the clean-up job"},
		{&pool.SupplyError{Obstacle: pool.ObstacleQuotas, Part: pool.PartType}, SummaryQuotasLost, "quotas", "Nothing was written. Gardener changes no"},
		{&pool.SupplyError{Obstacle: pool.ObstacleShared, Part: pool.PartQuarantine}, SummaryNoQuarantine, "quarantine", "Remove quarantine"},
		{&pool.ElsewhereError{Identity: identity, Other: "aws-2"}, SummaryClaimElsewhere, "", "import it as ga/aws-2/blue."},
		{&pool.OwnerError{}, SummaryOwner, "owner", "was to set, run that apply again: it takes the claim on"},
		{&pool.OtherStateError{Identity: identity, Account: "aws-2"}, SummaryOtherState, "", "import it as ga/aws-2/blue: an imported"},
		{&pool.UnreadableRecordError{}, SummaryUnreadableRecord, "", "or remove the annotation if no configuration has the claim any more"},
		{&pool.DuplicateError{}, SummaryDuplicate, "name", "Give each claim"},
		{&pool.InUseError{AfterFence: true}, SummaryInUse, "", "it is as it was before, and the claim stands. Delete the clusters first"},
		{&pool.InUseError{Waited: time.Hour}, SummaryInUse, "", "neither marked nor freed. Run the same command again: it goes on"},
		{inUse, SummaryInUse, "", "The account was neither marked nor freed. Delete the clusters first"},
		{&pool.TwinError{Account: "a", Twin: "SecretBinding b", Tenant: "c"}, SummaryOtherBinding, "",
			"neither marked nor freed. Find out whose the cloud account is. Where SecretBinding b is no longer needed"},
		{&pool.ReturnRefusedError{Account: "a"}, SummaryReturnRefused, "on_destroy", `Nothing was written. Set on_destroy = "mark_dirty"`},
		{&pool.UnknownOutcomeError{Account: "a", Err: &kube.ForeignAnswerError{}}, SummaryNotGarden, "", "Check kubernetes.host"},
		{&pool.UnknownOutcomeError{Account: "a", Err: unreachable(inner)}, SummaryUnknownOutcome, "", "Run the same command again"},
		{&pool.BusyError{Account: "a", Tries: 3, Err: inner}, SummaryBusy, "", "Nothing was written. Run the same command again later"},
		{&pool.ConflictError{Account: "a", Tries: 3}, SummaryConflict, "", "Nothing was written. Another program"},
		{&pool.ForbiddenError{Verb: "list", Err: basic}, SummaryUnauthorized, "", "takes no user name and password. Set kubernetes.token"},
		{&pool.ForbiddenError{Verb: "patch", Err: errors.New(`User "system:anonymous" cannot get`)}, SummaryForbidden, "",
			"carried no credentials"},
		{&pool.ForbiddenError{Verb: "patch", Resource: "r", Namespace: "n", Err: inner}, SummaryForbidden, "",
			`Grant the verb "patch" on r in namespace "n", best`},
		{&pool.ForbiddenError{Verb: "get", Resource: "r", Namespace: "n", Err: inner}, SummaryForbidden, "",
			`Grant the verb "get" on r in namespace "n"`},
		{&pool.UnauthorizedError{Err: inner}, SummaryUnauthorized, "", "renew it"},
		{&pool.NotFoundError{Account: "a"}, SummaryAccountNotFound, "binding_name", "Check the name"},
		{&pool.RejectedError{Err: errors.New(`forbidden: secrets "a" not found`)}, SummaryRejected, "", "Nothing was written. Gardener refuses each change"},
		{&pool.RejectedError{Err: inner}, SummaryRejected, "", "Nothing was written. The same request"},
		{&pool.QuotaError{Err: inner}, SummaryQuota, "", "Nothing was written. Have the quota raised"},
		{&pool.NoAPIError{Err: inner}, SummaryNotGarden, "", "it is not that of a Garden"},
		{&pool.FailedError{Webhook: true, Err: inner}, SummaryFailed, "", "asks an admission webhook"},
		{&pool.FailedError{Err: inner}, SummaryFailed, "", "Gardener answers so to what it refuses"},
		{unreachable(&kube.RedirectError{Status: 302, To: "https://login.example"}), SummaryNotGarden, "", "nothing but this server got the credentials"},
		{unreachable(&tls.CertificateVerificationError{Err: inner}), SummaryUnreachable, "", "its certificate is not trusted"},
		{unreachable(&kube.ProgramError{Err: inner}), SummaryProgram, "", "The program that gets the credentials"},
		{unreachable(context.DeadlineExceeded), SummaryUnreachable, "", "the network and the API server"},
		{&pool.NewerRecordError{}, SummaryNewerRecord, "", "Nothing was written. Use the version"},
		{&settings.ChangedError{}, SummarySettingsChanged, "", "Nothing was written. Set the provider block back"},
		{&kube.NotConfiguredError{KubeconfigVariable: true}, SummaryNoConnection, "", `Run export KUBE_CONFIG_PATH="$KUBECONFIG"`},
		{&kube.NotConfiguredError{}, SummaryNoConnection, "", "or export KUBE_CONFIG_PATH. If something"},
		{&kube.SettingError{Place: here, Setting: "host", Variable: "KUBE_HOST", Problem: "p"}, SummaryBadConnection, "",
			"variable KUBE_HOST, or set kubernetes.host"},
		{&kube.SettingError{Place: here, Setting: "host", Problem: "p"}, SummaryBadConnection, "",
			"Correct kubernetes.host in the provider block."},
		{&settings.UnknownError{Attributes: []string{"namespace"}}, SummaryUnknownConnection, "", "-target"},
		{context.DeadlineExceeded, SummaryTimeout, "", "with longer timeouts"},
		{context.Canceled, SummaryInterrupted, "", "Run the same command again: it goes on"},
		{inner, SummaryUnexpected, "", "Please report"},
	} {
		taken := -1
		for n := range table {
			if _, ok := table[n].match(test.err); ok {
				taken = n
				break
			}
		}
		if taken != i {
			t.Errorf("%T of row %d (%s) is taken by row %d", test.err, i, test.summary, taken)
		}
		var diags diag.Diagnostics
		Report(&diags, "Trying", fmt.Errorf("wrapped: %w", test.err))
		at := ""
		if located, ok := diags[0].(diag.DiagnosticWithPath); ok {
			at = located.Path().String()
		}
		detail := diags[0].Detail()
		if len(diags) != 1 || diags[0].Summary() != test.summary || at != test.at {
			t.Errorf("row %d: got %q at %q, want %q at %q", i, diags[0].Summary(), at, test.summary, test.at)
		}
		if !strings.HasPrefix(detail, "Trying: wrapped: ") || !strings.Contains(detail, test.says) || strings.Contains(detail, "%!") {
			t.Errorf("row %d (%T): the detail does not say what was tried, what came back and %q:\n%s", i, test.err, test.says, detail)
		}
	}
}

// The time for a wait is over and the last read has failed: the remedy is that of the read.
func TestExplain_waitThatEndsWithAFailedLook(t *testing.T) {
	t.Parallel()
	for summary, err := range map[string]error{
		SummaryUnreachable:  &pool.UnreachableError{Err: context.DeadlineExceeded},
		SummaryDatabaseDown: &kebdb.UnreachableError{Err: context.DeadlineExceeded},
		SummaryTimeout:      context.DeadlineExceeded,
	} {
		var diags diag.Diagnostics
		Report(&diags, "Trying", &pool.TimeoutError{Err: &pool.WaitError{For: "an account of pool aws", Waited: time.Hour, Err: err}})
		detail := diags[0].Detail()
		for _, text := range []string{"waited 1h0m0s for an account of pool aws; the last look failed: ", "un the same command again"} {
			if diags[0].Summary() != summary || !strings.Contains(detail, text) {
				t.Errorf("%s: got %s, and not %q in:\n%s", summary, diags[0].Summary(), text, detail)
			}
		}
	}
}

// "Nothing was written" means it: not where the fence of a release is up and stays. What keeps it there has its remedy, once.
func TestExplain_fenceThatStays(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]error{
		"forbidden": &pool.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: "n", Err: errors.New("no")},
		"rejected":  &pool.RejectedError{Verb: "patch", Resource: "credentialsbindings", Err: errors.New("no")},
		"conflict":  &pool.ConflictError{Account: "a", Tries: 256},
		"busy":      &pool.BusyError{Account: "a", Tries: 8, Err: errors.New("no")},
		"timeout":   context.DeadlineExceeded,
	} {
		f := Explain(&pool.TimeoutError{Err: &pool.FenceLeftError{Account: "a", Cause: why, Err: why}})
		remedy := Explain(why).Remedy
		if strings.Contains(f.Next(), nothingWritten) || !strings.Contains(f.Next(), "The fence of the release stays") ||
			strings.Count(f.Remedy, remedy) != 1 || !strings.Contains(f.Remedy, "Destroy the claim again") {
			t.Errorf("%s: the fence stays, and the user reads: %s | %s", name, f.Summary, f.Next())
		}
	}
}

// Nor is it said where a release was refused and took down the fence that it found.
func TestExplain_fenceThatWasTakenDown(t *testing.T) {
	t.Parallel()
	f := Explain(&pool.FenceLoweredError{Err: &pool.ReturnRefusedError{Account: "a"}})
	if f.Summary != SummaryReturnRefused || f.Effect != fenceLowered {
		t.Errorf("the fence was taken down, and the user reads: %s | %s", f.Summary, f.Next())
	}
}

// A refusal is reported at the attribute of the part that was to change: each part has one, but for the account as a whole.
func TestTable_eachPartHasItsAttribute(t *testing.T) {
	t.Parallel()
	for _, part := range pool.Parts() {
		for _, obstacle := range []pool.Obstacle{pool.ObstacleTenant, pool.ObstacleClaims, pool.ObstacleRecords, pool.ObstacleUnreadable, pool.ObstacleClusters, pool.ObstacleReleasing,
			pool.ObstacleDeleting, pool.ObstacleDirty, pool.ObstacleShared} {
			f := Explain(&pool.SupplyError{Account: "a", Part: part, Obstacle: obstacle})
			if f.Summary == SummaryUnexpected || (f.Attribute == "") != (part == pool.PartWhole) {
				t.Errorf("%q against %s: %q at %q", part, obstacle, f.Summary, f.Attribute)
			}
		}
	}
}
