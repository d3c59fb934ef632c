package adrrequest

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// Validate reports a request that contradicts itself, or lacks its purposes, at the attribute at fault. A request of which a part is
// unknown is not judged yet. That a purpose is not defined is no error here: such a request is denied.
func (m Model) Validate(diags *diag.Diagnostics) {
	if !m.Known() {
		return
	}
	s := m.ADRRequest()
	_, err := adr.Schedule(adr.Request{
		Ref: clusters.Ref{Namespace: "any", Name: "any"}, KubernetesVersion: s.KubernetesVersion, Dedicated: s.Dedicated, Purposes: s.Purposes,
		Traits: s.Traits, Prefix: s.Prefix,
	}, adr.Landscape{Purposes: m.definitions()})
	if err != nil {
		Report(diags, "Reading what is asked for", err)
	}
}

// Refuse reports each attribute that is configured, with why it must not be.
func (m Model) Refuse(diags *diag.Diagnostics, why string) {
	for _, name := range m.Given() {
		diags.AddAttributeError(path.Root(name), diagnose.SummaryOtherScheduler, "The attribute "+name+" is not heard here: "+why)
	}
}

// Report is [diagnose.Report], with an error about a request at the attribute at fault.
func Report(diags *diag.Diagnostics, attempt string, err error) {
	var input *adr.InputError
	if !errors.As(err, &input) {
		diagnose.Report(diags, attempt, err)
		return
	}
	var own diag.Diagnostics
	diagnose.Report(&own, attempt, err)
	for _, d := range own {
		if at := At(input.Field); !at.Equal(path.Empty()) {
			d = diag.WithPath(at, d)
		}
		diags.Append(d)
	}
}

// roots are the attributes behind the parts of a request as internal/clusters names them.
var roots = map[string]string{
	"request.purposes": namePurposes, "request.traits": nameTraits, "request.prefix": namePrefix, "request.kubernetes_version": nameVersion,
	"request.namespace": "namespace", "request.name": "name",
}

// At is the path of the part at fault that a [adr.InputError] names; empty where it is no part of a request.
func At(field string) path.Path {
	if purpose, ok := strings.CutPrefix(strings.TrimPrefix(field, "landscape."), "purposes."); ok {
		name, element, inside := purpose, "", false
		if i := strings.LastIndex(purpose, ".traits["); i >= 0 { // a name may have dots
			name, element, inside = purpose[:i], purpose[i+len(".traits"):], true
		}
		if of, ok := strings.CutSuffix(purpose, ".tenancy_count"); ok {
			return path.Root(nameDefinitions).AtMapKey(of).AtName("tenancy_count")
		}
		at := path.Root(nameDefinitions).AtMapKey(name)
		if inside {
			at = atElements(at.AtName("traits"), element)
		}
		return at
	}
	root, rest := field, ""
	if i := strings.Index(field, "["); i >= 0 {
		root, rest = field[:i], field[i:]
	}
	if roots[root] == "" {
		return path.Empty()
	}
	return atElements(path.Root(roots[root]), rest)
}

// atElements goes on from a path by a text such as "[1].any_of[0]".
func atElements(at path.Path, rest string) path.Path {
	for rest != "" {
		if name, ok := strings.CutPrefix(rest, "."); ok {
			end := strings.Index(name, "[")
			if end < 0 {
				end = len(name)
			}
			at, rest = at.AtName(name[:end]), name[end:]
			continue
		}
		index, after, _ := strings.Cut(strings.TrimPrefix(rest, "["), "]")
		i, err := strconv.Atoi(index)
		if err != nil {
			return at
		}
		at, rest = at.AtListIndex(i), after
	}
	return at
}
