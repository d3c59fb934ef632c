package clusterprofile

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// wanted is the ProviderConfig that the configuration wants.
//
// Errors: [*shoots.TemplateError], [*shoots.ExtensionsError].
func (m configModel) wanted(kind garden.Kind) (configs.Wanted, error) {
	w := configs.Wanted{
		Name: m.Name.ValueString(), Provider: m.ProviderRef.ValueString(), Landscape: m.LandscapeRef.ValueString(),
		Project: m.Project.ValueString(), Tenant: m.GlobalAccount.ValueString(),
		Labels: tfvalue.Texts(m.Labels), Annotations: tfvalue.Texts(m.Annotations),
		Traits: slices.Sorted(slices.Values(tfvalue.SetTexts(m.Traits))),
	}
	template, err := shoots.ReadTemplate(m.ShootTemplate.ValueString())
	if err != nil {
		return w, err
	}
	field := "credentialsBindingName"
	if kind == garden.SecretBinding {
		field = "secretBindingName"
	}
	w.Template = template.Object(field, m.CredentialsBindingName.ValueString())
	if !m.Extensions.IsNull() {
		if w.Extensions, err = shoots.ReadExtensions(m.Extensions.ValueString()); err != nil {
			return w, err
		}
	}
	return w, nil
}

// bindings are what the configuration names the account by.
func (m configModel) bindings(kind garden.Kind) configs.Bindings {
	if kind == garden.SecretBinding {
		return configs.Bindings{Secret: m.CredentialsBindingName.ValueString()}
	}
	return configs.Bindings{Credentials: m.CredentialsBindingName.ValueString()}
}

// before is what the state wanted; what the configuration wants now where the state cannot be read any more.
func (m configModel) before(kind garden.Kind, now configs.Wanted) configs.Wanted {
	if w, err := m.wanted(kind); err == nil {
		return w
	}
	return now
}

// sendsAs reports whether two configurations say the same of an existing ProviderConfig.
func (m configModel) sendsAs(other configModel) bool {
	return m.specifiesAs(other) && m.describesAs(other)
}

// specifiesAs reports whether two configurations say the same of the spec, which the cluster provider goes by.
func (m configModel) specifiesAs(other configModel) bool {
	return m.ShootTemplate.Equal(other.ShootTemplate) && m.CredentialsBindingName.Equal(other.CredentialsBindingName) &&
		m.LandscapeRef.Equal(other.LandscapeRef) && m.Project.Equal(other.Project) && m.Extensions.Equal(other.Extensions)
}

// describesAs reports whether two configurations say the same of the labels and annotations, those of the tenant and of the traits
// among them.
func (m configModel) describesAs(other configModel) bool {
	return m.GlobalAccount.Equal(other.GlobalAccount) && m.Traits.Equal(other.Traits) && m.Labels.Equal(other.Labels) &&
		m.Annotations.Equal(other.Annotations)
}

// profiled fills in the name of the profile, as soon as it is known.
func (m *configModel) profiled() {
	m.ProfileName = types.StringUnknown()
	switch {
	case m.Environment.IsNull(): // an import has not found it
		m.ProfileName = types.StringNull()
	case tfvalue.Known(m.Environment, m.ProviderRef, m.Name):
		m.ProfileName = types.StringValue(configs.ProfileName(m.Environment.ValueString(), m.ProviderRef.ValueString(), m.Name.ValueString()))
	}
}

// Ref names the ProviderConfig. It lies in no namespace.
func (m configModel) Ref() api.Ref { return api.Ref{Name: m.Name.ValueString()} }

// ObjectUID is the UID of the state.
func (m configModel) ObjectUID() string { return m.UID.ValueString() }

// seen is the state of a ProviderConfig as it was seen last.
func (m configModel) seen(c *api.ProviderConfig) configModel {
	m.ID, m.UID = types.StringValue(c.Name), types.StringValue(string(c.UID))
	m.Phase = tfvalue.TextOrNull(c.Status.Phase)
	conditions := map[string]string{}
	for _, one := range c.Status.Conditions {
		conditions[one.Type] = string(one.Status)
	}
	m.Conditions = tfvalue.TextMap(conditions)
	m.profiled()
	return m
}

// refreshed is the state of a ProviderConfig with what another party has changed of it, or, from an import, all that it says. What has
// changed of the template and of the fields for the account is reported by its paths; the template stays as it was written.
func (m configModel) refreshed(c *api.ProviderConfig, kind garden.Kind) (_ configModel, drift []string, err error) {
	m.Name, m.ProviderRef = types.StringValue(c.Name), types.StringValue(c.Spec.ProviderRef.Name)
	m.LandscapeRef, m.Project = types.StringValue(c.Spec.LandscapeRef.Name), types.StringValue(c.Spec.Project)
	live, text, err := shoots.Embedded(c.Spec.ShootTemplate)
	if err != nil { // another party has written it
		return m, nil, &shoots.TemplateError{Problems: []shoots.Problem{{Path: "spec.shootTemplate", Text: err.Error()}}}
	}
	if written, err := shoots.ReadTemplate(m.ShootTemplate.ValueString()); err != nil { // from an import
		m.ShootTemplate = types.StringValue(text)
	} else {
		drift = differing("", bare(written.Object("", "")), bare(live))
	}
	facts, _ := configs.FactsOf(c.Spec.ShootTemplate)
	if known := m.CredentialsBindingName.ValueString(); known == "" || known != facts.Bindings.Credentials && known != facts.Bindings.Secret {
		m.CredentialsBindingName = tfvalue.TextOrNull(facts.Bindings.Account())
	}
	if facts.Bindings != m.bindings(kind) {
		drift = append(drift, fmt.Sprintf("its account is %s, the configuration says %s", facts.Bindings, m.bindings(kind)))
	}
	if live := c.Spec.EnforcedShootExtensions; live == nil || string(*live) == "null" {
		m.Extensions = types.StringNull()
	} else if of, err := shoots.ReadExtensions(m.Extensions.ValueString()); m.Extensions.IsNull() || err != nil || !same(*live, of) {
		m.Extensions = types.StringValue(string(*live))
	}
	m.Labels, m.Annotations = tfvalue.Standing(m.Labels, c.Labels), tfvalue.Standing(m.Annotations, c.Annotations)
	m.Traits = standingTraits(m.Traits, configs.OwnTraits(c))
	m.GlobalAccount = tfvalue.TextOrNull(configs.TenantOf(c)) // a hap_cluster on the profile goes by it
	return m, drift, nil
}

