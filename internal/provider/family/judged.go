package family

import (
	"context"
	"errors"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

const (
	// judgedFor is how long a creation is sent again by one judgement. With the deadline of a write, and the search for one whose answer was
	// lost, it is less than a minute, the default of release_grace: a release that begins behind the judgement counts what was made by it.
	judgedFor = 8 * time.Second
	// judgements bounds how often one creation is judged.
	judgements = 4
)

// turnedAway reports whether a write did not come to be judged by the server, and the next one may.
func turnedAway(err error) bool {
	failed, is := errors.AsType[*kube.Error](err)
	return is && (failed.Reason == kube.WebhookDown || failed.Reason == kube.NotSent)
}

// MakeJudged judges whether a cluster may be made, and makes it. Where the server turns the creation away for a while, because a webhook is
// down or nothing can be sent, it judges anew before it sends again: the account may be another one's by then.
//
// Errors: those of judge and of create.
func MakeJudged(ctx context.Context, judge, create func(context.Context) error) error {
	for try := 1; ; try++ {
		if err := judge(ctx); err != nil {
			return err
		}
		err := create(kube.Within(ctx, judgedFor))
		if !turnedAway(err) || try == judgements || ctx.Err() != nil {
			return err
		}
	}
}
