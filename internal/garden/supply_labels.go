package garden

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// readSupply reads from the metadata of an account what only the pool's owner writes.
func (k LabelKeys) readSupply(a *account.Account, meta *metav1.ObjectMeta) {
	for _, flag := range []account.Flag{account.FlagShared, account.FlagEUAccess, account.FlagInternal} {
		if value, ok := meta.Labels[k.flag(flag)]; ok && value != "true" {
			a.FalseFlags = append(a.FalseFlags, flag)
		}
	}
	a.Quarantine = meta.Annotations[account.QuarantineAnnotation]
	for key, value := range meta.Labels {
		if k.Has(key) || OfGardener(key) {
			continue
		}
		if a.Labels == nil {
			a.Labels = map[string]string{}
		}
		a.Labels[key] = value
	}
}

// supplyLabels returns the labels that a change by the pool's owner sets; nil removes one.
func (k LabelKeys) supplyLabels(change account.Change) map[string]any {
	set := map[string]any{}
	if change.HyperscalerType != nil {
		set[k.HyperscalerType] = orNull(*change.HyperscalerType)
	}
	for flag, on := range change.Flags {
		set[k.flag(flag)] = nil
		if on {
			set[k.flag(flag)] = "true"
		}
	}
	for key, value := range change.Labels {
		set[key] = nil
		if value != nil {
			set[key] = *value
		}
	}
	return set
}

// flag returns the key of a flag.
func (k LabelKeys) flag(flag account.Flag) string {
	switch flag {
	case account.FlagShared:
		return k.Shared
	case account.FlagEUAccess:
		return k.EUAccess
	}
	return k.Internal
}

// Has reports whether a key is that of one of the six labels.
func (k LabelKeys) Has(key string) bool {
	switch key {
	case k.HyperscalerType, k.TenantName, k.Shared, k.EUAccess, k.Dirty, k.Internal:
		return true
	}
	return false
}

// OfGardener reports whether the key of a label is one that Gardener writes by itself.
func OfGardener(key string) bool {
	domain, _, prefixed := strings.Cut(key, "/")
	return prefixed && (domain == "gardener.cloud" || strings.HasSuffix(domain, ".gardener.cloud"))
}
