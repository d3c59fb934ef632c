package account

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// WithBeside returns the counts with the living clusters of a source that does not count.
func (c Counts) WithBeside(other Counts) Counts {
	c.usage = maps.Clone(c.usage)
	for account, known := range c.usage {
		usage := *known
		usage.Beside = 0
		c.usage[account] = &usage
	}
	for account, known := range other.usage {
		if n := known.living(); n > 0 {
			c.add(account, 0).Beside = n
		}
	}
	return c
}

// Source says who counts the clusters.
type Source string

// The sources of a count. SourceGardener counts Shoots; SourceDatabase counts rows of the broker's database;
// SourceBoth counts both, and the higher number counts.
const (
	SourceGardener Source = "gardener"
	SourceDatabase Source = "database"
	SourceBoth     Source = "both"
)

// Disagreement says what becomes of a count by both sources when they differ.
type Disagreement string

// What a difference leads to. TakeHighest, also when nothing is said, goes by the higher number and lists the differences
// in [Counts.Differences]; RefuseToCount makes them a [DisagreementError].
const (
	TakeHighest   Disagreement = "highest"
	RefuseToCount Disagreement = "error"
)

// Counts is one count of the clusters on all accounts. The zero value is the count of nothing.
type Counts struct {
	usage       map[string]*Usage   // by account
	names       map[string][]string // the accounts of each Shoot counted, by its name: one, as a rule
	suspended   map[rowsOf]int      // rows that are suspended, by account and the Global Account that owns them
	unassigned  int
	differences []Difference // where both sources were asked: the accounts on which they differ, by name, and rows without one
	source      Source       // who has counted; empty = Gardener
	// aliases are the names of bindings whose clusters are counted under the name of another binding of the same cloud account.
	aliases map[string]string
	// strict makes a difference between the sources an error.
	strict bool
}

// rowsOf names the rows of one Global Account on one account.
type rowsOf struct{ account, tenant string }

// Usage is what is known of the clusters on one account.
type Usage struct {
	Clusters int // what counts against the limit
	// Tenants splits the rows of the broker's database by the Global Account that owns them; nil where the database was
	// not asked. The rest of the Clusters, if any, is known to Gardener alone, which names no owner.
	Tenants   map[string]int
	Suspended int // how many of the rows are suspended. They occupy the account all the same
	// Shoots and Instances are what Gardener and the broker's database counted; 0 where one was not asked.
	Shoots, Instances int
	// Siblings is how many of the Shoots name another binding of the same credentials: the cloud account is one by whichever it is reached.
	Siblings int
	// Beside is how many living clusters the source knows that does not count. Its limit does not count them either.
	Beside int
}

// living returns how many of the clusters are not suspended, as far as any source knows. A suspended row is no sign of a
// tenant by itself: it may name an account that was cleaned and freed long ago.
func (u Usage) living() int { return max(u.Shoots, u.Clusters-u.Suspended, u.Beside) }

