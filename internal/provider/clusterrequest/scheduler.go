package clusterrequest

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/adrrequest"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Validate refuses what no scheduler can serve: a request for both or for none, and one that contradicts itself.
func (r *requestResource) Validate(config requestModel) {
	if !tfvalue.Known(config.Purpose, config.Purposes) {
		return
	}
	switch of := config.Given(); {
	case !config.Purpose.IsNull() && len(of) > 0 && !config.repeatsPurpose():
		r.Diags.AddAttributeError(path.Root(of[0]), diagnose.SummaryOtherScheduler, "purpose is for the openmcp-operator, and "+of[0]+
			" for the built-in scheduler: one scheduler serves a request. Take one of the two out.")
	case config.Purpose.IsNull() && config.Purposes.IsNull():
		r.Diags.AddAttributeError(path.Root("purpose"), diagnose.SummaryOtherScheduler, "A request needs to say what its cluster is "+
			"for: purpose where the openmcp-operator serves it, and purposes where platform.scheduler of the provider block is \"builtin\".")
	case config.ofADR():
		config.Validate(r.Diags)
		if _, operation := config.Annotations.Elements()[api.OperationAnnotation]; operation {
			r.Diags.AddAttributeError(path.Root("annotations").AtMapKey(api.OperationAnnotation), diagnose.SummaryReservedKey,
				"The built-in scheduler writes "+api.OperationAnnotation+" itself: it keeps the operator from a request until the handover. "+
					"Take it out of the configuration.")
		}
	}
}

// refuseOther refuses a configuration that is for the other scheduler than the provider block names.
func (r *requestResource) refuseOther(diags *diag.Diagnostics, config requestModel) {
	if r.Backend.Platform.Later() || !tfvalue.Known(config.Purpose, config.Purposes) {
		return
	}
	if !r.Backend.Platform.Builtin() {
		config.Refuse(diags, "platform.scheduler of the provider block is \"operator\", and the openmcp-operator knows one purpose alone. Write "+
			"purpose in place of it, or set scheduler = \"builtin\".")
		return
	}
	if !config.Purpose.IsNull() && !config.repeatsPurpose() {
		diags.AddAttributeError(path.Root("purpose"), diagnose.SummaryOtherScheduler, "The attribute purpose is not heard here: "+
			"platform.scheduler of the provider block is \"builtin\", and the built-in scheduler takes purposes, with purpose_definitions. Write "+
			"these in place of it, or set scheduler = \"operator\".")
	}
}

// repeatsPurpose reports whether a configuration says the first of its purposes as purpose, too, as one does that an import has generated.
func (m requestModel) repeatsPurpose() bool {
	first, ok := firstOf(m.Purposes)
	return ok && first.Equal(m.Purpose)
}

// configured is a plan without what it has settled itself.
func (m requestModel) configured() requestModel {
	if m.ofADR() {
		m.Purpose = types.StringNull()
	}
	return m
}

// settlePurpose plans the purpose that the operator uses after a handover, where the configuration does not say it itself.
func (m *requestModel) settlePurpose(config requestModel) {
	if !m.ofADR() || !config.Purpose.IsNull() {
		return
	}
	m.Purpose = types.StringUnknown()
	if first, ok := firstOf(m.Purposes); ok {
		m.Purpose = first
	}
}

// firstOf is the first text of a list, where it is known.
func firstOf(list types.List) (first types.String, ok bool) {
	if elements := list.Elements(); len(elements) > 0 {
		first, ok = elements[0].(types.String)
	}
	return first, ok && !first.IsUnknown()
}

// fixed are the attributes that make another request, each as it is planned and as it is now.
func (m requestModel) fixed(state requestModel) map[string][2]types.String {
	return map[string][2]types.String{
		"namespace": {m.Namespace, state.Namespace}, "name": {m.Name, state.Name}, "purpose": {m.Purpose, state.Purpose},
	}
}

