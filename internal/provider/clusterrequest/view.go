package clusterrequest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// view is a request with what was seen of its Cluster; nil = it was not seen.
type view struct {
	request *api.ClusterRequest
	cluster *api.Cluster
	prefix  *string // nil = there is none yet, or it could not be determined
	lost    bool    // the Cluster does not exist any more
}

// look reads the Cluster of a request, and derives the prefix.
func (r *requestResource) look(
	ctx context.Context, request *api.ClusterRequest, read func(context.Context, api.Ref) (*api.Cluster, error),
) view {
	v := view{request: request}
	if !api.IsGranted(request) {
		return v
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	cluster, err := read(ctx, *request.Status.Cluster)
	switch {
	case err != nil:
		v.lost = api.IsGone(err)
		warnUnseen(r.Diags, request, err)
		return v
	case builtin.Serves(request) && !api.Holds(cluster, request): // an apply has it granted again
		v.lost = true
		warnUnheld(r.Diags, request)
		return v
	case builtin.IsUnserved(request) && r.Backend.Platform.Builtin(): // an apply takes it back
		v.lost = true
		warnUnserved(r.Diags, request)
		return v
	}
	v.cluster = cluster
	r.Saw(cluster)
	r.warnVersion(request, cluster)
	prefix, err := r.API.Requests.Prefix(ctx, request, cluster)
	if err != nil {
		r.warnPrefix(r.Diags, request, err)
	}
	if !errors.As(err, new(*requests.PrefixError)) {
		v.prefix = &prefix
	}
	return v
}

// keepEmpty keeps the empty prefix of the state where the request has not its Cluster to itself any more: its objects have
// names without one already.
func (v *view) keepEmpty(diags *diag.Diagnostics, state requestModel) {
	if v.prefix == nil || *v.prefix == "" || state.Prefix.IsNull() || state.Prefix.IsUnknown() || state.Prefix.ValueString() != "" {
		return
	}
	diags.AddWarning(diagnose.SummaryPrefixEmpty, fmt.Sprintf("Request %s had Cluster %s to itself, and its prefix is empty. Other "+
		"requests hold the Cluster by now, or may come to it: its requests are %d, its purposes %q. The prefix in the state stays as it was. "+
		"See that the others' objects, whose names begin with prefixes of their own, do not meet those of this one.",
		v.request.Ref(), v.cluster.Ref(), len(api.Tenants(v.cluster)), v.cluster.Spec.Purposes))
	empty := ""
	v.prefix = &empty
}
