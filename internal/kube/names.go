package kube

import "k8s.io/apimachinery/pkg/util/validation"

// How objects of Kubernetes may be called. Kinds differ: most names are DNS subdomains, and those of namespaces, and of objects from which
// other names are derived, are DNS labels.
const (
	// NameRule is that of names with or without dots.
	NameRule = "must be small letters, digits, - and ., with a letter or a digit at both ends of each part, and at most 253 characters"
	// LabelRule is that of names without dots.
	LabelRule = "must be small letters, digits and -, with a letter or a digit at both ends, and at most 63 characters"
)

// IsName reports whether a text can be the name of an object (a DNS subdomain), as the API server checks it.
func IsName(text string) bool { return len(validation.IsDNS1123Subdomain(text)) == 0 }

// IsLabelName reports whether a text can be the name of a namespace (a DNS label), as the API server checks it.
func IsLabelName(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 }
