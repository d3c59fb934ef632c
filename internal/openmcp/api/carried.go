package api

import "strings"

// carriedPrefix begins the labels and annotations of a request that go on to its exclusive Cluster.
const carriedPrefix = "metadata.open-control-plane.io/"

// Carried are the labels or annotations of a request that go on to its exclusive Cluster, and that the Cluster does not have as the request
// has them; nil = there are none. What a request does not have any more stays on the Cluster: the operator never takes it away.
func Carried(request, cluster map[string]string) (carried map[string]string) {
	for key, value := range request {
		if is, there := cluster[key]; strings.HasPrefix(key, carriedPrefix) && (!there || is != value) {
			if carried == nil {
				carried = map[string]string{}
			}
			carried[key] = value
		}
	}
	return carried
}
