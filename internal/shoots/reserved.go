package shoots

import "github.com/hap-project/terraform-provider-hap/internal/kube"

// reserved are the labels and annotations that no configuration may have, and why.
var reserved = map[string]string{
	operationAnnotation:                    onlyOnce,
	"maintenance.gardener.cloud/operation": onlyOnce,
	confirmation:                           "only a destroy confirms a deletion",
	markAnnotation:                         "this provider writes it",
	kube.RunAnnotation:                     "this provider writes it",
	kube.ProtectionAnnotation:              "the attribute deletion_protection of hap_shoot sets it",
	clusterNameLabel:                       clusterOwner,
	clusterNamespaceLabel:                  clusterOwner,
}

// clusterOwner says who writes the labels that name the Cluster of a Shoot.
const clusterOwner = "the attribute cluster_ref of hap_shoot sets it, and for the Clusters of a profile the cluster provider"

const onlyOnce = "Gardener does it once and takes it away: it would be done again by every apply. Set it by hand (kubectl annotate)"

// Reserved says why no configuration may have a label or an annotation; empty = it may.
func Reserved(key string) string { return reserved[key] }

// ReservedError says that a configuration has a label or an annotation that is not its business.
type ReservedError struct {
	Attribute string // "labels" or "annotations"
	Key, Why  string
}

func (e *ReservedError) Error() string { return e.Attribute + " has " + e.Key + ": " + e.Why }

// Check checks what the configuration adds to its template.
//
// Errors: [*ReservedError].
func (w Wanted) Check() error {
	for attribute, all := range map[string]map[string]string{"labels": w.Labels, "annotations": w.Annotations} {
		for key := range all {
			if why := Reserved(key); why != "" {
				return &ReservedError{attribute, key, why}
			}
		}
	}
	return nil
}
