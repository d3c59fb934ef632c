package diagnose

import (
	"errors"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// ofAccounts has the errors of accounts and their owner.
var ofAccounts = []row{
	{
		summary: SummaryAccountDeleting, at: "name", effect: nothingWritten, match: when(func(e *account.ExistsError) bool { return e.Deleting }),
		remedy: "Gardener keeps it until no Shoot refers to it. Run the same command again when it is gone: a later apply makes it.",
	}, {
		summary: SummaryNotGarden, match: both(is[*pool.MaybeAddedError], foreign), remedy: notTheServer,
	}, {
		summary: SummaryUnknownOutcome, match: with(func(e *pool.MaybeAddedError) []any { return []any{e.Account} }),
		remedy: "Run the same command again. If it says that the account exists already, just as it was to be made, the write has taken " +
			"effect: import the account: its import ID is its name, %s.",
	}, {
		summary: SummarySameCredentials, at: "credentials_ref", effect: nothingWritten,
		match: when(func(e *account.SameCredentialsError) bool { return e.Declared }),
		remedy: "Give each account credentials of its own, those of another cloud account, or remove one of the two blocks. Where one takes " +
			"the place of the other, remove the other and apply first.",
	}, {
		summary: SummarySameCredentials, at: "credentials_ref", effect: nothingWritten,
		match: on(func(e *account.SameCredentialsError) ([]any, bool) {
			return []any{strings.Join(e.Siblings, ", ")}, len(e.Siblings) > 0
		}),
		remedy: "A tenant may hold the cloud account by the other binding, with clusters that are not counted here. Give the account " +
			"credentials of its own, those of another cloud account. Where %s is no longer needed, delete it first, when no Shoot names it. Where " +
			"the landscape moves from one kind of binding to the other, make this one by other means, with the labels of the other, and import it.",
	}, {
		summary: SummarySameCredentials, at: "credentials_ref", effect: nothingWritten,
		match: with(func(e *account.SameCredentialsError) []any { return []any{e.Others[0]} }),
		remedy: "Give the account credentials of its own, those of another cloud account. If it is meant to be the one that is there, give it " +
			"that name and import it: its import ID is its name, %s. If it takes its place, take that one out of the pool and apply first.",
	}, {
		summary: SummaryAccountAnew, at: "name", effect: nothingWritten,
		match: on(func(e *account.NotFoundError) ([]any, bool) { return []any{e.Account}, e.Anew != "" }),
		remedy: "If the new object is meant to be this account, take the old one out of the state with `state rm` and import it: its import ID " +
			"is its name, %s.",
	}, {
		summary: SummaryAccountShared, part: partOf, effect: nothingWritten, match: against(account.ObstacleBroker),
		remedy: "Take the account out of the pool and put it in again: remove its block, apply, write it again with shared = false, and apply. " +
			"Its destroy waits until no cluster can be on its way (release_grace). Where another party has set the label shared, set shared = " +
			"true, or take the label away by hand when that time is over and no cluster has come.",
	}, {
		summary: SummaryAccountExists, at: "name", effect: nothingWritten,
		match: with(func(e *account.ExistsError) []any { return []any{e.Account} }),
		remedy: "If it is meant to be the same account, import it: its import ID is its name, %s. Where this state has it at another address, " +
			"write a moved block, and import nothing: it would be in the state twice. Else give this account another name. If " +
			"this state has it, and it is tainted: take the mark away with untaint; to have it made anew, apply with -replace then.",
	}, {
		summary: SummaryOutsideUnseen, at: "credentials_ref", effect: nothingWritten,
		match: with(func(e *account.OutsideUnseenError) []any { return []any{e.Ref.Namespace} }),
		remedy: "Give the account credentials of the pool's own namespace. To use those of namespace %q, grant list on credentialsbindings and " +
			"secretbindings in all namespaces (role-outside.yaml), or in that one.",
	}, {
		summary: SummaryNoCredentials, at: "credentials_ref", effect: nothingWritten,
		match: on(func(e *account.NoCredentialsError) ([]any, bool) { return []any{e.Ref.Namespace}, e.Err != nil }),
		remedy: "Grant get on it in namespace %q: Gardener demands it of every user who writes the account, and the provider looks only " +
			"whether they are there.",
	}, {
		summary: SummaryNoCredentials, at: "credentials_ref", effect: nothingWritten, match: is[*account.NoCredentialsError],
		remedy: "Make it first, or correct its kind, namespace and name. If this configuration makes it, take its name from an attribute that " +
			"is known only after apply, such as the id of the Secret.",
	}, {
		summary: SummaryCredentialsRef, at: "credentials_ref", effect: nothingWritten, match: is[*garden.CredentialsRefError],
		remedy: "Correct credentials_ref, or pool.kind of the provider.",
	}, {
		summary: SummaryAccountHeld, part: partOf, effect: nothingWritten, match: when(func(e *account.SupplyError) bool {
			return e.Internal && (e.Obstacle == account.ObstacleTenant || e.Obstacle == account.ObstacleClaims)
		}),
		remedy: "Nothing marks an internal account for the clean-up job, so it does not become free by itself. If it is the Global Account's " +
			"like any other, take the label internal off by hand and set internal = false. Otherwise destroy the claims on it, take the Global " +
			"Account's label off by hand once no cluster is on the account, and run the same command again. To leave the account as it is and " +
			"to its tenant, take it out of the state with `state rm`.",
	}, {
		summary: SummaryAccountHeld, part: partOf, effect: nothingWritten, match: against(account.ObstacleTenant, account.ObstacleClaims),
		remedy: "Undo the change, or wait until the account is free: destroy the claims on it, and have the clean-up job wipe it. Where " +
			"another party has changed a label, put it back by hand. To leave the account as it is and to its tenant, take it out of the state " +
			"with `state rm`.",
	}, {
		summary: SummaryAccountRecords, part: partOf, effect: nothingWritten, match: against(account.ObstacleRecords),
		remedy: "Destroy the claims that the records are of, or take the annotations away by hand where no state has them: on a shared account " +
			"no claim takes its record away.",
	}, {
		summary: SummaryUnreadableRecord, part: partOf, effect: nothingWritten, match: against(account.ObstacleUnreadable),
		remedy: mendRecord,
	}, {
		summary: SummaryInUse, part: partOf, effect: nothingWritten, match: against(account.ObstacleClusters),
		remedy: "Undo the change, or wait until the clusters are gone, and run the same command again.",
	}, {
		summary: SummaryAccountReleasing, part: partOf, effect: nothingWritten, match: against(account.ObstacleReleasing),
		remedy: "Run the same command again when the release has ended. One that was interrupted is finished by the destroy of its claim.",
	}, {
		summary: SummaryAccountDeleting, part: partOf, match: against(account.ObstacleDeleting),
		remedy: "Gardener keeps it until no Shoot refers to it. Run the same command again when the Shoots are gone; a longer timeouts.delete " +
			"waits for them. A finalizer that is not Gardener's is its owner's to take off: look whether that runs.",
	}, {
		summary: SummaryAccountDirty, part: partOf, effect: nothingWritten, match: against(account.ObstacleDirty),
		remedy: "Wait until the clean-up job has wiped the account, and run the same command again.",
	}, {
		summary: SummaryAccountDirty, effect: nothingWritten,
		match: on(func(e *account.SupplyError) ([]any, bool) {
			return []any{e.Twin}, e.Obstacle == account.ObstacleUnmarked
		}),
		remedy: "Where %s is out of use, delete it, or take the label of its hyperscaler type off. Otherwise mark it dirty too, or have the " +
			"cloud account wiped. Then run the same command again.",
	}, {
		summary: SummaryAccountQuarantined, part: partOf, effect: nothingWritten, match: against(account.ObstacleQuarantined),
		remedy: "Where the account is to stay quarantined, set quarantine with the reason, and apply that before. Otherwise have the label " +
			"taken away by the party that has set it. To take the account out of the pool, remove its block.",
	}, {
		summary: SummaryAccountDirty, part: partOf, effect: nothingWritten, match: against(account.ObstacleUnwiped),
		remedy: "Have the cloud account wiped. Then run the same command again: a later run puts it into the pool.",
	}, {
		summary: SummaryAccountUnclear, part: partOf, effect: nothingWritten, match: against(account.ObstacleUnclear),
		remedy: mendDoubt,
	}, {
		summary: SummaryInUse, at: "name", effect: nothingWritten, match: against(account.ObstacleNamed),
		remedy: "Another party has deleted an account under its clusters, or they name one that never was. Find out whose they are. Make the " +
			"binding by hand with all labels that it had, also that of the Global Account: Gardener needs it to delete them, too. Then import it. " +
			"Its destroy takes it out of the pool once the clusters are gone.",
	}, {
		summary: SummaryLabelled, at: "credentials_ref", effect: nothingWritten, match: against(account.ObstacleLabelled),
		remedy: "Where a Global Account holds it, make the binding by hand with all of its labels, and import it. Where it is dirty, wait " +
			"until the clean-up job has wiped it. Where the labels are out of use, have the pool's owner take them off it.",
	}, {
		summary: SummaryQuotasLost, at: "quotas", effect: nothingWritten, match: against(account.ObstacleQuotas),
		remedy: "Gardener changes no quotas of an account that is there, so write them into the configuration now: the account that is made " +
			"anew has them. quotas = [] says that it is to have none.",
	}, {
		summary: SummaryNoQuarantine, part: partOf, effect: nothingWritten, match: against(account.ObstacleShared),
		remedy: "Remove quarantine. To take a shared account out of circulation, take it out of the pool once its clusters are gone.",
	},
}

// partAttributes are the attributes of an account by the part of it that they say.
var partAttributes = map[account.Part]string{
	account.PartName: "name", account.PartType: "hyperscaler_type", account.PartProviderType: "provider_type",
	account.PartCredentials: "credentials_ref", account.PartQuotas: "quotas",
	account.PartShared: "shared", account.PartEUAccess: "eu_access", account.PartInternal: "internal", account.PartLabels: "labels",
	account.PartQuarantine: "quarantine",
}

// partOf returns the attribute whose change was refused.
func partOf(err error) string {
	refused, _ := errors.AsType[*account.SupplyError](err)
	return partAttributes[refused.Part]
}

// against matches the refusals of changes to an account for one of these reasons.
func against(obstacles ...account.Obstacle) func(error) ([]any, bool) {
	return when(func(e *account.SupplyError) bool { return slices.Contains(obstacles, e.Obstacle) })
}
