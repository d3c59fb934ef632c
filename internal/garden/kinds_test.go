package garden

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// olderPool is a project whose accounts are of another kind, or labelled in another way; the user has the Role that is
// documented for it, and nothing else.
type olderPool struct {
	project
	kind Kind
	keys LabelKeys
}

// schemes are ways to label accounts.
var schemes = map[string]LabelKeys{
	"camel": DefaultLabelKeys(), "kebab": KebabLabelKeys(),
	"own": {
		HyperscalerType: "example.com/type", TenantName: "example.com/held-by", Shared: "for-all", EUAccess: "eu", Dirty: "unclean",
		Internal: "ours",
	},
}

func newOlderPool(t *testing.T, kind Kind, keys LabelKeys) olderPool {
	t.Helper()
	acceptance(t)
	return olderPoolIn(t, testbed.Shared(t), kind, keys)
}

func olderPoolIn(t *testing.T, g *testbed.Garden, kind Kind, keys LabelKeys) olderPool {
	t.Helper()
	ns := g.NewNamespace(t)
	return olderPool{project{ns, ns.ServiceAccount(t, "provider", testbed.DocumentedRoleOf(t, string(kind)))}, kind, keys}
}

// eachKind runs a test for every kind, with an account of it named "a" that is free.
func eachKind(t *testing.T, test func(t *testing.T, p olderPool)) {
	t.Helper()
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newOlderPool(t, kind, DefaultLabelKeys())
			p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: string(kind), HyperscalerType: "aws"})
			test(t, p)
		})
	}
}

// garden is what the provider sees of the pool, over a connection with changes.
func (p olderPool) garden(t *testing.T, changes ...func(*rest.Config)) *Garden {
	t.Helper()
	return p.as(t, p.user, changes...)
}

// as is what another reader sees.
func (p olderPool) as(t *testing.T, user *testbed.User, changes ...func(*rest.Config)) *Garden {
	t.Helper()
	config := user.Config()
	for _, change := range changes {
		change(config)
	}
	g, err := NewOf(p.kind, config, p.Name, p.keys)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (p olderPool) object(t *testing.T) client.Object {
	t.Helper()
	return p.GetObject(t, string(p.kind), "a")
}

// labelsOf says with other keys what the account says.
func labelsOf(keys LabelKeys) map[string]string {
	return map[string]string{
		"hyperscalerType": keys.HyperscalerType, "tenantName": keys.TenantName, "shared": keys.Shared,
		"euAccess": keys.EUAccess, "dirty": keys.Dirty, "internal": keys.Internal,
	}
}

// content is all of an object that no claim may touch.
func content(t *testing.T, object client.Object) any {
	t.Helper()
	switch o := object.(type) {
	case *gardensecurity.CredentialsBinding:
		return []any{o.Provider, o.CredentialsRef, o.Quotas}
	case *gardencore.SecretBinding:
		return []any{o.Provider, o.SecretRef, o.Quotas}
	case *corev1.Secret:
		return []any{o.Type, o.Data, o.Immutable}
	}
	t.Fatalf("no account: %T", object)
	return nil
}

// An account is the same account whatever kind of object it is and however it is labelled: it is listed, read, claimed,
// fenced and returned to the pool, and nothing else on the object changes.
func TestKindsAreReadAndWrittenAlike(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		for scheme, keys := range schemes {
			t.Run(string(kind)+" "+scheme, func(t *testing.T) {
				t.Parallel()
				p := newOlderPool(t, kind, keys)
				p.Accounts(t,
					testbed.AccountSpec{
						Name: "a", Kind: string(kind), Keys: labelsOf(keys), HyperscalerType: "gcp_cf-eu30", EUAccess: true, Internal: true,
						ProviderType: "gcp",
						Labels:       map[string]string{"colour": "blue"}, Annotations: map[string]string{"note": "kept"},
					},
					testbed.AccountSpec{Name: "no-account", Kind: string(kind)},
				)
				before := p.object(t)
				g := p.garden(t)
				want := account.Account{
					Name: "a", UID: string(before.GetUID()), Version: before.GetResourceVersion(), HyperscalerType: "gcp_cf-eu30", EUAccess: true,
					Internal: true, Labels: map[string]string{"colour": "blue"}, Made: before.GetCreationTimestamp().UTC(),
				}
				listed, err := g.List(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				want.Credentials = &account.Credentials{ProviderType: "gcp",
					Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: p.Name, Name: "a"}}
				if kind == Secret {
					want.Credentials.ProviderType = "" // Gardener has not noted it
				}
				equal(t, "account of the list", listed[0], want)
				siblings := []string{}
				for _, other := range listed[1:] {
					equal(t, "sibling", other.Sibling, true)
					siblings = append(siblings, other.Name)
				}
				equal(t, "siblings", siblings, map[bool][]string{true: {}, false: {"no-account"}}[kind == Secret])
				judged := get(t, g, "a")
				equal(t, "account", judged, want)

				change, key := claimed()
				judged = p.writes(t, g, judged, change, map[string]string{keys.TenantName: "ga-1"}, before)
				equal(t, "records", judged.Records, map[string]account.Record{key: *change.Records[key]})
				fence := account.Change{Dirty: new(account.Releasing)}
				judged = p.writes(t, g, judged, fence, map[string]string{keys.TenantName: "ga-1", keys.Dirty: "releasing"}, before)
				back := account.Change{Tenant: new(""), Dirty: new(account.Clean), Records: map[string]*account.Record{key: nil}}
				judged = p.writes(t, g, judged, back, nil, before)
				want.Version = judged.Version
				equal(t, "account that is back in the pool", judged, want)
				equal(t, "annotations", p.object(t).GetAnnotations(), map[string]string{"note": "kept"})
			})
		}
	}
}

