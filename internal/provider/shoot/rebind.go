package shoot

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// A live cluster is switched from one binding to another where the pool knows that both lead into one cloud account. (ADR 022)

// accountName is what the pool calls a binding.
func (r *shootResource) accountName(b shoots.Binding) string {
	if b.Kind() == string(r.Backend.Settings.Kind) {
		return b.Name
	}
	return account.BindingOf(b.Kind(), b.Name)
}

// olderOf is the SecretBinding that a cluster names although the pool has CredentialsBindings by now; empty = it does not.
func (r *shootResource) olderOf(s shoots.Shoot) string {
	if b := s.Binding(); b.Name != "" && r.Backend.Settings.Kind == garden.CredentialsBinding && b.Kind() == string(garden.SecretBinding) {
		return b.Name
	}
	return ""
}

// leaves returns the binding that a live cluster may leave for the wanted one; zero = it is there, or the two are not one cloud account.
//
// Errors: a [*settings.ChangedError] where the cluster names a CredentialsBinding and the pool has SecretBindings: Gardener lets none
// go back.
func (r *shootResource) leaves(
	ctx context.Context, w shoots.Wanted, tenant types.String, now shoots.Shoot, fresh bool,
) (from shoots.Binding, err error) {
	from = now.Binding()
	if from.Name == "" || w.Account == "" || from == w.Binding() {
		return shoots.Binding{}, nil
	}
	if from.Kind() == string(garden.CredentialsBinding) && r.Backend.Settings.Kind == garden.SecretBinding {
		return shoots.Binding{}, settings.Same("cluster "+w.Name, settings.BindingKind, from.Kind(), string(r.Backend.Settings.Kind))
	}
	p, err := r.Backend.Garden.Pool()
	if err == nil {
		req := account.HostRequest{Account: w.Account, Cluster: w.Name, Tenant: tenant.ValueString(), Unnamed: tenant.IsNull(), Fresh: fresh}
		err = p.MayRebind(ctx, r.accountName(from), req)
	}
	if refused, is := errors.AsType[*account.HostError](err); is && refused.Reason == account.HostElsewhere {
		return shoots.Binding{}, nil
	}
	if err != nil {
		return shoots.Binding{}, err
	}
	return from, nil
}

// rebinds reports whether a plan switches a live cluster to another binding of its cloud account, and says so. Where that is not known it
// is an error: a cluster is not replaced because a read has failed.
func (l look) rebinds(ctx context.Context, plan, state shootModel, at place) (rebinds, known bool) {
	named := tfvalue.Known(plan.CredentialsBindingName) && plan.CredentialsBindingName.ValueString() != ""
	if !named || at.Older == "" && plan.CredentialsBindingName.Equal(state.CredentialsBindingName) {
		return false, true
	}
	var from shoots.Binding
	w, err := plan.wanted(l.resource.Backend.Settings.Kind)
	if err != nil {
		return false, true
	}
	err = l.resource.Backend.Previews.Try(ctx, connection.AskedGardener, func(ctx context.Context) error {
		all, err := l.resource.shootsOf(at)
		if err != nil {
			return err
		}
		now, err := l.resource.find(ctx, all.Read, at, state.Name.ValueString(), state.UID.ValueString())
		if err == nil {
			from, err = l.resource.leaves(ctx, w, plan.GlobalAccount, now, false)
		}
		return err
	})
	missing := errors.As(err, new(*account.NotFoundError)) || errors.As(err, new(*shoots.GoneError))
	switch {
	case err != nil && !missing && !plan.CredentialsBindingName.Equal(state.CredentialsBindingName):
		diagnose.ReportAt(l.diags, accountPath, l.resource.Backend.Garden.Attempt("Looking whether accounts %s and %s of cluster %s are one "+
			"cloud account", state.CredentialsBindingName.ValueString(), w.Account, state.Name.ValueString()), err)
		return false, false
	case err != nil || from.Name == "":
		return false, true
	}
	l.diags.AddAttributeWarning(accountPath, diagnose.SummaryShootRebound, fmt.Sprintf("Cluster %s names %s, and this apply has it name %s, "+
		"which leads into the same cloud account. Gardener goes on with the same machines.", state.Name.ValueString(), from, w.Binding()))
	return true, true
}
