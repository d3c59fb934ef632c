package claim

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// identitySchema describes what distinguishes a claim from all others, also outside of its state.
var identitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
	"namespace": identityschema.StringAttribute{OptionalForImport: true,
		Description: "The namespace of the Gardener project. Default: the provider's; another one is an error."},
	"global_account": identityschema.StringAttribute{RequiredForImport: true, Description: "The Global Account that the account is for."},
	"binding_name": identityschema.StringAttribute{RequiredForImport: true,
		Description: "The account: the name of its CredentialsBinding."},
	"name": identityschema.StringAttribute{OptionalForImport: true, Description: "The claim's own name. Default: default."},
}}

// Identity never changes while the claim lives: the Global Account is the one it was made for, whatever the label says.
func (r *claimResource) Identity(of kept) family.Identity {
	namespace := of.Place.Namespace
	if namespace == "" {
		namespace = r.pool.Namespace()
	}
	return family.Identity{"namespace": types.StringValue(namespace), "global_account": types.StringValue(of.Place.GlobalAccount),
		"binding_name": of.Model.BindingName, "name": of.Model.Name}
}

// unrecordedRequest is the request in the state of a claim that was imported from an account without a record, which would
// have its request. It is empty and not null, so that a plan may leave it as it is.
var unrecordedRequest = request.Model{
	Plan: types.StringValue(""), PlatformRegion: types.StringValue(""), HyperscalerRegion: types.StringValue(""),
	Hyperscaler: types.StringValue(""),
}

// importedWithoutRequest recognises such a claim, also one of a state in which the request was null.
func importedWithoutRequest(state claimModel) bool { return state.Plan.ValueString() == "" }

// Import takes an identity, or <global_account>/<binding_name>[/<name>].
func (r *claimResource) Import(id string, by family.Identity) family.Identity {
	if id == "" {
		return r.importByIdentity(by)
	}
	parts := strings.SplitN(id, "/", 3)
	if len(parts) == 2 {
		parts = append(parts, defaultClaimName)
	}
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		r.Diags.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf("The import ID %q is not of the form %s.", id, idForm))
		return nil
	}
	by = family.Identity{"global_account": types.StringValue(parts[0]), "binding_name": types.StringValue(parts[1]),
		"name": types.StringValue(parts[2])}
	r.named(by, fmt.Sprintf("The import ID %q", id))
	return by
}

// named reports an account or a claim that can have no such name: it would be a part of the path of a request.
func (r *claimResource) named(by family.Identity, subject string) {
	if name := by["binding_name"].ValueString(); !kube.IsName(name) {
		r.Diags.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf("%s names the account %q, and no account can be called so: a name %s. "+
			"Nothing was read. The import ID of a claim is %s.", subject, name, kube.NameRule, idForm))
	}
	if name := by["name"].ValueString(); !claimName.MatchString(name) {
		r.Diags.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf("%s names the claim %q, and no claim can be called so: a name has no slash "+
			"and no control character. Nothing was read. The import ID of a claim is %s.", subject, name, idForm))
	}
}

func (r *claimResource) importByIdentity(by family.Identity) family.Identity {
	namespace := by["namespace"]
	delete(by, "namespace")
	if by["name"].IsNull() {
		by["name"] = types.StringValue(defaultClaimName)
	}
	for attribute, value := range by {
		if text := value.ValueString(); text == "" || strings.Contains(text, "/") {
			r.Diags.AddError(diagnose.SummaryInvalidImport,
				fmt.Sprintf("The identity's %s is %q: it must not be empty and has no slash.", attribute, text))
		}
	}
	if !r.Diags.HasError() {
		r.named(by, "The identity")
	}
	if p, err := r.Backend.Garden.Pool(); err == nil && !namespace.IsNull() && namespace.ValueString() != p.Namespace() {
		elsewhere := &settings.ChangedError{Object: "the claim", What: "namespace", Was: namespace.ValueString(), Now: p.Namespace()}
		diagnose.Report(r.Diags, r.Backend.Garden.Attempt("Importing a claim by identity"), elsewhere)
	}
	return by
}

// idForm is what an import ID of a claim is.
const idForm = "<global_account>/<binding_name>[/<name>], for example ga-1/aws-account-7 or ga-1/aws-account-7/blue"

// reportNoImport reports an import that names an account which is not there, or which is not its Global Account's; false = it is another
// error, or none.
func (r *claimResource) reportNoImport(m claimModel, err error) bool {
	ga, accountName, name := m.GlobalAccount.ValueString(), m.BindingName.ValueString(), m.Name.ValueString()
	if errors.As(err, new(*account.NotFoundError)) {
		diagnose.ReportNoImport(r.Diags, diagnose.Import{
			What:     fmt.Sprintf("a claim of Global Account %s", ga),
			LookedAt: fmt.Sprintf("account %s (%s in namespace %s)", accountName, r.Backend.Settings.Kind, r.pool.Namespace()),
			ID:       strings.Join([]string{ga, accountName, name}, "/"), Form: idForm,
			Check: "that the provider leads to the Gardener project of the pool, and that pool.kind says what its accounts are",
		})
		return true
	}
	taken, is := errors.AsType[*account.TakenError](err)
	if !is {
		return false
	}
	right := "No Global Account holds the account, so there is no claim on it to import: an apply claims it, with binding_name where it is " +
		"to be this account."
	switch {
	case taken.By != "":
		right = fmt.Sprintf("Account %s has the same credentials, and its label says Global Account %s. If the claim there is meant, the import "+
			"ID is %[2]s/%[1]s/%[3]s.", taken.By, taken.Tenant, name)
	case taken.Tenant != "":
		right = fmt.Sprintf("The account is that of Global Account %s. If its claim is meant, the import ID is %s/%s/%s.", taken.Tenant,
			taken.Tenant, accountName, name)
	}
	r.Diags.AddError(diagnose.SummaryImportRefused, fmt.Sprintf("Importing by the ID %s/%s/%s: account %s is there, and Global Account %s "+
		"does not hold it. Nothing was imported or written.\n\n%s The import ID is %s.", ga, accountName, name, accountName, ga, right, idForm))
	return true
}

