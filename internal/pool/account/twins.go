package account

import (
	"fmt"
	"slices"
	"strings"
)

// ByName orders accounts by their names.
func ByName(a, b *Account) int { return strings.Compare(a.Name, b.Name) }

// A cloud account is its credentials (ADR 011). Objects that refer to the same credentials are one cloud account: its twins. What is known
// against one of them is known against all, and what is counted on one of them is counted on the account.

// BindingKinds are the kinds of bindings that may refer to the credentials of an account.
var BindingKinds = []string{"CredentialsBinding", "SecretBinding"}

// BindingOf names a binding of another kind than the accounts', as in [Account.Name] and [Counts.Add]: "SecretBinding aws-1".
func BindingOf(kind, name string) string { return kind + " " + name }

// OutsideName names a binding of another namespace than the pool's: "CredentialsBinding garden-b/aws-1".
func OutsideName(kind, namespace, name string) string { return BindingOf(kind, namespace+"/"+name) }

// BindingName returns the kind and the name of a sibling; the kind is empty where it is that of the accounts.
func BindingName(sibling string) (kind, name string) {
	kind, name, other := strings.Cut(sibling, " ")
	if !other {
		return "", kind
	}
	return kind, name
}

// NoAccount says that a name is that of a binding of another kind, which is no account of the pool; nil = it is not.
func NoAccount(name string) error {
	if kind, _ := BindingName(name); kind != "" {
		return &NotFoundError{Account: name}
	}
	return nil
}

// Twins returns the other objects that refer to the same credentials, by name, as far as they were known when the account was judged.
func (a *Account) Twins() []*Account { return a.twins }

// Bare returns the account as its own metadata says it: without its credentials, and without what other bindings say.
func (a *Account) Bare() Account {
	bare := *a
	bare.Credentials, bare.twins, bare.strays = nil, nil, nil
	return bare
}

// WithTwins returns the account as one that has these twins.
func (a *Account) WithTwins(twins []*Account) *Account {
	judged := *a
	judged.twins = twins
	return &judged
}

// Strays returns the bindings that may be twins as well, as far as they were known when the account was judged.
func (a *Account) Strays() []*Account { return a.strays }

// WithStrays returns the account as one of which these bindings may be twins, see [Account.MayJoin].
func (a *Account) WithStrays(strays []*Account) *Account {
	judged := *a
	judged.strays = strays
	return &judged
}

// IsStray reports whether the cloud account into which a binding leads by the word of the pool's owner cannot be known: the annotation
// names no Secret, or one that nothing else refers to; others are the further objects that refer to what it names.
func (a *Account) IsStray(others int) bool {
	if a.SameAs.Name == "" {
		return a.SameAsUnread != ""
	}
	return others == 0 && (a.Credentials == nil || a.Credentials.Ref.Key() != a.SameAs.Key())
}

// MayJoin reports whether a stray may be meant to be a twin of an account on the credentials of a Secret: of any where its annotation
// cannot be read. A Secret that nothing else refers to may be right, where the last binding of it has gone: such a stray may be meant for
// an account whose binding, or whose Secret in another namespace, has that name, with dots or hyphens, and for no other.
func (a *Account) MayJoin(other *Account) bool {
	_, plain := BindingName(other.Name)
	for _, key := range other.CredentialsKeys() {
		switch {
		case !key.IsSecret():
		case a.SameAs.Name == "":
			return a.providerType() == "" || other.providerType() == "" || a.providerType() == other.providerType()
		case PlainName(key.Name) == PlainName(a.SameAs.Name), PlainName(plain) == PlainName(a.SameAs.Name):
			return true
		}
	}
	return false
}

// PlainName is a name of an object with hyphens for dots: two names that are easily mistaken for each other have the same one.
func PlainName(name string) string { return strings.ReplaceAll(name, ".", "-") }

