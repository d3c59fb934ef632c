package provider

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// The tokens that the two connections have. Nothing may show them.
const (
	gardenToken   = "eyJhbGciOiJub25lIn0.Z2FyZGVu.UExBTlRFRC1nYXJkZW4"
	platformToken = "eyJhbGciOiJub25lIn0.cGxhdGZvcm0.UExBTlRFRC1wbGF0Zm9ybQ"
)

const (
	hostileNamespace = "garden-hostile"
	bindingsPath     = "/apis/security.gardener.cloud/v1alpha1/namespaces/" + hostileNamespace + "/credentialsbindings/"
	shootsPath       = "/apis/core.gardener.cloud/v1beta1/namespaces/" + hostileNamespace + "/shoots/"
	openmcpPath      = "/apis/clusters.openmcp.cloud/v1alpha1/"
)

// hostileTemplate is a Shoot that needs no account.
const hostileTemplate = `{"spec": {"cloudProfile": {"kind": "CloudProfile", "name": "aws"}, "region": "eu", "kubernetes": {"version": "1.33.2"}, "provider": {"type": "aws"}}}`

// hostileConfigs are the least that each object of the provider takes, so that it asks a server. An object of the provider that is not
// here fails the test.
func hostileConfigs() map[string]map[string]any {
	texts := func(all ...string) []tftypes.Value {
		values := make([]tftypes.Value, len(all))
		for i, text := range all {
			values[i] = tftypes.NewValue(tftypes.String, text)
		}
		return values
	}
	rules := map[string]any{"rules": texts("aws")}
	request := map[string]any{"global_account": "ga-1", "plan": "aws", "rule_set": rules}
	claim := maps.Clone(request)
	claim["name"], claim["on_destroy"] = "blue", "mark_dirty"
	return map[string]map[string]any{
		"resource hap_account": {"name": "new", "hyperscaler_type": "gcp", "provider_type": "gcp",
			"credentials_ref": map[string]any{"name": "new", "namespace": hostileNamespace}},
		"resource hap_credentials_binding_claim": claim,
		"resource hap_cluster": {"name": "c1", "namespace": hostile.Platform, "profile": "p", "purposes": texts("x"), "tenancy": "Shared",
			"deletion_protection": false},
		"resource hap_access_request": {"name": "a1", "cluster_ref": map[string]any{"name": "granted", "namespace": hostile.Platform},
			"token": map[string]any{}},
		"resource hap_gardener_provider_config": {
			"name": "g1", "environment": "e", "landscape_ref": "l", "project": "p", "shoot_template": hostileTemplate, "wait_for_profile": false,
		},
		"resource hap_cluster_request":       {"name": "r1", "purpose": "x", "deletion_protection": false},
		"resource hap_rule_set":              {"rules": texts("aws"), "required_plans": texts("aws"), "pool_check": "error"},
		"resource hap_shoot":                 {"name": "s1", "template": hostileTemplate, "deletion_protection": false},
		"data hap_binding_selection":         request,
		"data hap_pool_status":               {},
		"data hap_cluster_profiles":          {},
		"data hap_cluster_providers":         {},
		"data hap_cluster_schedule":          {"name": "r1", "purposes": texts("x"), "engine": "adr"},
		"ephemeral hap_credentials":          {"binding_name": "aws-1"},
		"ephemeral hap_shoot_access":         {"shoot_name": "standing"},
		"ephemeral hap_cluster_access":       {"access_request_id": hostileNamespace + "/standing"},
		"list hap_account":                   {},
		"list hap_credentials_binding_claim": {},
		"list hap_shoot":                     {},
	}
}

// writesNothing is what a server never changes for.
const writesNothing = "resource hap_rule_set"

