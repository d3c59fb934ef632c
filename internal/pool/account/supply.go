package account

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Supply is what the pool's owner says of an account. The tenant, the claim records and, but for a quarantine, the label
// dirty belong to others: they are never part of it.
type Supply struct {
	Name       string
	Target            // the pool that the account is in
	Internal   bool   // kept for internal use
	Quarantine string // why the account is put aside; empty = it is not
	Labels     map[string]string
	// Credentials are those of the account. Once it is made they cannot be changed.
	Credentials Credentials
}

// Part is a part of a [Supply], for messages.
type Part string

// The parts of a supply.
const (
	PartWhole        Part = "" // the account is to be taken out of the pool, or made anew
	PartName         Part = "name"
	PartType         Part = "hyperscaler type"
	PartProviderType Part = "provider type"
	PartCredentials  Part = "credentials"
	PartQuotas       Part = "quotas"
	PartShared       Part = "flag shared"
	PartEUAccess     Part = "flag euAccess"
	PartInternal     Part = "flag internal"
	PartLabels       Part = "labels"
	PartQuarantine   Part = "quarantine"
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{
		PartWhole, PartName, PartType, PartProviderType, PartCredentials, PartQuotas, PartShared, PartEUAccess, PartInternal, PartLabels,
		PartQuarantine,
	}
}

// supplyFlags are the flags of a supply, in the order in which messages name them.
var supplyFlags = []struct {
	flag Flag
	part Part
	of   func(Supply) bool
}{
	{FlagShared, PartShared, func(s Supply) bool { return s.Shared }},
	{FlagEUAccess, PartEUAccess, func(s Supply) bool { return s.EUAccess }},
	{FlagInternal, PartInternal, func(s Supply) bool { return s.Internal }},
}

// Change returns what has to be written so that an account is as the supply says, and which part of that matters to others:
// the first that says something else by then; empty = none. Labels that are to be removed are named by their keys.
func (s Supply) Change(a Account, dropped []string) (Change, Part) {
	var c Change
	var parts []Part
	if a.HyperscalerType != s.HyperscalerType {
		c.HyperscalerType = &s.HyperscalerType
		parts = append(parts, PartType)
	}
	for _, f := range supplyFlags {
		want := f.of(s)
		if a.has(f.flag) != want {
			parts = append(parts, f.part)
		} else if !slices.Contains(a.FalseFlags, f.flag) {
			continue
		}
		if c.Flags == nil {
			c.Flags = map[Flag]bool{}
		}
		c.Flags[f.flag] = want
	}
	if c.Labels = s.labels(a, dropped); len(c.Labels) > 0 {
		parts = append(parts, PartLabels)
	}
	if s.quarantine(a, &c) {
		parts = append(parts, PartQuarantine)
	}
	if len(parts) == 0 {
		return c, PartWhole
	}
	return c, parts[0]
}

