package shoot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

var (
	namePath     = path.Root("name")
	templatePath = path.Root("template")
	accountPath  = path.Root("credentials_binding_name")
)

// Validate checks what needs no server; unknown values pass.
func (r *shootResource) Validate(config shootModel) {
	if config.Template.IsUnknown() || config.Template.IsNull() {
		return
	}
	w, err := config.wanted(garden.CredentialsBinding)
	if err != nil {
		diagnose.Report(r.Diags, fmt.Sprintf("Reading the template of cluster %s", tfvalue.Name(config.Name)), err)
		return
	}
	diagnose.CheckShootAccount(r.Diags, templatePath, accountPath, w.Template, config.CredentialsBindingName)
}

// refusesKind refuses to plan a cluster on an account of a kind that a Shoot cannot name.
func (r *shootResource) refusesKind() bool {
	if r.Backend.Settings.Kind == garden.Secret {
		r.Diags.AddAttributeError(accountPath, diagnose.SummaryNoHost, "The accounts of this pool are Secrets (pool.kind), and a Shoot names a "+
			"binding. Use a provider block with pool.kind = \"CredentialsBinding\" or \"SecretBinding\" for clusters.")
	}
	return r.Backend.Settings.Kind == garden.Secret
}

// PlanCreate has Gardener check what an apply would send, and looks whether the account takes the cluster.
func (r *shootResource) PlanCreate(ctx context.Context, plan, _ shootModel, predecessor place) shootModel {
	replaced := predecessor
	if tainted, ok := r.Backend.Ledger.Place(plan.object()).(place); ok && predecessor.Namespace == "" {
		replaced = tainted // the plan gets nothing of it, and the refresh has noted it
	}
	switch {
	case r.refusesKind():
	case predecessor.Protected:
		reportProtected(r.Diags, plan.Name)
	case replaced.Namespace != "" && r.takesFrom(ctx, cmp.Or(replaced.Name, tfvalue.Name(plan.Name)), plan, replaced, true):
	default:
		look{resource: r, diags: r.Diags}.create(ctx, plan, replaced)
	}
	return plan
}

// PlanUpdate has Gardener check what an apply would send, and plans what the apply reaches.
func (r *shootResource) PlanUpdate(ctx context.Context, plan, _ shootModel, of kept) (_ shootModel, by path.Paths) {
	if r.refusesKind() {
		return plan, nil
	}
	r.guard(of)
	var said diag.Diagnostics
	by = look{resource: r, diags: &said}.update(ctx, &plan, of.Model, of.Place)
	if !said.HasError() && !r.Diags.HasError() && len(by) == 0 {
		name := of.Place.Namespace + "/" + of.Model.Name.ValueString()
		family.WarnProtectionFound(&said, plan.DeletionProtection, of.Model.DeletionProtection, of.Place.Found, "Shoot", name)
		family.PlanLostProtection(&said, plan.DeletionProtection, of.Model.DeletionProtection, of.Place.Lost, "Shoot", name, &plan.Conditions)
	}
	r.Diags.Append(pastPlan(said)...)
	return plan, by
}

// guard refuses a plan that ends the Cluster of openMCP which has adopted a protected cluster, and takes it along. The plan of a request
// that comes later sees what this notes.
func (r *shootResource) guard(of kept) {
	namespace, name := of.Place.Namespace, of.Model.Name.ValueString()
	if !of.Model.DeletionProtection.ValueBool() || namespace == "" {
		return
	}
	shoot := family.ShootName(namespace, name)
	r.Backend.Ledger.Protect(shoot, shoot)
	switch with := r.Backend.Ledger.TakenAlong(shoot); {
	case with == "":
	case strings.Contains(with, family.Unseen):
		family.ReportUnseen(r.Diags, with, shoot)
	default:
		family.ReportProtected(r.Diags, ", and "+with+", with which it goes", shoot)
	}
}

// PlanDestroy plans the destroy of a cluster. One that the same plan makes at another address is not to lose its protection for that.
func (r *shootResource) PlanDestroy(ctx context.Context, of kept) {
	if !r.Diags.HasError() && of.Model.DeletionProtection.ValueBool() && !r.Backend.Ledger.AwaitPlanned(ctx, of.Model.object()) {
		reportProtected(r.Diags, of.Model.Name)
	}
	if !r.Diags.HasError() {
		r.takesFrom(ctx, of.Model.Name.ValueString(), of.Model, of.Place, false)
	}
	if at := of.Place.Stopped; at != nil && at.Deleting {
		warnStopped(r.Diags, of.Model.Name, *at, true)
	}
}

