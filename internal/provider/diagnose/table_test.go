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
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
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
	aws := account.Query{Target: account.Target{HyperscalerType: "aws"}}
	empty := &account.ExhaustedError{Query: aws}
	dirty := &account.ExhaustedError{Query: aws, Tally: account.Tally{account.ClassDirty: 1}}
	others := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"}
	identity := account.Identity{GlobalAccount: "ga", Name: "blue"}
	inUse := &account.InUseError{Account: "a", Users: []account.User{{Kind: "Shoot", Name: "s"}}}
	unreachable := func(err error) error { return &account.UnreachableError{Tries: 1, Err: err} }
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
		{&builtin.DeniedError{Standing: true}, SummaryDenied, "", "The request still exists, untainted"},
		{&builtin.DeniedError{}, SummaryDenied, "", "Change what the request asks for"},
		{&builtin.UndecidedError{Err: inner}, SummaryPlatformUnknown, "", "Run the same command again: it looks what became"},
		{&builtin.TurnError{Leaving: true, Err: inner}, SummaryRequestStays, "", "No controller ends this deletion"},
		{&builtin.TurnError{Err: inner}, SummaryNotGranted, "", "where many requests come at once"},
		{&builtin.EndsClusterError{Ref: api.Ref{Namespace: "n", Name: "r"}}, SummaryRequestExists, "name", `import it with the id "n/r"`},
		{&builtin.LeavingError{}, SummaryRequestStays, "", "Apply with -replace for this request"},
		{&builtin.SecondClusterError{Err: inner}, SummaryOperatorRuns, "", "Both go with the request"},
		{&builtin.OperatorRunsError{}, SummaryOperatorRuns, "", "It cannot be handed back"},
		{&builtin.RequestLostError{}, SummaryRequestLost, "", "Destroy it and apply again"},
		{&clusters.HeldError{Attribute: "tenancy"}, SummaryClusterHeld, "tenancy", "Nothing was written. Take the change back"},
		{&configs.AdoptError{}, SummaryShootMoved, "profile", "Nothing was written. The cluster provider would merge the template"},
		{&configs.JoinError{Ends: true}, SummaryShootDeleting, "cluster_ref", "Nothing was written. Run the same command again when"},
		{&configs.JoinError{Refused: &configs.AdoptError{}}, SummaryShootMoved, "cluster_ref", "Nothing was written. The cluster provider would"},
		{&api.ExistsError{Kind: "Cluster", Deleting: true}, SummaryShootDeleting, "name", "when it is gone"},
		{&api.ExistsError{Kind: "Cluster", Ref: api.Ref{Namespace: "n", Name: "c"}}, SummaryShootExists, "name",
			`an import block with the id "n/c"`},
		{&api.WaitError{Kind: "Cluster", For: clusters.UntilDeleted, Err: inner}, SummaryShootStays, "", "Run the same command again to wait on"},
		{&api.EndsError{}, SummaryShootDeleting, "", "Another party has deleted it. Wait until it is gone"},
		{&api.GoneError{Kind: "Cluster", UID: "u"}, SummaryShootGone, "", "Nothing was written. Another party has deleted it"},
		{written(kube.Forbidden, inner), SummaryPlatformForbidden, "", `platform-clusters.yaml, or for requests with scheduler = "builtin" by`},
		{&connection.NoPlatformError{}, SummaryNoPlatform, "", "Write platform = {"},
		{&kube.NotConfiguredError{Place: kube.Place{Object: "platform"}}, SummaryNoPlatform, "", "Name the API server in platform"},
		{&kube.ProtectedError{Kind: "Shoot", Namespace: "n", Name: "s", With: "a/c", Reported: true}, SummaryAnnotated, "deletion_protection",
			"set kubernetes and namespace of the provider block to that Garden"},
		{&kube.ProtectedError{Kind: "Cluster", Namespace: "n", Name: "c"}, SummaryAnnotated, "deletion_protection",
			"kubectl annotate clusters -n n c hap-project.io/deletion-protection-"},
		{&api.ExistsError{Kind: "ClusterRequest", Deleting: true}, SummaryRequestExists, "name", "when it is gone"},
		{&api.ExistsError{Kind: "ClusterRequest", Ref: api.Ref{Namespace: "n", Name: "r"}}, SummaryRequestExists, "name",
			`an import block with the id "n/r"`},
		{&requests.NoSchedulerError{Ignored: true}, SummaryNoScheduler, "", "Take the annotation away"},
		{&requests.NoSchedulerError{Blind: inner}, SummaryNoScheduler, "", "Let the account list Clusters in all namespaces"},
		{&requests.NoSchedulerError{Err: inner}, SummaryNoScheduler, "", "Check that the openmcp-operator runs"},
		{&api.NotGrantedError{Err: api.ErrDenied}, SummaryNotGranted, "", "has an existing one looked at again"},
		{&api.NotGrantedError{Err: inner}, SummaryNotGranted, "", "The operator says why in its log alone"},
		{&api.WaitError{For: api.UntilGone, Err: inner}, SummaryRequestStays, "", "Run the same command again to wait on"},
		{&api.WaitError{For: "it is ready", Err: inner}, SummaryClusterUnready, "", "The cluster provider goes on with it"},
		{&requests.PrefixError{}, SummaryPrefix, "", "Give one of the two requests another name"},
		{&api.GoneError{}, SummaryNoSuchRequest, "", "Nothing was written. Check the namespace and the name"},
		{&api.GoneError{UID: "u"}, SummaryRequestGone, "", "Nothing was written. Another party has deleted it"},
		{platform(kube.Forbidden, errors.New("create not allowed while custom resource definition is terminating")), SummaryNoOpenMCP, "",
			"run the same command again when"},
		{&api.ServerError{Err: &kube.LostPathError{}}, SummaryNotPlatform, "", "may be a live cluster"},
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
		{&shoots.BoundError{}, SummaryShootSecond, "cluster_ref", "Nothing was written. A cluster provider takes one Shoot"},
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
			SummaryShootGivenUp, "", "ERR_INFRA_DEPENDENCIES: a VM. Something in the cloud account is in the way: remove it there."},
		{&shoots.KubeconfigError{}, SummaryKubeconfigBad, "", "check that the provider block leads to the Garden"},
		{&shoots.WaitError{Err: context.DeadlineExceeded}, SummaryShootStays, "", "Gardener goes on with it where a finalizer of its own is left"},
		{shootAnswer(kube.UnknownOutcome, &kube.ForeignAnswerError{}), SummaryNotGarden, "", "Check kubernetes.host"},
		{shootAnswer(kube.UnknownOutcome, inner), SummaryUnknownOutcome, "", "it finds out what has become of the cluster"},
		{shootAnswer(kube.NotFound, inner), SummaryShootGone, "", "Run plan: a cluster that is gone leaves the state"},
		{shootAnswer(kube.Conflict, inner), SummaryBusy, "", "run the same command again"},
		{&account.HostError{Reason: account.HostFull}, SummaryAccountFull, "credentials_binding_name", "Nothing was written. Make another claim"},
		{&account.HostError{Reason: account.HostUnnamed}, SummaryNoTenant, "global_account", "Nothing was written. Set global_account to that of"},
		{&account.HostError{Reason: account.HostForeign}, SummaryNoHost, "credentials_binding_name",
			"Nothing was written. Take binding_name and global_account of one and the same hap_credentials_binding_claim"},
		{&account.HostError{Reason: account.HostUnclaimed}, SummaryNoHost, "credentials_binding_name",
			"take binding_name of a hap_credentials_binding_claim"},
		{&account.HostError{Reason: account.HostUnclear}, SummaryNoHost, "credentials_binding_name",
			"Nothing was written. Find out what the label means"},
		{&account.HostError{Reason: account.HostDirty}, SummaryNoHost, "credentials_binding_name",
			"Nothing was written. Take the account of another claim"},
		{&protocol.FenceLeftError{Cause: &account.UnknownOutcomeError{Account: "a", Err: inner}, Err: unreachable(inner), Ended: true},
			SummaryUnknownOutcome, "", "Take no label away by hand before. Run the same command again"},
		{&protocol.FenceLeftError{Err: &account.UnknownOutcomeError{Account: "a", Err: &kube.ForeignAnswerError{}}, Unseen: true}, SummaryNotGarden, "",
			"neither marked nor freed. Something else answers"},
		{&protocol.FenceLeftError{Err: inner, Unseen: true}, SummaryUnknownOutcome, "", "neither marked nor freed, and the claim still exists. Where the fence"},
		{&protocol.FenceLeftError{Cause: inUse, Err: &account.RejectedError{Err: inner}}, SummaryFenceLeft, "", "Delete the clusters first"},
		{&kebdb.UnreachableError{Err: context.Canceled}, SummaryInterrupted, "", "Run the same command again: it goes on"},
		{&account.DisagreementError{}, SummaryDisagreement, "", "Nothing was claimed. Find out"},
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
		{&garden.SecretNotFoundError{Ref: account.CredentialsRef{Namespace: "n"}}, SummarySecretNotFound, "", `in namespace "n"`},
		{&connection.EmptyPoolError{ExhaustedError: &account.ExhaustedError{Query: aws, Waited: time.Minute}}, SummaryExhausted, "plan",
			"Nothing was claimed. Run the same command again to go on waiting"},
		{&connection.EmptyPoolError{ExhaustedError: empty, Namespace: "n", Selector: "x=y"}, SummaryExhausted, "plan",
			"Nothing was claimed. There is no account at all for pool aws: in namespace n none matches x=y. No other pool"},
		{&connection.EmptyPoolError{ExhaustedError: empty, Others: others}, SummaryExhausted, "plan",
			"other pools: a; b; c; d; e; f; g; h; i; j; k; l; and 2 more. Check"},
		{empty, SummaryExhausted, "plan", "There is no account at all for pool aws: check"},
		{&account.ExhaustedError{Query: account.Query{Target: account.Target{Shared: true}}, Tally: dirty.Tally}, SummaryExhausted, "plan",
			"Add a shared account"},
		{&account.ExhaustedError{Query: aws, Tally: dirty.Tally, InDoubt: []string{"a (tenant-name=b)"}, Hidden: []string{"a (dirty=false)"}},
			SummaryExhausted, "plan", "Nothing was claimed. Where the labels of the pool have these keys, set label_scheme or label_keys"},
		{&account.ExhaustedError{Query: aws, Tally: dirty.Tally, Hidden: []string{"a (dirty=false)"}}, SummaryExhausted, "plan",
			"Nothing was claimed. Take the labels away"},
		{&account.ExhaustedError{Query: aws, Tally: account.Tally{account.ClassCooling: 1, account.ClassDirty: 1}}, SummaryExhausted, "plan",
			"Nothing was claimed. Run the same command again at that time"},
		{dirty, SummaryExhausted, "plan", "Nothing was claimed. Add accounts to the pool, or have the clean-up job"},
		{&account.ExhaustedError{Query: aws, Tally: account.Tally{account.ClassInternal: 1}}, SummaryExhausted, "plan",
			"Nothing was claimed. Add accounts to the pool, or release"},
		{&account.GuardError{}, SummaryGuard, "global_account", "raise multi_account.min_bindings_for_guard above the number"},
		{&account.WithheldError{Account: "a", Wanted: "c"}, SummaryNotHeld, "global_account", "The credentials were not read."},
		{&account.WithheldError{Account: "a", Tenant: "b", Wanted: "c"}, SummaryTaken, "global_account", "The credentials were not read."},
		{&account.TakenError{Account: "a", Wanted: "c", Pinned: true}, SummaryNotHeld, "global_account", "Nothing was written. Claim"},
		{&account.TakenError{Account: "a", Tenant: "b", Wanted: "c", Pinned: true}, SummaryTaken, "binding_name", "name another one"},
		{&account.TakenError{Account: "a", Tenant: "b", Wanted: "c"}, SummaryTaken, "global_account", "destroy the claim"},
		{&account.PinError{Account: "a", Why: "b"}, SummaryPin, "binding_name", "Nothing was written. Name another"},
		{&protocol.UnusableError{Verdict: account.Verdict(account.ClassOccupied)}, SummaryUnusable, "", "whose the clusters are"},
		{&protocol.UnusableError{Verdict: account.VerdictMoved}, SummaryUnusable, "name", "euAccess and shared say which pool it is in"},
		{&protocol.UnusableError{Verdict: account.Verdict(account.ClassInternal)}, SummaryUnusable, "name", "take the label internal off"},
		{&protocol.UnusableError{Verdict: account.Verdict(account.ClassDeleting)}, SummaryUnusable, "name", "when nothing refers to it any more"},
		{&protocol.UnusableError{Verdict: account.Verdict(account.ClassUnclear)}, SummaryUnusable, "name", "hap_pool_status names the label"},
		{&protocol.UnusableError{Verdict: account.Verdict(account.ClassDirty)}, SummaryUnusable, "name", "under another name"},
		{&account.ExistsError{Account: "a", Deleting: true}, SummaryAccountDeleting, "name", "Nothing was written. Gardener keeps it until no Shoot"},
		{&pool.MaybeAddedError{Account: "a", Err: &account.UnknownOutcomeError{Account: "a", Err: &kube.ForeignAnswerError{}}}, SummaryNotGarden, "",
			"Check kubernetes.host"},
		{&pool.MaybeAddedError{Account: "a", Err: &account.UnknownOutcomeError{Account: "a", Err: inner}}, SummaryUnknownOutcome, "",
			"the write has taken effect: import the account: its import ID is its name, a."},
		{&account.SameCredentialsError{Account: "a", Others: []string{"b"}, Declared: true}, SummarySameCredentials, "credentials_ref",
			"Nothing was written. Give each account credentials of its own"},
		{&account.SameCredentialsError{Account: "a", Others: []string{"b"}, Siblings: []string{"SecretBinding a"}}, SummarySameCredentials, "credentials_ref",
			"Where SecretBinding a is no longer needed"},
		{&account.SameCredentialsError{Account: "a", Others: []string{"b", "c"}}, SummarySameCredentials, "credentials_ref",
			"its import ID is its name, b. If"},
		{&account.NotFoundError{Account: "a", Anew: "uid"}, SummaryAccountAnew, "name", "its import ID is its name, a."},
		{&account.SupplyError{Obstacle: account.ObstacleBroker, Part: account.PartShared}, SummaryAccountShared, "shared", "Take the account out of the pool"},
		{&account.ExistsError{Account: "a"}, SummaryAccountExists, "name", "Nothing was written. If it is meant to be the same account, import it: its import ID is its name, a."},
		{&account.OutsideUnseenError{Ref: account.CredentialsRef{Namespace: "n"}, Err: &account.ForbiddenError{Verb: "list", Err: inner}},
			SummaryOutsideUnseen, "credentials_ref", `Nothing was written. Give the account credentials of the pool's own namespace. To use those of namespace "n"`},
		{&account.NoCredentialsError{Ref: account.CredentialsRef{Namespace: "n"}, Err: &account.ForbiddenError{Verb: "get", Err: inner}},
			SummaryNoCredentials, "credentials_ref", `Grant get on it in namespace "n"`},
		{&account.NoCredentialsError{}, SummaryNoCredentials, "credentials_ref", "Nothing was written. Make it first"},
		{&garden.CredentialsRefError{}, SummaryCredentialsRef, "credentials_ref", "Nothing was written. Correct credentials_ref"},
		{&account.SupplyError{Obstacle: account.ObstacleTenant, Part: account.PartInternal, Internal: true}, SummaryAccountHeld, "internal",
			"take the label internal off by hand and set internal = false"},
		{&account.SupplyError{Obstacle: account.ObstacleTenant, Part: account.PartShared}, SummaryAccountHeld, "shared", "Nothing was written. Undo"},
		{&account.SupplyError{Obstacle: account.ObstacleRecords, Part: account.PartShared}, SummaryAccountRecords, "shared", "Destroy the claims"},
		{&account.SupplyError{Obstacle: account.ObstacleUnreadable, Claims: []string{"k"}}, SummaryUnreadableRecord, "", "Nothing was written. Where the text"},
		{&account.SupplyError{Obstacle: account.ObstacleClusters, Part: account.PartType}, SummaryInUse, "hyperscaler_type", "Nothing was written. Undo"},
		{&account.SupplyError{Obstacle: account.ObstacleReleasing}, SummaryAccountReleasing, "", "when the release has ended"},
		{&account.SupplyError{Obstacle: account.ObstacleDeleting, Err: context.DeadlineExceeded}, SummaryAccountDeleting, "", "until no Shoot refers to it"},
		{&account.SupplyError{Obstacle: account.ObstacleDirty, Part: account.PartQuarantine}, SummaryAccountDirty, "quarantine", "Wait until the clean-up job"},
		{&account.SupplyError{Account: "a", Obstacle: account.ObstacleUnmarked, Twin: "SecretBinding b"}, SummaryAccountDirty, "",
			"Nothing was written. Where SecretBinding b is out of use, delete it"},
		{&account.SupplyError{Account: "a", Obstacle: account.ObstacleQuarantined, Part: account.PartType}, SummaryAccountQuarantined,
			"hyperscaler_type", "Nothing was written. Where the account is to stay quarantined, set quarantine"},
		{&account.SupplyError{Account: "a", Obstacle: account.ObstacleUnwiped, Twin: "b"}, SummaryAccountDirty, "",
			"Nothing was written. Have the cloud account wiped"},
		{&account.SupplyError{Obstacle: account.ObstacleUnclear, Part: account.PartType}, SummaryAccountUnclear, "hyperscaler_type",
			"Nothing was written. Where the labels of the pool have these keys"},
		{&account.SupplyError{Obstacle: account.ObstacleNamed}, SummaryInUse, "name", "Nothing was written. Another party has deleted an account"},
		{&account.SupplyError{Obstacle: account.ObstacleLabelled}, SummaryLabelled, "credentials_ref", "Nothing was written. Where a Global Account holds it"},
		{&account.SupplyError{Obstacle: account.ObstacleQuotas, Part: account.PartType}, SummaryQuotasLost, "quotas", "Nothing was written. Gardener changes no"},
		{&account.SupplyError{Obstacle: account.ObstacleShared, Part: account.PartQuarantine}, SummaryNoQuarantine, "quarantine", "Remove quarantine"},
		{&protocol.UnfinishedMoveError{Identity: identity, Account: "aws-1", Other: "SecretBinding aws-1", There: true}, SummaryHalfMoved, "",
			"takes the claim to account aws-1 was interrupted"},
		{&protocol.UnfinishedMoveError{Identity: identity, Account: "aws-1", Other: "aws-2"}, SummaryHalfMoved, "", `Set binding_name = "aws-2", apply`},
		{&protocol.HalfMovedError{Identity: identity, From: "SecretBinding aws-2", Err: inner}, SummaryHalfMoved, "", "patch on SecretBinding aws-2"},
		{&protocol.OtherBindingError{Identity: identity, Binding: "SecretBinding aws-2", Accounts: []string{"aws-2"}}, SummaryClaimElsewhere, "",
			"Else import the claim as ga/aws-2/blue, by"},
		{&protocol.MoveError{Identity: identity, From: "SecretBinding aws-2"}, SummaryNoMove, "binding_name", "Nothing was written. Make a binding"},
		{&protocol.ElsewhereError{Identity: identity, Other: "aws-2"}, SummaryClaimElsewhere, "", "import it as ga/aws-2/blue."},
		{&protocol.OwnerError{}, SummaryOwner, "owner", "was to set, run that apply again: it takes the claim on"},
		{&protocol.OtherStateError{Identity: identity, Account: "aws-2"}, SummaryOtherState, "", "import it as ga/aws-2/blue: an imported"},
		{&account.UnreadableRecordError{}, SummaryUnreadableRecord, "", "or remove the annotation if no configuration has the claim any more"},
		{&protocol.DuplicateError{}, SummaryDuplicate, "name", "Give each claim"},
		{&account.InUseError{AfterFence: true}, SummaryInUse, "", "it is as it was before, and the claim still exists. Delete the clusters first"},
		{&account.InUseError{Waited: time.Hour}, SummaryInUse, "", "neither marked nor freed. Run the same command again: it goes on"},
		{inUse, SummaryInUse, "", "The account was neither marked nor freed. Delete the clusters first"},
		{&protocol.StrayError{Account: "a", Stray: "b", SameAs: "c"}, SummaryOtherBinding, "",
			"neither marked nor freed. Have the pool's owner correct the annotation hap-project.io/account-of-secret"},
		{&protocol.TwinError{Account: "a", Twin: "SecretBinding n/b", Outside: true}, SummaryOtherBinding, "",
			"neither marked nor freed. Find out which Shoots of that namespace name SecretBinding n/b. Once none does"},
		{&protocol.TwinError{Account: "a", Twin: "SecretBinding b", Tenant: "c"}, SummaryOtherBinding, "",
			"neither marked nor freed. Find out whose the cloud account is. Where SecretBinding b is no longer needed"},
		{&protocol.ContestedError{Account: "a", Labels: []string{"tenant-name=b"}}, SummaryContested, "",
			"The account was neither marked nor freed. Find out what each label means"},
		{&protocol.ReturnRefusedError{Account: "a"}, SummaryReturnRefused, "on_destroy", `Nothing was written. Set on_destroy = "mark_dirty"`},
		{&account.UnknownOutcomeError{Account: "a", Err: &kube.ForeignAnswerError{}}, SummaryNotGarden, "", "Check kubernetes.host"},
		{&account.UnknownOutcomeError{Account: "a", Err: unreachable(inner)}, SummaryUnknownOutcome, "", "Run the same command again"},
		{&account.BusyError{Account: "a", Tries: 3, Err: errors.New("forbidden: " + kube.OwnLimit + ": rate")}, SummaryBusy, "",
			"Nothing was written. Run the same command again later: other runs write, too."},
		{&account.BusyError{Account: "a", Tries: 3, Err: inner}, SummaryBusy, "", "Nothing was written. Run the same command again later"},
		{&account.ConflictError{Account: "a", Tries: 3}, SummaryConflict, "", "Nothing was written. Another program"},
		{&account.ForbiddenError{Verb: "list", Err: basic}, SummaryUnauthorized, "", "takes no user name and password. Set kubernetes.token"},
		{&account.HiddenBindingsError{Kind: "SecretBinding", Err: &account.ForbiddenError{Verb: "list", Err: inner}}, SummaryForbidden, "",
			"Grant the verb list for the bindings"},
		{&account.HiddenBindingsError{Kind: "SecretBinding", Names: []string{"SecretBinding a"}}, SummaryNotGarden, "", "may be on this account"},
		{&account.ForbiddenError{Verb: "patch", Err: errors.New(`User "system:anonymous" cannot get`)}, SummaryForbidden, "",
			"carried no credentials"},
		{&account.ForbiddenError{Verb: "patch", Resource: "r", Namespace: "n", Err: inner}, SummaryForbidden, "",
			`Grant the verb "patch" on r in namespace "n", best`},
		{&account.ForbiddenError{Verb: "get", Resource: "r", Namespace: "n", Err: inner}, SummaryForbidden, "",
			`Grant the verb "get" on r in namespace "n"`},
		{&account.UnauthorizedError{Err: inner}, SummaryUnauthorized, "", "renew it"},
		{&account.NotFoundError{Account: "a"}, SummaryAccountNotFound, "binding_name", "Check the name"},
		{&account.RejectedError{Err: errors.New(`forbidden: secrets "a" not found`)}, SummaryRejected, "", "Nothing was written. Gardener refuses each change"},
		{&account.RejectedError{Err: inner}, SummaryRejected, "", "Nothing was written. The same request"},
		{&account.QuotaError{Err: inner}, SummaryQuota, "", "Nothing was written. Have the quota raised"},
		{&account.NoAPIError{Err: inner}, SummaryNotGarden, "", "it is not that of a Garden"},
		{&account.FailedError{Webhook: true, Err: inner}, SummaryFailed, "", "asks an admission webhook"},
		{&account.FailedError{Err: inner}, SummaryFailed, "", "Gardener answers so to what it refuses"},
		{unreachable(&kube.LostPathError{}), SummaryNotGarden, "", "pass on all paths below /apis"},
		{&kube.LostPathError{}, SummaryNotGarden, "", "may be a live cluster"},
		{unreachable(&kube.RedirectError{Status: 302, To: "https://login.example"}), SummaryNotGarden, "", "nothing but this server got the credentials"},
		{unreachable(&tls.CertificateVerificationError{Err: inner}), SummaryUnreachable, "", "its certificate is not trusted"},
		{unreachable(&kube.ProgramError{Err: inner}), SummaryProgram, "", "The program that gets the credentials"},
		{unreachable(context.DeadlineExceeded), SummaryUnreachable, "", "the network and the API server"},
		{&protocol.NewerRecordError{}, SummaryNewerRecord, "", "Nothing was written. Use the version"},
		{&settings.ChangedError{What: "pool.kind"}, SummarySettingsChanged, "", "run apply first, which takes the claim along"},
		{&settings.ChangedError{What: "database"}, SummarySettingsChanged, "", "Nothing was written. The rows of the broker's database"},
		{&settings.ChangedError{What: "platform"}, SummarySettingsChanged, "", "Nothing was written. Clusters of the platform cluster come"},
		{&settings.ChangedError{What: settings.BindingKind}, SummarySettingsChanged, "", "Set pool.kind = \"CredentialsBinding\""},
		{&settings.ChangedError{}, SummarySettingsChanged, "", "Nothing was written. Set the provider block back"},
		{&kube.NotConfiguredError{KubeconfigVariable: true}, SummaryNoConnection, "", `Run export KUBE_CONFIG_PATH="$KUBECONFIG"`},
		{&kube.NotConfiguredError{}, SummaryNoConnection, "", "or export KUBE_CONFIG_PATH. If something"},
		{&kube.SettingError{Place: here, Setting: "host", Variable: "KUBE_HOST", Problem: "p"}, SummaryBadConnection, "",
			"variable KUBE_HOST, or set kubernetes.host"},
		{&kube.SettingError{Place: here, Setting: "host", Problem: "p"}, SummaryBadConnection, "",
			"Correct kubernetes.host in the provider block."},
		{&settings.UnknownError{Attributes: []string{"namespace"}}, SummaryUnknownConnection, "", "-target"},
		{&pool.TimeoutError{After: time.Minute, Writing: 40 * time.Second, Err: context.DeadlineExceeded}, SummaryTimeout, "",
			"Most of the time went into writes. For each write"},
		{&pool.TimeoutError{After: time.Minute, Writing: 10 * time.Second, Err: context.DeadlineExceeded}, SummaryTimeout, "",
			"with longer timeouts if"},
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
		SummaryUnreachable:  &account.UnreachableError{Err: context.DeadlineExceeded},
		SummaryDatabaseDown: &kebdb.UnreachableError{Err: context.DeadlineExceeded},
		SummaryTimeout:      context.DeadlineExceeded,
	} {
		var diags diag.Diagnostics
		Report(&diags, "Trying", &pool.TimeoutError{Err: &pool.WaitError{For: "an account of pool aws", Waited: time.Hour, Err: err}})
		detail := diags[0].Detail()
		for _, text := range []string{"waited 1h0m0s for an account of pool aws; the last read failed: ", "un the same command again"} {
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
		"forbidden": &account.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: "n", Err: errors.New("no")},
		"rejected":  &account.RejectedError{Verb: "patch", Resource: "credentialsbindings", Err: errors.New("no")},
		"conflict":  &account.ConflictError{Account: "a", Tries: 256},
		"busy":      &account.BusyError{Account: "a", Tries: 8, Err: errors.New("no")},
		"timeout":   context.DeadlineExceeded,
	} {
		f := Explain(&pool.TimeoutError{Err: &protocol.FenceLeftError{Account: "a", Cause: why, Err: why}})
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
	f := Explain(&protocol.FenceLoweredError{Err: &protocol.ReturnRefusedError{Account: "a"}})
	if f.Summary != SummaryReturnRefused || f.Effect != fenceLowered {
		t.Errorf("the fence was taken down, and the user reads: %s | %s", f.Summary, f.Next())
	}
}

