package functions

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// addGrants puts the proposal's objects of the kind ClusterRequestGrant on the Clusters that they refer to.
func addGrants(all []adr.Cluster, a argument) *function.FuncError {
	elements, err := a.list()
	if err != nil {
		return err
	}
	for _, e := range elements {
		parts, err := e.spelled(grantSpelling)
		if err != nil {
			return err
		}
		var g adr.Grant
		var of clusters.Ref
		var wrong [5]*function.FuncError
		g.Request.Namespace, wrong[0] = parts["namespace"].text()
		g.Request.Name, wrong[1] = parts[keyName].text()
		g.Prefix, wrong[2] = parts["prefix"].text()
		of.Namespace, wrong[3] = parts["cluster_namespace"].text()
		of.Name, wrong[4] = parts["cluster_name"].text()
		if err := cmp.Or(wrong[:]...); err != nil {
			return err
		}
		of.Namespace = cmp.Or(of.Namespace, g.Request.Namespace)
		i := slices.IndexFunc(all, func(c adr.Cluster) bool { return c.Ref == of })
		switch {
		case g.Request.Namespace == "" || g.Request.Name == "":
			return e.errorf("the keys metadata.namespace and metadata.name are needed: they are those of the ClusterRequest")
		case i < 0:
			return e.errorf("spec.clusterRef names the Cluster %s, which clusters does not have", of)
		}
		all[i].Grants = append(all[i].Grants, g)
	}
	return nil
}