// create looks whether the cluster can be made; replaced is that of the cluster which is destroyed before, or zero.
func (l look) create(ctx context.Context, plan shootModel, replaced place) {
	if !plan.Name.IsUnknown() && l.resource.Clash(l.resource.Backend.Ledger.Plan(plan.object(), l.resource.Anew), plan) {
		return
	}
	if !l.single(plan) || l.protectedStill(ctx, plan, replaced) {
		return
	}
	if diagnose.ReportUnusable(l.diags, l.resource.Backend, "hap_shoot", "Planning cluster "+tfvalue.Name(plan.Name)) {
		return
	}
	l.warnUnnamed(plan)
	if !l.newer(ctx, plan) || !plan.known() {
		return
	}
	w, err := plan.wanted(l.resource.Backend.Settings.Kind)
	if err != nil {
		diagnose.Report(l.diags, "Reading the template of cluster "+tfvalue.Name(plan.Name), err)
		return
	}
	attempt, coming := l.resource.Backend.Garden.Attempt("Planning cluster %s", w.Name), false
	if !l.joins(ctx, attempt, w, replaced.Name) {
		return
	}
	if !l.askPool(ctx, attempt, func(ctx context.Context) error {
		_, err := l.resource.mayHost(ctx, w, plan.GlobalAccount, false)
		if coming = errors.As(err, new(*account.NotFoundError)) && l.comes(ctx, w.Account, replaced.Namespace != ""); coming {
			return nil
		}
		return err
	}) || coming { // Gardener does not know the account before the run has made it
		return
	}
	l.askGardener(ctx, attempt, func(ctx context.Context) error { return l.checkNew(ctx, plan, w, replaced) })
}

// checkNew has the server check a cluster that is to be made, and looks whether there is one of its name which this plan does not destroy.
func (l look) checkNew(ctx context.Context, plan shootModel, w shoots.Wanted, replaced place) error {
	all, err := l.resource.Backend.Garden.Shoots()
	if err != nil {
		return err
	}
	there, err := all.Check(ctx, w)
	again := replaced.named(all.Namespace(), w.Name) // one of another name may be another party's
	if there != nil && !again && !l.resource.Backend.Ledger.InState(ledger.Object{Type: "hap_shoot", UID: there.UID}) {
		diagnose.WarnAdopts(l.diags, diagnose.SummaryShootAdopts, "Cluster", there.Name, there.UID, there.MadeAt)
	}
	if !errors.As(err, new(*shoots.ExistsError)) {
		return err
	}
	if again {
		return nil
	}
	if ends, _ := l.resource.Backend.Ledger.AwaitDestroyed(ctx, plan.object()); ends {
		return nil
	}
	return err
}

// protectedStill refuses a cluster in the place of one that is protected and tainted. Where that is destroyed at another address, it is
// refused there.
func (l look) protectedStill(ctx context.Context, plan shootModel, replaced place) bool {
	if !replaced.Protected {
		return false
	}
	ends, sure := l.resource.Backend.Ledger.AwaitDestroyed(ctx, plan.object())
	if ends || !sure {
		return false
	}
	reportProtected(l.diags, plan.Name)
	return true
}

// comes reports whether this run makes a claim on an account that does not exist yet. A live cluster is not destroyed for one that nothing
// makes: in its place this plan has to make the account, too.
func (l look) comes(ctx context.Context, accountName string, replaces bool) bool {
	book := l.resource.Backend.Ledger
	return book.PlannedClaim(accountName) != nil && (!replaces || book.AwaitAccount(ctx, accountName))
}

// reportMoved refuses to plan a cluster that another party has moved to another account; false = it is where this configuration has put it.
func (l look) reportMoved(plan, state shootModel, at place) bool {
	put := at.Account
	if put == nil || *put == state.CredentialsBindingName.ValueString() || !tfvalue.Known(plan.CredentialsBindingName) ||
		plan.CredentialsBindingName.Equal(state.CredentialsBindingName) {
		return false
	}
	l.diags.AddAttributeError(accountPath, diagnose.SummaryShootMoved, fmt.Sprintf("This configuration has put cluster %s on account %s, "+
		"and it is on account %q now: another party has moved it. Nothing was planned for it, and it is not replaced: only a change of the "+
		"configuration replaces a cluster. Have it moved back, where all that it has in the account is; or set credentials_binding_name to "+
		"the account where it is.", state.Name.ValueString(), *put, state.CredentialsBindingName.ValueString()))
	return true
}