// PlainNames are the plain names by which an annotation may mean the account: that of the binding, and those of the Secrets that it leads
// to.
func (a *Account) PlainNames() []string {
	_, plain := BindingName(a.Name)
	names := []string{PlainName(plain)}
	for _, key := range a.CredentialsKeys() {
		if name := PlainName(key.Name); key.IsSecret() && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// RefersTo reports whether the binding itself refers to credentials, whatever its annotation says.
func (a *Account) RefersTo(key CredentialsRef) bool {
	return a.Credentials != nil && a.Credentials.Ref.Key() == key
}

// providerType is that of the credentials; "" = it is not known.
func (a *Account) providerType() string {
	if a.Credentials == nil {
		return ""
	}
	return a.Credentials.ProviderType
}

// Engaged reports whether something is known of the object itself for which no other Global Account may come into its cloud account.
func (a *Account) Engaged() bool {
	return a.Tenant != "" || a.Shared || a.Internal || a.Dirty != Clean || len(a.Misread) > 0 || len(a.Claims())+len(a.Unreadable) > 0
}

// strayFor returns a stray by which others than the tenant may use the cloud account; nil = there is none.
func (a *Account) strayFor(tenant string) *Account {
	for _, s := range a.strays {
		if tenant == "" || s.Tenant != tenant || s.Shared || s.Internal || s.Dirty != Clean {
			return s
		}
	}
	return nil
}

// Bindings are the account and its twins.
func (a *Account) Bindings() []*Account { return append([]*Account{a}, a.twins...) }

// dirt returns the worst that the label dirty says on one of the bindings, and the binding that has it.
func (a *Account) dirt() (Dirt, *Account) {
	for _, worst := range []func(Dirt) bool{
		func(d Dirt) bool { return d == Releasing },
		func(d Dirt) bool { return d == Quarantined },
		func(d Dirt) bool { return d != Clean },
	} {
		for _, b := range a.Bindings() {
			if worst(b.Dirty) {
				return b.Dirty, b
			}
		}
	}
	return Clean, nil
}

// Holder returns the Global Account that holds the cloud account by one of its bindings in the pool's namespace, and that binding; the
// account's own label comes first. Nil = none holds it.
func (a *Account) Holder() (tenant string, by *Account) {
	for _, b := range a.Bindings() {
		if b.Tenant != "" && !b.Shared && b.Outside == "" {
			return b.Tenant, b
		}
	}
	return "", nil
}

// StrayByName returns a stray in use whose annotation gives a name of the account, or whose name the account's annotation gives; nil =
// there is none. Clusters that come by it may be on the cloud account.
func (a *Account) StrayByName() *Account {
	for _, s := range a.strays {
		if s.SameAsUnread == "" {
			return s
		}
	}
	return nil
}

// IntruderFor returns a twin by which others than the tenant use the cloud account: another Global Account holds it, or all share it; nil =
// there is none. For a shared account each twin that a Global Account holds is one.
func (a *Account) IntruderFor(tenant string) *Account {
	for _, twin := range a.twins {
		switch {
		case twin.Shared && !a.Shared, twin.Tenant != "" && !twin.Shared && (a.Shared || twin.Tenant != tenant):
			return twin
		}
	}
	return nil
}

// Intruder returns another binding of the credentials by which others use the cloud account than the Global Account that holds it: another
// one holds it, or all share it. Nil = there is none.
func (a *Account) Intruder() *Account {
	holder, _ := a.Holder()
	return a.IntruderFor(holder)
}

// OutsideTwin returns a binding of another namespace that refers to the same credentials; nil = none is known. Whose clusters it brings to
// the cloud account is not known.
func (a *Account) OutsideTwin() *Account {
	for _, twin := range a.twins {
		if twin.Outside != "" {
			return twin
		}
	}
	return nil
}

// InternalBy returns the binding that says that the cloud account is kept for internal use; nil = none does.
func (a *Account) InternalBy() *Account {
	for _, b := range a.Bindings() {
		if b.Internal {
			return b
		}
	}
	return nil
}

// duplicate returns the account that represents the cloud account in place of this one; nil = there is none. Of several unclaimed accounts
// with the same credentials one alone can be claimed, the first by name: two claims meet there, and the precondition of the write lets one
// of them win.
func (a *Account) duplicate() *Account {
	if a.Tenant != "" || a.Shared {
		return nil
	}
	first := a
	for _, twin := range a.twins {
		if !twin.Sibling && !twin.Terminating && prior(twin, first) {
			first = twin
		}
	}
	if first == a {
		return nil
	}
	return first
}

// Represented reports whether another account of the pool has the same credentials: the cloud account stays in the pool when this one goes,
// with the clusters that name the other one.
func (a *Account) Represented() bool {
	return slices.ContainsFunc(a.twins, func(twin *Account) bool { return !twin.Sibling && !twin.Terminating })
}

// Uncovered says that a marked account must not leave the pool while another account of the same credentials has no mark: that one would be
// free, with all that is in the cloud account. Nil = it may.
func (a *Account) Uncovered() error {
	uncovers := func(twin *Account) bool {
		return (!twin.Sibling || twin.freeElsewhere()) && !twin.Terminating && twin.Dirty == Clean
	}
	i := slices.IndexFunc(a.twins, uncovers)
	if a.Dirty == Clean || i < 0 {
		return nil
	}
	return &SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: ObstacleUnmarked, Twin: a.twins[i].Name}
}

// freeElsewhere reports whether a binding of another kind is an account that a Global Account may claim in a pool of its kind.
func (a *Account) freeElsewhere() bool {
	return a.Sibling && a.HyperscalerType != "" && a.Outside == "" && a.Tenant == "" && !a.Shared && !a.Internal
}

// prior orders the accounts of one cloud account: those that are held or shared come first, then by name.
func prior(a, b *Account) bool {
	if used, other := a.Tenant != "" || a.Shared, b.Tenant != "" || b.Shared; used != other {
		return used
	}
	return a.Name < b.Name
}

// OnePerCloudAccount returns the first of those that have the same credentials, and all that have no twin among them, in their order.
func OnePerCloudAccount(accounts []*Account) (first []*Account) {
	for _, a := range accounts {
		if len(a.twins) == 0 || !slices.ContainsFunc(first, a.IsTwin) {
			first = append(first, a)
		}
	}
	return first
}

// IsTwin reports whether another account of the pool has the same credentials.
func (a *Account) IsTwin(other *Account) bool {
	return slices.ContainsFunc(a.twins, func(twin *Account) bool { return !twin.Sibling && twin.Name == other.Name })
}

// ClaimsOnTwins returns how many claims are on the other bindings of the cloud account.
func (a *Account) ClaimsOnTwins() (claims int) {
	for _, twin := range a.twins {
		claims += len(twin.Claims()) + len(twin.Unreadable)
	}
	return claims
}

// TwinTrouble says what another binding of the credentials makes of an account that a Global Account holds, or shares with all; "" =
// nothing that matters to its clusters. It continues a sentence about the account.
func (a *Account) TwinTrouble(tenant string) string {
	const twin = "%s, which has the same credentials and so is the same cloud account, "
	intruder := a.IntruderFor(tenant)
	dirt, by := a.dirt()
	switch {
	case intruder != nil && intruder.Shared:
		return fmt.Sprintf(twin+"is shared by all Global Accounts", intruder.Name)
	case intruder != nil:
		return fmt.Sprintf(twin+"is held by Global Account %s", intruder.Name, intruder.Tenant)
	case dirt != Clean && by != a:
		return fmt.Sprintf(twin+"is out of circulation (label dirty=%s)", by.Name, dirt)
	}
	return ""
}

// because says which other binding puts an account into its class, to follow the reason; "" = the account's own labels do, or what is
// counted on it.
func (a *Account) because(class Class) string {
	if class == ClassUnclear {
		holder, _ := a.Holder()
		return " (" + strings.Join(a.contested(holder), ", ") + ")"
	}
	by := a.cause(class)
	if by == nil || by == a {
		return ""
	}
	return fmt.Sprintf(" (by %s, which has the same credentials)", by.Name)
}

// cause returns the binding that puts an account into a class; nil = none in particular.
func (a *Account) cause(class Class) *Account {
	switch class {
	case ClassReleasing, ClassQuarantined, ClassDirty:
		_, by := a.dirt()
		return by
	case ClassHeld, ClassTaken:
		if intruder := a.IntruderFor(a.Tenant); a.Tenant != "" && intruder != nil {
			return intruder
		}
		if _, by := a.Holder(); by != nil {
			return by
		}
		return a.IntruderFor("")
	case ClassInternal:
		return a.InternalBy()
	case ClassDuplicate:
		return a.duplicate()
	}
	return nil
}
