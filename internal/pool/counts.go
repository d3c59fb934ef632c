package pool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Counts is one count of the clusters on all accounts. The zero value is the count of nothing.
type Counts struct {
	clusters    map[string]int      // what counts against the limit, by account
	parts       map[string]*Usage   // what it is made of; Usage.Clusters is not filled in
	names       map[string]struct{} // of the Shoots counted
	suspended   map[rowsOf]int      // rows that are suspended, by account and the Global Account that owns them
	unassigned  int
	differences []Difference
}

// rowsOf names the rows of one Global Account on one account.
type rowsOf struct{ account, tenant string }

// Usage is what is known of the clusters on one account.
type Usage struct {
	// Clusters is what counts against the limit.
	Clusters int
	// Tenants splits the rows of the broker's database by the Global Account that owns them; nil where the database was
	// not asked. The rest of the Clusters, if any, is known to Gardener alone, which names no owner.
	Tenants map[string]int
	// Suspended is how many of the rows are suspended. They occupy the account all the same.
	Suspended int
	// Shoots and Instances are what Gardener and the broker's database counted; 0 where one was not asked.
	Shoots, Instances int
}

// Of splits the rows of the broker's database into those of a Global Account and those of all others.
func (u Usage) Of(globalAccount string) (own, others int) {
	for tenant, rows := range u.Tenants {
		if tenant == globalAccount {
			own += rows
		} else {
			others += rows
		}
	}
	return own, others
}

// Difference is an account of which Gardener and the broker's database tell different numbers.
type Difference struct {
	// Account is its name; empty for live rows of the database that name no account.
	Account string
	// Shoots and Instances are the two numbers.
	Shoots, Instances int
	// Suspended is how many of the Instances are suspended: these have no Shoot, which explains a difference.
	Suspended int
}

// add counts clusters on an account and returns what they are made of, to add to.
func (c *Counts) add(account string, clusters int) *Usage {
	if c.clusters == nil {
		c.clusters, c.parts, c.names = map[string]int{}, map[string]*Usage{}, map[string]struct{}{}
	}
	c.clusters[account] += clusters
	part := c.parts[account]
	if part == nil {
		part = &Usage{}
		c.parts[account] = part
	}
	return part
}

// Add counts one Shoot on an account. A claim's reservation for its name is settled from then on.
func (c *Counts) Add(account, name string) {
	c.add(account, 1).Shoots++
	c.names[name] = struct{}{}
}

// AddInstances counts live rows of the broker's database on an account; all of them belong to one Global Account, and
// are suspended or not. Rows without an account are kept apart (see [Counts.Unassigned]).
func (c *Counts) AddInstances(account, globalAccount string, suspended bool, rows int) {
	if account == "" {
		c.unassigned += rows
		return
	}
	part := c.add(account, rows)
	part.Instances += rows
	if suspended {
		part.Suspended += rows
		if c.suspended == nil {
			c.suspended = map[rowsOf]int{}
		}
		c.suspended[rowsOf{account, globalAccount}] += rows
	}
	if part.Tenants == nil {
		part.Tenants = map[string]int{}
	}
	part.Tenants[globalAccount] += rows
}

// Set says how many clusters are on an account, for a caller who knows numbers and no names.
func (c *Counts) Set(account string, clusters int) { c.add(account, clusters-c.clusters[account]) }

// Clusters returns the number of clusters on an account that count against its limit.
func (c Counts) Clusters(account string) int { return c.clusters[account] }

// living returns how many of an account's clusters are not suspended, as far as any source knows.
func (c Counts) living(account string) int {
	part := c.parts[account]
	if part == nil {
		return c.clusters[account]
	}
	return max(part.Shoots, c.clusters[account]-part.Suspended)
}

