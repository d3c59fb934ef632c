package openmcp

import (
	"context"
	"time"
)

// SetPatience has a scheduler count as absent that does nothing for so long, and a grant take the longest time at most.
func (p *Platform) SetPatience(namespace string, d, longest time.Duration) {
	requests, err := p.requests.of(namespace)
	if err != nil {
		panic(err)
	}
	requests.progress.patience, requests.progress.longest = d, longest
}

// SetUnusedPurposeTime has a grant take this time at most where the purpose of the request is not in use.
func (p *Platform) SetUnusedPurposeTime(namespace string, d time.Duration) {
	requests, err := p.requests.of(namespace)
	if err != nil {
		panic(err)
	}
	requests.progress.unused = d
}

// GrantWithoutStatus grants a request as a run does that is cut short before it tells the status.
func (p *Platform) GrantWithoutStatus(ctx context.Context, r *ClusterRequest) error {
	asked, err := ADRRequestOf(r)
	if err != nil {
		return err
	}
	_, _, err = p.grant(ctx, r, asked, 0)
	return err
}

// RequestsIn reads all requests of the platform's namespace.
func (p *Platform) RequestsIn(ctx context.Context) ([]*ClusterRequest, error) {
	return p.requestsIn(ctx, p.namespace)
}

// Busy has the built-in scheduler work for another request of this process, until the returned function is called.
func (p *Platform) Busy(ctx context.Context) (done func(), err error) {
	return p.builtin.turn.pass, p.builtin.turn.take(ctx)
}
