// Package shoot offers clusters on claimed accounts: the resource hap_shoot, its list, and the ephemeral resource hap_shoot_access.
package shoot

import (
	"cmp"
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// Family registers the resource, its list, and the access to a cluster.
var Family = family.Family{
	Resources: []func() resource.Resource{family.New(family.Resource[shootModel, place, shoots.Shoot]{
		Type: "shoot", Schema: shootSchema, Identity: identitySchema, Private: "place",
		Timeouts: func(m shootModel) timeouts.Value { return m.Timeouts },
		IsGone:   func(err error) bool { return errors.As(err, new(*shoots.GoneError)) },
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout,
		Hooks: func(call *family.Call) family.Hooks[shootModel, place, shoots.Shoot] {
			return &shootResource{Call: call}
		},
	})},
	ListResources:      []func() list.ListResource{family.NewList(listing)},
	EphemeralResources: []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &shootAccess{} }},
}

type kept = family.Kept[shootModel, place]

// shootResource is a cluster on a claimed account.
type shootResource struct {
	*family.Call
	all   *shoots.Shoots // nil before the cluster is observed or made
	found bool           // for the place that is kept next, see [family.Guarded]
}

// Object is the cluster for the ledger.
func (r *shootResource) Object(of kept) ledger.Object { return of.Model.object() }

// Identity is where the Shoot is.
func (r *shootResource) Identity(of kept) family.Identity {
	return family.Identity{"namespace": types.StringValue(cmp.Or(of.Place.Namespace, r.all.Namespace())), "name": of.Model.Name}
}

// Report reports an error of an operation.
func (r *shootResource) Report(doing family.Doing, m shootModel, err error) {
	diagnose.ReportAt(r.Diags, accountPath, r.Backend.Garden.Attempt("%s cluster %s", doing, m.Name.ValueString()), err)
}

// Check refuses to destroy a cluster that is protected.
func (r *shootResource) Check(_ context.Context, doing family.Doing, m shootModel) {
	if doing == family.Destroying && m.DeletionProtection.ValueBool() {
		reportProtected(r.Diags, m.Name)
	}
}

// Create looks once more whether the account takes the cluster, and makes it.
func (r *shootResource) Create(ctx context.Context, plan *shootModel, _ shootModel) (made shoots.Shoot, err error) {
	found, room := false, account.Room{}
	w, err := plan.wanted(r.Backend.Settings.Kind)
	if err == nil {
		r.all, err = r.Backend.Garden.Shoots()
	}
	if err == nil {
		err = family.MakeJudged(ctx, func(ctx context.Context) (err error) {
			if room, err = r.mayHost(ctx, w, plan.GlobalAccount, true); err == nil {
				err = r.joins(ctx, w)
			}
			if err == nil && !plan.ClusterRef.IsNull() { // a release may have begun while the platform cluster was read
				err = r.stillHosts(ctx, w.Account, room.Account.Tenant)
			}
			return err
		}, func(ctx context.Context) (err error) {
			r.Backend.Ledger.UseAccount(w.Account)
			made, found, err = r.all.Make(ctx, w)
			journal.LogShoot(ctx, "cluster made", w.Name, err)
			return err
		})
	}
	if found {
		r.Backend.Ledger.Adopt(made.UID)
		diagnose.WarnAdopted(r.Diags, diagnose.SummaryShootAdopted, "Cluster", made.Name, made.UID)
		r.found = family.WarnProtectionKept(r.Diags, plan.DeletionProtection, found, made.Protected, "Shoot", made.Namespace+"/"+made.Name)
		made, err = r.protect(ctx, *plan, shootModel{}, made) // it may be of a release that did not write the protection
	}
	if err == nil {
		r.warnTaken(ctx, r.Diags, made, room.Account.Tenant)
	}
	return made, err
}

// Made is the state of a cluster that was just made.
func (r *shootResource) Made(plan shootModel, made shoots.Shoot) kept {
	of := kept{Model: plan.seen(made), Place: r.placed(plan, made)}
	of.Place.Found = r.found
	return of
}

// Settle waits for a new cluster. The only error is that it is gone: any other would taint it, and the next apply would destroy it.
func (r *shootResource) Settle(ctx context.Context, plan shootModel, made shoots.Shoot) (*kept, error) {
	return r.await(ctx, r.Made(plan, made), made)
}

