package backend_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// A withdrawal that is planned a moment later is seen; one that never comes is told after a while, or at once where many wait.
func TestPlatform_awaitWithdrawn(t *testing.T) {
	t.Parallel()
	p := &backend.Platform{}
	p.Withdraw("a")
	time.AfterFunc(50*time.Millisecond, func() { p.Withdraw("b") })
	if all, sure := p.AwaitWithdrawn(t.Context(), []string{"a", "b"}); !all || !sure {
		t.Errorf("both are withdrawn: all %t, sure %t", all, sure)
	}
	var group sync.WaitGroup
	doubts := make(chan bool, 10)
	for range cap(doubts) {
		group.Go(func() {
			all, sure := p.AwaitWithdrawn(t.Context(), []string{"a", "never"})
			if all {
				t.Error("one is not withdrawn")
			}
			doubts <- !sure
		})
	}
	group.Wait()
	close(doubts)
	n := 0
	for doubt := range doubts {
		if doubt {
			n++
		}
	}
	if n == 0 || n == cap(doubts) {
		t.Errorf("%d of %d did not wait", n, cap(doubts))
	}
}
