package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// backend is the way from the provider block to the pool. It is built at the first use, so that what needs no cluster
// works without one, and shared by all resources, so that they share one view of the pool.
type backend struct {
	settings kube.Settings
	getenv   func(string) string
	policy   pool.Policy
	agent    string
	accountSettings
	counting counting
	// unknown names the provider attributes whose values are known only after an apply.
	unknown []string
	// policyUnknown says that multi_account is known only after an apply: accounts can be read, but none selected.
	policyUnknown bool
	// releases collects what the deletes of this run warn of.
	releases *releaseWarnings
	// grace is how long the fence of a release stands before the last look, see pool.ReleaseRequest.
	grace time.Duration

	mu     sync.Mutex
	opened *pool.Pool
	client *garden.Garden
	// counts is who counts the clusters, once the pool is opened.
	counts pool.Source
	// host is the API server, once the pool is opened.
	host string
	// source says where the connection came from, and which variables were set in vain.
	source string
	// blind is set when a best-effort look at the pool has failed: the others need not try.
	blind  bool
	limits limitsSeen
	// declared are the claims that were planned so far. Terraform configures the provider anew for each plan and apply.
	declared map[pool.Identity]bool
	// told is what was said once and need not be said again.
	told map[string]bool
	// refreshed are the IDs of the rule sets that this run has read.
	refreshed map[string]bool
	// kept and ended are the claims that stand and of which the plan keeps or destroys an object of the state.
	kept, ended map[pool.Identity]bool
}

// keep notes that a claim is kept; true = an object of it is being destroyed, too.
func (b *backend) keep(id pool.Identity) (clash bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note(&b.kept, id)
	return b.ended[id]
}

// end notes that a claim is destroyed; true = an object of it is being kept, too.
func (b *backend) end(id pool.Identity) (clash bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note(&b.ended, id)
	return b.kept[id]
}

func note[K comparable](set *map[K]bool, key K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[key] = true
}

// noteRefreshed notes that this run has read a rule set of the state.
func (b *backend) noteRefreshed(ruleSet string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note(&b.refreshed, ruleSet)
}

// wasRefreshed reports whether this run has read a rule set of the state. The plan that follows is made by the same
// process; an apply has another one.
func (b *backend) wasRefreshed(ruleSet string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refreshed[ruleSet]
}

// declare notes a claim of the configuration; false = it was there already.
func (b *backend) declare(id pool.Identity) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.declared[id] {
		return false
	}
	note(&b.declared, id)
	return true
}

// tellOnce reports whether something is to be said now: what many resources would say alike is said by the first.
func (b *backend) tellOnce(what ...string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.Join(what, "\x00")
	if b.told[key] {
		return false
	}
	if b.told == nil {
		b.told = map[string]bool{}
	}
	b.told[key] = true
	return true
}

// unknownSettingsError says that a setting cannot be known yet.
type unknownSettingsError struct{ attributes []string }

func (e *unknownSettingsError) Error() string {
	return "the provider's " + strings.Join(e.attributes, ", ") + " will be known only after apply"
}

