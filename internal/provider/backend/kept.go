package backend

import (
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// maxKeptFor is how many claims a warning names for which an account is kept.
const maxKeptFor = 10

// keptAccounts are the accounts that deletes of this run have left to their Global Accounts, each with the claims for which it was, by the
// keys of their records.
type keptAccounts struct {
	summary  string                       // of the warning
	accounts map[string]map[string]string // what the claims are called, by account and key
	ended    set[string]                  // the claims that this run has ended
}

// KeptFor is an account that a delete has left to its Global Account, because of another claim.
type KeptFor struct {
	Account, Key string // the account, and the key of the claim's record
	Claim        string // what the claim is called
}

// Keep notes that a delete has left an account to its Global Account. The summary is that of the warning, where the other claims outlive
// the run.
func (w *GatheredWarnings) Keep(summary string, others ...KeptFor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.summary = summary
	for _, other := range others {
		if w.kept.accounts == nil {
			w.kept.accounts = map[string]map[string]string{}
		}
		if w.kept.accounts[other.Account] == nil {
			w.kept.accounts[other.Account] = map[string]string{}
		}
		w.kept.accounts[other.Account][other.Key] = other.Claim
	}
}

// Ended notes that this run has ended a claim, by the key of its record: an account is not kept for it any more.
func (w *GatheredWarnings) Ended(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.ended.add(key)
}

// warnings returns the warnings about accounts that are kept for claims which outlive the run.
func (k *keptAccounts) warnings() (told []GatheredWarning) {
	for _, account := range slices.Sorted(maps.Keys(k.accounts)) {
		var claims []string
		for key, claim := range k.accounts[account] {
			if !k.ended[key] {
				claims = append(claims, claim)
			}
		}
		if len(claims) == 0 {
			continue
		}
		slices.Sort(claims)
		const remedy = " Where no state has them any more the account stays so for ever: import such a claim into a configuration of its " +
			"own (its import ID is Global Account/account/name), and destroy it there."
		item := account + ": " + words.First(maxKeptFor, claims)
		told = append(told, GatheredWarning{
			Summary: k.summary, Item: item,
			One: "The account was neither marked nor freed, and stays with its Global Account, because other claims are on it. " +
				item + "." + remedy,
			Many: "accounts were neither marked nor freed, and stay with their Global Accounts, because other claims are on them." +
				strings.Replace(remedy, "the account stays", "the accounts stay", 1),
		})
	}
	return told
}