// hostileLandscape is a small landscape: free accounts, a Shoot, and a platform cluster.
func hostileLandscape() *hostile.API {
	type object = hostile.Object
	binding := object{
		"metadata": object{"labels": object{"hyperscalerType": "aws"}}, "provider": object{"type": "aws"},
		"credentialsRef": object{"apiVersion": "v1", "kind": "Secret", "namespace": hostileNamespace, "name": "aws-1"},
	}
	another := object{ // that no claim takes by itself
		"metadata": object{"labels": object{"hyperscalerType": "aws", "internal": "true"}}, "provider": object{"type": "aws"},
		"credentialsRef": object{"apiVersion": "v1", "kind": "Secret", "namespace": hostileNamespace, "name": "aws-2"},
	}
	secrets := "/api/v1/namespaces/" + hostileNamespace + "/secrets/"
	platform := openmcpPath + "namespaces/" + hostile.Platform
	return hostile.NewAPI(map[string]object{
		bindingsPath + "aws-1":         binding,
		bindingsPath + "aws-2":         another,
		secrets + "aws-1":              {"data": object{"key": []byte("a credential")}},
		secrets + "new":                {"data": object{"key": []byte("a credential")}},
		authority:                      {"data": object{"ca.crt": "PEM 1"}},
		secrets + "access":             {"data": object{"kubeconfig": []byte(hostile.Kubeconfig)}},
		shootsPath + "standing":        {"spec": object{"provider": object{"type": "aws"}, "region": "eu"}},
		platform + "/clusters/granted": {"spec": object{"profile": "p", "tenancy": "Shared"}},
		openmcpPath + "namespaces/" + hostileNamespace + "/accessrequests/standing": {"spec": object{"token": object{}}},
		openmcpPath + "clusterprofiles/p": {"spec": object{"providerRef": object{"name": "gardener"}, "providerConfigRef": object{"name": "x"},
			"supportedVersions": []any{object{"version": "1.33.2"}}}},
		openmcpPath + "clusterprofiles/q": {"spec": object{"providerRef": object{"name": "gardener"}, "providerConfigRef": object{"name": "x"},
			"supportedVersions": []any{object{"version": "1.33.2"}}}},
	})
}

// victim is one process of the provider, before a server of its own.
type victim struct {
	*acceptance.Session
	hostile *hostile.Server
	api     *hostile.API
	trace   *syncBuffer
	said    []*tfprotov6.Diagnostic
	kept    [][]byte // what went into a state
}

// syncBuffer is a log that several write.
type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func newVictim(t *testing.T, api *hostile.API) *victim {
	t.Helper()
	return newVictimOf(t, hostile.NewServer(api), api)
}

func newVictimOf(t *testing.T, server *hostile.Server, api *hostile.API) *victim {
	t.Helper()
	return newVictimServed(t, server, api, serverOf)
}

// newVictimServed is a victim whose provider is served in some way.
func newVictimServed(t *testing.T, server *hostile.Server, api *hostile.API, served func(*hapProvider) tfprotov6.ProviderServer) *victim {
	t.Helper()
	v := &victim{hostile: server, api: api, trace: &syncBuffer{}}
	ctx := tflogtest.RootLogger(t.Context(), v.trace)
	v.Session = &acceptance.Session{TB: t, Ctx: ctx, Server: served(&hapProvider{version: "test", getenv: os.Getenv}), Schema: schemaOf(t)}
	connection := func(token string) map[string]any {
		return map[string]any{
			"host": server.URL, "cluster_ca_certificate": server.Authority(), "tls_server_name": "example.com", "token": token,
		}
	}
	garden, platform := connection(gardenToken), connection(platformToken)
	platform["namespace"] = hostileNamespace
	resp, err := v.Server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: acceptance.Object(t, v.Schema.Provider.ValueType(), map[string]any{
		"namespace": hostileNamespace, "release_grace": "0s", "kubernetes": garden, "platform": platform,
	})})
	v.Fine(err, resp.Diagnostics)
	return v
}

// hear keeps what an answer says.
func (v *victim) hear(err error, diagnostics []*tfprotov6.Diagnostic) (ok bool) {
	v.Helper()
	if err != nil {
		v.Errorf("the call failed: %v", err)
	}
	v.said = append(v.said, diagnostics...)
	return !slices.ContainsFunc(diagnostics, isError)
}

// within calls with the time of one operation.
func (v *victim) within(d time.Duration, call func(context.Context)) {
	ctx, cancel := context.WithTimeout(v.Ctx, d)
	defer cancel()
	call(ctx)
}

// hostileTime is what one operation has: a server that answers ends it sooner.
const hostileTime = 2 * time.Second

// life is what becomes of an object of the provider.
type life struct {
	kind, name string
	config     map[string]any
	of         tftypes.Type
	standing   acceptance.Standing // of a resource that was made
}

