package apiserver

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// outcome is what a write comes to: the object before and after it, nil where there is none; or the refusal.
type outcome struct {
	before, after *unstructured.Unstructured
	refusal       *apierrors.StatusError

	same            bool   // it leaves the object as it is: it gets no new version then
	text, tombstone []byte // the object as it is answered, and where it goes as watches get it
}

func refused(err *apierrors.StatusError) outcome { return outcome{refusal: err} }

// judge says what a write comes to as the objects are now, and changes nothing.
func (s *Server) judge(c call) outcome {
	key := s.caseOf(c)
	if o, known := s.judged.of(key); known {
		return o
	}
	o := s.judgeAnew(c)
	if o.refusal == nil {
		if err := s.show(c, &o); err != nil {
			o = refused(apierrors.NewInternalError(err))
		}
	}
	s.judged.note(key, o)
	return o
}

func (s *Server) judgeAnew(c call) outcome {
	if c.verb == create {
		return s.judgeCreate(c)
	}
	live := s.objects[c.key()]
	if live == nil {
		return refused(apierrors.NewNotFound(c.resource.GroupResource(), c.name))
	}
	if c.verb == remove {
		return judgeDelete(c, live.Unstructured)
	}
	return judgePatch(c, live.Unstructured)
}

func (s *Server) judgeCreate(c call) outcome {
	object, err := decoded(c.body)
	if err != nil {
		return refused(apierrors.NewBadRequest(err.Error()))
	}
	o := &unstructured.Unstructured{Object: object}
	if o.GetName() == "" && o.GetGenerateName() != "" {
		o.SetName(o.GetGenerateName() + strconv.FormatInt(int64(s.made)+1, 36))
	}
	of := schema.GroupKind{Group: c.resource.Group, Kind: c.resource.Kind}
	switch {
	case o.GetName() == "":
		return refused(apierrors.NewInvalid(of, "", field.ErrorList{
			field.Required(field.NewPath("metadata", "name"), "name or generateName is required"), field.Invalid(nil, nil, unchecked),
		}))
	case o.GetNamespace() != "" && o.GetNamespace() != c.namespace:
		return refused(apierrors.NewBadRequest(
			"the namespace of the provided object does not match the namespace sent on the request"))
	case o.GetResourceVersion() != "":
		return refused(apierrors.NewBadRequest("resourceVersion should not be set on objects to be created"))
	}
	c.name = o.GetName()
	if live := s.objects[c.key()]; live != nil {
		exists := apierrors.NewAlreadyExists(c.resource.GroupResource(), c.name)
		if live.GetDeletionTimestamp() != nil {
			exists.ErrStatus.Message = "object is being deleted: " + exists.ErrStatus.Message
		}
		return refused(exists)
	}
	o.SetNamespace(c.namespace)
	o.SetUID(s.nextUID(c.key()))
	o.SetGeneration(1)
	o.SetCreationTimestamp(metav1.Now())
	for _, own := range []string{"deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink"} {
		unstructured.RemoveNestedField(o.Object, "metadata", own)
	}
	delete(o.Object, "status")
	return outcome{after: o}
}

// unchecked is what a server adds where it has not come to the rules of a definition.
const unchecked = "some validation rules were not checked because the object was invalid; " +
	"correct the existing errors to complete validation"