// A move that is cut short after a write says so, whatever its cause is.
func TestExplain_moveThatHasWritten(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{&protocol.MoveError{}, &protocol.OwnerError{}, &account.TakenError{}, &protocol.UnusableError{}, &protocol.NewerRecordError{}} {
		alone, cut := Explain(cause), Explain(&protocol.MoveCutError{Err: cause})
		if alone.Effect != nothingWritten || cut.Effect != moveCut || cut.Summary != alone.Summary {
			t.Errorf("%T: a move that has written says %q (%s), and one that has not %q", cause, cut.Effect, cut.Summary, alone.Effect)
		}
	}
}

// A release that has moved the claim before says so, whatever its cause is, and also what became of its fence.
func TestExplain_releaseAfterAMove(t *testing.T) {
	t.Parallel()
	moved := fmt.Sprintf(movedBefore, "aws-1")
	for name, test := range map[string]struct {
		cause  error
		effect string
	}{
		"refused":       {&protocol.ReturnRefusedError{Account: "a"}, moved},
		"fence lowered": {&protocol.FenceLoweredError{Err: &protocol.ReturnRefusedError{Account: "a"}}, fenceLowered + " " + moved},
		"no right":      {&account.ForbiddenError{Verb: "patch"}, moved},
	} {
		alone, f := Explain(test.cause), Explain(&protocol.MovedBeforeError{To: "aws-1", Err: test.cause})
		if f.Effect != test.effect || f.Summary != alone.Summary || f.Remedy != alone.Remedy {
			t.Errorf("%s: %+v, alone %+v", name, f, alone)
		}
	}
}