func (l *life) planned(ctx context.Context, v *victim, was acceptance.Standing, config tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	orNull := func(state *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
		if state != nil {
			return state
		}
		return v.Dynamic(tftypes.NewValue(l.of, nil))
	}
	planned, err := v.Server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: l.name, PriorState: orNull(was.State), PriorPrivate: was.Private, PriorIdentity: was.Identity,
		ProposedNewState: v.Dynamic(l.proposed(v, config, was)), Config: v.Dynamic(config),
	})
	if !v.hear(err, planned.Diagnostics) {
		return nil
	}
	return planned
}

// proposed is what a CLI proposes: what is computed and not configured is unknown in a new object, and as it was in one that exists.
func (l *life) proposed(v *victim, config tftypes.Value, was acceptance.Standing) tftypes.Value {
	if config.IsNull() {
		return config
	}
	attributes := v.Attributes(config)
	before := map[string]tftypes.Value{}
	if was.State != nil {
		state, err := was.State.Unmarshal(l.of)
		if err != nil {
			v.Fatal(err)
		}
		before = v.Attributes(state)
	}
	for _, a := range v.Schema.ResourceSchemas[l.name].Block.Attributes {
		switch {
		case a.WriteOnly:
			attributes[a.Name] = tftypes.NewValue(a.ValueType(), nil)
		case !a.Computed || !attributes[a.Name].IsNull():
		case was.State != nil:
			attributes[a.Name] = before[a.Name]
		default:
			attributes[a.Name] = tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
		}
	}
	return tftypes.NewValue(l.of, attributes)
}

func (l *life) applied(
	ctx context.Context, v *victim, was acceptance.Standing, config tftypes.Value, planned *tfprotov6.PlanResourceChangeResponse,
) (made acceptance.Standing, ok bool) {
	prior := was.State
	if prior == nil {
		prior = v.Dynamic(tftypes.NewValue(l.of, nil))
	}
	resp, err := v.Server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: l.name, PriorState: prior, PlannedState: planned.PlannedState, Config: v.Dynamic(config),
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	ok = v.hear(err, resp.Diagnostics)
	made = acceptance.Standing{State: resp.NewState, Private: resp.Private, Identity: resp.NewIdentity}
	v.keep(made)
	return made, ok
}

func (v *victim) keep(s acceptance.Standing) {
	if s.State != nil {
		v.kept = append(v.kept, s.State.MsgPack, s.Private)
	}
}

// make makes a resource: it reports whether that went through.
func (l *life) make(v *victim, d time.Duration) (made acceptance.Standing, ok bool) {
	config := acceptance.Filled(v, l.of, l.config)
	v.within(d, func(ctx context.Context) {
		if planned := l.planned(ctx, v, acceptance.Standing{}, config); planned != nil {
			made, ok = l.applied(ctx, v, acceptance.Standing{}, config, planned)
		}
	})
	return made, ok
}

// end reads the resource, and destroys it.
func (l *life) end(v *victim, d time.Duration) (ended bool) {
	v.within(d, func(ctx context.Context) {
		resp, err := v.Server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
			TypeName: l.name, CurrentState: l.standing.State, Private: l.standing.Private, CurrentIdentity: l.standing.Identity,
		})
		v.hear(err, resp.Diagnostics)
		v.keep(acceptance.Standing{State: resp.NewState, Private: resp.Private, Identity: resp.NewIdentity})
	})
	v.within(d, func(ctx context.Context) {
		nothing := tftypes.NewValue(l.of, nil)
		if planned := l.planned(ctx, v, l.standing, nothing); planned != nil {
			_, ended = l.applied(ctx, v, l.standing, nothing, planned)
		}
	})
	return ended
}

// ask has the server asked for what is no resource.
func (l *life) ask(v *victim, d time.Duration) {
	config := acceptance.Object(v, l.of, l.config)
	v.within(d, func(ctx context.Context) {
		switch l.kind {
		case "data":
			resp, err := v.Server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: l.name, Config: config})
			v.hear(err, resp.Diagnostics)
			v.keep(acceptance.Standing{State: resp.State})
		case "ephemeral":
			resp, err := v.Server.OpenEphemeralResource(ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: l.name, Config: config})
			v.hear(err, resp.Diagnostics)
		case "list":
			lists, _ := v.Server.(tfprotov6.ListResourceServer)
			stream, err := lists.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: l.name, Config: config, IncludeResource: true, Limit: 100})
			if err != nil {
				v.Errorf("the call failed: %v", err)
				return
			}
			for result := range stream.Results {
				v.hear(nil, result.Diagnostics)
				v.keep(acceptance.Standing{State: result.Resource})
			}
		}
	})
}

