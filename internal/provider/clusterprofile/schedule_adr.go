package clusterprofile

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// byADR shows what the built-in scheduler does.
func (m *scheduleModel) byADR(ctx context.Context, platform *openmcp.Platform) (said caveats, err error) {
	asked := m.ADRRequest()
	decision, err := platform.Requests.PreviewADR(ctx, builtin.Wanted{Ref: m.ref(), ADR: &asked})
	if err != nil {
		return said, err
	}
	m.fillADR(decision)
	said.traits = decision.Wanted.Warnings
	said.other = slices.DeleteFunc(slices.Clone(decision.Warnings), func(text string) bool { return slices.Contains(said.traits, text) })
	if decision.Action != clusters.Reuse {
		return said, nil
	}
	cluster, err := platform.Objects.Clusters.Read(ctx, api.Ref(decision.Cluster))
	if err != nil {
		return said, err
	}
	tenants := len(api.Tenants(cluster))
	if decision.Reason != clusters.ReasonGranted {
		tenants++
	}
	m.Tenants = types.Int64Value(int64(tenants))
	return said, nil
}

// fillADR shows a decision of the built-in scheduler, but for the tenants of a Cluster that exists.
func (m *scheduleModel) fillADR(d adr.Decision) {
	m.Decision, m.Reason = types.StringValue(string(d.Action)), types.StringValue(string(d.Reason))
	m.Message = types.StringValue(d.Message)
	m.Profile, m.KubernetesVersion = tfvalue.TextOrNull(d.Profile), tfvalue.TextOrNull(d.Version)
	m.PrefixRule = tfvalue.TextOrNull(d.PrefixRule.String())
	if d.Action != clusters.Deny {
		m.Cluster = &refModel{types.StringValue(d.Cluster.Namespace), types.StringValue(d.Cluster.Name)}
		m.Tenancy, m.Tenants = types.StringValue(api.Shared), types.Int64Value(1)
		if d.Dedicated {
			m.Tenancy = types.StringValue(api.Exclusive)
		}
		if d.PrefixRule.Kind != adr.PrefixRandom {
			m.Prefix = types.StringValue(d.Prefix)
		}
	}
	m.fillWanted(d)
	m.Candidates = make([]candidateModel, len(d.Candidates))
	for i, c := range d.Candidates {
		m.Candidates[i] = candidateModel{
			types.StringValue(string(c.Kind)), tfvalue.TextOrNull(c.Ref.Namespace), types.StringValue(c.Ref.Name), types.BoolValue(c.Chosen),
			types.StringValue(c.Reason),
		}
	}
}

// fillWanted shows what request and purposes ask for together. Of a request that holds a grant, or has a purpose that is not defined,
// it was not put together.
func (m *scheduleModel) fillWanted(d adr.Decision) {
	m.DedicatedBy = types.ListNull(types.StringType)
	if d.Reason == clusters.ReasonGranted || d.Reason == clusters.ReasonUnknownPurpose {
		return
	}
	m.DedicatedBy, m.TenancyCount = tfvalue.TextList(d.Wanted.DedicatedBy), tfvalue.NumberOrNull(d.Wanted.TenancyCount)
	m.TraitsWanted = make([]wantedModel, len(d.Wanted.Traits))
	for i, t := range d.Wanted.Traits {
		m.TraitsWanted[i] = wantedModel{
			types.StringValue(t.String()), types.BoolValue(t.Optional), types.BoolValue(t.Negated), tfvalue.TextList(t.Sources),
		}
	}
}
