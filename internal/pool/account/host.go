package account

import (
	"fmt"
	"slices"
	"strings"
)

// HostRequest asks whether a new cluster may come to an account.
type HostRequest struct {
	Account string
	Cluster string // the name of the Shoot
	Tenant  string // the Global Account that the cluster is for, which has to hold the account; empty = it is not known yet
	// Unnamed says that the cluster is for no Global Account that is named. A dedicated account takes none such: whether its holder is the
	// right one is not known.
	Unnamed bool
	// Planned are the names of the other Shoots that this run is going to make on the account.
	Planned []string
	// Coming is a claim that this run is going to make on the account before the cluster comes; nil = none. Only a plan has one.
	Coming *ComingClaim
	// Fresh has the clusters counted anew, and the account read after that: a write follows.
	Fresh bool
}

// ComingClaim is a claim of this run that is not made yet.
type ComingClaim struct {
	Tenant string // its Global Account; empty = not known yet
}

// takes reports whether the claim is going to be on an account: it never does on one of another Global Account.
func (c *ComingClaim) takes(a *Account) bool {
	return c != nil && (a.Tenant == "" || c.Tenant == "" || a.Tenant == c.Tenant)
}

// Room is the room that an account has for a cluster.
type Room struct {
	Account Account
	Place   int // which place the cluster takes: 1 is the first
	Limit   int // the most clusters that the account may have; 0 = none applies
}

// String says which place the cluster takes.
func (r Room) String() string {
	if r.Limit == 0 {
		return fmt.Sprintf("this is cluster %d on account %s; no limit applies", r.Place, r.Account.Name)
	}
	return fmt.Sprintf("this is cluster %d of limit %d on account %s", r.Place, r.Limit, r.Account.Name)
}

// HostError says why no new cluster may come to an account.
type HostError struct {
	Account string
	Room    Room   // where the account is full
	Tenant  string // the Global Account that holds the account; empty = none
	Wanted  string // the Global Account that the cluster is for, where it is known
	Reason  HostReason
	From    string // the binding that the cluster lives on, where that is the question
	// Twin says which other binding of the same credentials is the reason, in words that continue a sentence; empty = none is.
	Twin string
}

// HostReason says why no new cluster may come to an account: its state, which is its [Class], or one of those that are a question of the
// cluster: whose it is, and whether there is room for it.
type HostReason string

// The reasons, in the order in which they are judged.
const (
	HostDeleting    = HostReason(ClassDeleting)
	HostReleasing   = HostReason(ClassReleasing)
	HostQuarantined = HostReason(ClassQuarantined)
	HostDirty       = HostReason(ClassDirty)
	HostUnheld      = HostReason(ClassFree)

	HostUnnamed   HostReason = "unnamed"   // the account is dedicated, and the cluster names no Global Account
	HostForeign   HostReason = "foreign"   // another Global Account holds it than the cluster is for
	HostUnclaimed HostReason = "unclaimed" // no claim of the Global Account that holds it is on it
	HostUnclear              = HostReason(ClassUnclear)
	HostFull      HostReason = "full"      // its limit is reached
	HostElsewhere HostReason = "elsewhere" // it is not known to be the cloud account that the cluster lives on
)

func (e *HostError) Error() string {
	if e.Twin != "" {
		return fmt.Sprintf("account %s takes no cluster: %s", e.Account, e.Twin)
	}
	switch e.Reason {
	case HostReleasing, HostQuarantined, HostDirty:
		return fmt.Sprintf("%s (label dirty=%s)", Class(e.Reason).DescribeAccount(e.Account), e.Room.Account.Dirty)
	case HostUnclear:
		return fmt.Sprintf("%s (%s)", Class(e.Reason).DescribeAccount(e.Account), strings.Join(e.Room.Account.contested(e.Tenant), ", "))
	case HostUnnamed:
		return fmt.Sprintf("account %s is dedicated, and no Global Account is named for the cluster", e.Account)
	case HostForeign:
		return fmt.Sprintf("account %s is held by Global Account %s, and the cluster is for %s", e.Account, e.Tenant, e.Wanted)
	case HostUnclaimed:
		return fmt.Sprintf("account %s is held by Global Account %s, and no claim is on it", e.Account, e.Tenant)
	case HostElsewhere:
		return fmt.Sprintf("account %s is not known to be one cloud account with %s: they refer to other credentials", e.Account, e.From)
	case HostFull:
		return fmt.Sprintf("account %s is full: %s", e.Account, e.Room)
	}
	return Class(e.Reason).DescribeAccount(e.Account)
}