// A move that has written its label before another Global Account was seen does not go on by the same apply.
func TestExplain_moveIntoAnotherTenant(t *testing.T) {
	t.Parallel()
	f := Explain(&protocol.MoveCutError{Labelled: "aws-1", Err: &protocol.MoveError{Intruder: "the account is ga-2's"}})
	if f.Effect != fmt.Sprintf(moveLabelled, "aws-1") || f.Remedy != twoTenants || f.Summary != SummaryNoMove {
		t.Errorf("%+v", f)
	}
}

// A release that has taken a record off another binding before it was refused does not say that nothing was written.
func TestExplain_recordTaken(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{&account.ForbiddenError{Verb: "patch"}, &protocol.OwnerError{}, &account.BusyError{}, &account.ConflictError{}} {
		alone, taken := Explain(cause), Explain(&protocol.RecordTakenError{From: "SecretBinding a", Err: cause})
		if alone.Effect != nothingWritten || taken.Effect != fmt.Sprintf(recordTaken, "SecretBinding a") || taken.Summary != alone.Summary {
			t.Errorf("%T: %q, and alone %q", cause, taken.Effect, alone.Effect)
		}
	}
}

// A refusal is reported at the attribute of the part that was to change: each part has one, but for the account as a whole.
func TestTable_eachPartHasItsAttribute(t *testing.T) {
	t.Parallel()
	for _, part := range account.Parts() {
		for _, obstacle := range []account.Obstacle{account.ObstacleTenant, account.ObstacleClaims, account.ObstacleRecords, account.ObstacleUnreadable, account.ObstacleClusters, account.ObstacleReleasing,
			account.ObstacleDeleting, account.ObstacleDirty, account.ObstacleQuarantined, account.ObstacleShared, account.ObstacleUnclear} {
			f := Explain(&account.SupplyError{Account: "a", Part: part, Obstacle: obstacle})
			if f.Summary == SummaryUnexpected || (f.Attribute == "") != (part == account.PartWhole) {
				t.Errorf("%q against %s: %q at %q", part, obstacle, f.Summary, f.Attribute)
			}
		}
	}
}
