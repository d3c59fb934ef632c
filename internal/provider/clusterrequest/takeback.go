package clusterrequest

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// takeBack has the built-in scheduler serve a request again whose handover was cut short, where the provider block
// names that one.
func (r *requestResource) takeBack(
	ctx context.Context, api *openmcp.Platform, request *openmcp.ClusterRequest,
) (*openmcp.ClusterRequest, error) {
	if !openmcp.IsUnserved(request) || !r.backend.OpenMCP.Builtin() {
		return request, nil
	}
	back, err := api.TakeBack(ctx, request)
	journal.LogRequest(ctx, "request taken back from a handover that was cut short", request.Ref().String(), err)
	return back, err
}
