package provider

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// A computed value that a plan does not know replaces what depends on it. So it is known, unless the change can change it. What a plan
// knows has to be so after the apply: where another party changes it meanwhile, the apply keeps what was planned, and the next
// refresh shows what has come.

// changed is one kind of change of an object.
type changed struct {
	name   string         // the attribute that changes, and what of it where there are several kinds
	to     map[string]any // what is configured beside the rest
	before func(*hostile.API)
	anew   bool // it makes another object: all that is computed is another's
	alone  bool // it is refused where another party has meddled
}

// changeOf is a change of one attribute.
func changeOf(attribute string, value any) changed {
	return changed{name: attribute, to: map[string]any{attribute: value}}
}

// another is a change of one attribute that makes another object.
func another(attribute string, value any) changed {
	c := changeOf(attribute, value)
	c.anew = true
	return c
}

// unused is a change that is refused while the object is used.
func (c changed) unused() changed {
	c.alone = true
	return c
}

// named gives a change a name of its own.
func (c changed) named(what string) changed {
	c.name += ": " + what
	return c
}

// computedIn is what becomes of a computed attribute: it stays known and as it is, but for these changes.
type computedIn struct {
	unknown []string // the changes that can change it in a way that no plan knows
	known   []string // the changes that change it, and the plan knows to what
	why     string   // why these and no others
}

// subject is one type of object.
type subject struct {
	config   map[string]any     // in place of those of hostileConfigs
	standing func(*hostile.API) // what controllers have made of the object
	meddle   func(*hostile.API) // what another party changes between plan and apply
	changes  []changed
	computed map[string]computedIn
	fixed    map[string]string // attributes that no change is tried of, and why
}

// path of an object on the hostile server.
func onPlatform(namespace, resource, name string) string {
	return openmcpPath + "namespaces/" + namespace + "/" + resource + "/" + name
}

// controllers sets parts of the status of an object.
func controllers(path string, parts hostile.Object) func(*hostile.API) {
	return func(api *hostile.API) {
		object := api.Get(path)
		was, _ := object["status"].(hostile.Object)
		now := maps.Clone(was)
		if now == nil {
			now = hostile.Object{}
		}
		maps.Copy(now, parts)
		object["status"] = now
	}
}

func both(all ...func(*hostile.API)) func(*hostile.API) {
	return func(api *hostile.API) {
		for _, one := range all {
			one(api)
		}
	}
}

// set puts a value into an object.
func set(path string, value any, keys ...string) func(*hostile.API) {
	return func(api *hostile.API) {
		object := api.Get(path)
		for _, key := range keys[:len(keys)-1] {
			inside, _ := object[key].(hostile.Object)
			if inside == nil {
				inside = hostile.Object{}
				object[key] = inside
			}
			object = inside
		}
		object[keys[len(keys)-1]] = value
	}
}

// oneText are labels or annotations.
func oneText() map[string]tftypes.Value {
	return map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.String, "b")}
}

func textsOf(all ...string) []tftypes.Value {
	values := make([]tftypes.Value, len(all))
	for i, text := range all {
		values[i] = tftypes.NewValue(tftypes.String, text)
	}
	return values
}

const forGood = "It is given once, and never changes while the object lives."

var timeoutOf = changed{name: "timeouts", to: map[string]any{"timeouts": map[string]any{"read": "3m"}}}

