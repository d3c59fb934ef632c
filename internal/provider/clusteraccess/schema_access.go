package clusteraccess

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// tokenAttribute is spec.token of an AccessRequest.
func tokenAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Access by a token of a service account with these rights in the cluster. A change is granted anew. Either this " +
			"or `oidc`.",
		Validators: []validator.Object{objectvalidator.ExactlyOneOf(path.MatchRoot("token"), path.MatchRoot("oidc")), checked(checkToken)},
		Attributes: map[string]schema.Attribute{
			"permissions": objectList("Rights for which the cluster provider makes Roles and ClusterRoles in the cluster.", permission()),
			"role_refs":   objectList("Roles and ClusterRoles of the cluster that are there already.", roleRef()),
		},
	}
}

// permission is a PermissionsRequest of the API.
func permission() schema.NestedAttributeObject {
	return schema.NestedAttributeObject{
		Validators: []validator.Object{checked(checkPermission)},
		Attributes: map[string]schema.Attribute{
			"name": optionalText("The name of the Role or ClusterRole. Access is not granted while the cluster has one of this name that belongs " +
				"to something else. Default: a name that is unique in the cluster."),
			"namespace": optionalText("The namespace in the cluster; it is made where it is not there. Without it the rights are cluster-wide.",
				family.LabelName),
			"disable_automatic_namespace_creation": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Leaves it to others to make the namespace. Default `false`."},
			"rules": requiredList("What is allowed, as in a Role.", schema.NestedAttributeObject{
				Validators: []validator.Object{checked(checkRule)},
				Attributes: map[string]schema.Attribute{
					"api_groups":        textList("The API groups; `\"\"` is the core group, `*` are all."),
					"resources":         textList("The resources, such as `namespaces`; `*` are all."),
					"resource_names":    textList("The names of the objects. Default: all."),
					"non_resource_urls": textList("Paths such as `/healthz`, in place of resources; only without a namespace."),
					"verbs": schema.ListAttribute{Required: true, ElementType: textList("").ElementType,
						MarkdownDescription: "The verbs, such as `get`; `*` are all.", Validators: textList("").Validators},
				},
			}),
		},
	}
}

// roleRef is a RoleRef of the API.
func roleRef() schema.NestedAttributeObject {
	return schema.NestedAttributeObject{
		Validators: []validator.Object{checked(checkRoleRef)},
		Attributes: map[string]schema.Attribute{
			"kind":      requiredText("`Role` or `ClusterRole`.", stringvalidator.OneOf("Role", "ClusterRole")),
			"namespace": optionalText("The namespace of the Role; a ClusterRole has none.", family.LabelName),
			"name":      requiredText("The name of the Role or ClusterRole."),
		},
	}
}

// oidcIssuer is a URL that the API takes for an OIDC provider.
var oidcIssuer = regexp.MustCompile(`^https?://[^\s/$.?#].[^\s]*$`)

// oidcAttribute is spec.oidc of an AccessRequest.
func oidcAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Access for users of an OIDC provider. The kubeconfig has no token: each user brings one. Either this or `token`.",
		Attributes: map[string]schema.Attribute{
			"name": requiredText("The name of the OIDC provider, unique in the environment. Default prefix of users and groups.",
				family.ObjectName, stringvalidator.NoneOf("system")),
			"issuer":          requiredText("The URL of the issuer.", stringvalidator.RegexMatches(oidcIssuer, "must be an http or https URL")),
			"client_id":       requiredText("The client ID."),
			"groups_claim":    optionalText("The claim with the groups. Default `groups`."),
			"username_claim":  optionalText("The claim with the user name. Default `sub`."),
			"groups_prefix":   prefix("groups"),
			"username_prefix": prefix("users"),
			"extra_scopes":    textList("Further scopes that are asked of the OIDC provider."),
			"role_bindings": requiredList("Who has which roles.", schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"subjects": requiredList("Users and groups, without the prefix.", schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"kind":      requiredText("`User`, `Group` or `ServiceAccount`.", stringvalidator.OneOf("User", "Group", "ServiceAccount")),
					"api_group": optionalText("The API group of the subject. Default: that of its kind."),
					"namespace": optionalText("The namespace of a ServiceAccount.", family.LabelName),
					"name":      requiredText("The name."),
				}}),
				"role_refs": requiredList("Their roles. A role that is not there grants nothing.", roleRef()),
			}}),
			"roles": objectList("Further Roles and ClusterRoles that are made. They are bound to nothing by themselves: give them a `name`, and "+
				"name them in `role_bindings`.", permission()),
		},
	}
}

func prefix(of string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: "The prefix of " + of + "; `\"\"` = none. Default: the name of the OIDC provider and `:`.",
	}
}
