package garden

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// KebabLabelKeys returns the keys of older pools, which write hyperscaler-type and tenant-name.
func KebabLabelKeys() LabelKeys {
	k := DefaultLabelKeys()
	k.HyperscalerType, k.TenantName = "hyperscaler-type", "tenant-name"
	return k
}

// CheckLabelKey says what is wrong with the key of a label: a name of at most 63 characters, with a DNS name and a slash
// before it or without.
func CheckLabelKey(key string) error {
	if wrong := validation.IsQualifiedName(key); len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
