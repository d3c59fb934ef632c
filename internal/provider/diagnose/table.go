package diagnose

import (
	"context"
	"crypto/tls"
	"errors"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// row is one kind of error, and what a user is told about it. The Troubleshooting guide has the remedy of each row in the
// entry of its summary; a test compares the two.
type row struct {
	// summary is the first line.
	summary string
	// at is the attribute of the object that caused the error; empty = none did, or it stands in the provider block: a path
	// is read relative to the object that met the error.
	at string
	// part returns the attribute where the error says itself which one caused it; nil = at does.
	part func(error) string
	// match reports whether an error is of this kind. It returns what the verbs of the remedy take.
	match func(error) (verbs []any, ok bool)
	// effect says what became of the account; empty where the error itself says so, or where nothing is ever written.
	effect string
	// remedy says what to do next.
	remedy string
	// brief is the error in a few words, for a warning; empty = the error's own text is short enough.
	brief string
}

// What a failed operation has done.
const (
	nothingClaimed = "Nothing was claimed."
	nothingWritten = "Nothing was written."
	nothingRead    = "Nothing was read or written."
	fenceLowered   = "The fence of the release was taken down again; all else on the account is as it was."
	unreleased     = "The account was neither marked nor freed."
	nothingCounted = "Nothing was claimed or released: without a count it is not known where there is room, or whether an account is in use."
)

// ReportIssue is the remedy of what cannot happen.
const ReportIssue = "Please report this issue to the provider developers."

// table has all errors. The first row that matches is taken, so the more specific one stands first: some errors wrap others.
var table = slices.Concat(ofShoots, ofAccounts)

// ofAccounts has the errors of accounts, claims, counts and connections.
var ofAccounts = []row{
	// A fence that stays. What is behind it has a row of its own below, whose remedy is added.
	{
		summary: SummaryFenceLeft, match: is[*pool.FenceLeftError],
		effect: "The fence of the release stays on the account: no new cluster comes to it, and the claim stands.",
		remedy: "Destroy the claim again, which goes on from there; or take the label away, to keep the account.",
	},

	// A look that was cut short: the server is not to blame.
	{summary: SummaryInterrupted, match: cutShort, remedy: interrupted},

	// Counting.
	{
		summary: SummaryDisagreement, match: is[*pool.DisagreementError], effect: nothingClaimed,
		remedy: "Find out which of the two is right: suspended clusters have a row and no Shoot, clusters made beside the broker a Shoot and " +
			"no row. " +
			`To go by the higher number, set cluster_count.on_disagreement = "highest".`,
	}, {
		summary: SummaryNoDatabase, match: is[*kebdb.NotConfiguredError], brief: "no connection to the broker's database is configured",
		remedy: `Set database.url in the provider block, or count by Gardener alone: cluster_count = { source = "gardener" }, ` +
			"and no database in the provider block.",
	}, {
		summary: SummaryBadDatabase, match: is[*kebdb.SettingError],
		remedy: "Correct database.url in the provider block, or the variables HAP_DATABASE_URL and PG* that it takes the rest from.",
	}, {
		summary: SummaryDatabaseDown, match: is[*kebdb.UnreachableError], effect: nothingCounted,
		remedy: "Check host and port in database.url (or HAP_DATABASE_URL, PGHOST and PGPORT), the network and the server, and run the same " +
			`command again. cluster_count = { source = "gardener" } counts without the database; a release asks it all the same.`,
	}, {
		summary: SummaryDatabaseLogin, match: is[*kebdb.UnauthorizedError], effect: nothingCounted,
		remedy: "Check the name of the database, the user and the password: in database.url or HAP_DATABASE_URL, and what is left out there in " +
			"PGDATABASE, PGUSER and PGPASSWORD. The role must be allowed to log in to this database.",
	}, {
		summary: SummaryDatabaseDenied, match: is[*kebdb.ForbiddenError], effect: nothingCounted,
		remedy: "Have the owner of the table run the grants for this role.",
	}, {
		summary: SummaryNotTheBrokers, match: is[*kebdb.MissingError], effect: nothingCounted,
		remedy: "Check that database.url names the broker's database, and that the broker is recent enough to note the account of each cluster.",
	}, {
		summary: SummaryDatabaseError, match: is[*kebdb.RefusedError], effect: nothingCounted,
		remedy: "The same query would be refused again: see the answer above.",
	}, {
		summary: SummaryLostBinding, match: is[*garden.LostBindingError], effect: nothingCounted,
		remedy: "Make the binding again with the Secret that it had, or delete the Shoot.",
	},

	// Credentials of an account.
	{
		summary: SummaryNotSecret, match: is[*garden.NotSecretError],
		remedy: "Only a Secret holds credentials that can be read. A WorkloadIdentity stands for tokens that Gardener issues to its own " +
			"components: have the pipeline federate with the cloud provider itself, or use an account whose credentials are a Secret.",
	}, {
		summary: SummarySecretNotFound, match: with(func(e *garden.SecretNotFoundError) []any { return []any{e.Ref.Namespace} }),
		remedy: "The account may have been removed halfway: check its credentialsRef, and whether the Secret is in namespace %q.",
	},

	// Selecting and claiming.
	{
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: when(func(e *pool.ExhaustedError) bool { return e.Waited > 0 }),
		remedy: "Run the same command again to go on waiting, with a longer timeouts.create if accounts come back seldom. Add accounts to the " +
			"pool, or see with hap_pool_status which are stuck.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: on(func(e *backend.EmptyPoolError) ([]any, bool) {
			return []any{e.Query.Target, e.Namespace, e.Selector}, len(e.Others) == 0
		}),
		remedy: "There is no account at all for pool %s: in namespace %s none matches %s. No other pool has an account there either: set the " +
			"provider's namespace to that of the Gardener project, or label the first accounts.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: with(func(e *backend.EmptyPoolError) []any {
			return []any{e.Query.Target, e.Namespace, e.Selector, words.First(maxPools, e.Others)}
		}),
		remedy: "There is no account at all for pool %s: in namespace %s none matches %s. There are accounts of other pools: %s. Check the " +
			"request and its rule, or add an account with these labels.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match:  on(func(e *pool.ExhaustedError) ([]any, bool) { return []any{e.Query.Target}, e.Tally.Total() == 0 }),
		remedy: "There is no account at all for pool %s: check the provider's namespace and the rule, or add accounts with these labels.",
	}, {
		summary: SummaryExhausted, at: "plan", match: when(func(e *pool.ExhaustedError) bool { return e.Query.Target.Shared }),
		remedy: "Add a shared account to the pool, or have a dirty one cleaned. " + waitForAccount,
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match:  when(func(e *pool.ExhaustedError) bool { return e.Tally.Dirty() > 0 }),
		remedy: "Add accounts to the pool, or have the clean-up job finish with the dirty ones. " + waitForAccount,
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed, match: is[*pool.ExhaustedError],
		remedy: "Add accounts to the pool, or release claims that are no longer needed. " + waitForAccount,
	}, {
		summary: SummaryGuard, at: "global_account", effect: nothingClaimed, match: is[*pool.GuardError],
		remedy: "Check that clusters are counted from the right namespace and source; if the accounts are really empty, release some or lower " +
			"multi_account.min_bindings_for_guard.",
	}, {
		summary: SummaryNotHeld, at: "global_account", effect: nothingWritten,
		match:  when(func(e *pool.TakenError) bool { return e.Tenant == "" }),
		remedy: "Claim the account by applying a claim with binding_name set to it.",
	}, {
		summary: SummaryTaken, at: "binding_name", effect: nothingWritten, match: when(func(e *pool.TakenError) bool { return e.Pinned }),
		remedy: "An account never serves two Global Accounts: name another one, or remove binding_name and let the pool choose.",
	}, {
		summary: SummaryTaken, at: "global_account", effect: nothingWritten, match: is[*pool.TakenError],
		remedy: "An account never serves two Global Accounts: claim another one, or have the clusters of the other Global Account moved and " +
			"the account cleaned first. To give up a claim that stands on it, destroy the claim: its own record goes, and the labels of the " +
			"account stay.",
	}, {
		summary: SummaryPin, at: "binding_name", effect: nothingWritten, match: is[*pool.PinError],
		remedy: "Name another account in binding_name, or remove it and let the pool choose.",
	}, {
		summary: SummaryUnusable, effect: nothingWritten,
		match:  when(func(e *pool.UnusableError) bool { return e.Verdict == pool.Verdict(pool.ClassOccupied) }),
		remedy: "Find out whose the clusters are. If they are this Global Account's, put its label back on the account by hand, and apply again.",
	}, {
		summary: SummaryUnusable, at: "name", effect: nothingWritten, match: is[*pool.UnusableError],
		remedy: "If it is being released, destroy the claim first or wait for the clean-up job; to have another account meanwhile, make the " +
			"claim under another name.",
	},

	// Accounts and their owner.
	{
		summary: SummaryAccountDeleting, at: "name", effect: nothingWritten, match: when(func(e *pool.ExistsError) bool { return e.Deleting }),
		remedy: "Gardener keeps it until no Shoot refers to it. Run the same command again when it is gone: a later apply makes it.",
	}, {
		summary: SummarySameCredentials, at: "credentials_ref", effect: nothingWritten,
		match: when(func(e *pool.SameCredentialsError) bool { return e.Declared }),
		remedy: "Give each account credentials of its own, those of another cloud account, or remove one of the two blocks. Where one takes " +
			"the place of the other, remove the other and apply first.",
	}, {
		summary: SummarySameCredentials, at: "credentials_ref", effect: nothingWritten,
		match: with(func(e *pool.SameCredentialsError) []any { return []any{e.Others[0]} }),
		remedy: "Give the account credentials of its own, those of another cloud account. If it is meant to be the one that is there, give it " +
			"that name and import it: its import ID is its name, %s. If it takes its place, take that one out of the pool and apply first.",
	}, {
		summary: SummaryAccountAnew, at: "name", effect: nothingWritten,
		match: on(func(e *pool.NotFoundError) ([]any, bool) { return []any{e.Account}, e.Anew != "" }),
		remedy: "If the new object is meant to be this account, take the old one out of the state with `state rm` and import it: its import ID " +
			"is its name, %s.",
	}, {
		summary: SummaryAccountShared, part: partOf, effect: nothingWritten, match: against(pool.ObstacleBroker),
		remedy: "Take the account out of the pool and put it in again: remove its block, apply, write it again with shared = false, and apply. " +
			"Its destroy waits until no cluster can be on its way (release_grace). Where another party has set the label shared, set shared = " +
			"true, or take the label away by hand when that time is over and no cluster has come.",
	}, {
		summary: SummaryAccountExists, at: "name", effect: nothingWritten,
		match:  with(func(e *pool.ExistsError) []any { return []any{e.Account} }),
		remedy: "If it is meant to be the same account, import it: its import ID is its name, %s. Else give this account another name.",
	}, {
		summary: SummaryNoCredentials, at: "credentials_ref", effect: nothingWritten,
		match: on(func(e *pool.NoCredentialsError) ([]any, bool) { return []any{e.Ref.Namespace}, e.Err != nil }),
		remedy: "Grant get on it in namespace %q: Gardener demands it of every user who writes the account, and the provider looks only " +
			"whether they are there.",
	}, {
		summary: SummaryNoCredentials, at: "credentials_ref", effect: nothingWritten, match: is[*pool.NoCredentialsError],
		remedy: "Make it first, or correct its kind, namespace and name. If this configuration makes it, take its name from an attribute that " +
			"is known only after apply, such as the id of the Secret.",
	}, {
		summary: SummaryCredentialsRef, at: "credentials_ref", effect: nothingWritten, match: is[*garden.CredentialsRefError],
		remedy: "Correct credentials_ref, or pool.kind of the provider.",
	}, {
		summary: SummaryAccountHeld, part: partOf, effect: nothingWritten, match: against(pool.ObstacleTenant, pool.ObstacleClaims),
		remedy: "Undo the change, or wait until the account is free: destroy the claims on it, and have the clean-up job wipe it. To leave the " +
			"account as it is and to its tenant, take it out of the state with `state rm`.",
	}, {
		summary: SummaryAccountRecords, part: partOf, effect: nothingWritten, match: against(pool.ObstacleRecords),
		remedy: "Destroy the claims that the records are of, or take the annotations away by hand where no state has them: on a shared account " +
			"no claim takes its record away.",
	}, {
		summary: SummaryInUse, part: partOf, effect: nothingWritten, match: against(pool.ObstacleClusters),
		remedy: "Undo the change, or wait until the clusters are gone, and run the same command again.",
	}, {
		summary: SummaryAccountReleasing, part: partOf, effect: nothingWritten, match: against(pool.ObstacleReleasing),
		remedy: "Run the same command again when the release has ended. One that was interrupted is finished by the destroy of its claim.",
	}, {
		summary: SummaryAccountDeleting, part: partOf, match: against(pool.ObstacleDeleting),
		remedy: "Gardener keeps it until no Shoot refers to it. Run the same command again when the Shoots are gone; a longer timeouts.delete " +
			"waits for them.",
	}, {
		summary: SummaryAccountDirty, part: partOf, effect: nothingWritten, match: against(pool.ObstacleDirty),
		remedy: "Wait until the clean-up job has wiped the account, and run the same command again.",
	}, {
		summary: SummaryNoQuarantine, part: partOf, effect: nothingWritten, match: against(pool.ObstacleShared),
		remedy: "Remove quarantine. To take a shared account out of circulation, take it out of the pool once its clusters are gone.",
	}, {
		summary: SummaryAccountElsewhere, effect: nothingWritten, match: is[*backend.AccountElsewhereError],
		remedy: "Set the provider back to where the account was put. If the account is really gone, take it out of the state with `state rm`.",
	},

	// Claims and their identity.
	{
		summary: SummaryClaimElsewhere, effect: nothingWritten,
		match: with(func(e *pool.ElsewhereError) []any {
			return []any{e.Identity.GlobalAccount, e.Other, e.Identity.Name}
		}),
		remedy: "Take the claim out of the state with `state rm` and import it as %s/%s/%s.",
	}, {
		summary: SummaryOwner, at: "owner", effect: nothingWritten, match: is[*pool.OwnerError],
		remedy: "Give this claim a name of its own, or, if it is meant to be the same one, set the same owner and keep it in one configuration " +
			"only.",
	}, {
		summary: SummaryDuplicate, at: "name", match: is[*pool.DuplicateError],
		remedy: "Give each claim of one Global Account on one pool a name of its own.",
	},

	// Releasing.
	{
		summary: SummaryInUse, match: when(func(e *pool.InUseError) bool { return e.AfterFence }),
		effect: "They came while the account was being released; it is as it was before, and the claim stands.",
		remedy: giveUp,
	}, {
		summary: SummaryInUse, match: when(func(e *pool.InUseError) bool { return e.Waited > 0 }), effect: unreleased,
		remedy: "Run the same command again: it goes on waiting, as long as timeouts.delete allows. Where a cluster does not go at all, look " +
			"at its status in Gardener.",
	}, {
		summary: SummaryInUse, match: is[*pool.InUseError], effect: unreleased,
		remedy: giveUp,
	}, {
		summary: SummaryReturnRefused, at: "on_destroy", effect: nothingWritten, match: is[*pool.ReturnRefusedError],
		remedy: `Set on_destroy = "mark_dirty", apply, and destroy again: the clean-up job then wipes the account and frees it.`,
	}, {
		summary: SummaryUnknownOutcome, match: is[*pool.UnknownOutcomeError],
		remedy: "Run the same command again: it finds what stands on the account and goes on from there.",
	}, {
		summary: SummaryBusy, effect: nothingWritten, match: is[*pool.BusyError],
		remedy: "Run the same command again later, with fewer operations at a time (-parallelism). Where it lasts, have the priority and " +
			"fairness of the API server looked at.",
	}, {
		summary: SummaryConflict, effect: nothingWritten, match: is[*pool.ConflictError],
		remedy: "Another program writes on the account all the time: find out which from the audit log, and run the same command again.",
	},

	// The Garden.
	{
		summary: SummaryForbidden, match: both(is[*pool.ForbiddenError], says(anonymousUser)),
		remedy: "The request carried no credentials, so the server took it for an anonymous one. Set kubernetes.token, kubernetes.exec or a " +
			"client certificate, or a kubeconfig by kubernetes.config_path.",
	}, {
		summary: SummaryForbidden, effect: nothingWritten,
		match: on(func(e *pool.ForbiddenError) ([]any, bool) {
			return []any{e.Verb, e.Resource, e.Namespace}, e.Verb == "patch" || e.Verb == "create"
		}),
		remedy: "Grant the verb %q on %s in namespace %q, best by the whole Role of the provider's examples/rbac. Besides patch and create, " +
			"Gardener demands get on the Secret (or WorkloadIdentity) that the account refers to, even if only a label changes.",
	}, {
		summary: SummaryForbidden, match: with(func(e *pool.ForbiddenError) []any { return []any{e.Verb, e.Resource, e.Namespace} }),
		remedy: "Grant the verb %q on %s in namespace %q, best by the whole Role of the provider's examples/rbac: where one verb is missing, " +
			"others mostly are. If that is not the namespace of the Gardener project, set the provider's namespace.",
	}, {
		summary: SummaryUnauthorized, match: is[*pool.UnauthorizedError],
		remedy: "The token or certificate has expired, is malformed, or belongs to another landscape: renew it, check that the connection " +
			"leads to the Garden it was made for, or let the provider get it anew by kubernetes.exec.",
	}, {
		summary: SummaryAccountNotFound, at: "binding_name", match: is[*pool.NotFoundError],
		remedy: "Check the name, and namespace and pool.kind of the provider; the account must carry the label of the hyperscaler type " +
			"(hyperscalerType, unless pool.label_scheme or pool.label_keys say otherwise).",
	}, {
		summary: SummaryRejected, effect: nothingWritten, match: is[*pool.RejectedError],
		remedy: "The same request would be refused again: see the answer above.",
	}, {
		summary: SummaryUnreachable, match: both(is[*pool.UnreachableError], is[*tls.CertificateVerificationError]),
		remedy: "The server was reached, and its certificate is not trusted. Set kubernetes.cluster_ca_certificate to the CA of the Garden, or " +
			"take the connection from a kubeconfig, which brings it along; where the certificate is for another host name, set " +
			"kubernetes.tls_server_name.",
	}, {
		summary: SummaryUnreachable, match: both(is[*pool.UnreachableError], says(credentialsProgram)),
		remedy: "The program that gets the credentials could not be run, or failed. Install it where the provider runs, check kubernetes.exec " +
			"or the user of the kubeconfig, and try it by hand.",
	}, {
		summary: SummaryUnreachable, match: is[*pool.UnreachableError],
		remedy: "Check the provider's kubernetes settings, the network and the API server, and run the same command again.",
	},

	// Where the provider looks, and where the claim was made.
	{
		summary: SummaryNewerRecord, effect: nothingWritten, match: is[*pool.NewerRecordError],
		remedy: "Use the version of the provider that recorded the claim, or a later one.",
	}, {
		summary: SummaryOtherServer, effect: nothingWritten, match: is[*backend.OtherServerError],
		remedy: "Set the provider's kubernetes settings back to the landscape that the claim was made in. If the account is really gone, and " +
			"the API server has only got another name, take the claim out of the state with `state rm`.",
	}, {
		summary: SummaryElsewhere, effect: nothingRead, match: is[*backend.NamespaceError],
		remedy: "Set the provider's namespace, or the context of its kubeconfig, back to where the claim was made.",
	}, {
		summary: SummaryOtherKind, effect: nothingRead, match: is[*backend.OtherKindError],
		remedy: "Set the provider's pool.kind back; a landscape that moves to another kind of account has a provider for each until the old " +
			"claims have ended.",
	}, {
		summary: SummaryNoConnection, brief: "no connection to the Garden is configured",
		match:  when(func(e *kube.NotConfiguredError) bool { return e.KubeconfigVariable }),
		remedy: `Run export KUBE_CONFIG_PATH="$KUBECONFIG" (KUBE_CONFIG_PATHS for several files). ` + misspelt,
	}, {
		summary: SummaryNoConnection, brief: "no connection to the Garden is configured", match: is[*kube.NotConfiguredError],
		remedy: `Write kubernetes = { config_path = "~/.kube/config" } into the provider block, or export KUBE_CONFIG_PATH. ` + misspelt,
	}, {
		summary: SummaryBadConnection,
		match: on(func(e *kube.SettingError) ([]any, bool) {
			return []any{e.Variable, strings.Join(e.Path(), ".")}, e.Variable != ""
		}),
		remedy: "Correct the environment variable %s, or set %s in the provider block: that goes first.",
	}, {
		summary: SummaryBadConnection, match: with(func(e *kube.SettingError) []any { return []any{strings.Join(e.Path(), ".")} }),
		remedy: "Correct %s in the provider block.",
	}, {
		summary: SummaryUnknownConnection, match: is[*backend.UnknownSettingsError],
		remedy: "Apply what these values come from first (-target), or give the provider values that are known at plan.",
	}, {
		summary: SummaryTimeout, match: one(context.DeadlineExceeded),
		remedy: "Run the same command again, with longer timeouts if the pool is large or the API slow: it goes on from what stands on the " +
			"account.",
	}, {
		summary: SummaryInterrupted, match: one(context.Canceled), remedy: interrupted,
	}, {
		summary: SummaryUnexpected, match: func(error) ([]any, bool) { return nil, true }, remedy: ReportIssue,
	},
}

