package account

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// second warns that a Global Account which may have one account of the pool has others beside the chosen: those of these classes, and those
// that are put aside. One that waits for its clean-up or its deletion is on its way out.
func (s *selection) second(chosen *Account, classes ...Class) []string {
	if s.multi || s.Target.Shared {
		return nil
	}
	classes = append(classes, ClassUnclear, ClassTaken, ClassQuarantined)
	var others, whys []string
	for _, a := range OnePerCloudAccount(s.heldIn(classes)) {
		if a == chosen || a.IsTwin(chosen) {
			continue
		}
		others = append(others, a.Name)
		if class := s.class(a); class != ClassHeld && len(whys) < maxNamed {
			whys = append(whys, fmt.Sprintf("%s takes no new cluster: %s%s.", a.Name, class.Describe(), a.because(class)))
		}
	}
	if len(others) == 0 {
		return nil
	}
	remedy := "Find out what is to become of it."
	if s.Pin != "" {
		remedy = "Leave out binding_name, or allow several accounts."
	}
	return []string{fmt.Sprintf("Global Account %s is not allowed several accounts of pool %s, and %s is not its only one: it has %s "+
		"already. %s", s.GlobalAccount, s.Target, chosen.Name, words.First(maxNamed, others),
		strings.Join(append(whys, "The broker may go on with another account than "+chosen.Name+".", remedy), " "))}
}

// maxNamed is how many accounts a warning of several names.
const maxNamed = 5

// heldIn returns the accounts that are the Global Account's by one of their bindings, and of one of these classes, by name.
func (s *selection) heldIn(classes []Class) []*Account {
	of := slices.DeleteFunc(slices.Clone(s.held), func(a *Account) bool { return !slices.Contains(classes, s.class(a)) })
	slices.SortFunc(of, ByName)
	return of
}