func judgePatch(c call, live *unstructured.Unstructured) outcome {
	patch, err := decoded(c.body)
	if err != nil {
		return refused(apierrors.NewBadRequest(err.Error()))
	}
	object, _ := merged(live.Object, patch).(map[string]any)
	after := &unstructured.Unstructured{Object: object}
	if after.GetUID() == "" { // of nothing is that of the object
		after.SetUID(live.GetUID())
	}
	of := schema.GroupKind{Group: c.resource.Group, Kind: c.resource.Kind}
	switch {
	case after.GetName() != live.GetName():
		return refused(apierrors.NewBadRequest(
			fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", after.GetName(), c.name)))
	case after.GetResourceVersion() != "" && after.GetResourceVersion() != live.GetResourceVersion():
		return refused(apierrors.NewConflict(c.resource.GroupResource(), c.name, errModified))
	}
	if wrong := checkMeta(live, after); len(wrong) > 0 && c.subresource == "" {
		return refused(apierrors.NewInvalid(of, c.name, slices.Concat(wrong, wrong))) // the server checks them twice
	}
	keepOwn(c, live, after)
	if wrong := c.resource.check(live.Object, after.Object); len(wrong) > 0 {
		return refused(apierrors.NewInvalid(of, c.name, wrong))
	}
	return outcome{before: live, after: after}
}

// checkMeta judges the metadata of a change.
func checkMeta(before, after *unstructured.Unstructured) (wrong field.ErrorList) {
	path := field.NewPath("metadata")
	if before.GetUID() != after.GetUID() {
		wrong = append(wrong, field.Invalid(path.Child("uid"), string(after.GetUID()), "field is immutable"))
	}
	if before.GetDeletionTimestamp() == nil {
		return wrong
	}
	had := sets.New(before.GetFinalizers()...)
	var added []string
	for _, f := range after.GetFinalizers() {
		if !had.Has(f) {
			added = append(added, f)
		}
	}
	if len(added) > 0 {
		wrong = append(wrong, field.Forbidden(path.Child("finalizers"),
			"no new finalizers can be added if the object is being deleted, found new finalizers "+quoted(added)))
	}
	return wrong
}

func quoted(words []string) string {
	text := "[]string{"
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += strconv.Quote(w)
	}
	return text + "}"
}

// keepOwn gives a changed object what a patch cannot change: the server's own fields, and what belongs to the other subresource.
func keepOwn(c call, live, after *unstructured.Unstructured) {
	after.Object = maps.Clone(after.Object)
	if c.subresource == "status" {
		status, has := after.Object["status"]
		after.Object = maps.Clone(live.Object)
		if metadata, ok := live.Object["metadata"].(map[string]any); ok { // it gets another version
			after.Object["metadata"] = maps.Clone(metadata)
		}
		if after.Object["status"] = status; !has {
			delete(after.Object, "status")
		}
		return
	}
	metadata, _ := after.Object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	was, _ := live.Object["metadata"].(map[string]any)
	for _, own := range []string{
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "uid", "managedFields",
		"selfLink",
	} {
		if value, has := was[own]; has {
			metadata[own] = value
		} else {
			delete(metadata, own)
		}
	}
	for _, part := range []string{"labels", "annotations"} {
		if texts, ok := metadata[part].(map[string]any); ok && len(texts) == 0 {
			delete(metadata, part)
		}
	}
	if list, ok := metadata["finalizers"].([]any); ok && len(list) == 0 {
		delete(metadata, "finalizers")
	}
	after.Object["metadata"] = metadata
	if status, has := live.Object["status"]; has {
		after.Object["status"] = status
	} else {
		delete(after.Object, "status")
	}
	if !reflect.DeepEqual(live.Object["spec"], after.Object["spec"]) {
		metadata["generation"] = live.GetGeneration() + 1
	}
}

func judgeDelete(c call, live *unstructured.Unstructured) outcome {
	var options metav1.DeleteOptions
	if len(c.body) > 0 {
		if err := json.Unmarshal(c.body, &options); err != nil {
			return refused(apierrors.NewBadRequest(err.Error()))
		}
	}
	if err := unmet(options.Preconditions, live); err != nil {
		of := schema.GroupResource{Group: c.resource.Group, Resource: c.resource.Kind} // the server names the kind here
		return refused(apierrors.NewConflict(of, c.name, err))
	}
	switch {
	case len(live.GetFinalizers()) == 0:
		return outcome{before: live}
	case live.GetDeletionTimestamp() != nil:
		return outcome{before: live, after: live}
	}
	after := live.DeepCopy()
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	after.SetDeletionTimestamp(&now)
	none := int64(0)
	after.SetDeletionGracePeriodSeconds(&none)
	after.SetGeneration(live.GetGeneration() + 1)
	return outcome{before: live, after: after}
}

// unmet says which precondition of a deletion an object does not meet; nil = it meets all.
func unmet(p *metav1.Preconditions, live *unstructured.Unstructured) error {
	switch {
	case p == nil:
		return nil
	case p.UID != nil && *p.UID != live.GetUID():
		return fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). "+
			"The object might have been deleted and then recreated", *p.UID, live.GetUID())
	case p.ResourceVersion != nil && *p.ResourceVersion != live.GetResourceVersion():
		return fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). "+
			"The object might have been modified", *p.ResourceVersion, live.GetResourceVersion())
	}
	return nil
}

// show gives an object that a write changes its new version, and makes the texts of it. Watches get an object that goes as it was before,
// with the version of that moment; the answer has the version before.
func (s *Server) show(c call, o *outcome) (err error) {
	if o.goes() {
		last, tombstone := cmp.Or(o.after, o.before), o.before.DeepCopy()
		tombstone.SetResourceVersion(s.nextVersion(c.key()))
		o.text, err = json.Marshal(last.Object)
		if err == nil {
			o.tombstone, err = json.Marshal(tombstone.Object)
		}
		return err
	}
	if o.same = o.before != nil && (o.before == o.after || reflect.DeepEqual(o.before.Object, o.after.Object)); o.same {
		return nil
	}
	if o.before == nil { // its name may be the server's
		c.name = o.after.GetName()
	}
	o.after.SetResourceVersion(s.nextVersion(c.key()))
	o.text, err = json.Marshal(o.after.Object)
	return err
}

// goes reports whether an object is gone after a write: it was deleted, or the last finalizer of one in deletion was taken off.
func (o outcome) goes() bool {
	return o.after == nil || o.after.GetDeletionTimestamp() != nil && len(o.after.GetFinalizers()) == 0
}

func decoded(body []byte) (object map[string]any, err error) {
	err = json.Unmarshal(body, &object)
	return object, err
}

// sortedKeys are the keys of the objects, in the order of a list.
func (s *Server) sortedKeys() []string { return slices.Sorted(maps.Keys(s.objects)) }