// update plans a cluster that lives.
func (l look) update(ctx context.Context, plan *shootModel, state shootModel, at place) (by path.Paths) {
	rebinds, known := l.rebinds(ctx, *plan, state, at)
	if !known || !rebinds && l.reportMoved(*plan, state, at) {
		return nil
	}
	compared := state
	compared.GlobalAccount = plan.GlobalAccount
	l.resource.compare(ctx, l.diags, compared, at, true)
	if len(at.Drift) > 0 {
		l.diags.AddWarning(diagnose.SummaryShootDrift, fmt.Sprintf("Cluster %s is not as the state says; another party has changed it, or a run "+
			"of this configuration was cut short:\n  - %s\n\nThe apply makes it what the configuration says.",
			state.Name.ValueString(), strings.Join(at.Drift, "\n  - ")))
	}
	sends := !plan.sendsAs(state) || len(at.Drift) > 0 || rebinds || at.Older != ""
	lives := state
	if rebinds { // it goes on living on the same cloud account
		lives.CredentialsBindingName = plan.CredentialsBindingName
	}
	fixed := immutable(*plan, lives)
	if sends && (!l.newer(ctx, *plan) || !l.changesCluster(ctx, *plan, state, at)) {
		return nil
	}
	if sends && len(fixed) == 0 && plan.known() {
		fixed = l.check(ctx, *plan, state, at)
	}
	if len(fixed) > 0 {
		return l.replace(*plan, state, fixed)
	}
	if l.resource.Clash(l.resource.Backend.Ledger.Retain(state.object()), state) {
		return nil
	}
	l.warnLeft(*plan, state)
	reach := l.reach(*plan, state, at)
	if reach.Operation || plan.awaits(state, at) {
		if at.Stopped != nil {
			warnStopped(l.diags, state.Name, *at.Stopped, false)
		}
		plan.reached(state, reach)
		return nil
	}
	plan.keep(state)
	l.planFollowed(plan, state, at)
	return nil
}

// planFollowed plans that the apply notes the account where another party has moved the cluster, once the configuration names that: moved
// back, it is moved again. Nothing of the configuration differs: that the conditions are unknown makes the plan an update in place.
func (l look) planFollowed(plan *shootModel, state shootModel, at place) {
	if at.Account == nil || *at.Account == state.CredentialsBindingName.ValueString() ||
		!plan.CredentialsBindingName.Equal(state.CredentialsBindingName) {
		return
	}
	plan.Conditions = types.MapUnknown(types.StringType)
	l.diags.AddAttributeWarning(accountPath, diagnose.SummaryShootMoved, fmt.Sprintf("Another party has moved cluster %s from account %s to "+
		"%s, and the configuration names that. The apply takes it for the account of the cluster, and writes nothing to Gardener.",
		state.Name.ValueString(), *at.Account, state.CredentialsBindingName.ValueString()))
}

// awaits reports whether an apply of a cluster that is as the configuration says has something to wait for, or to ask Gardener for.
func (m shootModel) awaits(state shootModel, at place) bool {
	retries := at.Stopped != nil && !at.Stopped.Deleting
	return !state.Ready.ValueBool() && (retries || m.WaitFor.ValueString() != waitCreated) // an unknown one may turn out to be ready
}

// reach is what a plan may change of a cluster that lives.
func (l look) reach(plan, state shootModel, at place) shoots.Reach {
	kind := l.resource.Backend.Settings.Kind
	was, unread := state.wanted(kind)
	now, err := plan.wanted(kind)
	if len(at.Drift) > 0 || !plan.known() || err != nil || unread != nil {
		return shoots.ReachAll()
	}
	reach := was.Reaches(now)
	reach.Operation = reach.Operation || at.Older != "" && was.Account != ""
	return reach
}

// fixedField is a field that a live cluster keeps.
type fixedField struct {
	at    path.Path
	named string
}

