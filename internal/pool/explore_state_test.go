//go:build !race

package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// The state of a run, for the explorer: it does not go on from one that it has met before. What a process does follows from the answers
// that it gets, and when; all else that decides what may follow is in the world, also what the promises remember.

// summary is what the sum of the world takes from the log, so that each commit is read once.
type summary struct {
	summed  int                    // entries of the log
	objects map[string]explore.Sum // by account, which is there
	changes map[string]int         // by account, in place of its version: that counts the writes on other accounts, too
	ours    map[string]bool        // by account: its last change was ours
	turned  map[string]bool        // by account: the last change of its tenant or its label dirty was ours
	touched bool                   // another party has written on an account
}

func newSummary() summary {
	return summary{objects: map[string]explore.Sum{}, changes: map[string]int{}, ours: map[string]bool{}, turned: map[string]bool{}}
}

// summarize takes in what came to the log.
func (s *stage) summarize() {
	for ; s.summed < len(s.log); s.summed++ {
		c := s.log[s.summed]
		s.changes[c.account]++
		s.ours[c.account] = c.ours
		if c.before.Tenant != c.after.Tenant || c.before.Dirty != c.after.Dirty {
			s.turned[c.account] = c.ours
		}
		s.touched = s.touched || !c.ours && c.before.UID != ""
		delete(s.objects, c.account)
		if c.after.UID != "" {
			c.after.Version = ""
			s.objects[c.account] = sumOf(c.after).Number(s.changes[c.account])
		}
	}
}

// sumOf is the sum of all that has a name in a value.
func sumOf(value any) explore.Sum {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return explore.Sum(0).Bytes(text)
}

// object is the sum of an account as it is now.
func (s *stage) object(name string) explore.Sum {
	s.summarize()
	return s.objects[name].Text(name)
}

// objectsNow is the sum of all accounts.
func (s *stage) objectsNow() (all explore.Sum) {
	s.summarize()
	for name := range s.objects {
		all += s.object(name)
	}
	return all
}

// clustersNow is the sum of the clusters on all accounts.
func (s *stage) clustersNow() (all explore.Sum) {
	for name, users := range s.counter.clusters {
		one := explore.Sum(0).Text(name)
		for _, u := range users {
			one = one.Text(u.Name)
		}
		all += one
	}
	return all
}

// worldNow is the sum of all that decides what may follow, and that no process knows.
func (s *stage) worldNow() explore.Sum {
	sum := s.objectsNow().With(s.clustersNow()).Flag(s.touched)
	for _, c := range s.claims {
		sum = sum.With(c.sum())
	}
	return sum.With(s.sumOfHistory()).With(s.sumOfAuthors())
}

// sum is what the state says of a claim.
func (c *standing) sum() explore.Sum {
	return explore.Sum(0).Text(c.account, c.uid, c.from).Flag(c.made, c.used, c.ending, c.ended).Number(int(c.at.UnixNano()))
}

// sumOfHistory is what the promises remember of the accounts.
func (s *stage) sumOfHistory() (all explore.Sum) {
	for name := range s.changes {
		was := s.tenants[name]
		all += explore.Sum(0).Text(name, was.tenant).Flag(was.wiped, s.ours[name], s.turned[name])
	}
	return all
}

// sumOfAuthors is what the promises remember of the operations.
func (s *stage) sumOfAuthors() (all explore.Sum) {
	for kind, authors := range []map[string]author{s.records, s.marks, s.made} {
		for what, who := range authors {
			all += s.writer(who).Number(kind).Text(what)
		}
	}
	for who := range s.wrote {
		if who.by != nil && who.life == who.by.Life {
			all += s.writer(who).Text("wrote")
		}
	}
	for who, is := range s.endings {
		all += s.operation(who).Text("ending").Flag(is)
	}
	for who, err := range s.over {
		all += s.operation(who).Text("over").Flag(err != nil, err != nil && inDoubt(err), err != nil && deniesTheEnd(err), findsNone(err))
	}
	return all
}

// writer is the sum of an operation that has written something. Of one that has died since, the promises ask no more.
func (s *stage) writer(who author) explore.Sum {
	switch {
	case who.by == nil:
		return explore.Sum(0).Text("nobody")
	case who.life != who.by.Life:
		return explore.Sum(0).Text("dead")
	}
	return s.operation(who)
}

func (s *stage) operation(who author) explore.Sum {
	return explore.Sum(0).Number(slices.Index(s.actors, who.by), who.life)
}

// learned adds what a call has learned to what its process knows.
func (st staged) learned(ctx context.Context, what explore.Sum, err error) {
	by := explore.ActorOf(ctx)
	switch {
	case by == nil:
	case err == nil:
		by.Learns(what)
	default:
		by.Learns(explore.Sum(0).Text(fmt.Sprintf("%T", err)))
	}
}

// names is the sum of names.
func names(accounts []account.Account) explore.Sum {
	sum := explore.Sum(0)
	for i := range accounts {
		sum = sum.Text(accounts[i].Name)
	}
	return sum
}
