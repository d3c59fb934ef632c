// Package openmcp is openMCP on a platform cluster, as openmcp-operator v1.3.0 and its Gardener cluster provider serve it (ADR 016, 017).
// Its rooms are packages: api has the objects; requests, access, configs and clusters what is done with them; builtin the built-in
// scheduler. Its tests try the rooms together on the real operator.
//
// The package knows neither accounts nor Terraform.
package openmcp

import (
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// Platform is openMCP on one platform cluster.
type Platform struct {
	Objects  *api.Objects
	Requests *builtin.Scheduler // those of the operator, too
	Access   *access.Accesses
	Profiles *configs.Profiles
	Clusters *clusters.Clusters
}

// New returns openMCP on a platform cluster. Requests that name no namespace lie in this one; Clusters, profiles and configurations are
// read wherever they lie. It does not dial.
func New(config *rest.Config, namespace string) (*Platform, error) {
	objects, err := api.New(config, namespace)
	if err != nil {
		return nil, err
	}
	return &Platform{
		Objects: objects, Requests: builtin.New(objects), Access: access.New(objects), Profiles: configs.New(objects),
		Clusters: clusters.New(objects),
	}, nil
}