// hostileLives are the objects that the provider offers, each with its configuration.
func hostileLives(t *testing.T) []*life {
	t.Helper()
	schema := schemaOf(t)
	var lives []*life
	configs := hostileConfigs()
	for kind, all := range map[string]map[string]*tfprotov6.Schema{
		"resource": schema.ResourceSchemas, "data": schema.DataSourceSchemas, "ephemeral": schema.EphemeralResourceSchemas, "list": schema.ListResourceSchemas,
	} {
		for name, s := range all {
			config, there := configs[kind+" "+name]
			if !there {
				t.Errorf("hostileConfigs has no %s %s: a hostile server was never tried on it", kind, name)
				continue
			}
			lives = append(lives, &life{kind: kind, name: name, config: config, of: s.ValueType()})
		}
	}
	// In one order, so that a random seed repeats a sample.
	slices.SortFunc(lives, func(a, b *life) int { return cmp.Compare(a.kind+a.name, b.kind+b.name) })
	return lives
}

// encounter is one object of the provider that meets one mischief.
type encounter struct {
	*life
	hostile.Mischief
	mode string // all or writes: the requests that meet it
}

func encounters(lives []*life) (all []encounter) {
	for _, mischief := range hostile.Mischiefs() {
		for _, l := range lives {
			all = append(all, encounter{l, mischief, "all"})
			if l.kind == "resource" && l.kind+" "+l.name != writesNothing && !mischief.Alike {
				all = append(all, encounter{l, mischief, "writes"})
			}
		}
	}
	return all
}

// traits are what the sample of encounters has each of.
func (e encounter) traits() []string {
	return []string{e.kind + " " + e.name, "mischief " + e.Mischief.Name, "for " + e.mode}
}

// patience is 1 where the provider waits for answers that do not come.
func (e encounter) patience() int {
	if e.Mute {
		return 1
	}
	return 0
}

// weight is how many places an encounter takes of so many.
func (e encounter) weight(places int) int {
	switch {
	case e.Heavy && e.mode == "all":
		return places / 2
	case e.Heavy:
		return places / 8
	}
	return 1
}

// F38, F39: whatever a server does, and whatever the provider asks of it: no request goes anywhere else, no token is in a message, in a
// log at level TRACE or in a state, no memory is taken that has no bound, each message can be read, and no write counts that the server
// has not carried out.
func TestHostileServer(t *testing.T) { //nolint:paralleltest // memory is measured
	api := hostileLandscape()
	lives := hostileLives(t)
	some := someOf(t, encounters(lives), encounter.traits)
	slices.SortStableFunc(some, func(a, b encounter) int { return b.patience() - a.patience() }) // the longest begin
	for _, l := range lives {                                                                    // the server answers as it should: each object works
		v := newVictim(t, api)
		if l.kind == "resource" {
			var ok bool
			if l.standing, ok = l.make(v, time.Minute); !ok {
				t.Errorf("%s %s cannot be made before an obedient server: %s", l.kind, l.name, sayings(v.said))
			}
		} else if l.ask(v, time.Minute); strings.Contains(sayings(v.said), "ERROR") {
			t.Errorf("%s %s fails before an obedient server: %s", l.kind, l.name, sayings(v.said))
		}
		v.hostile.End()
	}
	if t.Failed() {
		return
	}
	var mu sync.Mutex
	asked := map[string]int{}
	most := watchMemory(func() {
		var running sync.WaitGroup
		places := make(chan struct{}, 32)
		for _, e := range some {
			weight := e.weight(cap(places))
			for range weight {
				places <- struct{}{}
			}
			running.Go(func() {
				n := suffer(t, api, e)
				mu.Lock()
				asked[e.kind+" "+e.name+" "+e.mode] += n
				mu.Unlock()
				for range weight {
					<-places
				}
			})
		}
		running.Wait()
	})
	for of, n := range asked {
		if n == 0 && os.Getenv(acceptance.WholeVariable) != "" {
			t.Errorf("%s: the server was never asked, so it did no mischief", of)
		}
	}
	if most > 512<<20 {
		t.Errorf("%d MiB were in use", most>>20)
	}
}

