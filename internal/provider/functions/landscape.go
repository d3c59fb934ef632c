package functions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// landscapeArgument reads what a scheduler knows when a request comes.
func landscapeArgument(a argument) (adr.Landscape, *function.FuncError) {
	var l adr.Landscape
	parts, err := a.object("purposes", "profiles", "clusters", "equivalences", "grants")
	if err != nil {
		return l, err
	}
	var wrong [5]*function.FuncError
	if purposes := parts["purposes"]; !purposes.null() {
		l.Purposes, wrong[0] = purposesArgument(purposes)
	}
	l.Profiles, wrong[1] = profilesArgument(parts["profiles"])
	l.Clusters, wrong[2] = listOf(parts["clusters"], clusterArgument)
	l.Equivalences, wrong[3] = listOf(parts["equivalences"], argument.texts)
	if err := cmp.Or(wrong[:]...); err != nil {
		return l, err
	}
	return l, addGrants(l.Clusters, parts["grants"])
}

// listOf reads each element of a list.
func listOf[T any](a argument, read func(argument) (T, *function.FuncError)) ([]T, *function.FuncError) {
	elements, err := a.list()
	if err != nil {
		return nil, err
	}
	all := make([]T, len(elements))
	for i, e := range elements {
		if all[i], err = read(e); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// profilesArgument reads profiles, and those of the proposal's objects of the kind ClusterProvider among them.
func profilesArgument(a argument) (profiles []adr.Profile, err *function.FuncError) {
	elements, err := a.list()
	if err != nil {
		return nil, err
	}
	for _, e := range elements {
		all, provider := []argument{e}, ""
		if e.isOfKind(providerSpelling.kind) {
			parts, err := e.spelled(providerSpelling)
			if err != nil {
				return nil, err
			}
			var wrong [2]*function.FuncError
			provider, wrong[0] = parts[keyName].text()
			all, wrong[1] = parts["profiles"].list()
			if err := cmp.Or(wrong[:]...); err != nil {
				return nil, err
			}
		}
		for _, one := range all {
			p, err := profileArgument(one)
			if err != nil {
				return nil, err
			}
			p.Provider = cmp.Or(p.Provider, provider)
			profiles = append(profiles, p)
		}
	}
	return profiles, nil
}

func profileArgument(a argument) (p adr.Profile, err *function.FuncError) {
	parts, err := a.spelled(profileSpelling)
	if err != nil {
		return p, err
	}
	var wrong [4]*function.FuncError
	p.Name, wrong[0] = parts["name"].text()
	p.Provider, wrong[1] = parts["provider"].text()
	p.Traits, wrong[2] = listOf(parts["traits"], traitNameArgument)
	p.Versions, wrong[3] = listOf(parts["versions"], versionArgument)
	return p, cmp.Or(wrong[:]...)
}

// traitNameArgument reads a trait of a profile: its name, or the proposal's object with it.
func traitNameArgument(a argument) (string, *function.FuncError) {
	name := a
	if _, err := a.fields(); err == nil && !a.null() {
		parts, err := a.spelled(spelling{own: []string{"trait"}, proposed: map[string]string{keyName: "trait"}})
		if err != nil {
			return "", err
		}
		name = a.part(a.name+".trait", parts["trait"].value)
	}
	if name.null() {
		return "", name.errorf("a string is needed, not null")
	}
	return name.text()
}

func versionArgument(a argument) (v adr.Version, err *function.FuncError) {
	parts, err := a.object("version", "deprecated")
	if err != nil {
		return v, err
	}
	var wrong [2]*function.FuncError
	v.Version, wrong[0] = parts["version"].version()
	v.Deprecated, wrong[1] = parts["deprecated"].isTrue()
	if err := cmp.Or(wrong[:]...); err != nil {
		return v, err
	}
	if v.Version == "" {
		return v, a.errorf("the key version is needed")
	}
	return v, nil
}

func clusterArgument(a argument) (c adr.Cluster, err *function.FuncError) {
	parts, err := a.spelled(clusterSpelling)
	if err != nil {
		return c, err
	}
	var wrong [7]*function.FuncError
	c.Ref.Namespace, wrong[0] = parts["namespace"].text()
	c.Ref.Name, wrong[1] = parts["name"].text()
	c.Profile, wrong[2] = parts["profile"].text()
	c.Version, wrong[3] = parts["version"].version()
	c.Purposes, wrong[4] = parts["purposes"].texts()
	c.Dedicated, wrong[5] = parts["dedicated"].isTrue()
	c.Grants, wrong[6] = listOf(parts["grants"], grantArgument)
	return c, cmp.Or(wrong[:]...)
}

func grantArgument(a argument) (g adr.Grant, err *function.FuncError) {
	parts, err := a.object("request", "prefix")
	if err != nil {
		return g, err
	}
	request, err := parts["request"].text()
	if err != nil {
		return g, err
	}
	var named bool
	g.Request.Namespace, g.Request.Name, named = strings.Cut(request, "/")
	if !named || g.Request.Namespace == "" || g.Request.Name == "" || strings.Contains(g.Request.Name, "/") {
		return g, a.errorf("the key request is needed, as \"<namespace>/<name>\", not %q", request)
	}
	g.Prefix, err = parts["prefix"].text()
	return g, err
}

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