// subjects are all types of objects that the provider has.
func subjects() map[string]subject { //nolint:funlen // a table
	shoot := shootsPath + "s1"
	cluster := onPlatform(hostile.Platform, "clusters", "c1")
	granted := onPlatform(hostile.Platform, "clusters", "granted")
	access := onPlatform(hostileNamespace, "accessrequests", "a1")
	rules := func(entries ...string) map[string]any { return map[string]any{"rules": textsOf(entries...)} }
	waiting := func(path string) func(*hostile.API) {
		return controllers(path, hostile.Object{"lastOperation": hostile.Object{
			"type": "Reconcile", "state": "Error", "progress": 10, "description": "x", "lastUpdateTime": time.Now().UTC().Format(time.RFC3339),
		}})
	}
	clusterFacts := func(phase, url, version string) func(*hostile.API) {
		return both(
			controllers(cluster, hostile.Object{"phase": phase, "endpoints": []any{hostile.Object{"name": "api", "url": url}},
				"conditions": []any{hostile.Object{"type": "Healthy", "status": "True"}}}),
			set(cluster, version, "metadata", "labels", "clusters.openmcp.cloud/k8sversion"),
		)
	}
	grantedFacts := func(phase, url, version string) func(*hostile.API) {
		return both(
			controllers(granted, hostile.Object{"phase": phase, "endpoints": []any{hostile.Object{"name": "api", "url": url}}}),
			set(granted, version, "metadata", "labels", "clusters.openmcp.cloud/k8sversion"),
		)
	}
	shootChange := func(what string, from, to string) changed {
		return changeOf("template", strings.Replace(hostileTemplate, from, to, 1)).named(what)
	}
	return map[string]subject{
		"hap_account": {
			meddle: set(shootsPath+"standing", "new", "spec", "credentialsBindingName"), // the account is occupied
			changes: []changed{
				changeOf("labels", oneText()), changeOf("internal", true), changeOf("quarantine", "a reason"), changeOf("shared", true).unused(), changeOf("eu_access", true).unused(),
				changeOf("rule_set", rules("aws")), timeoutOf,
				another("name", "newer"), another("hyperscaler_type", "aws"), another("provider_type", "aws"),
				another("credentials_ref", map[string]any{"name": "aws-1", "namespace": hostileNamespace, "kind": "Secret"}),
				another("quotas", []tftypes.Value{tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{
					"namespace": tftypes.String, "name": tftypes.String}}, map[string]tftypes.Value{
					"namespace": tftypes.NewValue(tftypes.String, "n"), "name": tftypes.NewValue(tftypes.String, "q")})}),
			},
			computed: map[string]computedIn{
				"uid":             {why: forGood},
				"global_account":  {why: "Claims and the broker write it; nothing that the owner of the account changes does."},
				"clusters":        {why: "They come and go by others."},
				"dirty":           {unknown: []string{"quarantine"}, why: "A quarantine is a mark; all others are those of others."},
				"class":           {unknown: []string{"internal", "quarantine", "shared", "eu_access"}, why: "It follows from these labels, and from the pool: another pool has other duplicates."},
				"credentials_ref": {why: "What is left out of it follows from the provider block."},
				"quotas":          {why: "Gardener does not change them."},
				"shared":          {known: []string{"shared"}, why: "It is configured."},
				"eu_access":       {known: []string{"eu_access"}, why: "It is configured."},
				"internal":        {known: []string{"internal"}, why: "It is configured."},
			},
		},
		"hap_credentials_binding_claim": {
			config: map[string]any{"platform_region": "cf-eu10", "lease": "1h", "binding_name": nil},
			meddle: both(set(bindingsPath+"aws-1", "true", "metadata", "labels", "internal")),
			changes: []changed{
				changeOf("owner", "team-a"), changeOf("lease", "2h"), changeOf("cluster_name", "c"), changeOf("wait_for_account", true), changeOf("on_destroy", "keep"), timeoutOf,
				changeOf("platform_region", "cf-eu20"), changeOf("hyperscaler_region", "eu-central-1"), changeOf("hyperscaler", "aws"),
				{name: "plan", to: map[string]any{"plan": "preview", "rule_set": rules("aws", "preview")}},
				changeOf("rule_set", rules("aws", "gcp")),
				another("name", "red"), another("global_account", "ga-2"), another("binding_name", "aws-2"),
			},
			computed: map[string]computedIn{
				"id":                 {why: forGood},
				"binding_name":       {why: forGood},
				"binding_uid":        {why: forGood},
				"provider_type":      {why: forGood},
				"credentials_ref":    {why: forGood},
				"hyperscaler_type":   {why: "A claim stays on its pool."},
				"shared":             {why: "A claim stays on its pool."},
				"eu_access":          {why: "A claim stays on its pool."},
				"newly_claimed":      {why: forGood},
				"claimed_at":         {why: forGood},
				"expires_at":         {known: []string{"lease"}, why: "It follows from the lease and the time of the claim."},
				"cluster_count":      {why: "Clusters come and go by others."},
				"reserved":           {unknown: []string{"cluster_name"}, why: "Another cluster may be there already, and reserves nothing then."},
				"limit":              {why: "The provider block says it."},
				"dirty":              {why: "A release marks, and the clean-up job takes the mark away."},
				"name":               {why: "It is configured."},
				"on_destroy":         {known: []string{"on_destroy"}, why: "It is configured."},
				"platform_region":    {known: []string{"platform_region"}, why: "It is configured."},
				"hyperscaler_region": {known: []string{"hyperscaler_region"}, why: "It is configured."},
				"hyperscaler":        {known: []string{"hyperscaler"}, why: "It is configured."},
			},
		},
		"hap_cluster": {
			standing: clusterFacts("Ready", "https://a", "1.33.2"),
			meddle:   clusterFacts("Ready", "https://b", "1.34.0"),
			changes: []changed{
				changeOf("labels", oneText()), changeOf("annotations", oneText()), timeoutOf, changeOf("wait_for", "created"),
				changeOf("deletion_protection", true), changeOf("purposes", textsOf("x", "y")), changeOf("tenancy", "Exclusive"), changeOf("kubernetes_version", "1.34.0"), changeOf("cluster_config_refs", textsOf("c")),
				{name: "waits", before: controllers(cluster, hostile.Object{"phase": "Not Ready"}), to: map[string]any{"labels": oneText()}},
				another("name", "c2"), another("namespace", "other"), another("profile", "q"),
			},
			computed: map[string]computedIn{
				"id": {why: forGood}, "uid": {why: forGood}, "namespace": {why: "It is configured."}, "tenancy": {known: []string{"tenancy"}, why: "It is configured."},
				"wait_for":            {known: []string{"wait_for"}, why: "It is configured."},
				"deletion_protection": {known: []string{"deletion_protection"}, why: "It is configured."},
				"phase":               {unknown: clusterSpec("waits"), why: "The cluster provider works on another spec."},
				"ready":               {unknown: clusterSpec("waits"), why: "The cluster provider works on another spec."},
				"conditions":          {unknown: clusterSpec("waits"), why: "The cluster provider works on another spec."},
				"endpoints":           {why: "They stay as soon as there are any: none of the changes moves the cluster."},
				"running_version": {unknown: []string{"kubernetes_version"},
					why: "It follows from the version; one that the cluster provider raises by itself is shown by the next refresh."},
				"shoot": {unknown: []string{"waits"}, why: "What opens the Shoot has to wait until it is ready: an ephemeral resource with a known name " +
					"opens within the plan."},
				"requests": {why: "Requests hold it, and no change of the configuration does."},
			},
		},
		"hap_cluster_request": {
			standing: grantedFacts("Ready", "https://a", "1.33.2"),
			meddle:   grantedFacts("Ready", "https://b", "1.34.0"),
			changes: []changed{
				changeOf("labels", oneText()), changeOf("annotations", oneText()), timeoutOf, changeOf("wait_for", "granted"),
				changeOf("deletion_protection", true),
				{name: "waits", before: controllers(granted, hostile.Object{"phase": "Not Ready"}), to: map[string]any{"labels": oneText()}},
				another("name", "r2"), another("namespace", "other"), another("purpose", "y"),
			},
			fixed: map[string]string{
				"purposes": builtin, "global_account": builtin, "dedicated": builtin, "traits": builtin, "prefix_proposal": builtin, "kubernetes_version_wanted": builtin,
				"purpose_definitions": builtin, "trait_equivalences": builtin,
			},
			computed: map[string]computedIn{
				"id": {why: forGood}, "uid": {why: forGood}, "namespace": {why: "It is configured, or the provider block says it."},
				"deletion_protection": {known: []string{"deletion_protection"}, why: "It is configured."},
				"purpose":             {why: "It is configured."}, "wait_for": {known: []string{"wait_for"}, why: "It is configured."},
				"phase":   {unknown: []string{"waits"}, why: "An apply that waits shows a request to the scheduler again where its Cluster is lost."},
				"cluster": {why: forGood}, "tenancy": {why: forGood}, "profile": {why: forGood}, "cluster_provider": {unknown: []string{"waits"},
					why: "There is none yet: the cluster provider writes it when it takes the Cluster."},
				"prefix": {why: forGood}, "prefix_source": {why: forGood},
				"cluster_phase":      {unknown: []string{"waits"}, why: "The apply waits until it is Ready."},
				"ready":              {unknown: []string{"waits"}, why: "The apply waits for it."},
				"tenants":            {unknown: []string{"waits"}, why: "Others come and go while the apply waits."},
				"kubernetes_version": {why: "A request does not change that of its Cluster."},
				"endpoints":          {why: "They stay as soon as there are any."},
				"shoot":              {unknown: []string{"waits"}, why: "As that of hap_cluster."},
			},
		},
		"hap_access_request": {
			standing: controllers(access, hostile.Object{"phase": "Granted"}),
			changes: []changed{
				changeOf("labels", oneText()), changeOf("annotations", oneText()), timeoutOf, changeOf("wait_for", "none"),
				{name: "token", to: map[string]any{"token": map[string]any{"role_refs": []tftypes.Value{roleRef}}}},
				{name: "waits", before: controllers(access, hostile.Object{"phase": "Pending"}), to: map[string]any{"labels": oneText()}},
				another("name", "a2"), another("namespace", "other"),
				another("cluster_ref", map[string]any{"name": "other", "namespace": hostile.Platform}),
			},
			fixed: map[string]string{
				"request_ref": "Either it or cluster_ref is there.", "oidc": "Either it or token is there: a change of it is one of the access as that of token.",
			},
			computed: map[string]computedIn{
				"id": {why: forGood}, "uid": {why: forGood}, "namespace": {why: "It is configured, or the provider block says it."},
				"wait_for": {known: []string{"wait_for"}, why: "It is configured."},
				"phase":    {unknown: []string{"token", "waits"}, why: "Another access is granted anew."},
				"granted":  {unknown: []string{"token", "waits"}, why: "Another access is granted anew."},
				"secret_ref": {unknown: []string{"token", "waits"},
					why: "The cluster provider names the Secret, each time that it grants access."},
				"expires_at": {unknown: []string{"token", "waits"}, why: "Another access has another token."},
				"shoot":      {unknown: []string{"waits"}, why: "The operator names the Cluster with the grant."},
				"access_request_id": {unknown: []string{"token", "waits"},
					why: "What reads the access has to wait for the grant: an ephemeral resource with a known ID opens within the plan."},
			},
		},
		"hap_gardener_provider_config": {
			standing: controllers(providerConfig, hostile.Object{"phase": "Ready", "conditions": []any{hostile.Object{"type": "Good", "status": "True"}}}),
			meddle:   controllers(providerConfig, hostile.Object{"phase": "Progressing", "conditions": []any{hostile.Object{"type": "Good", "status": "False"}}}),
			changes: []changed{
				changeOf("labels", oneText()), changeOf("annotations", oneText()), timeoutOf, changeOf("global_account", "ga-1"),
				changeOf("environment", "f"), changeOf("wait_for_profile", true), shootTemplateChange, changeOf("enforced_shoot_extensions", "[]"),
				changeOf("traits", textsOf("example.com/zone/eu")), another("name", "g2"), another("provider_ref", "other"), another("project", "q"), another("landscape_ref", "m"),
			},
			fixed: map[string]string{"credentials_binding_name": "The template has no workers, and so no account: a change makes another object."},
			computed: map[string]computedIn{
				"id": {why: forGood}, "uid": {why: forGood}, "provider_ref": {why: "It is configured."},
				"profile_name": {known: []string{"environment"}, why: "It follows from the environment, the provider and the name."},
				"phase":        {unknown: []string{"shoot_template", "enforced_shoot_extensions"}, why: "The cluster provider looks at another spec."},
				"conditions":   {unknown: []string{"shoot_template", "enforced_shoot_extensions"}, why: "The cluster provider looks at another spec."},
			},
		},
		"hap_rule_set": {
			config: map[string]any{"pool_check": "off"},
			changes: []changed{
				changeOf("rules", textsOf("aws", "gcp")), changeOf("syntax", "attribute"), changeOf("required_plans", textsOf()), changeOf("pool_check", "warn"),
				changeOf("eu_access_platform_regions", textsOf("cf-eu11")), changeOf("platform_regions", textsOf("cf-eu10")),
				changeOf("plans", map[string]tftypes.Value{"own": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, textsOf("aws"))}),
				{name: "legacy", to: map[string]any{"rules": nil, "required_plans": nil, "legacy": map[string]any{"shared_rule": "aws"}}},
			},
			computed: map[string]computedIn{
				"id":          {known: []string{"rules", "plans", "legacy", "platform_regions", "eu_access_platform_regions"}, why: "It follows from the rules."},
				"entries":     {known: []string{"rules", "plans", "legacy"}, why: "They follow from the rules, and from the keys of the labels."},
				"rule_file":   {known: []string{"rules", "plans", "legacy"}, why: "It follows from the rules."},
				"helm_values": {known: []string{"rules", "plans", "legacy"}, why: "It follows from the rules."},
				"pool_check":  {known: []string{"pool_check"}, why: "It is configured."},
			},
		},
		"hap_shoot": {
			config: map[string]any{"deletion_protection": false, "on_immutable_change": "replace"},
			standing: both(
				controllers(shoot, hostile.Object{"lastOperation": hostile.Object{"type": "Reconcile", "state": "Succeeded", "progress": 100,
					"description": "x", "lastUpdateTime": time.Now().UTC().Format(time.RFC3339)}, "seedName": "seed-1", "technicalID": "shoot--p--s1", "advertisedAddresses": []any{
					hostile.Object{"name": "external", "url": "https://api.s1"}}}),
			),
			meddle: both(
				controllers(shoot, hostile.Object{"lastOperation": hostile.Object{"type": "Reconcile", "state": "Succeeded", "progress": 100,
					"description": "x", "lastUpdateTime": time.Now().UTC().Format(time.RFC3339)}, "seedName": "seed-2", "technicalID": "shoot--p--other", "hibernated": true, "advertisedAddresses": []any{
					hostile.Object{"name": "external", "url": "https://other"}}, "credentials": hostile.Object{"rotation": hostile.Object{
					"certificateAuthorities": hostile.Object{"phase": "Completed"}}}}),
				set(shootsPath+"s1", "1.33.9", "spec", "kubernetes", "version"),
				set(authority, "PEM 2", "data", "ca.crt"),
			),
			changes: []changed{
				changeOf("labels", oneText()), changeOf("annotations", oneText()), timeoutOf, changeOf("wait_for", "created"), changeOf("global_account", "ga-1"),
				changeOf("cluster_ref", map[string]any{"namespace": "n", "name": "c"}), changeOf("deletion_protection", true), changeOf("on_immutable_change", "error"),
				shootChange("text", `{"spec"`, ` {"spec"`), shootChange("label", `{"spec"`, `{"metadata": {"labels": {"a": "b"}}, "spec"`),
				shootChange("spec", `"spec": {`, `"spec": {"purpose": "testing", `), shootChange("version", "1.33.2", "1.34.0"),
				shootChange("dns", `"spec": {`, `"spec": {"dns": {"domain": "a.b"}, `),
				shootChange("hibernation", `"spec": {`, `"spec": {"hibernation": {"enabled": true}, `),
				{name: "waits", before: waiting(shoot), to: map[string]any{"labels": oneText()}},
				another("name", "s2"),
			},
			fixed: map[string]string{"credentials_binding_name": "The template has no workers, and so no account: a change makes another object."},
			computed: map[string]computedIn{
				"id": {why: forGood}, "uid": {why: forGood}, "technical_id": {why: forGood},
				"deletion_protection": {known: []string{"deletion_protection"}, why: "It is configured."},
				"on_immutable_change": {known: []string{"on_immutable_change"}, why: "It is configured."},
				"wait_for":            {known: []string{"wait_for"}, why: "It is configured."},
				"seed":                {why: "An operator moves a control plane, and no change of the configuration does."},
				"workerless":          {why: "Gardener does not let a cluster without workers have some, nor the other way round."},
				"kubernetes_version":  {unknown: []string{"template: version"}, why: "Gardener completes and judges the version of the template. Maintenance raises it by itself: the next refresh shows that."},
				"api_server_urls":     {unknown: []string{"template: dns", "template: hibernation"}, why: "They follow from the domain and the issuer; Gardener looks at them anew when a cluster wakes up."},
				"hibernated":          {unknown: []string{"template: hibernation", "waits"}, why: "It follows from the template and its schedules; a cluster that is not ready may be waking up."},
				"ready":               {unknown: shootSpec("waits"), why: "Gardener works on another spec. Labels and annotations are none of it."},
				"conditions":          {unknown: shootSpec("waits"), why: "Gardener works on another spec."},
				"access_name":         {unknown: []string{"waits"}, why: "A cluster that is ready goes on being reached while it changes."},
				"ca_certificate":      {why: "A rotation changes it, which no configuration asks for: the next refresh shows it."},
			},
		},
	}
}

