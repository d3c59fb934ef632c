package scenarios

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// F12: a database that stops to answer, at each point of a conversation, ends a run by the deadline: nothing is written.
func TestF12DatabaseStopsToAnswer(t *testing.T) {
	t.Parallel()
	for name, fault := range sampled(t, map[string]fault.DatabaseFault{
		"at connect":   fault.BlackholeAtConnect(),
		"in mid-query": fault.BlackholeInQuery(),
		"in mid-row":   fault.BlackholeInRow(40),
		"by a trickle": fault.Slow(4),
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t, awsAccounts(1)...)
			rows := make([]postgres.InstanceRow, 200)
			for i := range rows {
				rows[i] = postgres.InstanceRow{GlobalAccount: "ga-9", Account: "some-account-" + string(rune('a'+i%26)) + string(rune('a'+i/26))}
			}
			s.database.Insert(t, rows...)
			c := s.configure(t)
			c.write(t, s.by("database", ""), claim("blue", "ga-1"))
			s.wire.Set(t, fault)
			began := time.Now()
			c.fails(t, applying, "Database not reachable", "Nothing was claimed or released")
			// The plan's count, the apply's count, the claim; each may begin once more on a new connection.
			if took := time.Since(began); took > 3*databasePatience+deadlineSlack+startSlack {
				t.Errorf("the apply took %s", took)
			}
			s.wantWrites(t, "without an answer", 0)
		})
	}
}

// F12: an answer that is cut off is no answer, and the next run gets a whole one.
func TestF12DatabaseResets(t *testing.T) {
	t.Parallel()
	s := newCounted(t, awsAccounts(1)...)
	c := s.configure(t)
	c.write(t, s.by("both", ""), claim("blue", "ga-1"))
	s.wire.Set(t, fault.ResetInQuery())
	c.fails(t, applying, "Database not reachable")
	s.wantWrites(t, "reset", 0)
	s.wire.Set(t, fault.DatabaseFault{})
	c.apply(t)
	s.wantWrites(t, "whole", 1)
}