// Circulating returns the account as if none of its bindings were quarantined: clusters that are there go on.
func (a *Account) Circulating() *Account {
	judged := *a
	judged.twins = slices.Clone(a.twins)
	if judged.Dirty == Quarantined {
		judged.Dirty = Clean
	}
	for i, twin := range judged.twins {
		if twin.Dirty == Quarantined {
			clean := *twin
			clean.Dirty = Clean
			judged.twins[i] = &clean
		}
	}
	return &judged
}

// Refusal says why an account must not take the cluster, whatever room it has; nil = it may. It returns the Global Account that holds the
// account when the cluster comes; empty = none, or it is not known yet.
func (req HostRequest) Refusal(a *Account) (refused *HostError, holder string) {
	reason, holder := req.reason(a)
	if reason == "" {
		return nil, holder
	}
	return &HostError{
		Account: a.Name, Tenant: holder, Wanted: req.Tenant, Room: Room{Account: *a}, Reason: reason, Twin: a.twinReason(reason),
	}, holder
}

func (req HostRequest) reason(a *Account) (reason HostReason, holder string) {
	comes := req.Coming.takes(a)
	claimed := comes || a.Claimed() || a.ClaimsOnTwins() > 0
	holder, _ = a.Holder()
	if comes && holder == "" {
		holder = req.Coming.Tenant
	}
	dirt, _ := a.dirt()
	intruder := a.IntruderFor(holder)
	switch {
	case a.Terminating:
		return HostDeleting, holder
	case intruder != nil:
		if intruder.Tenant != "" {
			holder = intruder.Tenant
		}
		return HostForeign, holder
	case a.Shared: // all tenants use it, and nothing is written on it
		return "", holder
	case dirt == Releasing:
		return HostReleasing, holder
	case dirt == Quarantined:
		return HostQuarantined, holder
	case dirt != Clean:
		return HostDirty, holder
	case holder == "" && !comes:
		return HostUnheld, holder
	case req.Unnamed:
		return HostUnnamed, holder
	case req.Tenant != "" && holder != "" && holder != req.Tenant:
		return HostForeign, holder
	case !claimed:
		return HostUnclaimed, holder
	case len(a.contested(holder)) > 0: // the last: a cluster that is made may overlook it, and nothing else
		return HostUnclear, holder
	}
	return "", holder
}

// twinReason says which other binding is the reason that the account takes no cluster; "" = the account itself is.
func (a *Account) twinReason(reason HostReason) string {
	switch reason {
	case HostForeign, HostReleasing, HostQuarantined, HostDirty:
		holder, _ := a.Holder()
		return a.TwinTrouble(holder)
	}
	return ""
}

// RoomOn counts the places that are taken with this cluster: the clusters, and those that are going to come, each once.
func (req HostRequest) RoomOn(a *Account, places Places, limit int) Room {
	coming := map[string]bool{} // the clusters that are not counted yet
	given := map[string]bool{}  // the clusters that a claim on the account names
	for _, b := range a.Bindings() {
		for _, key := range b.Claims() {
			record := b.Records[key]
			given[record.ClusterName] = true
			if places.reserves(record, places.Now) {
				coming[record.ClusterName] = true
			}
		}
	}
	unreserved := 0
	for _, name := range append(slices.Clone(req.Planned), req.Cluster) {
		if !coming[name] && !places.HasOn(a.Name, name) { // one that was made and lost has its place already
			coming[name] = true
			if !given[name] {
				unreserved++
			}
		}
	}
	anonymous := places.Placed[places.CountedAs(a.Name)] - unreserved // claims of this run for which no Shoot is planned yet
	place := places.Clusters(a.Name) + len(coming) + max(anonymous, 0)
	return Room{Account: *a, Place: place, Limit: limit}
}