// another says by which attributes a plan makes another request; none = it does not. What is not known yet does not: it may turn out to be
// the same. A handover is none: the operator adopts the request.
func (m requestModel) another(state requestModel) (by path.Paths) {
	for name, value := range m.fixed(state) {
		if !value[0].IsUnknown() && !value[0].Equal(value[1]) {
			by = append(by, path.Root(name))
		}
	}
	return by
}

// needsAnother reports whether a plan of the built-in scheduler asks for something else than the state. The Cluster that the request holds
// may serve that as well.
func (m requestModel) needsAnother(state requestModel) bool {
	return m.ofADR() && state.ofADR() && !m.NeedsAs(state.Model)
}

// keepPurposes plans the purposes of the state where the configuration has the same ones, and the purpose that the request was made with as
// long as it is one of them: a ClusterRequest never changes it.
func (r *requestResource) keepPurposes(m *requestModel, config, state requestModel) {
	if !m.ofADR() || !state.ofADR() {
		return
	}
	if m.SamePurposes(state.Model) {
		m.Purposes = state.Purposes
	}
	if slices.Contains(m.Purposes.Elements(), attr.Value(state.Purpose)) {
		m.Purpose = state.Purpose
	}
	if !config.Purpose.IsNull() && !config.Purpose.Equal(m.Purpose) {
		r.Diags.AddAttributeError(path.Root("purpose"), diagnose.SummaryOtherScheduler, fmt.Sprintf("Request %s was made with the purpose %s "+
			"and keeps it as long as it is one of its purposes. Take the attribute purpose out: purposes says what the request is for.",
			state.Ref(), m.Purpose))
	}
}

// outgrown says by which attributes an existing request asks for what its Cluster does not serve; none = it keeps the Cluster, or there
// is an error: it is not known.
func (r *requestResource) outgrown(ctx context.Context, plan, state requestModel) (by path.Paths) {
	changed := adrrequest.Changed(plan.Model, state.Model)
	if r.Later() || len(changed) == 0 {
		if len(changed) > 0 {
			reportUnknownStay(r.Diags, state.Ref(), "the way to the platform cluster is known only after an apply")
		}
		return nil
	}
	err := r.Connect()
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	var held *api.Cluster
	why := ""
	if err == nil {
		held, why, err = r.API.Requests.Outgrown(ctx, plan.wanted())
	}
	switch {
	case api.IsGone(err), err == nil && held == nil:
		return changed
	case err != nil:
		reportUnknownStay(r.Diags, state.Ref(), words.WithoutStop(err))
	case why != "":
		r.Diags.AddAttributeWarning(changed[0], diagnose.SummaryRequestAnew, fmt.Sprintf("Request %s asks for what its Cluster %s does not "+
			"serve: %s. The request is withdrawn, and another one is made, which gets another Cluster. What it has in this one is lost to it.",
			state.Ref(), held.Ref(), why))
		return changed
	}
	return nil
}

// reportUnknownStay refuses to plan a request that asks for something else by now, where it is not known whether its Cluster serves that.
func reportUnknownStay(diags *diag.Diagnostics, of api.Ref, why string) {
	diags.AddError(diagnose.SummaryRequestUnknown, fmt.Sprintf("Request %s asks for something else than before, and it is not known whether "+
		"its Cluster serves that as well: %s. Otherwise the request would be withdrawn, with the cluster that goes with it. Nothing was "+
		"planned for it. Plan again where the platform cluster can be reached, or take the change back. Where this error stops a destroy, run "+
		"destroy with -refresh=false.", of, why))
}