// await has Gardener go on with a cluster that it has given up, waits for it as the configuration says, and returns its state. What keeps
// it from being ready is a warning. The only error is that it is gone.
func (r *shootResource) await(ctx context.Context, of kept, from shoots.Shoot) (*kept, error) {
	last, err := r.goOn(ctx, from)
	if err == nil && of.Model.WaitFor.ValueString() == waitReady {
		last, err = r.all.AwaitReady(ctx, last, journal.TellShoot(ctx, from.Name))
		journal.LogShoot(ctx, "wait for a cluster", from.Name, err)
	}
	if errors.As(err, new(*shoots.GoneError)) {
		return nil, err
	}
	if err != nil {
		warnNotReady(r.Diags, last, err)
	}
	of.Place.Stopped, of.Place.ReadyAt = stoppedOf(last), readyAt(last)
	of = r.withAuthority(ctx, kept{Model: of.Model.seen(last), Place: of.Place}, last)
	return &of, nil
}

// goOn asks Gardener to go on with a cluster that it has given up. A deletion that it has given up is the business of a destroy.
func (r *shootResource) goOn(ctx context.Context, from shoots.Shoot) (shoots.Shoot, error) {
	if !from.Status.GivenUp || from.Deleting {
		return from, nil
	}
	now, asked, err := r.all.Retry(ctx, from)
	if asked || err != nil {
		journal.LogShoot(ctx, "retry of a cluster that was given up", from.Name, err)
	}
	return now, err
}