// labels are the labels that differ.
func (s Supply) labels(a Account, dropped []string) map[string]*string {
	labels := map[string]*string{}
	for key, value := range s.Labels {
		if have, ok := a.Labels[key]; (!ok || have != value) && !a.ofOthers(key) {
			labels[key] = &value
		}
	}
	for _, key := range dropped {
		_, wanted := s.Labels[key]
		if _, there := a.Labels[key]; there && !wanted && !a.ofOthers(key) {
			labels[key] = nil
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// quarantine adds to a change what puts the account aside, or gives it back. The label is taken away only while it says what
// this side has written: whatever else it says was written by others.
func (s Supply) quarantine(a Account, c *Change) (changes bool) {
	if s.Quarantine != a.Quarantine {
		c.Quarantine = &s.Quarantine
	}
	dirt := a.Dirty
	switch {
	case s.Quarantine != "" && a.Dirty == Clean:
		dirt = Quarantined
	case s.Quarantine == "" && a.Quarantine != "" && a.Dirty == Quarantined:
		dirt = Clean
	}
	if dirt != a.Dirty {
		c.Dirty = &dirt
	}
	return c.Quarantine != nil || c.Dirty != nil
}

// Moves reports whether a part of a change makes the account another one to all tenants.
func (p Part) Moves() bool { return p == PartType || p == PartShared || p == PartEUAccess }

// Refusal says why a change must not be made on an account as it is; nil = it may, as far as the account says. Clusters are
// another question.
func (s Supply) Refusal(a Account, c Change, part Part) error {
	refused := &SupplyError{Account: a.Name, Part: part, Tenant: a.Tenant, Internal: a.Internal}
	switch {
	case c.IsOn(a):
		return nil
	case a.Terminating:
		refused.Obstacle, refused.Held = ObstacleDeleting, a.Held
	case a.Tenant != "" && part != PartWhole && part != PartQuarantine:
		refused.Obstacle = ObstacleTenant
	case s.doubtful(a, part):
		refused.Obstacle, refused.Doubts = ObstacleUnclear, a.ownDoubts()
	case a.Dirty == Releasing && part.Moves():
		refused.Obstacle = ObstacleReleasing
	case a.Shared && !s.Shared && a.HyperscalerType != "": // without a type the broker does not find it
		refused.Part, refused.Obstacle = PartShared, ObstacleBroker
	case s.Quarantine != "" && (c.Quarantine != nil || c.Dirty != nil):
		refused.Part, refused.Obstacle = PartQuarantine, s.noQuarantine(a)
	case s.Shared && !a.Shared:
		refuseShared(a, c, refused)
	}
	if refused.Obstacle == "" {
		return nil
	}
	return refused
}

// doubtful reports whether a change must not be made because it is in doubt whose the account is.
func (s Supply) doubtful(a Account, part Part) bool {
	if s.Shared && !a.Shared {
		return len(a.ownDoubts()) > 0
	}
	return a.mayBe(ClassHeld) && part != PartWhole && part != PartQuarantine
}

// refuseShared notes what prevents an account from being shared.
func refuseShared(a Account, c Change, refused *SupplyError) {
	switch {
	case a.Dirty != Clean && c.Dirty == nil: // the broker does not read dirty there
		refused.Part, refused.Obstacle = PartShared, ObstacleDirty
	case len(a.Records)+len(a.Unreadable) > 0: // on a shared account no release takes its record away
		refused.Part, refused.Obstacle, refused.Claims = PartShared, ObstacleRecords, a.recorded()
	}
}

// noQuarantine says what prevents an account from being put aside; empty = nothing.
func (s Supply) noQuarantine(a Account) Obstacle {
	switch {
	case s.Shared:
		return ObstacleShared
	case a.Dirty == Releasing:
		return ObstacleReleasing
	case a.Dirty != Clean && a.Dirty != Quarantined:
		return ObstacleDirty
	}
	return ""
}

// IsOn reports whether an account is exactly what the supply says, apart from what others write on it.
func (s Supply) IsOn(a Account) bool {
	change, _ := s.Change(a, slices.Collect(maps.Keys(a.Labels)))
	return change.IsOn(a) && a.Credentials != nil && a.Credentials.same(s.Credentials)
}

// Exists says that there is an object of the name of a supply.
func (s Supply) Exists(there Account) error {
	return &ExistsError{Account: there.Name, Same: s.IsOn(there), Deleting: there.Terminating}
}

// KeptByTwin says what another binding of the same credentials has against a change; nil = nothing.
func (a *Account) KeptByTwin(part Part) error {
	for _, twin := range a.twins {
		refused := &SupplyError{Account: a.Name, Part: part, Tenant: twin.Tenant, Twin: twin.Name}
		switch {
		case twin.Tenant != "" && !twin.Shared:
			refused.Obstacle = ObstacleTenant
		case twin.Dirty == Releasing:
			refused.Obstacle = ObstacleReleasing
		case twin.Dirty != Clean && twin.Dirty != Quarantined:
			refused.Obstacle = ObstacleDirty
		case len(twin.ownDoubts()) > 0:
			refused.Obstacle, refused.Doubts = ObstacleUnclear, a.Doubts()
		default:
			continue
		}
		return refused
	}
	return nil
}

// Unwiped reports whether the account is out of circulation until it is wiped.
func (a *Account) Unwiped() bool { return a.Dirty != Clean && a.Dirty != Quarantined }

// KeptBy says what on the account itself keeps it in the pool; nil = nothing. One that is marked dirty is not its tenant's any
// more, though the label is there: where the clean-up job does not come it would stay for ever.
func (a *Account) KeptBy() *SupplyError {
	refused := &SupplyError{Account: a.Name, Tenant: a.Tenant, Internal: a.Internal, Claims: a.claimNames()}
	switch {
	case a.Dirty == Releasing:
		refused.Obstacle = ObstacleReleasing
	case len(refused.Claims) > 0:
		refused.Obstacle = ObstacleClaims
	case len(a.Unreadable) > 0:
		refused.Obstacle, refused.Claims = ObstacleUnreadable, a.Unreadable
	case a.Tenant != "" && a.Dirty != Dirtied:
		refused.Obstacle = ObstacleTenant
	case a.mayBe(ClassHeld) && a.Dirty != Dirtied:
		refused.Obstacle, refused.Doubts = ObstacleUnclear, a.ownDoubts()
	default:
		return nil
	}
	return refused
}

// KeepsQuotas says that an account with quotas is only replaced where its owner says what quotas the new one has.
func (s Supply) KeepsQuotas(a Account) error {
	if c := a.Credentials; c != nil && len(c.Quotas) > 0 && s.Credentials.Quotas == nil {
		return &SupplyError{Account: a.Name, Quotas: c.Quotas, Obstacle: ObstacleQuotas}
	}
	return nil
}

// Obstacle says what prevents a change by the pool's owner. That is another question than the [Class] of the account: its owner may change
// some accounts that no claim takes, and an account of any class may have records or quotas that prevent a change.
type Obstacle string

// The obstacles.
const (
	ObstacleTenant  Obstacle = "tenant"  // a Global Account holds the account
	ObstacleClaims  Obstacle = "claims"  // claims are on it
	ObstacleRecords Obstacle = "records" // records of claims lie on it that do not count any more
	// ObstacleUnreadable: records of claims lie on it that cannot be read, so that it is not known whether they count.
	ObstacleUnreadable Obstacle = "unreadable"
	ObstacleClusters   Obstacle = "clusters"  // clusters are on it
	ObstacleReleasing  Obstacle = "releasing" // a release is under way
	ObstacleDeleting   Obstacle = "deleting"  // it is being deleted
	ObstacleDirty      Obstacle = "dirty"     // it is marked dirty
	ObstacleUnmarked   Obstacle = "unmarked"  // it is marked dirty, and the Twin, which would be free without it, is not
	// ObstacleBroker: it is shared, and the broker, which reads no label to take it, may have chosen it for a cluster on its way.
	ObstacleBroker Obstacle = "broker"
	ObstacleShared Obstacle = "shared" // it is shared, and the broker does not read the label dirty of shared accounts
	// ObstacleQuotas: it has quotas, and its owner does not say whether the account that takes its place has them.
	ObstacleQuotas Obstacle = "quotas"
	// ObstacleUnclear: by labels or annotations that are not read it may be another Global Account's, shared, dirty or internal.
	ObstacleUnclear Obstacle = "unclear"
	// ObstacleLabelled: it is not made yet, and its credentials have the labels of an account that is not free.
	ObstacleLabelled Obstacle = "labelled"
)

// SupplyError says why the pool's owner must not change an account as it is, or take it out of the pool.
type SupplyError struct {
	Account  string
	Part     Part     // what was to be changed
	Obstacle Obstacle // what prevents it
	Twin     string   // the other binding of the credentials that prevents it; empty = the account itself does
	Tenant   string   // the Global Account of ObstacleTenant and ObstacleClaims
	Internal bool     // the account is internal: neither a destroyed claim nor the clean-up job ends what its tenant has of it
	// Claims are the names of the claims of ObstacleClaims, what the records of ObstacleRecords say, and the keys of ObstacleUnreadable.
	Claims []string
	Quotas []QuotaRef // those of ObstacleQuotas
	Doubts []string   // those of ObstacleUnclear, see [Account.Doubts]; what the labels of ObstacleLabelled say
	// Credentials are those of ObstacleLabelled.
	Credentials CredentialsRef
	Users       []User // those of ObstacleClusters
	Counted     int    // how many clusters were last counted, where the Users were not read
	Err         error  // what ended the wait of ObstacleDeleting; nil = there was none
	Held        string // what keeps the account of ObstacleDeleting, see [Account]
}

func (e *SupplyError) Error() string {
	switch e.Obstacle {
	case ObstacleTenant:
		return fmt.Sprintf("%s is held by Global Account %s%s", e.bearer(), e.Tenant, e.what())
	case ObstacleClaims:
		return fmt.Sprintf("account %s bears %s of Global Account %s (%s)%s", e.Account, words.Count(len(e.Claims), "claim"), e.Tenant,
			strings.Join(e.Claims, ", "), e.what())
	case ObstacleRecords:
		return fmt.Sprintf("account %s bears %s that may come alive (%s)%s", e.Account, words.Count(len(e.Claims), "record"),
			strings.Join(e.Claims, ", "), e.what())
	case ObstacleUnreadable:
		return (&UnreadableRecordError{Account: e.Account, Keys: e.Claims}).Error() + e.what()
	case ObstacleClusters:
		if len(e.Users) == 0 {
			return fmt.Sprintf("account %s has %s, as last counted%s", e.Account, words.Count(e.Counted, "cluster"), e.what())
		}
		return (&InUseError{Account: e.Account, Users: e.Users}).Error() + e.what()
	case ObstacleReleasing:
		return fmt.Sprintf("%s (label dirty=%s)%s", ClassReleasing.describe(e.bearer()), Releasing, e.what())
	case ObstacleDirty:
		return fmt.Sprintf("%s is marked dirty%s", e.bearer(), e.what())
	case ObstacleUnmarked:
		return fmt.Sprintf("account %s is marked dirty, and %s, which has the same credentials, is not: without the account it would be free, "+
			"with all that is in the cloud account", e.Account, e.Twin)
	case ObstacleBroker:
		return fmt.Sprintf("account %s is shared, and the broker may have chosen it for a cluster that is still on its way: another tenant's "+
			"account would get that cluster%s", e.Account, e.what())
	case ObstacleQuotas:
		return fmt.Sprintf("account %s has %s (%s), and nothing says whether the account that takes its place has them, too%s", e.Account,
			words.Count(len(e.Quotas), "quota"), joined(e.Quotas), e.what())
	case ObstacleUnclear:
		return fmt.Sprintf("%s (%s)%s", ClassUnclear.DescribeAccount(e.Account), strings.Join(e.Doubts, ", "), e.what())
	case ObstacleLabelled:
		return fmt.Sprintf("the %s %s in namespace %q, the credentials of account %s, has labels of an account that is not free (%s): its "+
			"binding would be", e.Credentials.Kind, e.Credentials.Name, e.Credentials.Namespace, e.Account, strings.Join(e.Doubts, ", "))
	case ObstacleShared:
		return fmt.Sprintf("account %s is shared, and the broker puts clusters on a shared account whatever its label dirty says", e.Account)
	}
	text := ClassDeleting.DescribeAccount(e.Account)
	if e.Held != "" {
		text += ", " + e.Held
	}
	if e.Err == nil {
		return text + e.what()
	}
	return fmt.Sprintf("%s, and was not gone in time: %v", text, e.Err)
}

// joined lists quotas.
func joined(quotas []QuotaRef) string {
	names := make([]string, len(quotas))
	for i, q := range quotas {
		names[i] = q.String()
	}
	return strings.Join(names, ", ")
}

// what names the change.
func (e *SupplyError) what() string {
	if e.Part == PartWhole {
		return ""
	}
	if e.Twin != "" {
		return fmt.Sprintf(", and the %s of account %s cannot change", e.Part, e.Account)
	}
	return fmt.Sprintf(", and its %s cannot change", e.Part)
}

// bearer names the binding that prevents the change.
func (e *SupplyError) bearer() string {
	if e.Twin == "" {
		return "account " + e.Account
	}
	return e.Twin + ", which has the same credentials,"
}

// Unwrap returns what ended the wait.
func (e *SupplyError) Unwrap() error { return e.Err }

// ExistsError says that there is an account of this name already.
type ExistsError struct {
	Account string
	Same    bool // it is just as it was to be
	// Deleting says that it is being deleted, and that its name is free when it is gone.
	Deleting bool
}

func (e *ExistsError) Error() string {
	switch {
	case e.Deleting:
		return fmt.Sprintf("account %s is still there and is being deleted", e.Account)
	case e.Same:
		return fmt.Sprintf("account %s exists already, just as it was to be made", e.Account)
	}
	return fmt.Sprintf("account %s exists already", e.Account)
}
