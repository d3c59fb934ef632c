package garden

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// LabelKeys are the keys of the six labels by which an account says what it is.
type LabelKeys struct {
	HyperscalerType, TenantName, Shared, EUAccess, Dirty, Internal string
}

// DefaultLabelKeys returns the keys that KEB uses on CredentialsBindings.
func DefaultLabelKeys() LabelKeys {
	return LabelKeys{
		HyperscalerType: "hyperscalerType", TenantName: "tenantName", Shared: "shared",
		EUAccess: "euAccess", Dirty: "dirty", Internal: "internal",
	}
}

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

// account reads an account from the metadata of its object. Annotations that have the name of a claim record and cannot be read as one
// are kept by their keys.
func (k LabelKeys) account(meta *metav1.ObjectMeta) account.Account {
	a := account.Account{
		Name: meta.Name, UID: string(meta.UID), Version: meta.ResourceVersion, Terminating: meta.DeletionTimestamp != nil,
		HyperscalerType: fitValue(meta.Labels[k.HyperscalerType]), Tenant: fitValue(meta.Labels[k.TenantName]),
		Shared: meta.Labels[k.Shared] == "true", EUAccess: meta.Labels[k.EUAccess] == "true", Internal: meta.Labels[k.Internal] == "true",
	}
	if a.Terminating {
		a.Held = kube.HeldBy(meta.Finalizers)
	}
	if dirty, ok := meta.Labels[k.Dirty]; ok && dirty != "false" {
		a.Dirty = account.Dirt(fitValue(dirty))
		if dirty == "" {
			a.Dirty = account.Dirtied // KEB goes by the presence of the key
		}
	}
	a.Unseen, a.Misspelt, a.Misread = k.unseen(meta.Labels, a.Shared), k.misspelt(meta.Labels), k.misread(meta.Labels)
	k.readSupply(&a, meta)
	a.Made = meta.CreationTimestamp.UTC()
	a.LastHeld, _ = time.Parse(time.RFC3339, meta.Annotations[account.LastHeldAnnotation]) // what is no time is none
	for key, value := range meta.Annotations {
		if !strings.HasPrefix(key, account.AnnotationPrefix) {
			continue
		}
		record, err := account.ReadRecord(value)
		if err != nil {
			a.Unreadable = append(a.Unreadable, key)
			continue
		}
		if a.Records == nil {
			a.Records = map[string]account.Record{}
		}
		a.Records[key] = record
	}
	slices.Sort(a.Unreadable)
	return a
}

// fitValue is the value of a label, fit to be shown where it holds what no label of a real server can.
func fitValue(value string) string {
	if strings.ContainsFunc(value, unicode.IsControl) {
		return kube.Clean(value)
	}
	return value
}

// unseen lists the labels for which KEB never finds an account, neither to claim it nor for the tenant that holds it: it
// asks for the absence of their keys, for some of them not of shared accounts. Values that stop KEB on purpose are no such
// labels.
func (k LabelKeys) unseen(labels map[string]string, shared bool) []string {
	var unseen []string
	note := func(key string, meant ...string) {
		if value, ok := labels[key]; ok && !slices.Contains(meant, value) {
			unseen = append(unseen, key+"="+fitValue(value))
		}
	}
	if !shared {
		note(k.Dirty, string(account.Dirtied), string(account.Releasing), string(account.Quarantined))
	}
	note(k.EUAccess, "true")
	if value, ok := labels[k.TenantName]; ok && value == "" && !shared {
		unseen = append(unseen, k.TenantName+"=")
	}
	return unseen
}

// misspelt lists the labels of the flags that are read by their value and say neither yes nor no. Only "true" is yes; no is "false" in any
// case.
func (k LabelKeys) misspelt(labels map[string]string) []string {
	var misspelt []string
	for _, key := range []string{k.Shared, k.Internal} {
		if value, ok := labels[key]; ok && value != "true" && !strings.EqualFold(value, "false") {
			misspelt = append(misspelt, key+"="+fitValue(value))
		}
	}
	return misspelt
}

// patch writes a change as a JSON merge patch that the server takes only for the object and version that was judged.
func (k LabelKeys) patch(judged account.Account, change account.Change) ([]byte, error) {
	if judged.UID == "" || judged.Version == "" { // the server would carry it out on whatever it finds
		return nil, fmt.Errorf("account %s is not to be written without the UID and the version that were judged", judged.Name)
	}
	changed, err := k.changed(change)
	if err != nil {
		return nil, err
	}
	meta := map[string]any{"uid": judged.UID, "resourceVersion": judged.Version}
	maps.Copy(meta, changed)
	return json.Marshal(map[string]any{"metadata": meta})
}

