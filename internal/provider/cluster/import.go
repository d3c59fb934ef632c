package cluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// IdentitySchema describes the identity for `import { identity = { } }`.
func (r *clusterResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = family.NamedSchema(kind)
}

// ImportState takes an identity or <namespace>/<name>; a name alone is one in the provider's namespace. Read does the rest.
func (r *clusterResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	family.ImportNamed(ctx, r.backend.OpenMCP, kind, req, resp)
}

// place says where a Cluster was made.
type place struct {
	Server string `json:"server"` // the API server of the platform cluster
}

// stored is where Terraform keeps a Cluster.
type stored family.Stored

// set keeps what the user sees, the identity, and the place.
func (s stored) set(ctx context.Context, m clusterModel, p place) diag.Diagnostics {
	return family.Stored(s).Set(ctx, &m, m.identity(), p)
}