// warnPrefixKept says that a prefix which was granted stays, whatever the configuration proposes by now.
func (m requestModel) warnPrefixKept(diags *diag.Diagnostics, state requestModel) {
	granted := state.Prefix.ValueString()
	if !m.ofADR() || !state.ofADR() || m.PrefixProposal.Equal(state.PrefixProposal) || granted == "" ||
		m.PrefixProposal.ValueString() == granted {
		return
	}
	diags.AddAttributeWarning(path.Root("prefix_proposal"), diagnose.SummaryPrefixKept, fmt.Sprintf("Request %s was granted the prefix %q "+
		"with its Cluster, and keeps it: the names of its objects begin with it. The new proposal counts where the request is granted a Cluster "+
		"anew. For another prefix make the request anew: set deletion_protection = false and apply, then apply with -replace. That withdraws "+
		"the request, with the cluster where no other request holds it.", state.Ref(), granted))
}

// refuseUnknown refuses a plan for the built-in scheduler in which it is not known whether an existing request would be another: its
// cluster would be lost for it.
func (m requestModel) refuseUnknown(diags *diag.Diagnostics, of api.Ref) {
	none := adrrequest.None() // by these a request becomes no other
	m.PurposeDefinitions, m.PrefixProposal, m.TraitEquivalences = none.PurposeDefinitions, none.PrefixProposal, none.TraitEquivalences
	if !m.ofADR() || m.Known() && tfvalue.Known(m.Name, m.Namespace) {
		return
	}
	diags.AddError(diagnose.SummaryRequestUnknown, "What request "+of.String()+" asks for is known only after an apply, so it is not "+
		"known whether it stays: a request that asks for something else is withdrawn, with the cluster that goes with it. Nothing was planned "+
		"for it. Apply what the values come from first, with -target, and then all.")
}

// warnUnknown says what comes of an input of an existing request, where it is known only after an apply: it replaces nothing.
func (m requestModel) warnUnknown(diags *diag.Diagnostics, state requestModel) {
	for name, value := range m.fixed(state) {
		if value[0].IsUnknown() {
			diags.AddAttributeWarning(path.Root(name), diagnose.SummaryRequestUnknown, fmt.Sprintf("Request %s exists, and its %s will be known "+
				"only after apply. If it turns out to be another one, the apply stops and leaves the request and its cluster "+
				"alone: plan again, and the request is replaced.", state.Ref(), name))
		}
	}
}

// refuseBack refuses to take a request back from the operator.
func (r *requestResource) refuseBack(diags *diag.Diagnostics, m, state requestModel) {
	if m.ofADR() && !state.ofADR() && !state.UID.IsNull() {
		diagnose.Report(diags, r.Attempt(family.Planning, state),
			&builtin.OperatorRunsError{Ref: state.Ref(), Served: state.Ref()})
	}
}

// handOver gives a request that the built-in scheduler serves to the operator, where the provider block names that one.
func (r *requestResource) handOver(ctx context.Context, request *api.ClusterRequest) (*api.ClusterRequest, error) {
	if builtin.HandedOver(request) || r.Backend.Platform.Builtin() {
		return request, nil
	}
	over, err := r.API.Requests.HandOver(ctx, request)
	journal.LogRequest(ctx, "request handed over to the operator", request.Ref().String(), err)
	return over, err
}

// takeBack has the built-in scheduler serve a request again whose handover was cut short, where the provider block
// names that one.
func (r *requestResource) takeBack(ctx context.Context, request *api.ClusterRequest) (*api.ClusterRequest, error) {
	if !builtin.IsUnserved(request) || !r.Backend.Platform.Builtin() {
		return request, nil
	}
	back, err := r.API.Requests.TakeBack(ctx, request)
	journal.LogRequest(ctx, "request taken back from a handover that was cut short", request.Ref().String(), err)
	return back, err
}

// served takes what the configuration says for the built-in scheduler out of a state whose request the operator serves by now.
func (m requestModel) served(r *api.ClusterRequest, byBuiltin bool) requestModel {
	if m.ofADR() && builtin.HandedOver(r) && !byBuiltin {
		m.Model = adrrequest.None()
	}
	return m
}