// changed returns the labels and annotations that a change sets, as far as there are any; nil removes one.
func (k LabelKeys) changed(change account.Change) (map[string]any, error) {
	set := k.supplyLabels(change)
	if change.Tenant != nil {
		set[k.TenantName] = orNull(*change.Tenant)
	}
	if change.Dirty != nil {
		set[k.Dirty] = orNull(string(*change.Dirty))
	}
	annotations := map[string]any{}
	if change.Quarantine != nil {
		annotations[account.QuarantineAnnotation] = orNull(*change.Quarantine)
	}
	if !change.LastHeld.IsZero() {
		annotations[account.LastHeldAnnotation] = change.LastHeld.UTC().Format(time.RFC3339)
	}
	for key, record := range change.Records {
		if record == nil {
			annotations[key] = nil
			continue
		}
		text, err := json.Marshal(record)
		if err != nil {
			return nil, fmt.Errorf("encoding the claim record: %w", err)
		}
		annotations[key] = string(text)
	}
	meta := map[string]any{}
	if len(set) > 0 {
		meta["labels"] = set
	}
	if len(annotations) > 0 {
		meta["annotations"] = annotations
	}
	return meta, nil
}

// orNull makes the empty value the null that removes a key in a merge patch.
func orNull(value string) any {
	if value == "" {
		return nil
	}
	return value
}

// Selectors are the label selectors of one pool, for people who use kubectl. The provider itself reads
// labels as package pool defines them.
type Selectors struct {
	Pool      string // selects what the next cluster may use: the tenant's accounts, or the shared ones
	Unclaimed string // selects what may be claimed; empty for a shared pool
}

// Selectors returns the selectors of a pool for one Global Account; an empty one means all tenants.
func (k LabelKeys) Selectors(target account.Target, globalAccount string) (Selectors, error) {
	base := []requirement{{k.HyperscalerType, selection.Equals, target.HyperscalerType}}
	if target.EUAccess {
		base = append(base, requirement{k.EUAccess, selection.Equals, "true"})
	} else {
		base = append(base, requirement{k.EUAccess, selection.DoesNotExist, ""})
	}
	if target.Shared {
		text, err := render(append(base, requirement{k.Shared, selection.Equals, "true"}))
		return Selectors{Pool: text}, err
	}
	base = append(base, requirement{k.Shared, selection.NotEquals, "true"}, requirement{k.Dirty, selection.DoesNotExist, ""})
	unclaimed, err := render(append(slices.Clip(base), requirement{k.TenantName, selection.DoesNotExist, ""}))
	if err != nil {
		return Selectors{}, err
	}
	if globalAccount == "" {
		text, err := render(base)
		return Selectors{Pool: text, Unclaimed: unclaimed}, err
	}
	held, err := render(append(slices.Clip(base), requirement{k.TenantName, selection.Equals, globalAccount}))
	return Selectors{Pool: held, Unclaimed: unclaimed}, err
}

// Wanted names the labels that an account of a pool has, for messages: those to put on, and those that are not to be there. It
// is no selector.
func (k LabelKeys) Wanted(target account.Target) string {
	has, lacks := []string{k.HyperscalerType + "=" + target.HyperscalerType}, []string{}
	for _, label := range []struct {
		key   string
		there bool
	}{{k.EUAccess, target.EUAccess}, {k.Shared, target.Shared}} {
		if label.there {
			has = append(has, label.key+"=true")
		} else {
			lacks = append(lacks, label.key)
		}
	}
	text := strings.Join(has, ", ")
	if len(lacks) > 0 {
		text += " (without " + strings.Join(lacks, " and ") + ")"
	}
	return text
}

type requirement struct {
	key      string
	operator selection.Operator
	value    string
}

// render writes requirements in their order; package labels checks and escapes each.
func render(requirements []requirement) (string, error) {
	parts := make([]string, len(requirements))
	for i, r := range requirements {
		var values []string
		if r.operator != selection.DoesNotExist {
			values = []string{r.value}
		}
		checked, err := labels.NewRequirement(r.key, r.operator, values)
		if err != nil {
			return "", fmt.Errorf("label selector: %w", err)
		}
		parts[i] = checked.String()
	}
	return strings.Join(parts, ","), nil
}