// String says how many clusters are counted, such as "2 clusters are counted", and how many of them by another binding.
func (u Usage) String() string {
	text := fmt.Sprintf("%s %s counted", words.Count(u.Clusters, "cluster"), words.Verb(u.Clusters, "are"))
	if u.Siblings > 0 {
		text += fmt.Sprintf(" (%d by another binding with the same credentials)", u.Siblings)
	}
	if u.Beside > 0 {
		text += fmt.Sprintf(" and %s known to Gardener, which does not count,", words.Count(u.Beside, "Shoot"))
	}
	return text
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

// Difference is an account of which Gardener and the broker's database have different numbers.
type Difference struct {
	Account string // its name; empty for live rows of the database that name no account
	// Shoots and Instances are the two numbers.
	Shoots, Instances int
	Suspended         int // how many of the Instances are suspended: these have no Shoot, which explains a difference
}

func (d Difference) String() string {
	if d.Account == "" {
		return fmt.Sprintf("no account is named by %s of the database", words.Count(d.Instances, "row"))
	}
	text := fmt.Sprintf("%s: %s, %s", d.Account, words.Count(d.Shoots, "Shoot"), words.Count(d.Instances, "row"))
	if d.Suspended > 0 {
		text += fmt.Sprintf(" (%d suspended)", d.Suspended)
	}
	return text
}

// add counts clusters on an account and returns what they are made of, to add to.
func (c *Counts) add(account string, clusters int) *Usage {
	if c.usage == nil {
		c.usage, c.names = map[string]*Usage{}, map[string][]string{}
	}
	usage := c.usage[account]
	if usage == nil {
		usage = &Usage{}
		c.usage[account] = usage
	}
	usage.Clusters += clusters
	return usage
}

// Add counts one Shoot on an account. A claim's reservation for its name is settled from then on.
func (c *Counts) Add(account, name string) {
	c.add(account, 1).Shoots++
	c.names[name] = append(c.names[name], account)
}

// Has reports whether a Shoot of this name is counted, wherever it is.
func (c Counts) Has(name string) bool { return len(c.names[name]) > 0 }

// HasOn reports whether a Shoot of this name is counted on an account. A cluster that is to be made anew on another account has no
// place there while the old one exists.
func (c Counts) HasOn(account, name string) bool {
	return slices.Contains(c.names[name], c.CountedAs(account))
}

// AddInstances counts live rows of the broker's database on an account; all of them belong to one Global Account, and
// are suspended or not. Rows without an account are kept apart (see [Counts.Unassigned]).
func (c *Counts) AddInstances(account, globalAccount string, suspended bool, rows int) {
	if account == "" {
		c.unassigned += rows
		return
	}
	usage := c.add(account, rows)
	usage.Instances += rows
	if suspended {
		usage.Suspended += rows
		if c.suspended == nil {
			c.suspended = map[rowsOf]int{}
		}
		c.suspended[rowsOf{account, globalAccount}] += rows
	}
	if usage.Tenants == nil {
		usage.Tenants = map[string]int{}
	}
	usage.Tenants[globalAccount] += rows
}

// Set says how many clusters are on an account, for a caller who knows numbers and no names.
func (c *Counts) Set(account string, clusters int) { c.add(account, 0).Clusters = clusters }

// Clusters returns the number of clusters on an account that count against its limit.
func (c Counts) Clusters(account string) int { return c.on(account).Clusters }

// SharedUse returns the number of clusters by which the least used of several shared accounts is found. The broker counts
// Shoots there, so Shoots decide wherever Gardener is asked, and rows where the database alone is.
func (c Counts) SharedUse(account string) int {
	usage := c.on(account)
	if c.source == SourceBoth {
		return usage.Shoots
	}
	return usage.Clusters
}

// CountedAs returns the name under which the clusters of an account are counted: its own, or that of another binding of the same cloud
// account.
func (c Counts) CountedAs(account string) string {
	if one, ok := c.aliases[account]; ok {
		return one
	}
	return account
}

// on returns what is known of an account, to be read only.
func (c Counts) on(account string) Usage {
	if usage := c.usage[c.CountedAs(account)]; usage != nil {
		return *usage
	}
	return Usage{}
}

// AllOf reports whether every living cluster on an account is a Global Account's by the broker's database. Gardener names no
// owner: a Shoot without a row may be another's.
func (c Counts) AllOf(account, globalAccount string) bool {
	usage := c.on(account)
	own := usage.Tenants[globalAccount] - c.suspended[rowsOf{c.CountedAs(account), globalAccount}]
	return usage.living() <= own
}

// Living returns how many living clusters are on an account, as far as any source knows.
func (c Counts) Living(account string) int { return c.on(account).living() }

// Unused reports whether no source knows of a cluster on any of these bindings, living or suspended. A row of the database names a binding
// without its kind.
func (c Counts) Unused(bindings []string) bool {
	for _, binding := range bindings {
		_, plain := BindingName(binding)
		if c.Clusters(binding) > 0 || c.Clusters(plain) > 0 {
			return false
		}
	}
	return true
}

// Accounts returns the names under which clusters are counted.
func (c Counts) Accounts() iter.Seq[string] { return maps.Keys(c.usage) }

// Usage returns what is known of the clusters on an account.
func (c Counts) Usage(account string) Usage {
	known := c.on(account)
	known.Tenants = maps.Clone(known.Tenants)
	return known
}

// Total returns the number of clusters on all accounts.
func (c Counts) Total() int {
	total := 0
	for _, usage := range c.usage {
		total += usage.Clusters
	}
	return total
}

// Unassigned returns the number of live rows of the broker's database that name no account. They occupy one all the
// same, and which one is not known: the broker has not chosen yet, or the row is older than the column.
func (c Counts) Unassigned() int { return c.unassigned }

// Differences returns the accounts on which Gardener and the broker's database differ, sorted by name, and the live rows
// without an account; none where only one of the two was asked. It is to be read only.
func (c Counts) Differences() []Difference { return c.differences }

// Doubts says where the count is in doubt although it is used: where the sources differ, and by the database alone,
// rows that name no account.
func (c Counts) Doubts() []string {
	switch {
	case len(c.differences) > 0:
		differ := DisagreementError{Differences: c.differences}
		return []string{differ.Error() + ". The higher number counts."}
	case c.unassigned > 0:
		return []string{fmt.Sprintf("No account is named by %s of the broker's database, which occupy one all the same: which one is not known. "+
			"The broker has not chosen yet, or the rows are older than the column.", words.Count(c.unassigned, "live row"))}
	}
	return nil
}

// ByDatabase returns the count as that of the broker's database alone.
func (c Counts) ByDatabase() Counts {
	c.source = SourceDatabase
	return c
}

// Combine returns the count of two sources: per account the higher number.
func Combine(shoots, instances Counts, on Disagreement) Counts {
	both := Counts{source: SourceBoth, strict: on == RefuseToCount}
	for account, of := range shoots.usage {
		both.add(account, of.Clusters).Shoots = of.Clusters
	}
	for account, of := range instances.usage {
		usage := both.add(account, 0)
		usage.Clusters = max(usage.Clusters, of.Clusters)
		usage.Instances, usage.Suspended, usage.Tenants = of.Clusters, of.Suspended, of.Tenants
	}
	both.names, both.unassigned, both.suspended = shoots.names, instances.unassigned, instances.suspended
	both.differences = both.compare()
	return both
}

// Joined returns the count in which what is counted under several names of one cloud account is counted once, and together.
//
// Errors: [DisagreementError] where a difference between the sources is an error.
func (c Counts) Joined(aliases map[string]string) (Counts, error) {
	if len(aliases) > 0 {
		c = c.under(aliases)
	}
	if c.strict && len(c.differences) > 0 {
		return Counts{}, &DisagreementError{Differences: c.differences}
	}
	return c, nil
}

func (c Counts) under(aliases map[string]string) Counts {
	all := Counts{unassigned: c.unassigned, source: c.source, strict: c.strict, aliases: aliases}
	for name, of := range c.usage {
		one := all.CountedAs(name)
		usage := all.add(one, of.Clusters)
		usage.Shoots += of.Shoots
		usage.Instances += of.Instances
		usage.Suspended += of.Suspended
		if one != name {
			usage.Siblings += of.Shoots
		}
		for tenant, rows := range of.Tenants {
			if usage.Tenants == nil {
				usage.Tenants = map[string]int{}
			}
			usage.Tenants[tenant] += rows
		}
	}
	for rows, n := range c.suspended {
		if all.suspended == nil {
			all.suspended = map[rowsOf]int{}
		}
		all.suspended[rowsOf{all.CountedAs(rows.account), rows.tenant}] += n
	}
	for shoot, accounts := range c.names {
		var once []string
		for _, name := range accounts {
			one := all.CountedAs(name)
			if slices.Contains(once, one) { // it names two bindings of one cloud account
				all.add(one, -1).Shoots--
				continue
			}
			once = append(once, one)
		}
		all.names[shoot] = once
	}
	if c.source == SourceBoth {
		for _, usage := range all.usage {
			usage.Clusters = max(usage.Shoots, usage.Instances)
		}
		all.differences = all.compare()
	}
	return all
}

// compare returns the accounts of which the sources have different numbers, sorted by name.
func (c Counts) compare() []Difference {
	var found []Difference
	for account, part := range c.usage {
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