// writes makes one change, and checks the answer and the object afterwards.
func (p olderPool) writes(t *testing.T, g *Garden, judged account.Account, change account.Change, labels map[string]string,
	before client.Object) account.Account {
	t.Helper()
	after, err := g.Write(t.Context(), judged, change)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "answer", after, get(t, g, "a"))
	object := p.object(t)
	want := maps.Clone(before.GetLabels())
	maps.Copy(want, labels)
	equal(t, "labels", object.GetLabels(), want)
	equal(t, "all else", content(t, object), content(t, before))
	return after
}

// What the write's precondition rests on, for each kind: a stale version answers 409, the UID of another object 422, and
// either way nothing is written.
func TestKindsKeepThePrecondition(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p olderPool) {
		front := p.front(t, fault.ProxyOptions{})
		g := p.garden(t, front.Through)
		stale := get(t, g, "a")
		p.PatchObject(t, string(p.kind), "a", map[string]any{"annotations": map[string]any{"note": "hello"}})
		foreign := get(t, g, "a")
		foreign.UID = "00000000-0000-0000-0000-000000000000"
		before := p.object(t)
		change, _ := claimed()
		var codes []int
		for _, judged := range []account.Account{stale, foreign} {
			_, err := g.Write(t.Context(), judged, change)
			equal(t, "account", as[*account.ConflictError](t, err).Account, "a")
		}
		for _, x := range front.Log() {
			if x.Verb == "patch" {
				codes = append(codes, x.Code)
			}
		}
		equal(t, "answers", codes, []int{http.StatusConflict, http.StatusUnprocessableEntity})
		equal(t, "object", p.object(t), before)

		p.DeleteObject(t, string(p.kind), "a")
		_, err := g.Get(t.Context(), "a")
		equal(t, "account", as[*account.NotFoundError](t, err).Account, "a")
		_, err = g.Write(t.Context(), foreign, change)
		equal(t, "account", as[*account.NotFoundError](t, err).Account, "a")
	})
}

