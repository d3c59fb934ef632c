package ledger_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// A destroy that is planned a moment later is seen; one that never comes is reported after a while, or at once where many wait.
func TestLedger_awaitDestroyed(t *testing.T) {
	t.Parallel()
	request := func(uid string) ledger.Object {
		return ledger.Object{Type: "hap_cluster_request", ID: "n/" + uid, UID: uid}
	}
	l := &ledger.Ledger{}
	l.Destroy(request("a"), false)
	time.AfterFunc(50*time.Millisecond, func() { l.Destroy(request("b"), true) })
	if all, sure := l.AwaitDestroyed(t.Context(), request("a"), request("b")); !all || !sure {
		t.Errorf("both are destroyed: all %t, sure %t", all, sure)
	}
	var group sync.WaitGroup
	doubts := make(chan bool, 10)
	for range cap(doubts) {
		group.Go(func() {
			all, sure := l.AwaitDestroyed(t.Context(), request("a"), request("never"))
			if all {
				t.Error("one is not destroyed")
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
