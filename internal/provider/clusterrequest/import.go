package clusterrequest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// requestIdentity is what tells a request from all others, also outside of its state.
type requestIdentity family.Named

// IdentitySchema describes requestIdentity for `import { identity = { } }`.
func (r *requestResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = family.NamedSchema("ClusterRequest")
}

// ImportState takes an identity or <namespace>/<name>; a name alone is one in the provider's namespace. Read does the rest.
func (r *requestResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	family.ImportNamed(ctx, r.backend.OpenMCP, "request", req, resp)
}
