package kube

import "fmt"

// ProtectionAnnotation keeps an object from being deleted by this provider while its value is "true". The attribute deletion_protection
// writes it, so that an apply also sees the protection by another state, and that of a resource which its plan has left out. A person may
// set it too.
const ProtectionAnnotation = "hap-project.io/deletion-protection"

// Protected are the annotations that protect an object, or the merge patch that takes the protection away.
func Protected(on bool) map[string]any {
	if on {
		return map[string]any{ProtectionAnnotation: "true"}
	}
	return map[string]any{ProtectionAnnotation: nil}
}

// IsProtected reports whether annotations protect their object.
func IsProtected(annotations map[string]string) bool {
	return annotations[ProtectionAnnotation] == "true"
}

// ProtectedError says that an object was not deleted because its annotations protect it.
type ProtectedError struct {
	Kind            string // such as Cluster
	Namespace, Name string
	With            string // the Cluster that it would have gone with; empty = it was to be deleted itself
	Reported        bool   // the status of the Cluster alone says so
}

func (e *ProtectedError) Error() string {
	with := ""
	switch {
	case e.Reported:
		with = ", as the status of Cluster " + e.With + " says, and would go with that"
	case e.With != "":
		with = ", and would go with Cluster " + e.With
	}
	return fmt.Sprintf("%s %s/%s has the annotation %s: \"true\"%s", e.Kind, e.Namespace, e.Name, ProtectionAnnotation, with)
}
