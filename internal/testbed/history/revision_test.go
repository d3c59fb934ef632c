package history

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

func TestRevisionsThatCannotFollow(t *testing.T) {
	t.Parallel()
	tests := map[string]Revision{
		"changed, and never added": {Event: Modified, Name: "other", UID: "2", Version: 11},
		"deleted, and never added": {Event: Deleted, Name: "other", UID: "2", Version: 11},
		"added twice":              {Event: Added, Name: "account", UID: "1", Version: 11},
		"out of order":             {Event: Modified, Name: "account", UID: "1", Version: 9},
		"twice":                    {Event: Modified, Name: "account", UID: "1", Version: 10},
		"another object":           {Event: Modified, Name: "account", UID: "2", Version: 11},
	}
	for name, revision := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTrack("account")
			if err := k.add(Revision{Event: Added, Name: "account", UID: "1", Version: 10}); err != nil {
				t.Fatal(err)
			}
			if err := k.add(revision); !errors.Is(err, ErrGap) {
				t.Errorf("kept, error %v", err)
			}
		})
	}
}

// Accounts with many claims, changed 400,000 times, stay within 300 MB.
func TestHistoryIsSmall(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const revisions, limit = 400_000, 300
	before := heapInUse()
	k := newTrack("account")
	fillWithClaims(t, k, revisions)
	used := heapInUse() - before
	if len(k.steps) != revisions || used > limit {
		t.Errorf("%d revisions take %d MB, want at most %d", len(k.steps), used, limit)
	}
	t.Logf("%d revisions take %d MB", len(k.steps), used)
}

// fillWithClaims keeps a history of accounts on which claims come and go, up to forty at a time.
func fillWithClaims(t *testing.T, k *track, revisions int) {
	t.Helper()
	const accounts, claims = 500, 40
	state := make([]map[string]string, accounts)
	for i := range revisions {
		name, event := fmt.Sprintf("account-%d", i%accounts), Modified
		if state[i%accounts] == nil {
			event = Added
		}
		record := fmt.Sprintf(`{"name":"%0250d"}`, i)
		key := fmt.Sprintf("%s%040d", testbed.RecordPrefix, i/accounts%claims)
		if _, has := state[i%accounts][key]; has {
			record = "-"
		}
		state[i%accounts] = values(state[i%accounts]).with(values{key: record})
		err := k.add(Revision{
			Event: event, Name: name, UID: name, Version: uint64(i + 1),
			Labels: values{"hyperscalerType": "aws", "tenantName": gaA}, Annotations: state[i%accounts],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// heapInUse is in megabytes.
func heapInUse() int64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc >> 20)
}
