package garden

import (
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// readings are the labels that say whose an account is, or that it is for no claim.
var readings = []struct {
	key    func(LabelKeys) string
	class  account.Class           // what the account is where the label says so
	says   func(value string) bool // whether it does: more values than the label of the pool needs, because they are in doubt
	others bool                    // the pool's owner never writes the label
}{
	{func(k LabelKeys) string { return k.TenantName }, account.ClassHeld, func(value string) bool { return value != "" }, true},
	{func(k LabelKeys) string { return k.Shared }, account.ClassShared, isTrue, false},
	{func(k LabelKeys) string { return k.Dirty }, account.ClassDirty, func(value string) bool { return value != "false" }, true},
	{func(k LabelKeys) string { return k.Internal }, account.ClassInternal, isTrue, false},
}

func isTrue(value string) bool { return strings.EqualFold(value, "true") }

// misread returns the labels that look like one of the readings, and say it where the pool's own label does not.
func (k LabelKeys) misread(labels map[string]string) (found []account.Misread) {
	for key, value := range labels {
		i := k.lookalike(key)
		if i < 0 {
			continue
		}
		m := account.Misread{Key: key, Value: fitValue(value), Others: readings[i].others}
		if readings[i].says(value) && labels[readings[i].key(k)] != value {
			m.Says = readings[i].class
		}
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b account.Misread) int { return strings.Compare(a.Key, b.Key) })
	return found
}

// lookalike returns the reading whose key is alike to a key that is none of the pool's: to the key that the provider is set to, or to the
// usual one. -1 = there is none.
func (k LabelKeys) lookalike(key string) int {
	if k.Has(key) {
		return -1
	}
	plain, usual := account.PlainKey(key), DefaultLabelKeys()
	for i, r := range readings {
		if plain == account.PlainKey(r.key(k)) || plain == account.PlainKey(r.key(usual)) {
			return i
		}
	}
	return -1
}

// Doubt reports whether a label looks like one of the pool's under another key, and says what would leave in doubt whose the account is: no
// claim takes it then.
func (k LabelKeys) Doubt(key, value string) bool {
	i := k.lookalike(key)
	return i >= 0 && readings[i].says(value)
}

// OfOthers reports whether the key of a label looks like one that the pool's owner never writes, and is not the pool's own.
func (k LabelKeys) OfOthers(key string) bool {
	i := k.lookalike(key)
	return i >= 0 && readings[i].others
}
