package openmcp

import "time"

// SetPatience has a scheduler count as absent that does nothing for so long, and a grant take the longest time at most.
func (p *Platform) SetPatience(namespace string, d, longest time.Duration) {
	requests, err := p.requests.of(namespace)
	if err != nil {
		panic(err)
	}
	requests.progress.patience, requests.progress.longest = d, longest
}