// asWritten keeps the texts of the state where those of the configuration say the same in other words: nothing would be sent.
func (m *configModel) asWritten(state configModel) {
	if m.ShootTemplate.IsUnknown() || m.ShootTemplate.IsNull() {
		return
	}
	now, err := shoots.ReadTemplate(m.ShootTemplate.ValueString())
	was, unreadable := shoots.ReadTemplate(state.ShootTemplate.ValueString())
	if err == nil && unreadable == nil && reflect.DeepEqual(bare(now.Object("", "")), bare(was.Object("", ""))) {
		m.ShootTemplate = state.ShootTemplate
	}
	if m.Extensions.IsUnknown() || m.Extensions.IsNull() || state.Extensions.IsNull() {
		return
	}
	list, err := shoots.ReadExtensions(m.Extensions.ValueString())
	before, unreadable := shoots.ReadExtensions(state.Extensions.ValueString())
	if err == nil && unreadable == nil && reflect.DeepEqual(list, before) {
		m.Extensions = state.Extensions
	}
}

// same reports whether a JSON text says what a value does, whatever is null or empty in it.
func same(text []byte, value any) bool {
	var live, wanted any
	content, err := json.Marshal(value)
	if err != nil || strict.Decode(text, &live) != nil || strict.Decode(content, &wanted) != nil {
		return false
	}
	return reflect.DeepEqual(bare(live), bare(wanted))
}

// differing are the paths at which two values differ. Values are not shown: there may be secrets among them.
func differing(path string, wanted, live any) (paths []string) {
	a, isObject := wanted.(map[string]any)
	b, alsoObject := live.(map[string]any)
	list, isList := wanted.([]any)
	other, alsoList := live.([]any)
	switch {
	case isObject && alsoObject:
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			paths = append(paths, differing(strings.TrimPrefix(path+"."+key, "."), a[key], b[key])...)
		}
	case isList && alsoList && len(list) == len(other):
		for i := range list {
			paths = append(paths, differing(fmt.Sprintf("%s[%d]", path, i), list[i], other[i])...)
		}
	case !reflect.DeepEqual(wanted, live):
		paths = []string{path}
	}
	return paths
}

// bare is a value without nulls, and without objects that have nothing in them. The value itself stays as it is.
func bare(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, inside := range value {
			inside = bare(inside)
			if object, isObject := inside.(map[string]any); inside != nil && (!isObject || len(object) > 0) {
				kept[key] = inside
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i := range value {
			kept[i] = bare(value[i])
		}
		return kept
	}
	return value
}

// waits reports whether an apply waits for the profile.
func (m configModel) waits() bool { return m.WaitForProfile.IsNull() || m.WaitForProfile.ValueBool() }

// place says where a ProviderConfig was made, and what of it the state cannot say.
type place struct {
	family.Place
	// Bindings are the fields by which it names its account; nil = they were not looked at.
	Bindings *configs.Bindings `json:"bindings,omitempty"`
	// Drift is what the last refresh found changed of the template, in lines.
	Drift []string `json:"drift,omitempty"`
	// Unpublished says that the last apply has written it, and has not seen its profile published.
	Unpublished bool `json:"unpublished,omitempty"`
}

// awaits reports whether an apply of a plan that sends nothing waits for the profile once more.
func (p place) awaits(plan configModel) bool { return p.Unpublished && plan.waits() }

// saw notes what a ProviderConfig names its account by, and what of it has drifted.
func (p place) saw(live *api.ProviderConfig, drift ...string) place {
	p.Drift = drift
	if facts, ok := configs.FactsOf(live.Spec.ShootTemplate); ok {
		p.Bindings = &facts.Bindings
	}
	return p
}

// rebound reports whether a plan names the account by another field than the ProviderConfig does, or by one field alone where that has
// both.
func (p place) rebound(plan configModel, kind garden.Kind) bool {
	return p.Bindings != nil && !plan.CredentialsBindingName.IsUnknown() && *p.Bindings != plan.bindings(kind)
}

// respecifies reports whether a plan writes another spec, or writes it again where another party has changed it.
func (p place) respecifies(plan, state configModel, kind garden.Kind) bool {
	return !plan.specifiesAs(state) || p.rebound(plan, kind) || len(p.Drift) > 0
}