const (
	interrupted = "Run the same command again: it goes on from what stands on the account."
	// misspelt is what most often makes settings that were written look as if they were not.
	misspelt = "If something is set there already, look for a misspelt name: Terraform drops an attribute that it does not know inside " +
		"kubernetes = { } without a word."
	// waitForAccount is what a claim can do about an exhausted pool by itself.
	waitForAccount = "A claim with wait_for_account = true waits until an account comes back."
	// giveUp is what can be done with a claim on an account that has clusters.
	giveUp = `Delete the clusters first, or set on_destroy = "keep" and apply, to give up the claim and leave the account with the Global ` +
		`Account.`
	// anonymousUser is how Kubernetes calls the user of a request without credentials. No field of its answer has the user.
	anonymousUser = `"system:anonymous"`
	// credentialsProgram stands in the errors of client-go's exec plug-ins, which have no type.
	credentialsProgram = "getting credentials: exec"
	// maxPools is how many other pools are listed.
	maxPools = 12
)

// attribute returns the attribute that caused an error.
func (r *row) attribute(err error) string {
	if r.part != nil {
		return r.part(err)
	}
	return r.at
}

// partAttributes are the attributes of an account by the part of it that they say.
var partAttributes = map[pool.Part]string{
	pool.PartName: "name", pool.PartType: "hyperscaler_type", pool.PartProviderType: "provider_type", pool.PartCredentials: "credentials_ref",
	pool.PartShared: "shared", pool.PartEUAccess: "eu_access", pool.PartInternal: "internal", pool.PartLabels: "labels",
	pool.PartQuarantine: "quarantine",
}