const (
	builtin        = "It is for the built-in scheduler, and makes another request or refuses."
	providerConfig = "/apis/gardener.clusters.openmcp.cloud/v1alpha1/providerconfigs/g1"
	authority      = "/api/v1/namespaces/" + hostileNamespace + "/configmaps/s1.ca-cluster"
)

var roleRef = tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{
	"kind": tftypes.String, "namespace": tftypes.String, "name": tftypes.String,
}}, map[string]tftypes.Value{
	"kind": tftypes.NewValue(tftypes.String, "ClusterRole"), "namespace": tftypes.NewValue(tftypes.String, nil),
	"name": tftypes.NewValue(tftypes.String, "view"),
})

var shootTemplateChange = changeOf("shoot_template", strings.Replace(hostileTemplate, `"spec": {`, `"spec": {"purpose": "testing", `, 1))

// clusterSpec are the changes of the spec of a Cluster, and more.
func clusterSpec(more ...string) []string {
	return append([]string{"purposes", "tenancy", "kubernetes_version", "cluster_config_refs"}, more...)
}

// shootSpec are the changes of the spec of a Shoot, and more.
func shootSpec(more ...string) []string {
	return append([]string{"template: spec", "template: version", "template: dns", "template: hibernation"}, more...)
}

// stage is one object that exists on a server.
type stage struct {
	*life
	subject
	api   *hostile.API
	block tftypes.Value // the configuration that it was made by
}

