package adrrequest

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// The names of the attributes.
const (
	namePurposes    = "purposes"
	nameDedicated   = "dedicated"
	nameTraits      = "traits"
	namePrefix      = "prefix_proposal"
	nameVersion     = "kubernetes_version_wanted"
	nameDefinitions = "purpose_definitions"
	nameAccount     = "global_account"
	nameSame        = "trait_equivalences"
)

// names has the names of the attributes, in the order in which messages name them.
var names = []string{namePurposes, nameDedicated, nameTraits, namePrefix, nameVersion, nameDefinitions, nameAccount, nameSame}

var descriptions = map[string]string{
	namePurposes: "What the cluster is for: one purpose at least, each of them defined in `purpose_definitions`. A shared `Cluster` " +
		"that exists fits only where it has all of them. Where purposes disagree about a negated trait, the first one in the list counts. For " +
		"a request that exists they are a set: another order, or one of them twice, changes nothing.",
	nameDedicated: "Whether the cluster is for this request alone. It counts in place of what the purposes say; without it the cluster is " +
		"dedicated as soon as one purpose is.",
	nameTraits: "The traits that are asked for beside those of the purposes. They count before those of the purposes where they disagree " +
		"about `negated`; a request cannot make optional what a purpose requires.",
	namePrefix: "The prefix that the request proposes for the names of its cluster-scoped objects on a shared cluster: lower-case letters, " +
		"digits and `-`. One that is shorter than four characters, is granted on the `Cluster` already, or collides with one that is, is not " +
		"granted: another one is drawn at random. A prefix that was granted stays, whatever is proposed later.",
	nameVersion: "The Kubernetes version that is asked for: `1.30`, or in full. Without it a new cluster gets the newest that is not " +
		"deprecated.",
	nameDefinitions: "The purposes that there are, by name. All requests of a landscape should have the same: keep them in one local value.",
	nameAccount: "The Global Account whose account the cluster has to lie in, where the profile of the cluster leads to an account of the " +
		"pool: others are passed over. Without it the account has to be held by the Global Account that its profile names, if it names one. " +
		"With it a request is denied where it cannot be seen who holds the account.",

	nameSame: "Groups of traits with the same meaning: a request or a purpose that names one is met by each other of its group, and a " +
		"negated one excludes all of them. Groups that share a name are one group. All requests of a landscape should have the same.",

	"trait":    "The trait, such as `infrastructure/vendor/aws`.",
	"any_of":   "In place of `trait`: one of these is enough (`or` in the proposal).",
	"all_of":   "In place of `trait`: all of these (`and`). With `optional` it is one preference for all of them together.",
	"one_of":   "In place of `trait`: exactly one of these (`xor`).",
	"optional": "Whether it is a preference; else it is required. Default `false`.",
	"negated":  "Whether it must be absent. Default `false`.",

	"purpose_dedicated": "Whether clusters of the purpose are not shared. Default `false`.",
	"purpose_traits":    "The traits that the purpose asks for.",
	"tenancy_count": "The most requests of a shared `Cluster`, from 1 on, as the operator's `tenancyCount`: one that has as many is passed " +
		"over, and a new one is made. Of several purposes the smallest counts. Not for a purpose that is dedicated. Default: any number.",
}

var (
	textsType    = types.ListType{ElemType: types.StringType}
	purposeTrait = map[string]attr.Type{"trait": types.StringType, "optional": types.BoolType, "negated": types.BoolType}
	requestTrait = map[string]attr.Type{"trait": types.StringType, "any_of": textsType, "all_of": textsType, "one_of": textsType,
		"optional": types.BoolType, "negated": types.BoolType}
	purposeTypes = map[string]attr.Type{"dedicated": types.BoolType, "tenancy_count": types.Int64Type,
		"traits": types.ListType{ElemType: types.ObjectType{AttrTypes: purposeTrait}}}
	traitsType      = types.ObjectType{AttrTypes: requestTrait}
	definitionsType = types.ObjectType{AttrTypes: purposeTypes}
)

// The checks of the parts. What a request as a whole has to be is judged by internal/clusters: [Model.Validate].
var (
	tenants     = []validator.String{tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA}}
	noEmptyText = []validator.String{stringvalidator.LengthAtLeast(1)}
	noNulls     = []validator.List{listvalidator.NoNullValues()}
	groupsOfTwo = []validator.List{
		listvalidator.NoNullValues(), listvalidator.ValueListsAre(listvalidator.NoNullValues(), listvalidator.SizeAtLeast(groupSize)),
	}
	someTexts    = []validator.List{listvalidator.NoNullValues(), listvalidator.SizeAtLeast(1)}
	noNullInMaps = []validator.Map{mapvalidator.NoNullValues()}
	fromOne      = []validator.Int64{int64validator.AtLeast(1)}
)

// groupSize is how many names of one meaning make a group.
const groupSize = 2

