// Package configs has the ClusterProfiles of a platform cluster, and the ProviderConfigs of its Gardener cluster provider behind them. A
// ProviderConfig is neither deleted nor led to another account while Clusters live by its profile, and no Shoot is moved by one that is
// made.
package configs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// Wanted is what a configuration says of a ProviderConfig.
type Wanted struct {
	Name, Provider, Landscape, Project string
	// Tenant is the Global Account that its clusters are for; empty = the configuration does not say.
	Tenant string
	// Template is the whole Shoot template, with the account in it.
	Template map[string]any
	// Extensions are the extensions that each Shoot gets; nil = the provider's own, empty = none.
	Extensions          []any
	Labels, Annotations map[string]string
	// Traits are those of its clusters that do not follow from the template.
	Traits []string `json:",omitempty"`
}

func (w Wanted) ref() api.Ref { return api.Ref{Name: w.Name} }

// tenantAnnotation says of which Global Account the clusters of a ProviderConfig are: who makes them reads no state of the profile.
const tenantAnnotation = "hap-project.io/global-account"

// ReservedAnnotations are the annotations of a ProviderConfig that no configuration may have: this package writes them, and goes by them.
var ReservedAnnotations = []string{api.MarkAnnotation, kube.RunAnnotation, tenantAnnotation, traitsAnnotation}

// annotations are those of the configuration, and what it says beside.
func (w Wanted) annotations() map[string]string {
	all := map[string]string{}
	maps.Copy(all, w.Annotations)
	if w.Tenant != "" {
		all[tenantAnnotation] = w.Tenant
	}
	if text := writtenTraits(w.Traits); text != "" {
		all[traitsAnnotation] = text
	}
	return all
}

// TenantOf is the Global Account that the clusters of a ProviderConfig are for; empty = it does not say.
func TenantOf(c *api.ProviderConfig) string { return c.Annotations[tenantAnnotation] }

// ConfigBehind returns the ProviderConfig that a profile comes from; nil = it comes from none.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) ConfigBehind(ctx context.Context, profile string) (*api.ProviderConfig, error) {
	all, err := p.configs(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if comesFrom(profile, c.Spec.ProviderRef.Name, c.Name) {
			return c, nil
		}
	}
	return nil, nil //nolint:nilnil // as documented
}

// ConfigsBehind returns the ProviderConfigs that profiles come from, by the names of the profiles. One that comes from none is left out.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) ConfigsBehind(ctx context.Context, profiles []string) (map[string]*api.ProviderConfig, error) {
	all, err := p.configs(ctx)
	if err != nil {
		return nil, err
	}
	behind := map[string]*api.ProviderConfig{}
	for _, profile := range profiles {
		i := slices.IndexFunc(all, func(c *api.ProviderConfig) bool { return comesFrom(profile, c.Spec.ProviderRef.Name, c.Name) })
		if i >= 0 {
			behind[profile] = all[i]
		}
	}
	return behind, nil
}

func (w Wanted) spec() map[string]any {
	spec := map[string]any{
		"providerRef": map[string]any{"name": w.Provider}, "landscapeRef": map[string]any{"name": w.Landscape},
		"project": w.Project, "shootTemplate": w.Template,
	}
	if w.Extensions != nil {
		spec["enforcedShootExtensions"] = w.Extensions
	}
	return spec
}

// ProfileName is the name of the profile that a provider publishes for a ProviderConfig.
func ProfileName(environment, provider, config string) string {
	return environment + "." + provider + "." + config
}

// ShootFacts is what of a Shoot template says where its clusters come to be.
type ShootFacts struct {
	Type     string // of the infrastructure, such as "aws"; empty = not said
	Workers  bool
	Bindings Bindings
	Version  string   // of Kubernetes, whole or in part; empty = Gardener chooses
	Own      []string // traits that the ProviderConfig says itself, see [OwnTraits]
}

// Bindings are what a Shoot template names its account by: Gardener has two fields, of which a Shoot has one at most.
type Bindings struct {
	Credentials string `json:"credentials,omitempty"` // a CredentialsBinding; empty = none
	Secret      string `json:"secret,omitempty"`      // a SecretBinding; empty = none
}

// Account is the account that the bindings name, by that field which Gardener prefers; empty = none.
func (b Bindings) Account() string { return cmp.Or(b.Credentials, b.Secret) }

// String names the bindings with their kinds.
func (b Bindings) String() string {
	var all []string
	if b.Credentials != "" {
		all = append(all, fmt.Sprintf("CredentialsBinding %q", b.Credentials))
	}
	if b.Secret != "" {
		all = append(all, fmt.Sprintf("SecretBinding %q", b.Secret))
	}
	return cmp.Or(strings.Join(all, " and "), "none")
}

