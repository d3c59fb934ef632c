package tfvalue

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// usageValues shows what the clusters on an account are made of; null is what nobody was asked for.
func Usage(u pool.Usage, by pool.Source, globalAccount string) map[string]attr.Value {
	number := func(asked bool, n int) attr.Value {
		if !asked {
			return types.Int64Null()
		}
		return types.Int64Value(int64(n))
	}
	own, others := u.Of(globalAccount)
	gardener, database := by != pool.SourceDatabase, by == pool.SourceDatabase || by == pool.SourceBoth
	return map[string]attr.Value{
		"shoots": number(gardener, u.Shoots), "instances": number(database, u.Instances),
		"own_instances": number(database, own), "other_instances": number(database, others), "suspended": number(database, u.Suspended),
	}
}
