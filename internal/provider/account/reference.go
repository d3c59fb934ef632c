package account

import (
	"context"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// refModel is the attribute credentials_ref.
type refModel struct {
	Kind      types.String `tfsdk:"kind"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	ID        types.String `tfsdk:"id"`
}

var refTypes = map[string]attr.Type{
	"kind": types.StringType, "namespace": types.StringType, "name": types.StringType, "id": types.StringType,
}

// refID is what the id of a resource of hashicorp/kubernetes looks like: a name, or that of a namespace before it.
var refID = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`)

// credentialsAttribute is where the credentials lie. Its attributes are computed beside, or the object could not be left out where the
// account is a Secret.
func credentialsAttribute() schema.SingleNestedAttribute {
	sibling := path.MatchRelative().AtParent().AtName
	return schema.SingleNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Where the credentials are; their content never passes through here. The object must exist. Left out where the " +
			"account is a `Secret` itself. A change makes the account anew, and is an error while the account is held or used.",
		Attributes: map[string]schema.Attribute{
			"kind": schema.StringAttribute{Optional: true, Computed: true,
				MarkdownDescription: "`Secret` (default) or `WorkloadIdentity`.",
				Validators:          []validator.String{stringvalidator.OneOf(account.CredentialsKinds()...)}},
			"namespace": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its namespace. Default: the provider's.",
				Validators: []validator.String{family.LabelName}},
			"name": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its name: of an object that is there when " +
				"the plan looks for it. Either this or `id`.",
				Validators: []validator.String{family.ObjectName}},
			"id": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Its name, or `namespace/name`: the `id` of the " +
				"resource of `hashicorp/kubernetes` that makes it. Before the object exists the `id` is unknown, and the plan does not look for it.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(refID, "must be a name, or a namespace and a name with a slash between them"),
					stringvalidator.ConflictsWith(sibling("name"), sibling("namespace")),
				}},
		},
	}
}

func refValue(kind, namespace, name string) types.Object {
	return refModel{
		Kind: types.StringValue(kind), Namespace: types.StringValue(namespace), Name: types.StringValue(name),
		ID: types.StringValue(namespace + "/" + name),
	}.object()
}

func (r refModel) object() types.Object {
	return types.ObjectValueMust(refTypes, map[string]attr.Value{"kind": r.Kind, "namespace": r.Namespace, "name": r.Name, "id": r.ID})
}

// refOf reads the attribute, with namespace and name out of an id that is given in their place.
func refOf(o types.Object) refModel {
	var r refModel
	_ = o.As(context.Background(), &r, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true, UnhandledUnknownAsEmpty: true})
	switch namespace, name, two := strings.Cut(r.ID.ValueString(), "/"); {
	case r.ID.IsNull() || !r.Name.IsNull() && !r.Name.IsUnknown():
	case r.ID.IsUnknown() && r.Name.IsNull():
		r.Namespace, r.Name = types.StringUnknown(), types.StringUnknown()
	case r.ID.IsUnknown():
	case two:
		r.Namespace, r.Name = types.StringValue(namespace), types.StringValue(name)
	default:
		r.Name = types.StringValue(r.ID.ValueString())
	}
	return r
}

// partly is a reference of which something is unknown yet.
func (r refModel) partly(p *pool.Pool) types.Object {
	if r.Kind.IsNull() {
		r.Kind = types.StringValue(account.CredentialsKinds()[0])
	}
	if r.Namespace.IsNull() {
		r.Namespace = types.StringValue(p.Namespace())
	}
	if r.ID.IsNull() {
		r.ID = types.StringUnknown()
	}
	return r.object()
}

// laterOf is a configured reference while it is not known what the accounts of the pool are: what it leaves out is unknown.
func laterOf(configured types.Object) types.Object {
	if configured.IsNull() || configured.IsUnknown() {
		return types.ObjectUnknown(refTypes)
	}
	r := refOf(configured)
	for _, part := range []*types.String{&r.Kind, &r.Namespace, &r.Name, &r.ID} {
		if part.IsNull() {
			*part = types.StringUnknown()
		}
	}
	return r.object()
}

// settledAs is the reference in full, with the id as it was given.
func (r refModel) settledAs(full account.CredentialsRef) types.Object {
	settled := refOf(refValue(full.Kind, full.Namespace, full.Name))
	if !r.ID.IsNull() && !r.ID.IsUnknown() {
		settled.ID = r.ID
	}
	return settled.object()
}

// identified is a reference as a state of an older version keeps it, with its id.
func identified(o types.Object) types.Object {
	if r := refOf(o); r.ID.IsNull() && !r.Name.IsNull() {
		return refValue(r.Kind.ValueString(), r.Namespace.ValueString(), r.Name.ValueString())
	}
	return o
}