// occupied reports whether clusters are on an account that nobody holds: somebody has taken its label away, and whoever
// claimed it would share it with their tenant. The one whose record lies there may have it back, unless the broker's
// database says that clusters of others are there: a record is left behind when the broker frees an account, too. Suspended
// clusters are no sign by themselves: their rows may name an account that was cleaned and freed long ago.
func (c Counts) occupied(a *Account, globalAccount string) bool {
	if c.living(a.Name) == 0 {
		return false
	}
	if part := c.parts[a.Name]; part != nil {
		for tenant, rows := range part.Tenants {
			if tenant != globalAccount && rows > c.suspended[rowsOf{a.Name, tenant}] {
				return true
			}
		}
	}
	return !a.remembers(globalAccount)
}

// Usage returns what is known of the clusters on an account.
func (c Counts) Usage(account string) Usage {
	known := Usage{Clusters: c.clusters[account]}
	if part := c.parts[account]; part != nil {
		known.Shoots, known.Instances, known.Suspended = part.Shoots, part.Instances, part.Suspended
		known.Tenants = maps.Clone(part.Tenants)
	}
	return known
}

// Total returns the number of clusters on all accounts.
func (c Counts) Total() int {
	total := 0
	for _, n := range c.clusters {
		total += n
	}
	return total
}

// Unassigned returns the number of live rows of the broker's database that name no account. They occupy one all the
// same, and nobody knows which: the broker has not chosen yet, or the row is older than the column.
func (c Counts) Unassigned() int { return c.unassigned }

// Differences returns the accounts of which the two sources tell different numbers, sorted by name, and with them the
// rows without an account. It is empty unless both sources were asked.
func (c Counts) Differences() []Difference { return slices.Clone(c.differences) }

// Doubts says where the count is in doubt although it stands: where the sources differ, and by the database alone,
// rows that name no account.
func (c Counts) Doubts() []string {
	switch {
	case len(c.differences) > 0:
		differ := DisagreementError{Differences: c.differences}
		return []string{differ.Error() + ". The higher number counts."}
	case c.unassigned > 0:
		return []string{fmt.Sprintf("No account is named by %s of the broker's database, which occupy one all the same, and nobody knows which. "+
			"The broker has not chosen yet, or the rows are older than the column.", count(c.unassigned, "live row"))}
	}
	return nil
}

// Reserved returns the number of places that claims on the account hold for clusters which are not counted yet: those
// whose cluster name is not the name of a counted Shoot.
//
// The broker's database does not know the names of Shoots. Where it alone is counted, a place stays reserved beside the
// row of its cluster until the claim's cluster name is removed: one account may be filled less than it could, never more.
func (c Counts) Reserved(a *Account) int {
	reserved := 0
	for _, key := range a.Claims() {
		name := a.Records[key].ClusterName
		if name == "" {
			continue
		}
		if _, counted := c.names[name]; !counted {
			reserved++
		}
	}
	return reserved
}

// combine returns the count of two sources: per account the higher number.
func combine(shoots, instances Counts) Counts {
	var both Counts
	for account, n := range shoots.clusters {
		both.add(account, n).Shoots = n
	}
	for account, n := range instances.clusters {
		part, rows := both.add(account, max(0, n-both.clusters[account])), instances.parts[account]
		part.Instances, part.Suspended, part.Tenants = n, rows.Suspended, rows.Tenants
	}
	both.names, both.unassigned, both.suspended = shoots.names, instances.unassigned, instances.suspended
	both.differences = both.compare()
	return both
}

// compare returns the accounts of which the sources tell different numbers, sorted by name.
func (c Counts) compare() []Difference {
	var found []Difference
	for account, part := range c.parts {
		if part.Shoots != part.Instances {
			found = append(found, Difference{account, part.Shoots, part.Instances, part.Suspended})
		}
	}
	if c.unassigned > 0 {
		found = append(found, Difference{Instances: c.unassigned})
	}
	slices.SortFunc(found, func(a, b Difference) int { return cmp.Compare(a.Account, b.Account) })
	return found
}
