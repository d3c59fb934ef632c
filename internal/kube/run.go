package kube

// RunAnnotation names the run of Terraform or OpenTofu that has made an object. A run has a process for each provider block: an object that
// another process of the same run has made is in its state already, and is not what a run that was cut short has left.
const RunAnnotation = "hap-project.io/made-in"

// MadeIn reports whether an object was made in a run; empty = the run is not known.
func MadeIn(run string, annotations map[string]string) bool {
	return run != "" && annotations[RunAnnotation] == run
}