// withAuthority reads the certificate authority of a cluster that is ready, where the state has none, or one of before a rotation.
// A read that fails leaves what was there: the next refresh reads again.
func (r *shootResource) withAuthority(ctx context.Context, of kept, s shoots.Shoot) kept {
	if !s.Status.Ready || !of.Model.CACertificate.IsNull() && of.Place.Authority == s.Authority {
		return of
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	pem, err := r.all.CA(ctx, s.Name)
	if err != nil {
		journal.LogShoot(ctx, "reading the certificate authority of a cluster", s.Name, err)
		return of
	}
	of.Model.CACertificate, of.Place.Authority = tfvalue.TextOrNull(pem), s.Authority
	return of
}

// Observe finds the cluster. At a destroy a cluster that is not found behind another API server than before does not
// count as gone.
func (r *shootResource) Observe(ctx context.Context, of kept, doing family.Doing) (now shoots.Shoot, err error) {
	if doing != family.Reading {
		r.Backend.Ledger.UseAccount(of.Model.CredentialsBindingName.ValueString(),
			types.StringPointerValue(of.Place.Account).ValueString(), of.Place.Older)
	}
	if r.all, err = r.shootsOf(of.Place); err != nil ||
		doing == family.Destroying && r.Backend.Garden.SameServer(theCluster, of.Place.Server) == nil {
		return now, err
	}
	read := r.all.Get
	if doing == family.Reading {
		read = r.all.Read
	}
	now, err = r.find(ctx, read, of.Place, of.Model.Name.ValueString(), of.Model.UID.ValueString())
	template, _ := shoots.ReadTemplate(of.Model.Template.ValueString()) // one that cannot be read any more is compared with nothing
	if err == nil && doing == family.Reading && (of.Model.UID.IsNull() || len(template.Newer()) > 0) {
		return r.all.Whole(ctx, now) // with the fields that this provider does not know
	}
	return now, err
}

// Refresh is the state of a cluster as it is now, and what of it has drifted.
func (r *shootResource) Refresh(ctx context.Context, of kept, now shoots.Shoot) (kept, error) {
	m, at := of.Model, of.Place
	now = at.tended(now)
	imported := m.UID.IsNull()
	if imported {
		m = m.imported(now)
	}
	found := (imported || at.Found) && now.Protected
	if found { // see [family.WarnProtectionKept]
		m.DeletionProtection = types.BoolValue(true)
	}
	of = kept{Model: m, Place: r.placed(m, now)}
	of.Place.Found, of.Place.Imported = found, imported || at.Imported
	of.Place.Lost = !imported && family.LacksProtection(m.DeletionProtection, now.Protected, now.Deleting)
	of.Place.Authority, of.Place.Account = at.Authority, cmp.Or(at.Account, of.Place.Account)
	of.Model.CredentialsBindingName = tfvalue.TextOrNull(now.Account)
	if w, err := of.Model.wanted(r.Backend.Settings.Kind); err == nil {
		for _, change := range w.Drift(now) {
			of.Place.Drift = append(of.Place.Drift, change.String())
		}
	}
	of.Model = of.Model.seen(now)
	r.compare(ctx, r.Diags, of.Model, of.Place, false)
	if imported {
		warnOfCluster(r.Diags, now)
	}
	return r.withAuthority(ctx, of, now), nil
}

// Update writes what differs, and waits.
func (r *shootResource) Update(ctx context.Context, plan shootModel, of kept, now shoots.Shoot) (*kept, error) {
	var err error
	before := now.Protected
	found := of.Place.Found && plan.DeletionProtection.ValueBool() && before
	if plan.DeletionProtection.ValueBool() { // before what may fail; taken away after it
		now, err = r.protect(ctx, plan, of.Model, now)
	}
	protects := err == nil && !before && now.Protected
	if err == nil {
		now, err = r.change(ctx, plan, of, now)
	}
	if err == nil {
		now, err = r.protect(ctx, plan, of.Model, now)
	}
	if err != nil && protects { // a configuration that takes it back finds it in the state
		of.Model.DeletionProtection, of.Place.Protected, of.Place.Lost = plan.DeletionProtection, true, false
		return &of, r.ReportBesideProtection(func() { r.Report(family.Changing, of.Model, err) })
	}
	if err != nil {
		return nil, err
	}
	next := kept{Model: plan, Place: r.placed(plan, of.Place.tended(now))}
	next.Place.Authority = of.Place.Authority
	next.Place.Found = found
	if !plan.Ready.IsUnknown() { // nothing is waited for: what was planned stays until the next refresh
		if plan.Conditions.IsUnknown() { // see [family.PlanLostProtection]
			next.Model.Conditions = of.Model.Conditions
		}
		return &next, nil
	}
	next.Model.CACertificate = of.Model.CACertificate
	last, err := r.await(ctx, next, now)
	if err != nil {
		return nil, err
	}
	if !plan.CACertificate.IsUnknown() { // the next refresh reads that of a rotation
		last.Place.Authority = of.Place.Authority
	}
	last.Model = last.Model.asPlanned(plan)
	return last, nil
}

// protect writes whether a cluster is protected, where that is the apply's to write.
func (r *shootResource) protect(ctx context.Context, plan, state shootModel, now shoots.Shoot) (shoots.Shoot, error) {
	on := plan.DeletionProtection.ValueBool()
	if on == now.Protected || !family.ChangesProtection(plan.DeletionProtection, state.DeletionProtection) {
		return now, nil
	}
	now, err := r.all.Protect(ctx, now, on)
	journal.LogShoot(ctx, "protection of a cluster", now.Name, err)
	return now, err
}

// change makes this cluster what the plan says, where it is to be sent at all.
func (r *shootResource) change(ctx context.Context, plan shootModel, of kept, now shoots.Shoot) (shoots.Shoot, error) {
	state := of.Model
	same := plan.CredentialsBindingName.Equal(state.CredentialsBindingName) && r.olderOf(now) == ""
	if plan.sendsAs(state) && len(of.Place.Drift) == 0 && same {
		return now, nil
	}
	w, err := plan.wanted(r.Backend.Settings.Kind)
	if err == nil {
		w.Leaves, err = r.leaves(ctx, w, plan.GlobalAccount, now, true)
	}
	if err == nil && !now.IsOf(w.ClusterNamespace, w.ClusterName) {
		err = r.joins(ctx, w)
	}
	if err != nil {
		return now, err
	}
	changed, err := r.all.Change(ctx, w, state.before(r.Backend.Settings.Kind, w, of.Place), now)
	journal.LogShoot(ctx, "cluster changed", now.Name, err)
	return changed, err
}

// Delete deletes the cluster and waits until it is gone.
func (r *shootResource) Delete(ctx context.Context, of kept, _ shoots.Shoot) error {
	name := of.Model.Name.ValueString()
	err := r.all.Remove(ctx, name, of.Model.UID.ValueString(), func(now shoots.Shoot) error { return r.mayGo(ctx, of.Model, of.Place, now) },
		journal.TellShoot(ctx, name))
	journal.LogShoot(ctx, "cluster deleted", name, err)
	if err == nil {
		r.Backend.Garden.SeeGo(of.Model.cluster(), api.Ref{Namespace: r.all.Namespace(), Name: name})
	}
	return err
}