// Home says where the clusters of a ProviderConfig come to be.
type Home struct {
	Bindings           Bindings
	Project, Landscape string
}

// Moves says what differs in another home; empty = nothing does.
func (h Home) Moves(to Home) string {
	var all []string
	add := func(what, now, wanted string) {
		if now != wanted {
			all = append(all, fmt.Sprintf("its %s cannot change from %s to %s", what, now, wanted))
		}
	}
	if a, b := h.Bindings, to.Bindings; a.Secret+b.Secret == "" && a.Credentials != "" && b.Credentials != "" { // the names are enough
		add("account", strconv.Quote(a.Credentials), strconv.Quote(b.Credentials))
	} else {
		add("account", a.String(), b.String())
	}
	add("project", strconv.Quote(h.Project), strconv.Quote(to.Project))
	add("landscape", strconv.Quote(h.Landscape), strconv.Quote(to.Landscape))
	return strings.Join(all, ", ")
}

// FactsOf reads the Shoot template of a ProviderConfig; false where it cannot be read.
func FactsOf(shootTemplate json.RawMessage) (f ShootFacts, ok bool) {
	var template struct {
		Spec struct {
			CredentialsBindingName string `json:"credentialsBindingName"`
			SecretBindingName      string `json:"secretBindingName"`
			Kubernetes             struct {
				Version string `json:"version"`
			} `json:"kubernetes"`
			Provider struct {
				Type    string            `json:"type"`
				Workers []json.RawMessage `json:"workers"`
			} `json:"provider"`
		} `json:"spec"`
	}
	if json.Unmarshal(shootTemplate, &template) != nil {
		return f, false
	}
	spec := template.Spec
	return ShootFacts{Type: spec.Provider.Type, Workers: len(spec.Provider.Workers) > 0,
		Bindings: Bindings{spec.CredentialsBindingName, spec.SecretBindingName}, Version: spec.Kubernetes.Version}, true
}

// OtherVersion says which version of Kubernetes a new Shoot of the template gets, where that is not the one which is wanted; empty = it is.
// The Gardener cluster provider does not heed the version that a Cluster asks for.
func (f ShootFacts) OtherVersion(wanted string) string {
	switch {
	case wanted == "" || adr.Means(wanted, f.Version):
		return ""
	case f.Version == "":
		return "a version of Gardener's choice, because its Shoot template names none"
	}
	return "Kubernetes " + f.Version + ", as its Shoot template says"
}

// UsedError says that Clusters use the profile of a ProviderConfig, and what cannot be done for it.
type UsedError struct {
	Config   string
	What     string // such as "its account cannot change from a to b"
	Clusters []api.Ref
}

func (e *UsedError) Error() string {
	names := make([]string, len(e.Clusters))
	for i, c := range e.Clusters {
		names[i] = c.String()
	}
	return fmt.Sprintf("Clusters use the profile of ProviderConfig %s, and %s: %s", e.Config, e.What, strings.Join(names, ", "))
}

// NotDeleted is what a [UsedError] says of a ProviderConfig that is to be deleted.
const NotDeleted = "it cannot be deleted"

// Users returns the Clusters that use the profile of a ProviderConfig, whatever the environment that its name begins with.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) Users(ctx context.Context, provider, config string) (users []api.Ref, err error) {
	all, err := p.objects.Clusters.All(ctx)
	for _, c := range all {
		if comesFrom(c.Spec.Profile, provider, config) {
			users = append(users, c.Ref())
		}
	}
	return users, err
}

// comesFrom reports whether a profile is that of a ProviderConfig.
func comesFrom(profile, provider, config string) bool {
	return strings.HasSuffix(profile, ProfileName("", provider, config))
}

// Unused returns an error where Clusters use the profile of a ProviderConfig.
//
// Errors: [*UsedError]; those of [kube.Group.List].
func (p *Profiles) Unused(ctx context.Context, provider, config, what string) error {
	users, err := p.Users(ctx, provider, config)
	if err == nil && len(users) > 0 {
		return &UsedError{Config: config, What: what, Clusters: users}
	}
	return err
}

// MakeConfig makes a ProviderConfig, or finds the one that this configuration has made in a run that was cut short: found says
// which.
//
// Errors: [*api.ExistsError]; those of [kube.Write].
func (p *Profiles) MakeConfig(ctx context.Context, w Wanted) (config *api.ProviderConfig, found bool, err error) {
	mark := api.MarkOf(w)
	return api.Make(ctx, p.objects.Configs, w.ref(), mark, func(ctx context.Context) (*api.ProviderConfig, error) {
		return p.objects.Configs.Create(ctx, metav1.ObjectMeta{
			Name: w.Name, Labels: w.Labels, Annotations: api.Marked(w.annotations(), mark),
		}, w.spec())
	})
}