// newStage makes an object, and lets its controllers act.
func newStage(t *testing.T, name string, s subject) *stage {
	t.Helper()
	api := hostileLandscape()
	st := &stage{subject: s, api: api}
	st.life = &life{kind: "resource", name: name, config: maps.Clone(hostileConfigs()["resource "+name])}
	maps.Copy(st.life.config, s.config)
	v := newVictim(t, api)
	defer v.hostile.End()
	st.of = v.Schema.ResourceSchemas[name].ValueType()
	st.block = acceptance.Filled(v, st.of, st.life.config)
	var ok bool
	if st.life.standing, ok = st.make(v, time.Minute); !ok {
		t.Fatalf("%s cannot be made: %s", name, sayings(v.said))
	}
	if s.standing != nil {
		s.standing(api)
	}
	return st
}

// in runs a step with a process of the provider of its own, as a CLI does.
func (s *stage) in(t *testing.T, step func(context.Context, *victim)) *victim {
	t.Helper()
	v := newVictim(t, s.api)
	defer v.hostile.End()
	v.within(time.Minute, func(ctx context.Context) { step(ctx, v) })
	return v
}

// refresh reads the object.
func (s *stage) refresh(ctx context.Context, v *victim) {
	v.Helper()
	was := s.life.standing
	resp, err := v.Server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: s.name, CurrentState: was.State, Private: was.Private, CurrentIdentity: was.Identity,
	})
	if !v.hear(err, resp.Diagnostics) {
		v.Fatalf("%s cannot be read: %s", s.name, sayings(v.said))
	}
	s.life.standing = acceptance.Standing{State: resp.NewState, Private: resp.Private, Identity: resp.NewIdentity}
}

