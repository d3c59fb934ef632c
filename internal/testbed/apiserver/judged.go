package apiserver

import (
	"encoding/binary"
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

// judged has what writes have come to. That follows from the object, from the write and from the second alone, and an explorer sends the
// same writes to the same objects thousands of times, each time to another clone of one server.
type judged struct {
	mu sync.Mutex
	by map[uint64]outcome
}

// mostJudged is how many outcomes are kept: more are those of a long run that has gone on to other objects.
const mostJudged = 20_000

func (j *judged) of(key uint64) (o outcome, known bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o, known = j.by[key]
	return o, known
}

func (j *judged) note(key uint64, o outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.by == nil || len(j.by) >= mostJudged {
		j.by = map[uint64]outcome{}
	}
	j.by[key] = o
}

// caseOf is a sum of all that decides what a write comes to.
func (s *Server) caseOf(c call) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	past := s.past[c.key()]
	numbers := []int{past.made, past.written, int(time.Now().Unix()), len(c.body)}
	sums := []uint64{past.sum}
	if c.verb == create { // what has the name that the object says, or that the server gives it
		numbers, sums = append(numbers, s.made), append(sums, s.sum)
	}
	for _, n := range numbers {
		sums = append(sums, uint64(n)) //nolint:gosec // none is negative
	}
	for _, sum := range sums {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, sum))
	}
	_, _ = h.WriteString(strings.Join([]string{c.verb, c.resource.Resource, c.namespace, c.name, c.subresource, ""}, "/"))
	_, _ = h.Write(c.body)
	return h.Sum64()
}