// partOf returns the attribute whose change was refused.
func partOf(err error) string {
	refused, _ := errors.AsType[*pool.SupplyError](err)
	return partAttributes[refused.Part]
}

// against matches the refusals of changes to an account for one of these reasons.
func against(obstacles ...pool.Obstacle) func(error) ([]any, bool) {
	return when(func(e *pool.SupplyError) bool { return slices.Contains(obstacles, e.Obstacle) })
}

// is matches the errors of a type.
func is[E error](err error) ([]any, bool) {
	return nil, errors.As(err, new(E))
}

// on matches the errors of a type that f takes.
func on[E error](f func(E) (verbs []any, ok bool)) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		if e, ok := errors.AsType[E](err); ok {
			return f(e)
		}
		return nil, false
	}
}

// with matches the errors of a type, and takes the verbs of the remedy from them.
func with[E error](verbs func(E) []any) func(error) ([]any, bool) {
	return on(func(e E) ([]any, bool) { return verbs(e), true })
}

// when matches the errors of a type for which a condition holds.
func when[E error](condition func(E) bool) func(error) ([]any, bool) {
	return on(func(e E) ([]any, bool) { return nil, condition(e) })
}

// both matches an error that two matches take.
func both(a, b func(error) ([]any, bool)) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		_, first := a(err)
		_, second := b(err)
		return nil, first && second
	}
}

// cutShort matches a read that ended because its caller gave up.
func cutShort(err error) ([]any, bool) {
	read := errors.As(err, new(*pool.UnreachableError)) || errors.As(err, new(*kebdb.UnreachableError))
	return nil, read && errors.Is(err, context.Canceled) && !errors.As(err, new(*pool.UnknownOutcomeError))
}

// one matches the errors that are this one.
func one(target error) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) { return nil, errors.Is(err, target) }
}

// says matches an error by its text, where no type tells it apart.
func says(text string) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) { return nil, strings.Contains(err.Error(), text) }
}
