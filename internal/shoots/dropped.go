package shoots

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Dropped are the fields of a live Shoot that a configuration has named, and names no longer, where another party has set them, too: by
// their paths, as in "spec.provider.workers[b]", without those inside of one that is named.
type Dropped struct {
	Taken []string // the change takes them off the Shoot
	Left  []string // the change leaves them: no change of this configuration has ever reached the Shoot, which was imported
	By    []string // the field managers of the other parties
}

// disown makes our field manager the only owner of what the configuration names no longer, so that the change takes it off the Shoot. A
// server-side apply alone leaves what another manager owns as well: that of the person who made a Shoot that was imported, or who wrote the
// same value once. A Shoot that no change of ours has reached loses nothing by the first one.
func (s *Shoots) disown(ctx context.Context, w, before Wanted, live *gardencore.Shoot) (*gardencore.Shoot, error) {
	if !before.reached(live) || namesAll("", w.whole(), before.whole()) {
		return live, nil
	}
	return s.setOwners(ctx, live, func(live *gardencore.Shoot) ([]metav1.ManagedFieldsEntry, error) {
		applied, err := s.apply(ctx, live, w.objectFor(live, before.Template), dryRun)
		if err != nil { // the change says why
			return nil, ofConflict(err)
		}
		dropped, err := s.dropped(ctx, w, before, live, applied)
		if err != nil || len(sharedWith(live, dropped)) == 0 {
			return nil, err
		}
		return ownersWithout(live, dropped)
	})
}

// reached reports whether a change of this configuration has reached the Shoot. One whose answer was lost does not count for what an import
// has read: the plan of the change that is sent again says the same as the first one.
func (w Wanted) reached(live *gardencore.Shoot) bool {
	return !w.Imported && slices.ContainsFunc(live.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return isApply(e) || isPost(e) })
}

// dropped is what the configuration has named and names no longer. applied is the answer to what is sent now. The server says by a dry run
// what belongs to which object: it alone knows how it merges lists.
func (s *Shoots) dropped(ctx context.Context, w, before Wanted, live, applied *gardencore.Shoot) (*fieldpath.Set, error) {
	was := ownedBy(live.ManagedFields, isApply)
	named, err := s.apply(ctx, live, before.on(w.Binding()).objectFor(live, before.Template), dryRun)
	if err := ofConflict(err); err != nil {
		return nil, err
	}
	if err == nil { // what the server would not take any more it may have, as it was applied
		was = was.Union(ownedBy(named.ManagedFields, isApply))
	}
	is := ownedBy(applied.ManagedFields, isApply)
	dropped := fieldpath.NewSet()
	for p := range was.Difference(is).All() {
		if !covers(p, is) && !(p.Equals(hibernates) && w.switched(before, live)) {
			dropped.Insert(p.Copy())
		}
	}
	return dropped, nil
}

// ofConflict is the error where it says that others write at the same time; nil = it says something else, or nothing.
func ofConflict(err error) error {
	if r := reason(err); r == kube.Conflict {
		return err
	}
	return nil
}

// switched reports whether schedules go on switching hibernation: those of the configuration, or those that another party has set.
func (w Wanted) switched(before Wanted, live *gardencore.Shoot) bool {
	was := before.Template.shoot.Spec.Hibernation
	return scheduled(w.Template.shoot.Spec.Hibernation, nil) ||
		scheduled(nil, live.Spec.Hibernation) && (was == nil || len(was.Schedules) == 0)
}

var hibernates = fieldpath.MakePathOrDie("spec", "hibernation", "enabled")

// whole is what the configuration names of a Shoot, without the account.
func (w Wanted) whole() map[string]any {
	named := w.Template.named()
	w.addTo(named)
	return named
}

// namesAll reports whether an object names all that another one names. A list that the server does not merge is one field.
func namesAll(path string, now, before any) bool {
	switch before := before.(type) {
	case map[string]any:
		object, _ := now.(map[string]any)
		for key, value := range before {
			if inside, ok := object[key]; !ok || !namesAll(join(path, key), inside, value) {
				return false
			}
		}
	case []any:
		list, _ := now.([]any)
		key, merged := mergeKeys[path]
		for _, element := range before {
			same := func(e any) bool { return valueOf(e, key) == valueOf(element, key) }
			if i := slices.IndexFunc(list, same); merged && (i < 0 || !namesAll("", list[i], element)) {
				return false
			}
		}
	}
	return true
}

// ownedBy is what the entries of a kind own. An entry that cannot be read owns nothing.
func ownedBy(entries []metav1.ManagedFieldsEntry, are func(metav1.ManagedFieldsEntry) bool) *fieldpath.Set {
	all := fieldpath.NewSet()
	for _, entry := range entries {
		if are(entry) {
			all = all.Union(setOf(entry))
		}
	}
	return all
}

