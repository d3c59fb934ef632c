//go:build !race

package pool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// graceTime is the grace time of the releases on the stage. The broker brings a Shoot within it.
const graceTime = time.Minute

// standing is what a Terraform state knows of one claim.
type standing struct {
	req     protocol.ClaimRequest
	id      account.Identity
	mode    account.Mode
	made    bool // the state has the claim
	account string
	uid     string
	at      time.Time
	used    bool
	grace   time.Duration
	from    string // the binding that the claim is to leave, as long as the state says so; empty = it stays where it is
	fromUID string
	ending  bool // the user wants it to end
	ended   bool
}

// standing returns what the state knows of a claim, whether it is made by now or not.
func (s *stage) standing(req protocol.ClaimRequest) *standing {
	id := account.Identity{Namespace: namespace, GlobalAccount: req.GlobalAccount, Pool: req.Target.String(), Name: req.Name}
	c := &standing{req: req, id: id, mode: req.ReleaseMode, grace: graceTime}
	s.claims = append(s.claims, c)
	return c
}

// held returns the state of a claim that an earlier run has made on the account a, which has its record.
func (s *stage) held(req protocol.ClaimRequest) *standing {
	c := s.standing(req)
	name := "a" // where its record may be gone
	if bearers := s.bearers(c.id.Key()); len(bearers) == 1 {
		name = bearers[0]
	}
	a := s.world.at(name)
	record := a.Records[c.id.Key()]
	c.made, c.account, c.uid, c.at = true, a.Name, a.UID, record.ClaimedAt
	return c
}

// leaving is held for a claim that an earlier run has made on the SecretBinding a, and that is to go to the pool's account.
func (s *stage) leaving(req protocol.ClaimRequest) *standing {
	c := s.standing(req)
	a := s.world.at(old().Name)
	record := a.Records[c.id.Key()]
	c.made, c.account, c.uid, c.at, c.from, c.fromUID = true, a.Name, a.UID, record.ClaimedAt, a.Name, a.UID
	return c
}

// move takes a claim to the new binding of its cloud account.
func (s *stage) move(c *standing) *explore.Actor {
	a := &explore.Actor{Name: "move of " + c.id.Name + " of " + c.id.GlobalAccount, Run: func(a *explore.Actor) {
		if c.from == "" { // the process has died, and another run has moved the claim meanwhile: the state says so
			s.finished(a, nil)
			return
		}
		ctx, cancel := s.context(a)
		defer cancel()
		status, err := s.pools[a].Move(ctx, c.moveRequest())
		s.finished(a, err)
		if err != nil {
			s.checkUnmoved(a, err)
			return
		}
		s.moved(c, status.Account)
		s.Tell(a, "is on "+status.Account.Name)
	}}
	s.of[a] = c
	s.start(a)
	return a
}

// moved is what the state knows of a claim that has moved.
func (s *stage) moved(c *standing, to account.Account) {
	c.account, c.uid, c.from = to.Name, to.UID, ""
	s.checkMoved(c)
}

func (c *standing) moveRequest() protocol.MoveRequest {
	return protocol.MoveRequest{UpdateRequest: protocol.UpdateRequest{Identity: c.id, Account: c.from, UID: c.fromUID, WasOwner: c.req.Owner,
		Details: c.req.Details, ClaimedAt: c.at, NewlyClaimed: true, Instance: c.req.Instance}}
}

// claim makes a claim, in a process of its own unless it is put into one with others.
func (s *stage) claim(c *standing) *explore.Actor {
	a := &explore.Actor{Name: "claim " + c.id.Name + " of " + c.id.GlobalAccount, Run: func(a *explore.Actor) {
		ctx, cancel := s.context(a)
		defer cancel()
		claim, err := s.pools[a].Claim(ctx, c.req)
		s.claimed(a, c, claim, err)
	}}
	s.start(a)
	s.of[a] = c
	return a
}

// claimed is what the provider makes of the end of a claim.
func (s *stage) claimed(a *explore.Actor, c *standing, claim protocol.Claim, err error) {
	s.finished(a, err)
	if err != nil {
		s.checkFailed(a, c, err)
		return
	}
	s.Tell(a, "is on "+claim.Account.Name)
	c.made, c.account, c.uid, c.at = true, claim.Account.Name, claim.Account.UID, claim.Record.ClaimedAt
	c.used = claim.Used
	s.checkClaimed(c, claim)
}

// release ends a claim.
func (s *stage) release(c *standing) *explore.Actor {
	a := &explore.Actor{Name: "release of " + c.id.Name + " of " + c.id.GlobalAccount}
	c.ending, s.of[a] = true, c
	a.Run = func(a *explore.Actor) {
		ctx, cancel := s.context(a)
		defer cancel()
		outcome, err := s.pools[a].Release(ctx, c.releaseRequest())
		s.finished(a, err)
		if err == nil {
			c.ended = true
			s.Tell(a, "ends: "+string(outcome))
		} else {
			s.checkKept(a, c, err)
		}
		if a.Life < 2 && !(s.Faulted() > two.Faults && deniesTheEnd(err)) {
			s.checkTwins(c)
		}
	}
	s.start(a)
	return a
}