// ChangeConfig makes this ProviderConfig what the configuration wants, and takes away the labels and annotations that it wanted
// before. It never changes where live clusters are: their account, their project and their landscape.
//
// Errors: [*api.GoneError], [*UsedError]; those of [kube.Write].
func (p *Profiles) ChangeConfig(ctx context.Context, uid string, w, before Wanted) (*api.ProviderConfig, error) {
	return p.objects.Configs.Revise(ctx, w.ref(), types.UID(uid), func(live *api.ProviderConfig) (map[string]any, error) {
		if what := moves(live.Spec, w); what != "" {
			if err := p.Unused(ctx, live.Spec.ProviderRef.Name, w.Name, what); err != nil {
				return nil, err
			}
		}
		spec, err := w.change(live)
		if err != nil {
			return nil, err
		}
		return map[string]any{
			"metadata": map[string]any{
				"labels": api.Changed(w.Labels, before.Labels), "annotations": api.Changed(w.annotations(), before.annotations()),
			},
			"spec": spec,
		}, nil
	})
}

// change is a merge patch of the spec of a ProviderConfig.
func (w Wanted) change(live *api.ProviderConfig) (map[string]any, error) {
	spec, err := api.Encode(live.Spec)
	if err != nil {
		return nil, err
	}
	var now map[string]any
	if err := strict.Decode(spec, &now); err != nil {
		return nil, err
	}
	wanted := w.spec()
	if w.Extensions == nil {
		wanted["enforcedShootExtensions"] = nil
	}
	return mergePatch(now, wanted), nil
}

// veryConfig reads this ProviderConfig by itself.
func (p *Profiles) veryConfig(ctx context.Context, name, uid string) (*api.ProviderConfig, error) {
	live, err := p.objects.Configs.Get(ctx, api.Ref{Name: name})
	if err == nil && string(live.UID) != uid {
		return nil, &api.GoneError{Kind: api.KindConfig, Ref: api.Ref{Name: name}, UID: uid}
	}
	return live, err
}

// moves says what of a change would move the clusters of a ProviderConfig elsewhere; empty = nothing would.
func moves(live api.ProviderConfigSpec, w Wanted) string {
	template, err := api.Encode(w.Template)
	if err != nil {
		return ""
	}
	now, _ := HomeOf(live)
	wanted, _ := FactsOf(template)
	return now.Moves(Home{wanted.Bindings, w.Project, w.Landscape})
}

// mergePatch is a JSON merge patch that makes an object another: what is equal is left out, and what the other lacks is null.
func mergePatch(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for key := range from {
		if _, kept := to[key]; !kept {
			patch[key] = nil
		}
	}
	for key, value := range to {
		was, there := from[key]
		object, isObject := value.(map[string]any)
		wasObject, wasAnObject := was.(map[string]any)
		switch {
		case there && reflect.DeepEqual(was, value):
		case isObject && wasAnObject:
			patch[key] = mergePatch(wasObject, object)
		default:
			patch[key] = value
		}
	}
	return patch
}

// RemoveConfig deletes this ProviderConfig, where no Cluster uses its profile, and waits until it is gone. What holds it is reported.
//
// Errors: [*UsedError], [*api.WaitError]; those of [kube.Write] and [kube.Read].
func (p *Profiles) RemoveConfig(ctx context.Context, name, uid string, tell func(string)) error {
	live, err := p.veryConfig(ctx, name, uid)
	switch {
	case api.IsGone(err):
		return nil
	case err != nil:
		return err
	}
	of := api.Ref{Name: name}
	err = p.objects.Configs.Withdraw(ctx, live, func(live *api.ProviderConfig) error {
		return p.Unused(ctx, live.Spec.ProviderRef.Name, name, NotDeleted)
	})
	if err != nil {
		return err
	}
	if err := p.objects.Configs.AwaitGone(ctx, of, live.UID, tell, func(c *api.ProviderConfig) { live = c }); err != nil {
		failing := append(live.Status.Failing(), api.KeptBy(live.Finalizers)...)
		return &api.WaitError{Kind: api.KindConfig, Ref: of, For: api.UntilGone, Phase: live.Status.Phase, Err: err, Failing: failing}
	}
	return nil
}

// ProfileOf returns the profile that was published for a ProviderConfig; nil = none was.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) ProfileOf(ctx context.Context, provider, config string) (*api.ClusterProfile, error) {
	all, err := p.objects.Profiles.All(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(one *api.ClusterProfile) bool {
		return one.Spec.ProviderRef.Name == provider && one.Spec.ProviderConfigRef.Name == config
	})
	if i < 0 {
		return nil, nil //nolint:nilnil // as documented
	}
	return all[i], nil
}
