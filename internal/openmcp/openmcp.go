package openmcp

import "k8s.io/client-go/rest"

// Platform is openMCP on one platform cluster.
type Platform struct {
	Objects  *Objects
	Requests *Scheduler
	Access   *Accesses
	Profiles *Profiles
	Clusters *Clusters
}

// New returns openMCP on a platform cluster. Requests that name no namespace lie in this one; Clusters, profiles and configurations are
// read wherever they lie. It does not dial.
func New(config *rest.Config, namespace string) (*Platform, error) {
	objects, err := newObjects(config, namespace)
	if err != nil {
		return nil, err
	}
	return &Platform{
		Objects: objects, Requests: newScheduler(objects), Access: newAccesses(objects), Profiles: newProfiles(objects),
		Clusters: newClusters(objects),
	}, nil
}
