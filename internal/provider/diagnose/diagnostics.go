package diagnose

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kubeconn"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// warnDoubts says what is in doubt about a count, in one warning: of several with the same summary only one is shown.
func WarnDoubts(diags *diag.Diagnostics, doubts []string) {
	if len(doubts) > 0 {
		diags.AddWarning(SummaryCountDoubt, strings.Join(doubts, "\n\n"))
	}
}

// report turns an error into a diagnostic at the attribute that caused it: a fixed summary; what was tried, what came
// back, and what to do next.
func Report(diags *diag.Diagnostics, attempt string, err error) {
	d := Explain(err)
	detail := attempt + ": " + strings.TrimRight(err.Error(), ".") + "."
	if d.Next != "" {
		detail += "\n\n" + d.Next
	}
	if d.at != nil {
		diags.AddAttributeError(*d.at, d.Summary, detail)
		return
	}
	diags.AddError(d.Summary, detail)
}

type explanation struct {
	Summary string
	// at is the attribute of the resource that caused the error; nil = none did.
	at *path.Path
	// next says what to do.
	Next string
}

func at(name string) *path.Path {
	p := path.Root(name)
	return &p
}

// explain says what an error means to the user. The more specific error is asked for first: some wrap others.
func Explain(err error) explanation {
	var (
		empty        *backend.EmptyPoolError
		exhausted    *pool.ExhaustedError
		guard        *pool.GuardError
		taken        *pool.TakenError
		pin          *pool.PinError
		unusable     *pool.UnusableError
		owner        *pool.OwnerError
		duplicate    *pool.DuplicateError
		inUse        *pool.InUseError
		noReturn     *pool.ReturnRefusedError
		conflict     *pool.ConflictError
		unknown      *pool.UnknownOutcomeError
		notFound     *pool.NotFoundError
		forbidden    *pool.ForbiddenError
		unauthorized *pool.UnauthorizedError
		rejected     *pool.RejectedError
		unreachable  *pool.UnreachableError
		nowhere      *kubeconn.NotConfiguredError
		unsettled    *backend.UnknownSettingsError
		setting      *kubeconn.SettingError
		elsewhere    *backend.ElsewhereError
		otherKind    *backend.OtherKindError
		lost         *garden.LostBindingError
		newer        *pool.NewerRecordError
		moved        *pool.ElsewhereError
	)
	if d, ok := explainCounting(err); ok {
		return d
	}
	if d, ok := explainCredentials(err); ok {
		return d
	}
	switch {
	case errors.As(err, &empty):
		return explanation{SummaryExhausted, at("plan"), "Nothing was claimed. " + empty.Next()}
	case errors.As(err, &exhausted):
		return explanation{SummaryExhausted, at("plan"), exhaustedNext(exhausted)}
	case errors.As(err, &guard):
		return explanation{SummaryGuard, at("global_account"), "Nothing was claimed. Check that clusters are counted from the right namespace and source; " +
			"if the accounts are really empty, release some or lower multi_account.min_bindings_for_guard."}
	case errors.As(err, &taken) && taken.Tenant == "":
		return explanation{SummaryNotHeld, at("global_account"), "Nothing was written. Claim the account by applying a claim with binding_name set to it."}
	case errors.As(err, &taken) && taken.Pinned:
		return explanation{SummaryTaken, at("binding_name"), "Nothing was written. An account never serves two Global Accounts: name another one, or remove binding_name and let the pool choose."}
	case errors.As(err, &taken):
		return explanation{SummaryTaken, at("global_account"), "Nothing was written. An account never serves two Global Accounts: claim another one, " +
			"or have the clusters of the other Global Account moved and the account cleaned first. " +
			"To give up a claim that stands on it, destroy the claim: its own record goes, and the labels of the account stay."}
	case errors.As(err, &pin):
		return explanation{SummaryPin, at("binding_name"), "Nothing was written. Name another account in binding_name, or remove it and let the pool choose."}
	case errors.As(err, &unusable) && unusable.Verdict == pool.Verdict(pool.ClassOccupied):
		return explanation{SummaryUnusable, nil, "Nothing was written. Find out whose the clusters are. If they are this Global Account's, put its label back on the account by hand, and apply again."}
	case errors.As(err, &unusable):
		return explanation{SummaryUnusable, at("name"), "Nothing was written. If it is being released, destroy the claim first or wait for the clean-up job; " +
			"to have another account meanwhile, make the claim under another name."}
	case errors.As(err, &moved):
		return explanation{SummaryClaimElsewhere, nil, fmt.Sprintf("Nothing was written. Take the claim out of the state with `state rm` and import it as %s/%s/%s.",
			moved.Identity.GlobalAccount, moved.Other, moved.Identity.Name)}
	case errors.As(err, &owner):
		return explanation{SummaryOwner, at("owner"), "Nothing was written. Give this claim a name of its own, or, if it is meant to be the same one, set the same owner and " +
			"keep it in one configuration only."}
	case errors.As(err, &duplicate):
		return explanation{SummaryDuplicate, at("name"), "Give each claim of one Global Account on one pool a name of its own."}
	case errors.As(err, &inUse):
		return explanation{SummaryInUse, nil, inUseNext(inUse, errors.As(err, new(*pool.FenceLeftError)))}
	case errors.As(err, &noReturn):
		return explanation{SummaryReturnRefused, at("on_destroy"), `Nothing was written. Set on_destroy = "mark_dirty", apply, and destroy again: the clean-up job then wipes the account and frees it.`}
	case errors.As(err, &unknown):
		return explanation{SummaryUnknownOutcome, nil, "Run the same command again: it finds what stands on the account and goes on from there."}
	case errors.As(err, &conflict):
		return explanation{SummaryConflict, nil, "Nothing was written. Somebody else writes on the account all the time: find out who, and run the same command again."}
	case errors.As(err, &forbidden) && strings.Contains(err.Error(), anonymousUser):
		return explanation{SummaryForbidden, nil, "The request carried no credentials, so the server took it for anybody's. Set kubernetes.token, kubernetes.exec or a client certificate, " +
			"or a kubeconfig by kubernetes.config_path."}
	case errors.As(err, &forbidden) && forbidden.Verb == "patch":
		return explanation{SummaryForbidden, nil, fmt.Sprintf("Nothing was written. Grant the verbs that the provider's examples/rbac lists for namespace %q. Besides patch on %s, "+
			"Gardener demands get on the Secret (or WorkloadIdentity) that the account refers to, even if only a label changes.", forbidden.Namespace, forbidden.Resource)}
	case errors.As(err, &forbidden):
		return explanation{SummaryForbidden, nil, fmt.Sprintf("Grant the verb %q on %s in namespace %q, best by the whole Role of the provider's examples/rbac: where one verb is missing, others mostly are. "+
			"If that is not the namespace of the Gardener project, set the provider's namespace.", forbidden.Verb, forbidden.Resource, forbidden.Namespace)}
	case errors.As(err, &unauthorized):
		return explanation{SummaryUnauthorized, nil, "The token or certificate has expired, is malformed, or belongs to another landscape: renew it, check that the connection leads to the Garden it was made for, " +
			"or let the provider get it anew by kubernetes.exec."}
	case errors.As(err, &notFound):
		return explanation{SummaryAccountNotFound, at("binding_name"), "Check the name, and namespace and pool.kind of the provider; the account must carry the label of the hyperscaler type (hyperscalerType, unless pool.label_scheme or pool.label_keys say otherwise)."}
	case errors.As(err, &rejected):
		return explanation{SummaryRejected, nil, "Nothing was written. The same request would be refused again: see the answer above."}
	case errors.As(err, &unreachable):
		return explanation{SummaryUnreachable, nil, unreachableNext(unreachable)}
	case errors.As(err, &newer):
		return explanation{SummaryNewerRecord, nil, "Nothing was written. Use the version of the provider that recorded the claim, or a later one."}
	case errors.As(err, new(*backend.OtherServerError)):
		return explanation{SummaryElsewhere, nil, "Nothing was written. Set the provider's kubernetes settings back to the landscape that the claim was made in. " +
			"If the account is really gone, and the API server has only got another name, take the claim out of the state with `state rm`."}
	case errors.As(err, &elsewhere):
		return explanation{SummaryElsewhere, nil, "Nothing was read or written. Set the provider's namespace, or the context of its kubeconfig, back to where the claim was made."}
	case errors.As(err, &otherKind):
		return explanation{SummaryOtherKind, nil, "Nothing was read or written. Set the provider's pool.kind back; a landscape that moves to another kind of account has a provider for each until the old claims have ended."}
	case errors.As(err, &lost):
		return explanation{SummaryLostBinding, nil, "Nothing was claimed or released: without a count nobody knows where there is room, or whether an account is in use. Make the binding again with the Secret that it had, or delete the Shoot."}
	case errors.As(err, &nowhere):
		return explanation{SummaryNoConnection, nil, nowhereNext(nowhere)}
	case errors.As(err, &setting):
		// No path: it would be read relative to the resource that ran into it, and the setting stands in the provider block.
		return explanation{SummaryBadConnection, nil, settingNext(setting)}
	case errors.As(err, &unsettled):
		return explanation{SummaryUnknownConnection, nil, "Apply what these values come from first (-target), or give the provider values that are known at plan."}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return explanation{SummaryTimeout, nil, "Run the same command again, with longer timeouts if the pool is large or the API slow: a claim that was made meanwhile is found and taken up."}
	}
	return explanation{SummaryUnexpected, nil, "Please report this issue to the provider developers."}
}

func exhaustedNext(e *pool.ExhaustedError) string {
	switch {
	case e.Tally.Total() == 0:
		return fmt.Sprintf("Nothing was claimed. There is no account at all for pool %s: check the provider's namespace and the rule, or add accounts with these labels.", e.Query.Target)
	case e.Query.Target.Shared:
		return "Add a shared account to the pool, or have a dirty one cleaned."
	case e.Tally.Dirty() > 0:
		return "Nothing was claimed. Add accounts to the pool, or have the clean-up job finish with the dirty ones."
	}
	return "Nothing was claimed. Add accounts to the pool, or release claims that are no longer needed."
}

func inUseNext(e *pool.InUseError, fenced bool) string {
	if fenced {
		return "They came while the account was being released, and its fence could not be taken down: no new cluster comes to it until then. Run the same command again, or take the label away."
	}
	if e.AfterFence {
		return "They came while the account was being released; it is as it was before, and the claim stands. Delete the clusters first, or set on_destroy = \"keep\" to give up the claim alone."
	}
	return "The account was neither marked nor freed. Delete the clusters first, or set on_destroy = \"keep\" and apply, to give up the claim and leave the account with the Global Account."
}
