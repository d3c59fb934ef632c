package clusteraccess

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// checked checks an object by what its attributes say together: what the API takes, and no cluster provider can grant. It returns the
// attribute at fault, empty for the object, and what is wrong; empty = nothing is.
type checked func(attributes map[string]attr.Value) (at, wrong string)

// Description says what is checked.
func (checked) Description(context.Context) string { return "must be something that can be granted" }

// MarkdownDescription says what is checked.
func (c checked) MarkdownDescription(ctx context.Context) string { return c.Description(ctx) }

// ValidateObject checks an object that is known.
func (c checked) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	at, wrong := c(req.ConfigValue.Attributes())
	where := req.Path
	if at != "" {
		where = where.AtName(at)
	}
	if wrong != "" {
		resp.Diagnostics.AddAttributeError(where, diagnose.SummaryInvalidAccess, wrong)
	}
}

// isEmpty reports whether an attribute surely says nothing, isSet whether it surely says something; neither holds while it is unknown.
func isEmpty(v attr.Value) bool {
	list, ok := v.(types.List)
	return v.IsNull() || ok && !v.IsUnknown() && len(list.Elements()) == 0
}

func isSet(v attr.Value) bool { return !v.IsUnknown() && !isEmpty(v) }

func checkToken(token map[string]attr.Value) (at, wrong string) {
	if isEmpty(token["permissions"]) && isEmpty(token["role_refs"]) {
		return "", "The token would allow nothing: name rights in permissions, or roles of the cluster in role_refs."
	}
	return "", ""
}

func checkPermission(permission map[string]attr.Value) (at, wrong string) {
	rules, _ := permission["rules"].(types.List)
	if !isSet(permission["namespace"]) {
		return "", ""
	}
	for i, rule := range rules.Elements() {
		rule, ok := rule.(types.Object)
		if ok && !rule.IsNull() && !rule.IsUnknown() && isSet(rule.Attributes()["non_resource_urls"]) {
			return "rules", fmt.Sprintf("Rule %d has non_resource_urls, and the rights are those in a namespace: a path lies in none. Put the rule "+
				"into an entry of permissions without namespace.", i+1)
		}
	}
	return "", ""
}

func checkRule(rule map[string]attr.Value) (at, wrong string) {
	urls, resources, groups := rule["non_resource_urls"], rule["resources"], rule["api_groups"]
	switch {
	case isEmpty(rule["verbs"]):
		return "verbs", "A rule without verbs allows nothing. Name some, such as \"get\"."
	case isSet(urls) && (isSet(resources) || isSet(groups) || isSet(rule["resource_names"])):
		return "non_resource_urls", "A rule is for resources, or for paths: Kubernetes refuses one with both. Make two rules of it."
	case isEmpty(urls) && isEmpty(resources):
		return "resources", "A rule names resources, or non_resource_urls: without them it allows nothing."
	case isSet(resources) && isEmpty(groups):
		return "api_groups", "A rule with resources names their API groups, \"\" for those of the core: Kubernetes refuses one without."
	}
	return "", ""
}

func checkRoleRef(ref map[string]attr.Value) (at, wrong string) {
	kind, _ := ref["kind"].(types.String)
	switch namespace := ref["namespace"]; {
	case kind.ValueString() == "Role" && namespace.IsNull():
		return "namespace", "A Role lies in a namespace: name it."
	case kind.ValueString() == "ClusterRole" && isSet(namespace):
		return "namespace", "A ClusterRole lies in no namespace: leave namespace out."
	}
	return "", ""
}
