package protocol

import "github.com/hap-project/terraform-provider-hap/internal/pool/account"

// index is one list of all accounts, by name, by hyperscaler type, and by the key of each claim on them; and of all that refers to
// credentials, siblings too, the names by the reference.
type index struct {
	all      []*account.Account
	byName   map[string]*account.Account // with the siblings
	byType   map[string][]*account.Account
	unheld   map[string][]*account.Account // those of a type that no Global Account holds by their own label, see tenantOf
	byClaim  map[string][]*account.Account
	held     map[string][]*account.Account // by the Global Account that the label names
	byRef    map[account.CredentialsRef][]string
	doubled  map[account.CredentialsRef]bool // the references that several objects have
	byOther  map[string][]string             // the names of the siblings in the pool's namespace, by the key of each claim on them
	declared declared
	alike    map[string][]string // the bindings by their names, and by those of their Secrets, see [account.Account.PlainNames]
	kinds    map[string]bool     // the other kinds of bindings of which the pool's namespace has some
}

func newIndex(n int) *index {
	return &index{
		all: make([]*account.Account, 0, n), byName: make(map[string]*account.Account, n),
		byType: map[string][]*account.Account{}, unheld: map[string][]*account.Account{},
		byClaim: map[string][]*account.Account{}, held: map[string][]*account.Account{},
		byRef: make(map[account.CredentialsRef][]string, n), doubled: map[account.CredentialsRef]bool{},
		byOther: map[string][]string{}, kinds: map[string]bool{}, alike: make(map[string][]string, n),
	}
}

func (i *index) add(a *account.Account) {
	i.byName[a.Name] = a
	i.declared.add(a)
	for _, name := range a.PlainNames() {
		i.alike[name] = append(i.alike[name], a.Name)
	}
	for _, ref := range a.CredentialsKeys() {
		i.byRef[ref] = append(i.byRef[ref], a.Name)
		if len(i.byRef[ref]) > 1 {
			i.doubled[ref] = true
		}
	}
	if a.Sibling {
		if kind, _ := account.BindingName(a.Name); a.Outside == "" {
			i.kinds[kind] = true
			for _, key := range a.Claims() {
				i.byOther[key] = append(i.byOther[key], a.Name)
			}
		}
		return
	}
	i.all = append(i.all, a)
	i.byType[a.HyperscalerType] = append(i.byType[a.HyperscalerType], a)
	if a.Tenant != "" {
		i.held[a.Tenant] = append(i.held[a.Tenant], a)
	}
	if tenantOf(a) == "" {
		i.unheld[a.HyperscalerType] = append(i.unheld[a.HyperscalerType], a)
	}
	for _, key := range a.Claims() {
		i.byClaim[key] = append(i.byClaim[key], a)
	}
}

// tenantOf is the Global Account that holds an account by its own label: whatever its other bindings say, no other one can be given it
// ([account.Classify]). Empty = none does, or all share it.
func tenantOf(a *account.Account) string {
	if a.Shared {
		return ""
	}
	return a.Tenant
}