func (c *standing) releaseRequest() protocol.ReleaseRequest {
	return protocol.ReleaseRequest{Identity: c.id, Account: c.account, UID: c.uid, Mode: c.mode, Owner: c.req.Owner, ClaimedAt: c.at, Recorded: true,
		Used: c.used, Grace: c.grace, Instance: c.req.Instance}
}

// update changes what is recorded of a claim, and takes the account back where that is wanted.
func (s *stage) update(c *standing, reclaim bool) *explore.Actor {
	a := &explore.Actor{Name: "update of " + c.id.Name}
	a.Run = func(a *explore.Actor) {
		details := c.req.Details
		details.ClusterName = "other"
		ctx, cancel := s.context(a)
		defer cancel()
		_, err := s.pools[a].Update(ctx, protocol.UpdateRequest{Identity: c.id, Account: c.account, UID: c.uid, WasOwner: c.req.Owner,
			Details: details, Reclaim: reclaim, ClaimedAt: c.at, Instance: c.req.Instance})
		s.finished(a, err)
		if err != nil {
			s.checkFailed(a, c, err)
		}
	}
	s.of[a] = c
	s.start(a)
	return a
}

// context is that of an operation, which its user may interrupt. The operation begins with what the state says of its claim by then.
func (s *stage) context(a *explore.Actor) (context.Context, context.CancelFunc) {
	a.Learns(s.of[a].sum())
	ctx, cancel := context.WithTimeout(a.Context(), patient)
	s.cancels[a] = cancel
	return ctx, cancel
}

// interrupted is an operation beside its user, who presses Ctrl-C.
func (s *stage) interrupted(what *explore.Actor) []*explore.Actor {
	return []*explore.Actor{what, {Name: "the user", Run: func(a *explore.Actor) {
		stepUntil(a, time.Time{}, says("interrupts the "+what.Name), func() {
			what.Learns(explore.Sum(0).Text("interrupted"))
			s.cancels[what]()
		})
	}}}
}

// start puts operations into a process of ours, which share a pool.
func (s *stage) start(actors ...*explore.Actor) {
	explore.NewProcess(func() {
		pool := New(namespace, staged{s}, staged{s}, s.policy)
		pool.chance = func(time.Duration) time.Duration { return 0 }
		pool.crowd.pace = 0 // two that wait for a third wake in one moment, in any order
		for _, a := range actors {
			s.pools[a] = pool
		}
	}, actors...)
}

// together puts operations into one process.
func (s *stage) together(actors ...*explore.Actor) []*explore.Actor {
	s.start(actors...)
	return actors
}

// add, amend and remove are what the pool's owner does.