// suffer lets one object of the provider meet one mischief, and returns how often that was done.
func suffer(t *testing.T, api *hostile.API, e encounter) (done int) {
	t.Helper()
	l, mode := e.life, e.mode
	title := fmt.Sprintf("%s %s, %s for %s", l.kind, l.name, e.Mischief.Name, mode)
	picks := map[string]func(*http.Request) bool{"writes": hostile.Writes}[mode]
	begin := func(from *hostile.API) *victim {
		v := newVictim(t, from)
		v.hostile.Do(e.Mischief, picks)
		v.Ctx = kube.Hurried(v.Ctx)
		return v
	}
	var victims []*victim
	if l.kind == "resource" {
		empty := hostileLandscape()
		v := begin(empty)
		made, ok := l.make(v, hostileTime)
		if ok && made.State != nil && v.hostile.Done() > 0 && mode == "writes" && empty.Commits() == 0 {
			t.Errorf("%s: it counts as made, and nothing was written: %s", title, sayings(v.said))
		}
		victims = append(victims, v)
		standing := api.Clone()
		v = begin(standing)
		if ended := l.end(v, hostileTime); ended && v.hostile.Done() > 0 && mode == "writes" && standing.Commits() == 0 {
			t.Errorf("%s: it counts as ended, and nothing was written: %s", title, sayings(v.said))
		}
		victims = append(victims, v)
	} else {
		v := begin(api.Clone())
		l.ask(v, hostileTime)
		victims = append(victims, v)
	}
	for _, v := range victims {
		done += v.hostile.Done()
		v.judge(title)
		v.hostile.End()
	}
	return done
}

var summaryForm = regexp.MustCompile(`^[A-Z][A-Za-z' -]{5,80}$`)

// judge finds what is wrong with what was said, kept, logged and sent.
func (v *victim) judge(title string) {
	v.Helper()
	if strayed := v.hostile.Strayed(); len(strayed) > 0 {
		v.Errorf("%s: requests went elsewhere: %q", title, strayed)
	}
	for _, token := range []string{gardenToken, platformToken} {
		if text := sayings(v.said); strings.Contains(text, token) {
			v.Errorf("%s: a message has the token: %s", title, text)
		}
		for _, kept := range v.kept {
			if bytes.Contains(kept, []byte(token)) {
				v.Errorf("%s: the state has the token: %q", title, kept)
			}
		}
		v.trace.mu.Lock()
		logged := v.trace.String()
		v.trace.mu.Unlock()
		if at := strings.Index(logged, token); at >= 0 {
			v.Errorf("%s: the log has the token: %s", title, logged[max(0, at-300):at])
		}
	}
	for _, kept := range v.kept {
		if bytes.Contains(kept, []byte("0001-01-01")) {
			v.Errorf("%s: the state has a time that is none: %q", title, kept)
		}
	}
	for _, d := range v.said {
		unreadable := func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
		}
		text := d.Summary + d.Detail
		if !summaryForm.MatchString(d.Summary) || d.Summary == "Unexpected error" {
			v.Errorf("%s: the title %q is none: %s", title, d.Summary, d.Detail)
		}
		if strings.ContainsFunc(text, unreadable) || strings.Contains(text, "\nError: all is well") {
			v.Errorf("%s: a message cannot be shown: %q", title, text)
		}
		if len(text) > 5000 {
			v.Errorf("%s: a message has %d bytes: %.3000s", title, len(text), text)
		}
		if strings.Contains(text, "serializer for") || strings.Contains(text, "<p>") {
			v.Errorf("%s: a message is not for people: %s", title, text)
		}
	}
}

// sayings are messages, to be shown.
func sayings(all []*tfprotov6.Diagnostic) string {
	var text strings.Builder
	for _, d := range all {
		fmt.Fprintf(&text, "\n%s %s: %s", d.Severity, d.Summary, d.Detail)
	}
	return text.String()
}

// watchMemory returns how much memory was in use at most, at some moments of a call.
func watchMemory(call func()) (most uint64) {
	// What is garbage must not count: the environment of the tests may have the collector wait for more of it.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	done, measured := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			select {
			case <-done:
				measured <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	call()
	close(done)
	return <-measured
}
