package family

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Keeps says what of a Cluster, and of the Shoots that go with it, is protected from deletion by its annotation, which the resource of any
// state has written. nil = nothing is. What is being deleted already is kept by nothing.
func Keeps(c *api.Cluster, behind []configs.BoundShoot) error {
	if c.DeletionTimestamp != nil {
		return nil
	}
	if kube.IsProtected(c.Annotations) {
		return &kube.ProtectedError{Kind: api.KindCluster, Namespace: c.Namespace, Name: c.Name}
	}
	for _, s := range behind {
		if s.Protected {
			return &kube.ProtectedError{Kind: "Shoot", Namespace: s.Namespace, Name: s.Name, With: c.Ref().String(), Reported: s.Reported}
		}
	}
	return nil
}

// ChangesProtection says whether an apply writes the protection of a cluster, by deletion_protection of its plan and of its state: where it
// protects, which also reaches a cluster of a release that did not write it, and where it takes away what it wrote. The protection of
// another party stays.
func ChangesProtection(plan, state types.Bool) bool { return plan.ValueBool() || state.ValueBool() }

// WarnProtectionKept says that an object which a cut-short run has left is protected, and that its configuration is not: another party may
// have written that, and no plan has shown that it goes. It reports whether it is so; the refresh that follows shows the protection in the
// state.
func WarnProtectionKept(diags *diag.Diagnostics, plan types.Bool, found, protected bool, kind, name string) bool {
	if !found || !protected || plan.ValueBool() {
		return false
	}
	diags.AddAttributeWarning(path.Root("deletion_protection"), diagnose.SummaryProtectionKept, fmt.Sprintf("%s %s has the annotation %s: "+
		"\"true\": the run that was cut short has written it, or another party has. This apply leaves it. The next plan shows that "+
		"deletion_protection = false takes it away, and its apply does so.", kind, name, kube.ProtectionAnnotation))
	return true
}

// WarnProtectionFound says that a plan takes away a protection which another party may have written: found = this state has met it when it
// imported the object, or took it up.
func WarnProtectionFound(diags *diag.Diagnostics, plan, state types.Bool, found bool, kind, name string) {
	if !found || plan.IsUnknown() || plan.ValueBool() || !state.ValueBool() {
		return
	}
	diags.AddAttributeWarning(path.Root("deletion_protection"), diagnose.SummaryProtectionFound, fmt.Sprintf("%s %s had the annotation "+
		"%s: \"true\" when this state imported it, or took it up: another state, or a person, may have written it, and rely on it. The apply "+
		"takes it away. Set deletion_protection = true where it is to stay.",
		kind, name, kube.ProtectionAnnotation))
}

// LacksProtection reports whether a live object does not have the protection of its state: another party has taken the annotation away, or
// no apply has written it yet. The state keeps deletion_protection = true, by which it refuses a destroy. A plan that imports the object
// does not ask this: the plan after it does. An object that is being deleted is protected by nothing.
func LacksProtection(state types.Bool, protected, deleting bool) bool {
	return state.ValueBool() && !protected && !deleting
}

// PlanLostProtection plans that an apply writes the protection again which an object lacks, and says so. Nothing of the configuration
// differs then: that the conditions are unknown makes the plan an update in place.
func PlanLostProtection(diags *diag.Diagnostics, plan, state types.Bool, lost bool, kind, name string, conditions *types.Map) {
	if !lost || !plan.ValueBool() || !state.ValueBool() {
		return
	}
	*conditions = types.MapUnknown(types.StringType)
	diags.AddAttributeWarning(path.Root("deletion_protection"), diagnose.SummaryProtectionLost, fmt.Sprintf("%s %s does not have the "+
		"annotation %s: \"true\": another party has taken it away, or no apply has written it yet. Without it another state may end the "+
		"cluster. The apply writes it. This state refuses a destroy with or without it.", kind, name, kube.ProtectionAnnotation))
}

// uses notes the account of a Shoot, unless that is not in the namespace of the pool.
func uses(b *backend.Backend, s configs.BoundShoot) {
	if p, err := b.Garden.Pool(); err == nil && p.Namespace() != s.Namespace {
		return
	}
	b.Ledger.UseAccount(s.Bindings.Credentials, s.Bindings.Secret)
}

// usesComing notes the account of the Shoot that may still come: that of the profile of a Cluster of which no Shoot is known.
//
// Errors: those of [configs.Profiles.ConfigBehind], but for a right that is missing.
func usesComing(ctx context.Context, b *backend.Backend, c *api.Cluster) error {
	platform, err := b.Platform.API()
	var config *api.ProviderConfig
	if err == nil {
		config, err = platform.Profiles.ConfigBehind(ctx, c.Spec.Profile)
	}
	if err != nil || config == nil {
		journal.LogRequest(ctx, "look for the account of a cluster without a Shoot", c.Ref().String(), err)
		if connection.MayNotSee(err) {
			return nil
		}
		return err
	}
	home, readable := configs.HomeOf(config.Spec)
	if p, err := b.Garden.Pool(); readable && (err != nil || home.MayHold(p.Namespace())) {
		b.Ledger.UseAccount(home.Bindings.Credentials, home.Bindings.Secret)
	}
	return nil
}

// MayEnd judges whether a Cluster may go, right before that is written, and notes in the ledger which account it has used. One that is
// being deleted may. A user who is not shown the Shoots goes by the Cluster's own status.
//
// Errors: [*kube.ProtectedError]; those of [connection.Garden.Bound], and of the read of the profile where no Shoot is known.
func MayEnd(ctx context.Context, b *backend.Backend, c *api.Cluster) error {
	own, _, reported := configs.ShootOf(c)
	if reported {
		uses(b, own)
	}
	if c.DeletionTimestamp != nil {
		if !reported {
			_ = usesComing(ctx, b, c) // it goes, whatever is known of it
		}
		return nil
	}
	behind, err := b.Garden.Behind(ctx, c)
	for _, s := range behind {
		uses(b, s)
	}
	if kept := Keeps(c, behind); kept != nil {
		return kept
	}
	if connection.MayNotSee(err) {
		journal.LogRequest(ctx, "look for the Shoot of a cluster", c.Ref().String(), err)
		err = nil
	}
	if err == nil && len(behind) == 0 {
		return usesComing(ctx, b, c)
	}
	return err
}

// ReportBesideProtection reports an error of an update that has protected its object before: the message does not say that nothing was
// written. report reports the error to the diagnostics of the call.
func (c *Call) ReportBesideProtection(report func()) error {
	var said diag.Diagnostics
	all := c.Diags
	c.Diags = &said
	report()
	c.Diags = all
	c.Diags.Append(diagnose.WrittenBefore(said, "deletion_protection = true was written, and is in the state. Nothing else was written.")...)
	return ErrReported
}