// imported fills a state that has nothing but the claim's identity yet.
func (r *claimResource) imported(ctx context.Context, state claimModel) (_ kept, err error) {
	r.Backend.Imports.Begin()
	defer r.Backend.Imports.End(ctx, r.Diags)
	ga, accountName := state.GlobalAccount.ValueString(), state.BindingName.ValueString()
	status, target, err := r.pool.Find(ctx, ga, accountName, state.Name.ValueString())
	if err != nil {
		return kept{}, err
	}
	if others := status.Account.Claims(); !status.Recorded && len(others) > 0 {
		ids := make([]string, len(others))
		for i, key := range others {
			ids[i] = fmt.Sprintf("%s/%s/%s", ga, accountName, status.Account.Records[key].Name)
		}
		r.Diags.AddError(diagnose.SummaryImportRefused, fmt.Sprintf(
			"Account %s bears claims of Global Account %s, but none is named %q. Import one of these: %s.",
			accountName, ga, state.Name.ValueString(), strings.Join(ids, ", ")))
		return kept{}, family.ErrReported
	}
	if !status.Recorded && !target.Shared {
		r.warnUnrecorded(ga, accountName, state.Name.ValueString())
	}
	h := newHolder(r.Backend, r.pool.Namespace(), ga, status.Record).seen(status, r.Backend.Garden.Server(), status.Account.Shared)
	h.Imported = account.Meet(status.Record.Mark, rand.Text())
	h.Used = h.Used || !status.Account.Shared // what another state has seen is not known
	if status.From != nil {
		h.From = &origin{status.From.Name, status.From.UID}
		r.Diags.AddWarning(diagnose.SummaryMove, fmt.Sprintf("The claim that was imported as %s/%s/%s is recorded on %s, which leads into the "+
			"same cloud account. The next apply takes the record from there to account %s.", ga, accountName, state.Name.ValueString(),
			bindingOf(status.From.Name), accountName))
	}
	m := state.imported(status, target, ga)
	r.warnImported(status, m, h)
	h.Claim = object(m.identityOf(h)).ID
	return kept{Model: m, Place: h}, nil
}

// warnImported says what is wrong with the account of a claim that is imported, and what of it this provider block does not see.
func (r *claimResource) warnImported(s pool.Status, m claimModel, h holder) {
	name := m.BindingName.ValueString()
	if what, next := drifted(s, m, h, r.Backend.Settings.Keys); what != "" {
		r.Diags.AddWarning(diagnose.SummaryDrift, fmt.Sprintf("Account %s, whose claim is imported: %s. %s", name, what, next))
	}
	if intruder := s.Account.IntruderFor(h.GlobalAccount); intruder != nil && !m.Shared.ValueBool() {
		r.Diags.AddWarning(diagnose.SummaryDrift, fmt.Sprintf("Account %s, whose claim is imported, has the same credentials as %s, which is "+
			"not of Global Account %s alone: two Global Accounts may be in one cloud account. Find out whose it is before the claim gets a cluster.",
			name, bindingOf(intruder.Name), h.GlobalAccount))
	}
	if lacking := (settings.Sources{Sources: s.Record.Mark.Sources}).Lacking("the claim", &r.Backend.Settings); lacking != nil {
		r.Diags.AddWarning(diagnose.SummaryCountDoubt, fmt.Sprintf("Importing a claim on account %s: %s. Its end goes by what this provider "+
			"block counts, and does not see clusters that are known there alone. Set it, unless it was given up for good.", name, lacking))
	}
	diagnose.WarnDoubts(r.Diags, r.pool.Doubts())
}

// warnUnrecorded says that an imported claim has no record on its account. A run that imports many says it once: Terraform shows one of the
// warnings alone, and without the address of the claim.
func (r *claimResource) warnUnrecorded(globalAccount, account, name string) {
	const until = "Until then no other claim sees it, also none of this configuration, and its request is not known: plan and regions stay " +
		"empty in the state."
	id := strings.Join([]string{globalAccount, account, name}, "/")
	r.Backend.Imports.Add(ledger.Warning{
		Summary: diagnose.SummaryClaimUnrecorded, Item: id,
		One: fmt.Sprintf("The claim that was imported as %s has no record on account %s, which Global Account %s holds; one is written with the "+
			"next change of the claim (its owner, for example). %s", id, account, globalAccount, until),
		Many: "imported claims have no record on their accounts; one is written with the next change of a claim (its owner, for example). " +
			strings.Replace(until, "see it, and its request is", "see them, and their requests are", 1) + " They were imported as:",
	})
}

// fresh reports whether a state comes from an import and has nothing but the identity of the claim.
func (m claimModel) fresh() bool { return m.HyperscalerType.IsNull() }