func setOf(entry metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := fieldpath.NewSet()
	if entry.FieldsV1 == nil || set.FromJSON(bytes.NewReader(entry.FieldsV1.Raw)) != nil {
		return fieldpath.NewSet()
	}
	return set
}

// isOthers recognises what another party has written of what a configuration may name.
func isOthers(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager != fieldManager && entry.Subresource == ""
}

// covers reports whether a set has anything inside of a field.
func covers(p fieldpath.Path, set *fieldpath.Set) (covers bool) {
	set.Iterate(func(q fieldpath.Path) { covers = covers || len(q) > len(p) && q[:len(p)].Equals(p) })
	return covers
}

// sharedWith lists the other field managers that own any of the fields.
func sharedWith(live *gardencore.Shoot, fields *fieldpath.Set) (managers []string) {
	for _, entry := range live.ManagedFields {
		if set := setOf(entry); isOthers(entry) && !set.Equals(without(set, fields)) {
			managers = append(managers, entry.Manager)
		}
	}
	slices.Sort(managers)
	return slices.Compact(managers)
}

// without is a set without some fields, and without all that is inside of an element of a list among them.
func without(set, fields *fieldpath.Set) *fieldpath.Set {
	elements := fieldpath.NewSet()
	for p := range fields.All() {
		if isElement(p) {
			elements.Insert(p.Copy())
		}
	}
	return set.Difference(fields).RecursiveDifference(elements)
}

// isElement reports whether a path is that of an element of a list.
func isElement(p fieldpath.Path) bool { return p[len(p)-1].Key != nil }

// ownersWithout are the owners of a Shoot where we alone own some fields.
func ownersWithout(live *gardencore.Shoot, fields *fieldpath.Set) (owners []metav1.ManagedFieldsEntry, err error) {
	for _, entry := range live.ManagedFields {
		set := setOf(entry)
		left := set
		switch {
		case isApply(entry):
			left = set.Union(fields)
		case isOthers(entry):
			left = without(set, fields)
		}
		if !left.Equals(set) { // one that cannot be read stays as it is
			text, err := left.ToJSON()
			if err != nil {
				return nil, fmt.Errorf("encoding the owners of the fields of Shoot %s: %w", live.Name, err)
			}
			entry.FieldsV1 = &metav1.FieldsV1{Raw: text}
		}
		if left.Empty() && !set.Empty() {
			continue
		}
		owners = append(owners, entry)
	}
	return owners, nil
}

// whatDrops says which fields a change drops that another party has set. applied is the answer to the dry run of the change, which leaves
// them. Whether the server takes the Shoot without them the change finds out: what a server-side apply makes of it no other request shows.
func (s *Shoots) whatDrops(ctx context.Context, w, before Wanted, live, applied *gardencore.Shoot) (Dropped, error) {
	if namesAll("", w.whole(), before.whole()) {
		return Dropped{}, nil
	}
	fields, err := s.dropped(ctx, w, before, live, applied)
	if err != nil {
		return Dropped{}, err
	}
	by := sharedWith(live, fields)
	if len(by) == 0 {
		return Dropped{}, nil
	}
	shared := fieldpath.NewSet()
	others := ownedBy(live.ManagedFields, isOthers)
	left := without(others, fields)
	for p := range fields.All() {
		if (others.Has(p) || isElement(p) && covers(p, others)) && !covers(p, left) { // what is empty here, and not there, stays
			shared.Insert(p.Copy())
		}
	}
	paths := shown(outermost(shared))
	if before.reached(live) {
		return Dropped{Taken: paths, By: by}, nil
	}
	return Dropped{Left: paths, By: by}, nil
}

// outermost are the paths of a set that are inside of no other one, in order.
func outermost(set *fieldpath.Set) (paths []fieldpath.Path) {
	for p := range set.All() {
		inside := func(q fieldpath.Path) bool { return len(q) < len(p) && p[:len(q)].Equals(q) }
		if !slices.ContainsFunc(paths, inside) {
			paths = append(paths, p.Copy())
		}
	}
	slices.SortFunc(paths, fieldpath.Path.Compare)
	return paths
}

// shown are paths as a template's reader knows them: "spec.provider.workers[b].maximum".
func shown(paths []fieldpath.Path) (texts []string) {
	for _, p := range paths {
		text := ""
		for _, e := range p {
			switch {
			case e.FieldName != nil:
				text = join(text, *e.FieldName)
			case e.Key != nil:
				var keys []string
				for _, field := range *e.Key {
					keys = append(keys, fmt.Sprint(field.Value.Unstructured()))
				}
				text += "[" + strings.Join(keys, ",") + "]"
			case e.Value != nil:
				text += fmt.Sprintf("[%v]", (*e.Value).Unstructured())
			}
		}
		texts = append(texts, text)
	}
	return texts
}