// countsOnly is a Role that knows no accounts.
const countsOnly = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: counts-only}
rules:
- {apiGroups: [core.gardener.cloud], resources: [shoots], verbs: [list]}
`

// F17: for each kind the documented Role is enough, and the error of a missing right names the resource of that kind.
func TestKindsNameTheRightThatIsMissing(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p olderPool) {
		equal(t, "error", p.garden(t).Allowed(t.Context()), nil)
		judged := get(t, p.garden(t), "a")
		resource := kinds[p.kind].resource
		stranger := p.as(t, p.ServiceAccount(t, "stranger", []byte(countsOnly)))
		change, _ := claimed()
		_, listErr := stranger.List(t.Context())
		_, getErr := stranger.Get(t.Context(), "a")
		_, writeErr := stranger.Write(t.Context(), judged, change)
		for verb, errs := range map[string][]error{"list": {listErr}, "get": {getErr, stranger.Allowed(t.Context())}, "patch": {writeErr}} {
			for _, err := range errs {
				forbidden := as[*account.ForbiddenError](t, err)
				equal(t, "what is forbidden", []string{forbidden.Verb, forbidden.Resource, forbidden.Namespace}, []string{verb, resource, p.Name})
			}
		}
		reader := p.as(t, p.ServiceAccount(t, "reader", lessRights(t, testbed.DocumentedRoleOf(t, string(p.kind)), resource, "patch")))
		equal(t, "verb", as[*account.ForbiddenError](t, reader.Allowed(t.Context())).Verb, "patch")
	})
}

// Gardener notes the provider type on the Secret behind a binding.
func TestProviderTypeOfASecret(t *testing.T) {
	t.Parallel()
	const aws, gcp = providerLabel + "aws", providerLabel + "gcp"
	for name, test := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"nothing noted":    {map[string]string{"hyperscalerType": "aws"}, ""},
		"noted":            {map[string]string{aws: "true"}, "aws"},
		"noted as not so":  {map[string]string{aws: "false"}, ""},
		"one of two holds": {map[string]string{aws: "true", gcp: ""}, "aws"},
		"two":              {map[string]string{aws: "true", gcp: "true"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "provider type", providerTypeOf(test.labels), test.want)
		})
	}
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws", Labels: map[string]string{aws: "true"}})
	equal(t, "provider type", get(t, p.garden(t), "a").Credentials.ProviderType, "aws")
}

func TestNewOfAnUnknownKind(t *testing.T) {
	t.Parallel()
	g, err := NewOf("ConfigMap", &rest.Config{}, "garden", DefaultLabelKeys())
	if g != nil || err == nil || !strings.Contains(err.Error(), "ConfigMap") {
		t.Errorf("got %v, %v", g, err)
	}
	if len(Kinds()) != len(kinds) || !slices.Contains(Kinds(), CredentialsBinding) {
		t.Errorf("the kinds are %v", Kinds())
	}
}

// The race of older pools: twice as many Global Accounts as accounts claim at once. As many get one as there are, each
// its own.
func TestKindsRaceForTheLastAccounts(t *testing.T) {
	t.Parallel()
	const accounts = 6
	for _, kind := range []Kind{SecretBinding, Secret} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newOlderPool(t, kind, KebabLabelKeys())
			var specs []testbed.AccountSpec
			for i := range accounts {
				specs = append(specs, testbed.AccountSpec{Name: fmt.Sprintf("account-%d", i), Kind: string(kind), Keys: labelsOf(p.keys),
					HyperscalerType: "aws"})
			}
			p.Accounts(t, specs...)
			claims, errs := make([]protocol.Claim, 2*accounts), make([]error, 2*accounts)
			var finished sync.WaitGroup
			for i := range claims {
				g := p.garden(t)
				finished.Go(func() {
					claims[i], errs[i] = pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf(globalAccount(i)))
				})
			}
			finished.Wait()
			winners := map[string]string{}
			for i, err := range errs {
				if err != nil {
					fails[*account.ExhaustedError](t, err)
					continue
				}
				winners[claims[i].Account.Name] = globalAccount(i)
			}
			equal(t, "winners", len(winners), accounts)
			for _, spec := range specs {
				equal(t, "tenant of "+spec.Name, p.GetObject(t, string(kind), spec.Name).GetLabels()["tenant-name"], winners[spec.Name])
			}
		})
	}
}