// configured is the configuration with a change.
func (s *stage) configured(v *victim, to map[string]any) tftypes.Value {
	config := maps.Clone(s.life.config)
	maps.Copy(config, to)
	return acceptance.Filled(v, s.of, config)
}

// plan plans a configuration over what exists, as a CLI proposes it.
func (s *stage) plan(ctx context.Context, v *victim, config tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	v.Helper()
	was := s.life.standing
	proposed, configured := s.attributes(v, was.State), v.Attributes(config)
	for _, a := range v.Schema.ResourceSchemas[s.name].Block.Attributes {
		if value := configured[a.Name]; !a.Computed || !value.IsNull() {
			proposed[a.Name] = value
		}
	}
	resp, err := v.Server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.name, PriorState: was.State, PriorPrivate: was.Private, PriorIdentity: was.Identity,
		ProposedNewState: v.Dynamic(tftypes.NewValue(s.of, proposed)), Config: v.Dynamic(config),
	})
	v.hear(err, resp.Diagnostics)
	return resp
}

func (s *stage) attributes(v *victim, state *tfprotov6.DynamicValue) map[string]tftypes.Value {
	v.Helper()
	value, err := state.Unmarshal(s.of)
	if err != nil {
		v.Fatal(err)
	}
	return v.Attributes(value)
}