func supplyNamed(name string) account.Supply {
	return account.Supply{Name: name, Target: aws, Credentials: account.Credentials{ProviderType: "aws", Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-" + name}}}
}

func (s *stage) add(supply account.Supply) *explore.Actor {
	a := &explore.Actor{Name: "addition of " + supply.Name, Run: func(a *explore.Actor) {
		_, err := s.pools[a].Add(a.Context(), supply)
		s.finished(a, err)
		s.checkSupplied(a, supply, err)
	}}
	s.start(a)
	return a
}

func (s *stage) amend(supply account.Supply) *explore.Actor {
	uid := s.world.at(supply.Name).UID
	a := &explore.Actor{Name: "change of " + supply.Name, Run: func(a *explore.Actor) {
		_, err := s.pools[a].Amend(a.Context(), protocol.AmendRequest{Supply: supply, UID: uid})
		s.finished(a, err)
		s.checkSupplied(a, supply, err)
	}}
	s.start(a)
	return a
}

func (s *stage) takeOut(name string) *explore.Actor {
	uid := s.world.at(name).UID
	a := &explore.Actor{Name: "removal of " + name, Run: func(a *explore.Actor) {
		ctx, cancel := context.WithTimeout(a.Context(), time.Hour)
		defer cancel()
		s.finished(a, s.pools[a].Remove(ctx, protocol.RemoveRequest{Name: name, UID: uid, Alone: true, Grace: graceTime}))
	}}
	s.start(a)
	return a
}

// finished notes the end of an operation.
func (s *stage) finished(a *explore.Actor, err error) {
	if err != nil {
		s.Tell(a, fmt.Sprintf("ends with: %v", err))
	}
	s.Noting(func() { s.over[authorOf(a)] = err })
}

// stepUntil is one step of another party: it is done at once when the explorer lets it go on.
func stepUntil(a *explore.Actor, until time.Time, what func() string, do func()) {
	a.Call(explore.Call{What: what, Until: until})
	do()
}

// says is a text that is known before.
func says(text string) func() string { return func() string { return text } }

// broker gives the Global Account a cluster as the broker does: it takes the account that the Global Account holds, else the first that
// is free, by the labels that it goes by, and makes the Shoot within the grace time after its list. It holds no lock that others know.
func (s *stage) broker(ga string) *explore.Actor {
	return &explore.Actor{Name: "broker for " + ga, Run: func(a *explore.Actor) {
		for range 3 {
			var chosen account.Account
			var until time.Time
			stepUntil(a, time.Time{}, func() string { return "lists " + s.accountsNow() }, func() {
				chosen, until = s.brokersChoice(ga), time.Now().Add(graceTime-time.Millisecond)
			})
			if chosen.Name == "" {
				return
			}
			a.Learns(s.object(chosen.Name))
			if chosen.Tenant == "" {
				done := false
				stepUntil(a, until, says("labels "+chosen.Name), func() { done = s.editIf(chosen, heldBy(ga)) })
				a.Learns(explore.Sum(0).Flag(done))
				if !done {
					continue
				}
			}
			stepUntil(a, until, says("brings a cluster to "+chosen.Name), func() { s.cluster(ga, chosen.Name) })
			return
		}
	}}
}

// brokersChoice is the account that the broker's label selectors and its order lead to.
func (s *stage) brokersChoice(ga string) account.Account {
	var free account.Account
	for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
		a := s.accounts[name]
		if a.Sibling || a.HyperscalerType != aws.HyperscalerType || a.Shared || a.EUAccess || a.Dirty != account.Clean || a.Terminating {
			continue
		}
		switch {
		case a.Tenant == ga:
			return clone(a)
		case a.Tenant == "" && free.Name == "":
			free = clone(a)
		}
	}
	return free
}

// editIf changes an account as another party does that names the version which it has read.
func (s *stage) editIf(judged account.Account, change func(*account.Account)) bool {
	now, there := s.accounts[judged.Name]
	if !there || now.UID != judged.UID || now.Version != judged.Version {
		return false
	}
	s.edit(judged.Name, change)
	return true
}

// brokerFrees is the free step of the broker: by name, whatever the tenant is, where no Shoot is on the account.
func (s *stage) brokerFrees(name string) *explore.Actor {
	return &explore.Actor{Name: "free step of the broker", Run: func(a *explore.Actor) {
		var read account.Account
		stepUntil(a, time.Time{}, func() string { return "reads " + s.accountNow(name) }, func() { read = s.world.at(name) })
		a.Learns(s.object(name))
		if read.UID == "" || read.Tenant == "" || read.Internal || read.Shared || s.counter.on(name) > 0 {
			return
		}
		stepUntil(a, time.Time{}, says("marks "+name+" dirty"), func() { s.editIf(read, dirty(account.Dirtied)) })
	}}
}

// cleanUp is the clean-up job: it wipes what is dirty, and strips the labels.
func (s *stage) cleanUp() *explore.Actor {
	return &explore.Actor{Name: "clean-up job", Run: func(a *explore.Actor) {
		var found []account.Account
		stepUntil(a, time.Time{}, func() string { return "lists " + s.accountsNow() }, func() {
			for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
				if s.accounts[name].Dirty == account.Dirtied {
					found = append(found, s.world.at(name))
				}
			}
		})
		a.Learns(names(found))
		for _, dirtied := range found {
			stepUntil(a, time.Time{}, says("wipes and frees "+dirtied.Name), func() {
				now := s.world.at(dirtied.Name)
				s.editIf(now, stripped)
			})
		}
	}}
}

// replaced is a person who deletes the account a, and makes it anew.
func (s *stage) replaced() *explore.Actor {
	return &explore.Actor{Name: "a person", Run: func(a *explore.Actor) {
		stepUntil(a, time.Time{}, says("deletes a"), func() { s.remove("a") })
		stepUntil(a, time.Time{}, says("makes a anew"), func() { s.create(anAccount("a")) })
	}}
}

// person edits labels of the account a without a precondition.
func (s *stage) person(what string, change func(*account.Account)) *explore.Actor {
	return &explore.Actor{Name: "a person", Run: func(a *explore.Actor) {
		stepUntil(a, time.Time{}, says(what), func() {
			if s.world.at("a").UID != "" {
				s.edit("a", change)
			}
		})
	}}
}

// inTime is a person who does something before a release counts for the last time, also where its fence is up from the first moment on.
func (s *stage) inTime(what string, do func()) *explore.Actor {
	return &explore.Actor{Name: "a person", Run: func(a *explore.Actor) {
		stepUntil(a, s.began.Add(graceTime-time.Millisecond), says(what), do)
	}}
}
