package openmcp

import "time"

// SetPatience has a scheduler count as absent that does nothing for so long.
func (p *Platform) SetPatience(namespace string, d time.Duration) {
	requests, err := p.requests.of(namespace)
	if err != nil {
		panic(err)
	}
	requests.progress.patience = d
}
