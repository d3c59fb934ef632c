package garden

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// roleWithout is the documented Role without one right.
func roleWithout(t *testing.T, resource, verb string) []byte {
	t.Helper()
	return lessRights(t, documentedRole(t), resource, verb)
}

// lessRights is a Role without one right.
func lessRights(t *testing.T, text []byte, resource, verb string) []byte {
	t.Helper()
	var role rbacv1.Role
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		t.Fatal(err)
	}
	var rules []rbacv1.PolicyRule
	removed := false
	for _, rule := range role.Rules {
		verbs := rule.Verbs
		if slices.Contains(rule.Resources, resource) {
			rule.Verbs = slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return v == verb })
		}
		removed = removed || len(rule.Verbs) < len(verbs)
		if len(rule.Verbs) > 0 { // the server refuses a rule that allows nothing
			rules = append(rules, rule)
		}
	}
	if !removed {
		t.Fatalf("the documented Role does not allow to %s %s", verb, resource)
	}
	role.Rules = rules
	text, err := yaml.Marshal(role)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// operations are all ways to use a Garden.
func operations(judged account.Account) map[string]operation {
	all := maps.Clone(reads)
	all["Write"] = operation{"patch", bindings, func(ctx context.Context, g *Garden) error {
		change, _ := claimed()
		_, err := g.Write(ctx, judged, change)
		return err
	}}
	return all
}

// F17: an operation without its right says which one is missing; every other operation still works, and nothing is written.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for _, right := range [][2]string{{"list", bindings}, {"get", bindings}, {"patch", bindings}, {"list", shoots}} {
		verb, resource := right[0], right[1]
		t.Run(verb+" "+resource, func(t *testing.T) {
			t.Parallel()
			p := projectIn(t, p.Garden())
			p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
			user := p.ServiceAccount(t, "restricted", roleWithout(t, resource, verb))
			g := connect(t, user.Config(), p.Name)
			judged := get(t, p.garden(t), "a")
			for name, o := range operations(judged) {
				err := o.do(t.Context(), g)
				if o.verb != verb || o.resource != resource {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}
				forbidden := as[*account.ForbiddenError](t, err)
				equal(t, name, []string{forbidden.Verb, forbidden.Resource, forbidden.Namespace}, []string{verb, resource, p.Name})
				for _, part := range []string{verb + " " + resource, p.Name, user.Name} { // the last comes from the server
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%s: %q does not say %q", name, err, part)
					}
				}
			}
			if after := p.GetAccount(t, "a"); verb == "patch" && after.ResourceVersion != judged.Version {
				t.Error("the account was written")
			}
		})
	}
}

func TestCredentialsThatAreNotAccepted(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
	judged := get(t, p.garden(t), "a")
	for name, token := range map[string]string{"a wrong token": "eyJhbGciOiJSUzI1NiJ9.e30.AAAA",
		"a token of an account that is gone": tokenOfGoneUser(t, p)} {
		for what, o := range operations(judged) {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				err := o.do(t.Context(), p.garden(t, func(config *rest.Config) { config.BearerToken = token }))
				unauthorized := as[*account.UnauthorizedError](t, err)
				equal(t, "verb, resource", []string{unauthorized.Verb, unauthorized.Resource}, []string{o.verb, o.resource})
				if strings.Contains(err.Error(), token) {
					t.Error("the error shows the token")
				}
				equal(t, "account", get(t, p.garden(t), "a"), judged)
			})
		}
	}
}

// tokenOfGoneUser is a token that was good once.
func tokenOfGoneUser(t *testing.T, p project) string {
	t.Helper()
	admin := p.Garden().AdminClient()
	user := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: p.Name, Name: "gone"}}
	token := &authenticationv1.TokenRequest{}
	if err := errors.Join(
		admin.Create(t.Context(), user),
		admin.SubResource("token").Create(t.Context(), user, token),
		admin.Delete(t.Context(), user),
	); err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// F14: the error says how often it was tried, and what came of it last.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent := listener.Addr().String()
	t.Cleanup(func() { _ = listener.Close() }) // until then it takes connections and says nothing
	for name, test := range map[string]struct {
		host     string
		tries    int // at least
		contains string
	}{
		"a closed port":                    {"https://127.0.0.1:1", 2, "connection refused"},
		"a server that never answers":      {"http://" + silent, 1, "context deadline exceeded"},
		"a server that never shakes hands": {"https://" + silent, 1, "context deadline exceeded"},
	} {
		for _, what := range []string{"Get", "Count"} {
			r := reads[what]
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				g := connect(t, &rest.Config{Host: test.host, QPS: -1}, "garden")
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				start := time.Now()
				err := r.do(ctx, g)
				unreachable := as[*account.UnreachableError](t, err)
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("came back after %s", took)
				}
				if unreachable.Tries < test.tries {
					t.Errorf("%d tries, want at least %d", unreachable.Tries, test.tries)
				}
				for _, part := range []string{r.verb + " " + r.resource, fmt.Sprintf("%d tr", unreachable.Tries), test.contains} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
			})
		}
	}
}

// A server that does not serve the API says nothing about the account.
func TestServerWithoutTheAPI(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
	judged := get(t, p.garden(t), "a")
	elsewhere := p.Garden().AdminConfig() // who may not see a path gets 403, not 404
	elsewhere.Host += "/no/such/prefix"
	for name, o := range operations(judged) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rejected := as[*account.NoAPIError](t, o.do(t.Context(), connect(t, rest.CopyConfig(elsewhere), p.Name)))
			equal(t, "verb, resource", []string{rejected.Verb, rejected.Resource}, []string{o.verb, o.resource})
			var notFound *account.NotFoundError
			if errors.As(rejected, &notFound) {
				t.Errorf("it says that the account is gone: %v", rejected)
			}
		})
	}
}
