package gardenlet

import "context"

// Start lets the gardenlet work in the background. The stop that it returns ends that, and waits until the last round is over.
func (g *Gardenlet) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	return func() { cancel(); <-ended }
}