// immutable lists the attributes that make another cluster.
func immutable(plan, state shootModel) (fields []fixedField) {
	differs := func(now, before types.String) bool { return tfvalue.Known(now) && !now.Equal(before) }
	if differs(plan.Name, state.Name) {
		fields = append(fields, fixedField{namePath, fmt.Sprintf("name (%s, now %s)", plan.Name.ValueString(), state.Name.ValueString())})
	}
	if differs(plan.CredentialsBindingName, state.CredentialsBindingName) {
		fields = append(fields, fixedField{accountPath, fmt.Sprintf("credentials_binding_name (%q, and the cluster lives on %q)",
			plan.CredentialsBindingName.ValueString(), state.CredentialsBindingName.ValueString())})
	}
	return fields
}

// check has the server check a change, and returns what of it cannot be done in place.
func (l look) check(ctx context.Context, plan, state shootModel, at place) (fixed []fixedField) {
	attempt := l.resource.Backend.Garden.Attempt("Planning a change of cluster %s", state.Name.ValueString())
	var dropped shoots.Dropped
	l.askGardener(ctx, attempt, func(ctx context.Context) error {
		w, err := plan.wanted(l.resource.Backend.Settings.Kind)
		if err != nil {
			return err
		}
		all, err := l.resource.shootsOf(at)
		if err != nil {
			return err
		}
		now, err := l.resource.find(ctx, all.Read, at, state.Name.ValueString(), state.UID.ValueString())
		if err == nil {
			w.Leaves, err = l.resource.leaves(ctx, w, plan.GlobalAccount, now, false)
		}
		if err == nil {
			dropped, err = all.CheckChange(ctx, w, state.before(l.resource.Backend.Settings.Kind, w, at), now)
		}
		if refused, ok := errors.AsType[*shoots.RefusedError](err); ok {
			fixed = plan.fixedBy(refused, state)
		}
		if len(fixed) > 0 {
			return nil
		}
		return err
	})
	if len(fixed) == 0 {
		l.warnDropped(state, dropped)
	}
	return fixed
}

// fixedBy lists what a refusal says of the configuration's change that it is for another cluster: none where another party has made the
// difference, and none where a replacement would meet a refusal, too.
func (m shootModel) fixedBy(refused *shoots.RefusedError, state shootModel) (fixed []fixedField) {
	at, changed := m.changedAt(state)
	fields, only := refused.Immutable()
	if !changed || m.OnImmutableChange.ValueString() == immutableReplace && !only {
		return nil
	}
	for _, field := range fields {
		fixed = append(fixed, fixedField{at, field})
	}
	return fixed
}

// changedAt returns the first attribute of what is sent that differs: a replacement is planned only for a path that does.
func (m shootModel) changedAt(state shootModel) (path.Path, bool) {
	switch {
	case !m.Template.Equal(state.Template):
		return templatePath, true
	case !m.Labels.Equal(state.Labels):
		return path.Root("labels"), true
	case !m.Annotations.Equal(state.Annotations):
		return path.Root("annotations"), true
	case !m.ClusterRef.Equal(state.ClusterRef):
		return path.Root("cluster_ref"), true
	}
	return path.Path{}, false
}

// replace plans another cluster in place of this one, where the configuration wants that; otherwise it refuses.
func (l look) replace(plan, state shootModel, fixed []fixedField) (by path.Paths) {
	names := make([]string, len(fixed))
	for i, f := range fixed {
		names[i] = f.named
	}
	switch {
	case plan.OnImmutableChange.ValueString() != immutableReplace:
		l.diags.AddAttributeError(fixed[0].at, diagnose.SummaryShootImmutable, fmt.Sprintf("Cluster %s cannot change in: %s. Nothing was "+
			"planned for it. Take the change back; or set on_immutable_change = \"replace\", with deletion_protection = false applied before, "+
			"which destroys the cluster with all that runs in it and makes another one.", state.Name.ValueString(), strings.Join(names, ", ")))
	case state.DeletionProtection.ValueBool():
		reportProtected(l.diags, state.Name, names...)
	case l.resource.Clash(l.resource.Backend.Ledger.Destroy(state.object(), plan.Name.Equal(state.Name)), state):
	default:
		for _, f := range fixed {
			by.Append(f.at)
		}
	}
	return by
}
