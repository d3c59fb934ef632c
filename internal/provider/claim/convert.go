package claim

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// The codecs of what Terraform keeps of a claim.
var (
	models = sync.OnceValue(func() tfvalue.Codec[claimModel] {
		return tfvalue.NewCodec[claimModel](claimSchema(context.Background()).Type())
	})
	identities = sync.OnceValue(func() tfvalue.Codec[claimIdentity] {
		return tfvalue.NewCodec[claimIdentity](identitySchema.Type())
	})
)

// decode reads a configuration, a plan or a state.
func decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) claimModel {
	m, err := models().Decode(ctx, raw)
	reportUnexpected(diags, err)
	return m
}

// encode writes a plan or a state in place of another; after an error that one stays.
func encode(ctx context.Context, m claimModel, into *tftypes.Value, diags *diag.Diagnostics) {
	raw, err := models().Encode(ctx, m)
	if reportUnexpected(diags, err); err == nil {
		*into = raw
	}
}

// encodeIdentity is encode for an identity.
func encodeIdentity(ctx context.Context, id claimIdentity, into *tftypes.Value, diags *diag.Diagnostics) {
	raw, err := identities().Encode(ctx, id)
	if reportUnexpected(diags, err); err == nil {
		*into = raw
	}
}

func reportUnexpected(diags *diag.Diagnostics, err error) {
	if err != nil {
		diags.AddError(diagnose.SummaryUnexpected, "Converting a claim: "+err.Error()+". "+diagnose.ReportIssue)
	}
}