// Each computed attribute of each resource is known in each plan, unless the change can change it; and what is known is so after the
// apply, whatever another party does between the two.
func TestUnknownOnlyWhatCanChange(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
	all := subjects()
	schema := schemaOf(t)
	for name := range schema.ResourceSchemas {
		s, there := all[name]
		if !there {
			t.Errorf("subjects has no %s: what its plans know was never tried", name)
			continue
		}
		s.complete(t, name, schema.ResourceSchemas[name])
		for _, c := range s.changes {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s.try(t, name, c)
			})
		}
	}
}

// theSchema is the schema of the provider, made once: a provider of its own for each test makes what it needs of it anew.
var theSchema = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return protocol("test", account.Run{})().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

func schemaOf(t testing.TB) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	schema, err := theSchema()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// complete fails where an attribute of the schema has no row.
func (s subject) complete(t *testing.T, name string, schema *tfprotov6.Schema) {
	t.Helper()
	changes := map[string]bool{}
	for _, c := range s.changes {
		changes[c.name] = true
		for attribute := range c.to {
			changes["of "+attribute] = true
		}
	}
	attributes := map[string]bool{}
	for _, a := range schema.Block.Attributes {
		attributes[a.Name] = true
		row, there := s.computed[a.Name]
		if a.Computed != there {
			t.Errorf("%s: %s is computed: %t, and has a row: %t", name, a.Name, a.Computed, there)
		}
		for _, change := range slices.Concat(row.unknown, row.known) {
			if !changes[change] {
				t.Errorf("%s: the row of %s names the change %q, which there is not", name, a.Name, change)
			}
		}
		if there && row.why == "" {
			t.Errorf("%s: the row of %s does not say why", name, a.Name)
		}
		if (a.Optional || a.Required) && !changes["of "+a.Name] && s.fixed[a.Name] == "" {
			t.Errorf("%s: no change of %s is tried", name, a.Name)
		}
	}
	for attribute := range s.computed {
		if !attributes[attribute] {
			t.Errorf("%s: there is a row of %s, and no such attribute", name, attribute)
		}
	}
}

