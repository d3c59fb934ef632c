package clusterrequest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// place says where a request was made.
type place struct {
	Server string `json:"server"` // the API server of the platform cluster
}

// stored is where Terraform keeps a request.
type stored family.Stored

// set keeps what the user sees, the identity, and the place.
func (s stored) set(ctx context.Context, m requestModel, p place) diag.Diagnostics {
	return family.Stored(s).Set(ctx, &m, m.identity(), p)
}