// ResourceAttributes are the attributes of a resource.
func ResourceAttributes() map[string]resource.Attribute {
	text := func(name string) resource.StringAttribute {
		return resource.StringAttribute{Optional: true, MarkdownDescription: descriptions[name], Validators: noEmptyText}
	}
	flag := func(name string) resource.BoolAttribute {
		return resource.BoolAttribute{Optional: true, MarkdownDescription: descriptions[name]}
	}
	texts := func(name string) resource.ListAttribute {
		return resource.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: descriptions[name], Validators: someTexts,
		}
	}
	traits := func(name string, of map[string]resource.Attribute) resource.ListNestedAttribute {
		return resource.ListNestedAttribute{Optional: true, MarkdownDescription: descriptions[name], Validators: noNulls,
			NestedObject: resource.NestedAttributeObject{Attributes: of}}
	}
	return map[string]resource.Attribute{
		namePurposes: texts(namePurposes), nameDedicated: flag(nameDedicated), namePrefix: text(namePrefix), nameVersion: text(nameVersion),
		nameAccount: resource.StringAttribute{Optional: true, MarkdownDescription: descriptions[nameAccount], Validators: tenants},
		nameTraits: traits(nameTraits, map[string]resource.Attribute{
			"trait": text("trait"), "any_of": texts("any_of"), "all_of": texts("all_of"), "one_of": texts("one_of"),
			"optional": flag("optional"), "negated": flag("negated"),
		}),
		nameSame: resource.ListAttribute{
			Optional: true, ElementType: textsType, MarkdownDescription: descriptions[nameSame], Validators: groupsOfTwo,
		},
		nameDefinitions: resource.MapNestedAttribute{
			Optional: true, MarkdownDescription: descriptions[nameDefinitions], Validators: noNullInMaps,
			NestedObject: resource.NestedAttributeObject{Attributes: map[string]resource.Attribute{
				"dedicated": flag("purpose_dedicated"),
				"tenancy_count": resource.Int64Attribute{
					Optional: true, MarkdownDescription: descriptions["tenancy_count"], Validators: fromOne,
				},
				"traits": traits("purpose_traits", map[string]resource.Attribute{
					"trait":    resource.StringAttribute{Required: true, MarkdownDescription: descriptions["trait"], Validators: noEmptyText},
					"optional": flag("optional"), "negated": flag("negated"),
				}),
			}},
		},
	}
}

// DataSourceAttributes are the attributes of a data source.
func DataSourceAttributes() map[string]datasource.Attribute {
	text := func(name string) datasource.StringAttribute {
		return datasource.StringAttribute{Optional: true, MarkdownDescription: descriptions[name], Validators: noEmptyText}
	}
	flag := func(name string) datasource.BoolAttribute {
		return datasource.BoolAttribute{Optional: true, MarkdownDescription: descriptions[name]}
	}
	texts := func(name string) datasource.ListAttribute {
		return datasource.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: descriptions[name], Validators: someTexts,
		}
	}
	traits := func(name string, of map[string]datasource.Attribute) datasource.ListNestedAttribute {
		return datasource.ListNestedAttribute{Optional: true, MarkdownDescription: descriptions[name], Validators: noNulls,
			NestedObject: datasource.NestedAttributeObject{Attributes: of}}
	}
	return map[string]datasource.Attribute{
		namePurposes: texts(namePurposes), nameDedicated: flag(nameDedicated), namePrefix: text(namePrefix), nameVersion: text(nameVersion),
		nameAccount: datasource.StringAttribute{Optional: true, MarkdownDescription: descriptions[nameAccount], Validators: tenants},
		nameTraits: traits(nameTraits, map[string]datasource.Attribute{
			"trait": text("trait"), "any_of": texts("any_of"), "all_of": texts("all_of"), "one_of": texts("one_of"),
			"optional": flag("optional"), "negated": flag("negated"),
		}),
		nameSame: datasource.ListAttribute{
			Optional: true, ElementType: textsType, MarkdownDescription: descriptions[nameSame], Validators: groupsOfTwo,
		},
		nameDefinitions: datasource.MapNestedAttribute{
			Optional: true, MarkdownDescription: descriptions[nameDefinitions], Validators: noNullInMaps,
			NestedObject: datasource.NestedAttributeObject{Attributes: map[string]datasource.Attribute{
				"dedicated": flag("purpose_dedicated"),
				"tenancy_count": datasource.Int64Attribute{
					Optional: true, MarkdownDescription: descriptions["tenancy_count"], Validators: fromOne,
				},
				"traits": traits("purpose_traits", map[string]datasource.Attribute{
					"trait":    datasource.StringAttribute{Required: true, MarkdownDescription: descriptions["trait"], Validators: noEmptyText},
					"optional": flag("optional"), "negated": flag("negated"),
				}),
			}},
		},
	}
}