// pool returns the pool that the provider block leads to. It does not dial.
func (b *backend) pool() (*pool.Pool, error) {
	if len(b.unknown) > 0 {
		return nil, &unknownSettingsError{b.unknown}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened != nil {
		return b.opened, nil
	}
	settings, err := kube.FromEnvironment(b.getenv, b.settings)
	if err != nil {
		return nil, err
	}
	connection, err := kube.Resolve(settings, b.agent)
	if err != nil {
		return nil, err
	}
	logRequests(connection)
	b.host = connection.Config.Host
	g, err := garden.NewOf(b.kind, connection.Config, connection.Namespace, b.keys)
	if err != nil {
		return nil, err
	}
	b.source = connection.Source
	if vain := settings.NotRead(); len(vain) > 0 {
		b.source += "; not read: " + strings.Join(vain, ", ")
	}
	counter, source, err := b.counting.open(g, b.getenv)
	if err != nil {
		return nil, err
	}
	b.counts = source
	b.client = g
	b.opened = pool.New(connection.Namespace, loggedStore{g}, counter, b.policy)
	return b.opened, nil
}

// garden returns the connection behind the pool, for what is no business of the pool's.
func (b *backend) garden() (*garden.Garden, error) {
	if _, err := b.pool(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.client, nil
}

// selecting returns the pool for somebody who is going to select an account.
func (b *backend) selecting() (*pool.Pool, error) {
	if b.policyUnknown {
		return nil, &unknownSettingsError{[]string{"multi_account"}}
	}
	return b.pool()
}

// where names the namespace and the connection in messages, as far as they are known.
func (b *backend) where() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened == nil {
		return ""
	}
	return fmt.Sprintf(" in namespace %s (connection from %s)", b.opened.Namespace(), b.source)
}

// preview asks for a decision as a courtesy at plan time: after the first failure nobody waits again.
func (b *backend) preview(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	b.mu.Lock()
	blind := b.blind
	b.mu.Unlock()
	if blind {
		return pool.Decision{}, errBlind
	}
	d, err := b.decide(ctx, target, globalAccount)
	if err != nil && !isRefusal(err) {
		b.mu.Lock()
		b.blind = true
		b.mu.Unlock()
	}
	return d, err
}

func (b *backend) decide(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	p, err := b.selecting()
	if err != nil {
		return pool.Decision{}, err
	}
	d, err := p.Preview(ctx, target, globalAccount)
	logDecision(ctx, target, globalAccount, d, err)
	return d, b.lookAround(ctx, err)
}

// gardenPlace is where the settings of the connection to the Garden stand.
var gardenPlace = kube.Place{
	API: "the Garden API", Object: "kubernetes", Namespace: "namespace", NamespaceOf: "the Gardener project",
	Prefix: "KUBE_", NamespaceVariable: "HAP_NAMESPACE",
}

// settingsFrom reads the connection settings; unknown names the attributes whose values are not known yet.
func settingsFrom(ctx context.Context, model providerModel) (settings kube.Settings, unknown []string, diags diag.Diagnostics) {
	note := func(name string, values ...attr.Value) {
		if !whollyKnown(values...) {
			unknown = append(unknown, name)
		}
	}
	note("namespace", model.Namespace)
	settings.Place, settings.Namespace = gardenPlace, model.Namespace.ValueStringPointer()
	if model.Kubernetes.IsUnknown() {
		return settings, append(unknown, "kubernetes"), diags
	}
	if model.Kubernetes.IsNull() {
		return settings, unknown, diags
	}
	for name, value := range model.Kubernetes.Attributes() {
		note("kubernetes."+name, value)
	}
	slices.Sort(unknown)
	if len(unknown) > 0 {
		return settings, unknown, diags
	}
	var k struct {
		Host                  *string  `tfsdk:"host"`
		Token                 *string  `tfsdk:"token"`
		Username              *string  `tfsdk:"username"`
		Password              *string  `tfsdk:"password"`
		Insecure              *bool    `tfsdk:"insecure"`
		TLSServerName         *string  `tfsdk:"tls_server_name"`
		ClientCertificate     *string  `tfsdk:"client_certificate"`
		ClientKey             *string  `tfsdk:"client_key"`
		ClusterCACertificate  *string  `tfsdk:"cluster_ca_certificate"`
		ConfigPath            *string  `tfsdk:"config_path"`
		ConfigPaths           []string `tfsdk:"config_paths"`
		ConfigRaw             *string  `tfsdk:"config_raw"`
		ConfigContext         *string  `tfsdk:"config_context"`
		ConfigContextAuthInfo *string  `tfsdk:"config_context_auth_info"`
		ConfigContextCluster  *string  `tfsdk:"config_context_cluster"`
		ProxyURL              *string  `tfsdk:"proxy_url"`
		Exec                  *struct {
			APIVersion *string           `tfsdk:"api_version"`
			Command    string            `tfsdk:"command"`
			Args       []string          `tfsdk:"args"`
			Env        map[string]string `tfsdk:"env"`
		} `tfsdk:"exec"`
	}
	diags.Append(model.Kubernetes.As(ctx, &k, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return settings, unknown, diags
	}
	namespace := settings.Namespace
	settings = kube.Settings{
		Host: k.Host, Token: k.Token, Username: k.Username, Password: k.Password, Insecure: k.Insecure, TLSServerName: k.TLSServerName,
		ClientCertificate: k.ClientCertificate, ClientKey: k.ClientKey, ClusterCACertificate: k.ClusterCACertificate,
		ConfigPath: k.ConfigPath, ConfigPaths: k.ConfigPaths, ConfigRaw: k.ConfigRaw, ConfigContext: k.ConfigContext,
		ConfigContextAuthInfo: k.ConfigContextAuthInfo, ConfigContextCluster: k.ConfigContextCluster, ProxyURL: k.ProxyURL,
		Place: gardenPlace, Namespace: namespace,
	}
	if k.Exec != nil {
		settings.Exec = &kube.Exec{Command: k.Exec.Command, Args: k.Exec.Args, Env: k.Exec.Env}
		if k.Exec.APIVersion != nil {
			settings.Exec.APIVersion = *k.Exec.APIVersion
		}
	}
	return settings, unknown, diags
}

// whollyKnown reports whether neither the values nor anything inside them is unknown.
func whollyKnown(values ...attr.Value) bool {
	for _, v := range values {
		if v == nil {
			continue
		}
		if v.IsUnknown() {
			return false
		}
		var inside []attr.Value
		switch v := v.(type) {
		case basetypes.ListValuable:
			list, _ := v.ToListValue(context.Background())
			inside = list.Elements()
		case basetypes.SetValuable:
			set, _ := v.ToSetValue(context.Background())
			inside = set.Elements()
		case basetypes.MapValuable:
			m, _ := v.ToMapValue(context.Background())
			inside = slices.Collect(maps.Values(m.Elements()))
		case basetypes.ObjectValuable:
			object, _ := v.ToObjectValue(context.Background())
			inside = slices.Collect(maps.Values(object.Attributes()))
		}
		if !whollyKnown(inside...) {
			return false
		}
	}
	return true
}
