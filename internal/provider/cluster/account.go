package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// planHost refuses to plan a Cluster whose profile brings it to an account that takes no cluster. It returns why it could not read the
// platform cluster. A pool that this user may not read is a warning, once in a run; one that cannot be read is not reported, as the
// provider block may lead to no Garden.
func (r *clusterResource) planHost(
	ctx context.Context, diags *diag.Diagnostics, platform *openmcp.Platform, plan clusterModel,
) (blind error) {
	if !tfvalue.Known(plan.Profile) {
		return nil
	}
	err := r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error {
		err := r.judge(ctx, platform, plan.Profile.ValueString(), (*pool.Pool).Takes)
		if connection.Unreachable(err) { // it says nothing of the pool
			blind, err = err, nil
		}
		return err
	})
	attempt := r.Attempt(family.Planning, plan)
	switch {
	case errors.As(err, new(*account.HostError)):
		report(diags, attempt, err)
	case errors.As(err, new(*connection.NotTriedError)): // an earlier read of the pool has said so
	case errors.As(err, new(*account.ForbiddenError)):
		diags.AddAttributeWarning(path.Root("profile"), diagnose.SummaryHostUnchecked, fmt.Sprintf("%s: %s. The account behind the profile was "+
			"not checked, and the apply does not check it either: another Global Account may hold it, and it may be dirty or without a claim. "+
			"Grant this user that right in the Garden (examples/rbac), or make sure that a claim is on the account.",
			attempt, diagnose.Explain(err).Brief))
	}
	return blind
}

// report reports an error: at the profile, where its account takes no cluster.
func report(diags *diag.Diagnostics, attempt string, err error) {
	if !errors.As(err, new(*account.HostError)) {
		diagnose.Report(diags, attempt, err)
		return
	}
	diags.AddAttributeError(path.Root("profile"), diagnose.SummaryNoHost, fmt.Sprintf("%s: %s, and the profile brings its clusters there.\n\n"+
		"Nothing was written. Take the profile of another account, or run plan where the account of the profile is claimed, "+
		"to see what its claim "+
		"says.", attempt, strings.TrimRight(err.Error(), ".")))
}

// judgeTimeout bounds a judgement right before the Cluster is made: an API server that restarts meanwhile is back in that time.
const judgeTimeout = 30 * time.Second

// hosted judges the account once more, right before the Cluster is made. An account that this user is not shown is not judged: the provider
// block may lead to no Garden, or to another project than the profile's.
//
// Errors: [*account.HostError]; those of a read that got no answer.
func (r *clusterResource) hosted(ctx context.Context, platform *openmcp.Platform, plan clusterModel) error {
	ctx, cancel := context.WithTimeout(ctx, judgeTimeout)
	defer cancel()
	err := r.judge(ctx, platform, plan.Profile.ValueString(), (*pool.Pool).Takes)
	if err == nil || errors.As(err, new(*account.HostError)) {
		return err
	}
	journal.LogRequest(ctx, "look at the account behind a profile", plan.Ref().String(), err)
	if connection.MayNotSee(err) {
		return nil
	}
	return err
}

// warnTaken judges the account of a Cluster that was just made once more, and says what to do where it takes no cluster any more: a release
// that began after the judgement before the POST has not seen the Cluster.
func (r *clusterResource) warnTaken(ctx context.Context, made *api.Cluster) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connection.PreviewTimeout)
	defer cancel()
	err := r.judge(ctx, r.API, made.Spec.Profile, (*pool.Pool).StillTakes)
	journal.LogRequest(ctx, "account of the cluster looked at once more", made.Ref().String(), err)
	if !errors.As(err, new(*account.HostError)) { // an account that this user is not shown was not judged before either
		return
	}
	r.Diags.AddAttributeWarning(path.Root("profile"), diagnose.SummaryShootTaken, fmt.Sprintf("While Cluster %s (UID %s) was made, the "+
		"account of its profile was taken from it: %s. The Cluster was made all the same, and is in the state. Another tenant may come to the "+
		"account, or a clean-up job may wipe it under the cluster. Act at once: destroy the Cluster, and make it by the profile of an account "+
		"that is claimed.", made.Ref(), made.UID, strings.TrimRight(err.Error(), ".")))
}

// judgement is [pool.Pool.Takes] or [pool.Pool.StillTakes].
type judgement func(*pool.Pool, context.Context, account.HostRequest) error

// judge judges the account behind a profile, for the Global Account that the profile is for.
func (r *clusterResource) judge(ctx context.Context, platform *openmcp.Platform, profile string, takes judgement) error {
	config, err := platform.Profiles.ConfigBehind(ctx, profile)
	if err != nil || config == nil {
		return err
	}
	home, ok := configs.HomeOf(config.Spec)
	if !ok || home.Bindings.Account() == "" {
		return nil
	}
	p, err := r.Backend.Garden.Pool()
	if err != nil {
		return err
	}
	at, err := r.Backend.Garden.AccountAt(ctx, p, home, true)
	if err != nil || at.Elsewhere != "" {
		return err
	}
	return takes(p, ctx, account.HostRequest{Account: at.Name, Tenant: configs.TenantOf(config)})
}