// try plans and applies one change.
func (s subject) try(t *testing.T, name string, c changed) {
	t.Helper()
	st := newStage(t, name, s)
	if c.before != nil {
		c.before(st.api)
	}
	var config tftypes.Value
	var planned *tfprotov6.PlanResourceChangeResponse
	v := st.in(t, func(ctx context.Context, v *victim) {
		st.refresh(ctx, v)
		config = st.configured(v, c.to)
		planned = st.plan(ctx, v, config)
	})
	if text := sayings(v.said); strings.Contains(text, "ERROR") {
		t.Fatalf("the plan fails: %s", text)
	}
	if c.anew != (len(planned.RequiresReplace) > 0) {
		t.Fatalf("another object is planned by %s", planned.RequiresReplace)
	}
	if c.anew {
		return
	}
	was, will, asked := st.attributes(v, st.life.standing.State), st.attributes(v, planned.PlannedState), v.Attributes(config)
	for attribute, row := range s.computed {
		before, now := was[attribute], will[attribute]
		switch {
		case slices.Contains(row.unknown, c.name):
			if now.IsFullyKnown() {
				t.Errorf("%s is planned as %s, and the change can change it", attribute, now)
			}
		case !now.IsFullyKnown():
			t.Errorf("%s is unknown, was %s, and the change cannot change it", attribute, before)
		case !slices.Contains(row.known, c.name) && !now.Equal(before) && asked[attribute].IsNull():
			t.Errorf("%s is planned as %s, was %s, and the change does not change it", attribute, now, before)
		}
	}
	st.holds(t, c, config, planned)
}

// holds applies what was planned after another party has meddled: what was known is so.
func (s *stage) holds(t *testing.T, c changed, config tftypes.Value, planned *tfprotov6.PlanResourceChangeResponse) {
	t.Helper()
	if s.meddle != nil && !c.alone {
		s.meddle(s.api)
	}
	if c.before != nil && s.subject.standing != nil { // what was waited for comes
		s.subject.standing(s.api)
	}
	v := s.in(t, func(ctx context.Context, v *victim) {
		made, _ := s.applied(ctx, v, s.life.standing, config, planned)
		s.life.standing = made
	})
	if text := sayings(v.said); strings.Contains(text, "ERROR") {
		t.Fatalf("the apply fails: %s", text)
	}
	is := s.attributes(v, s.life.standing.State)
	for attribute, value := range s.attributes(v, planned.PlannedState) {
		if value.IsFullyKnown() && !value.Equal(is[attribute]) {
			t.Errorf("%s was planned as %s, and is %s: an inconsistent result", attribute, value, is[attribute])
		}
		if !is[attribute].IsFullyKnown() {
			t.Errorf("%s is unknown after the apply", attribute)
		}
	}
}
