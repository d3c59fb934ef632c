package family

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// judgements bounds how often one creation is judged.
const judgements = 4

// MakeJudged judges whether a cluster may be made, and makes it. Where the server turns the creation away for a while, see
// [kube.TurnedAway], it judges anew before it sends again: the account may be another one's by then.
//
// Errors: those of judge and of create.
func MakeJudged(ctx context.Context, judge, create func(context.Context) error) error {
	for try := 1; ; try++ {
		if err := judge(ctx); err != nil {
			return err
		}
		err := create(kube.Judged(ctx))
		if !kube.TurnedAway(err) || try == judgements || ctx.Err() != nil {
			return err
		}
	}
}
