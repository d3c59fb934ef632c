package clusteraccess_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// secret is the Secret of an access.
func secret(l acceptance.AccessLandscape, name string) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = l.Namespace, name+".kubeconfig"
	return secret
}

// patch changes an object as another party would.
func patch(t *testing.T, l acceptance.AccessLandscape, kind, name, change string) {
	t.Helper()
	object := testbed.New(kind, l.Namespace, name)
	if err := l.Client().Patch(context.Background(), object, client.RawPatch("application/merge-patch+json", []byte(change))); err != nil {
		t.Fatal(err)
	}
}

// lose deletes an object as another party would, and waits until it is gone.
func lose(t *testing.T, l acceptance.AccessLandscape, object client.Object) {
	t.Helper()
	if err := l.Client().Delete(context.Background(), object); err != nil {
		t.Fatal(err)
	}
	err := local.Poll(context.Background(), 3*time.Minute, func(ctx context.Context) error {
		if err := l.Client().Get(ctx, client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is not gone: %w", object.GetName(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// silenceOperator leaves the AccessRequests of the namespace without an answer.
func silenceOperator(l acceptance.AccessLandscape, silent bool) {
	testbed.SharedProvider().GrantNothing(l.Namespace, silent)
}

// opened reads an access, and has it echoed: by another resource in each step, because one keeps what it was made with.
func opened(attributes string, step ...int) string {
	return fmt.Sprintf(`
ephemeral "hap_cluster_access" "a" {
  %s
}
provider "echo" {
  data = ephemeral.hap_cluster_access.a
}
resource "echo" %q {}
`, attributes, echoOf(step))
}

func echoOf(step []int) string { return "it" + strings.Trim(fmt.Sprint(step), "[]") }

// openedAs is an output of the access that a step has read.
func openedAs(attribute string, check knownvalue.Check, step ...int) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("echo."+echoOf(step), tfjsonpath.New("data").AtMapKey(attribute), check)
}

const openedOne = "access_request_id = hap_access_request.one.access_request_id"

// entry is what comes of listing namespaces and Secrets with an access.
type entry struct {
	namespaces, secrets error
	expires             time.Time
}

// entered lists namespaces and Secrets with the access that was echoed.
func entered(s *terraform.State) (e entry) {
	var found struct {
		Kubeconfig string    `json:"kubeconfig"`
		Host       string    `json:"host"`
		Token      string    `json:"token"`
		CA         string    `json:"cluster_ca_certificate"`
		ExpiresAt  time.Time `json:"expires_at"`
	}
	if e.namespaces = acceptance.FromEcho(s, &found); e.namespaces != nil {
		return e
	}
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(found.Kubeconfig))
	if err == nil {
		err = errors.Join(acceptance.Equal("host", found.Host, config.Host), acceptance.Equal("token", found.Token, config.BearerToken),
			acceptance.Equal("CA", found.CA, string(config.CAData)))
	}
	if err != nil {
		return entry{namespaces: err}
	}
	inside, err := client.New(config, client.Options{})
	if err != nil {
		return entry{namespaces: err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return entry{inside.List(ctx, &corev1.NamespaceList{}), inside.List(ctx, &corev1.SecretList{}, client.InNamespace("default")), found.ExpiresAt}
}

func accessPlan(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             append([]plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.AccessOne, action)}, more...),
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// Access allows what was asked for and no more, changes in place, is imported, and goes.
func TestAccAccessRequest_life(t *testing.T) {
	t.Parallel()
	allowed := func(s *terraform.State) error {
		if e := entered(s); e.namespaces != nil || !apierrors.IsForbidden(e.secrets) || time.Until(e.expires) < time.Minute {
			return fmt.Errorf("until %v, namespaces: %w, Secrets: %w", e.expires, e.namespaces, e.secrets)
		}
		return nil
	}
	for _, name := range []string{"cluster_ref", "request_ref"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewAccessLandscape(t)
			ref := fmt.Sprintf("cluster_ref = { namespace = %q, name = %q }", l.Namespace, l.Cluster)
			if name == "request_ref" {
				ref = `request_ref = { name = "mcp1" }`
			}
			id := l.Namespace + "/one"
			var uid string
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Echoing,
				CheckDestroy:             l.NoAccess,
				Steps: []resource.TestStep{
					{
						Config:           l.Provider() + l.AccessOf("one", ref) + opened(openedOne),
						ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate, plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id"))),
						ConfigStateChecks: []statecheck.StateCheck{
							acceptance.AccessValue("id", knownvalue.StringExact(id)), acceptance.AccessValue("access_request_id", knownvalue.StringExact(id)),
							acceptance.AccessValue("namespace", knownvalue.StringExact(l.Namespace)), acceptance.AccessValue("phase", knownvalue.StringExact("Granted")),
							acceptance.AccessValue("granted", knownvalue.Bool(true)), acceptance.AccessValue("expires_at", knownvalue.StringRegexp(regexp.MustCompile(`^20..-.*Z$`))),
							acceptance.AccessValue("secret_ref", knownvalue.ObjectExact(map[string]knownvalue.Check{
								"namespace": knownvalue.StringExact(l.Namespace), "name": knownvalue.StringExact("one.kubeconfig"),
							})),
						},
						Check: func(s *terraform.State) error {
							uid = l.UID(t)
							return allowed(s)
						},
					}, {
						Config: l.Provider() + l.AccessOf("one", ref, acceptance.Allowing(`"get"`), `labels = { team = "a" }`) + opened(openedOne, 2),
						ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate, plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("granted")),
							plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id"))),
						Check: func(s *terraform.State) error {
							if namespaces := entered(s).namespaces; !apierrors.IsForbidden(namespaces) {
								return fmt.Errorf("namespaces: %w", namespaces)
							}
							object, err := l.Object("AccessRequest", "one")
							return errors.Join(err, acceptance.Equal("uid", l.UID(t), uid), acceptance.Equal("team", object.GetLabels()["team"], "a"))
						},
					}, {
						Config: l.Provider() + l.AccessOf("one", ref, `timeouts = { delete = "1m" }`) + opened(openedOne, 3), // the label goes
						Check: func(s *terraform.State) error {
							object, err := l.Object("AccessRequest", "one")
							return errors.Join(err, acceptance.Equal("team", object.GetLabels()["team"], ""), allowed(s))
						},
					}, {
						ResourceName: acceptance.AccessOne, ImportState: true, ImportStateId: id, ImportStateVerify: true,
						ImportStateVerifyIgnore: []string{"timeouts"},
					}, {
						ResourceName: acceptance.AccessOne, ImportState: true, ImportStateId: "one", ImportStateVerify: true,
						ImportStateVerifyIgnore: []string{"timeouts"},
					},
				},
			})
		})
	}
}

// Labels, annotations and timeouts change without a new grant.
func TestAccAccessRequest_described(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	base := l.Provider() + opened(openedOne)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		Steps: []resource.TestStep{
			{Config: base + l.AccessOf("one", `labels = { team = "a" }`)},
			{
				Config: base + l.AccessOf("one", `labels = { team = "b" }`, `annotations = { why = "x" }`, `timeouts = { update = "1m" }`),
				ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate, plancheck.ExpectKnownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id"),
					knownvalue.StringExact(l.Namespace+"/one"))),
				Check: func(*terraform.State) error {
					object, err := l.Object("AccessRequest", "one")
					return errors.Join(err, acceptance.Equal("generation", fmt.Sprint(object.GetGeneration()), "1"),
						acceptance.Equal("team", object.GetLabels()["team"], "b"), acceptance.Equal("why", object.GetAnnotations()["why"], "x"))
				},
			}, {
				PreConfig: func() { patch(t, l, "AccessRequest", "one", `{"metadata":{"labels":{"team":"c","theirs":"stays"}}}`) },
				Config:    base + l.AccessOf("one", `labels = { team = "b" }`), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					object, err := l.Object("AccessRequest", "one")
					return errors.Join(err, acceptance.Equal("team", object.GetLabels()["team"], "b"), acceptance.Equal("theirs", object.GetLabels()["theirs"], "stays"),
						acceptance.Equal("why", object.GetAnnotations()["why"], ""))
				},
			},
		},
	})
}

// Access that is not granted in time is kept, does not taint, stops neither plan nor destroy, and is waited on.
func TestAccAccessRequest_slow(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	silenceOperator(l, true)
	short := `timeouts = { create = "` + acceptance.OperatorSees + `", update = "20s" }`
	guarded := "lifecycle {\n    postcondition {\n      condition = self.granted\n      error_message = \"no access yet\"\n    }\n  }\n"
	one := l.AccessOf("one", short)
	var uid string
	waits := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(acceptance.AccessOne, plancheck.ResourceActionUpdate),
		plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("granted")),
		plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id")),
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{
				Config:      l.Provider() + strings.TrimSuffix(one, "}\n") + guarded + "}\n" + opened(openedOne),
				ExpectError: regexp.MustCompile("no access yet"),
			}, {
				PreConfig: func() { uid = l.UID(t) },
				Config:    l.Provider() + one + opened(openedOne), ExpectNonEmptyPlan: true,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: waits},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.AccessValue("granted", knownvalue.Bool(false)), acceptance.AccessValue("access_request_id", knownvalue.Null()),
					acceptance.AccessValue("phase", knownvalue.StringExact("Pending")), acceptance.AccessValue("expires_at", knownvalue.Null()),
					acceptance.AccessValue("secret_ref", knownvalue.Null()), openedAs("kubeconfig", knownvalue.Null()),
				},
			}, {
				Config: l.Provider() + l.AccessOf("one") + opened(openedOne, 2),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             append(waits, acceptance.OnPlan(func() { silenceOperator(l, false) })), // no sooner: a refresh would find it granted
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(true)), openedAs("token", knownvalue.NotNull(), 2)},
				Check:             func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t), uid) },
			},
		},
	})
}

// Access that was denied is left alone by its cluster provider: the plan says that the apply has it looked at again, and the apply does.
func TestAccAccessRequest_denied(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	silenceOperator(l, true)
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{Config: l.Provider() + l.AccessOf("one", `timeouts = { create = "`+acceptance.OperatorSees+`" }`), ExpectNonEmptyPlan: true},
			{
				PreConfig: func() {
					object, err := l.Object("AccessRequest", "one")
					if err != nil {
						t.Fatal(err)
					}
					status := fmt.Sprintf(`{"status":{"phase":"Denied","observedGeneration":%d}}`, object.GetGeneration())
					if err := l.Client().Status().Patch(context.Background(), object, client.RawPatch("application/merge-patch+json", []byte(status))); err != nil {
						t.Fatal(err)
					}
					silenceOperator(l, false)
				},
				Config: l.Provider() + l.AccessOf("one"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.AccessOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(true)), acceptance.AccessValue("phase", knownvalue.StringExact("Granted"))},
				Check: func(*terraform.State) error {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryAccessNotGranted, "", l.Namespace+"/one was denied", "reconcile")
					return nil
				},
			},
		},
	})
}

// Access that was never granted does not stop a destroy.
func TestAccAccessRequest_destroyNotGranted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	silenceOperator(l, true)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{{
			Config:             l.Provider() + l.AccessOf("one", `timeouts = { create = "8s" }`, `request_ref = { name = "absent" }`) + opened(openedOne),
			ExpectNonEmptyPlan: true,
		}},
	})
}

// With wait_for = "none" nothing is waited for, and no plan shows an update for it.
func TestAccAccessRequest_waitForNone(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	silenceOperator(l, true)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		Steps: []resource.TestStep{
			{
				Config:            l.Provider() + l.AccessOf("one", `wait_for = "none"`) + opened(openedOne),
				ConfigPlanChecks:  accessPlan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(false))},
			}, {
				Config:            l.Provider() + l.AccessOf("one", `wait_for = "none"`, acceptance.Allowing(`"get"`)) + opened(openedOne),
				ConfigPlanChecks:  accessPlan(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(false))},
			},
		},
	})
}

// A change that is not granted in time is not granted: the Secret of before does not count.
func TestAccAccessRequest_editedWhileWaiting(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	short := `timeouts = { update = "20s" }`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{Config: l.Provider() + l.AccessOf("one") + opened(openedOne)},
			{
				PreConfig: func() { silenceOperator(l, true) },
				Config:    l.Provider() + l.AccessOf("one", acceptance.Allowing(`"get"`), short) + opened(openedOne, 2), ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.AccessValue("granted", knownvalue.Bool(false)), acceptance.AccessValue("access_request_id", knownvalue.Null()),
					acceptance.AccessValue("secret_ref", knownvalue.NotNull()), openedAs("kubeconfig", knownvalue.Null(), 2),
				},
			}, {
				Config: l.Provider() + l.AccessOf("one", acceptance.Allowing(`"list", "watch"`)) + opened(openedOne, 3), // edited once more
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{acceptance.OnPlan(func() { silenceOperator(l, false) })},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(s *terraform.State) error {
					return entered(s).namespaces
				},
			},
		},
	})
}

// A Secret that is gone, or whose token has ended, is reported; it stops no plan, and an apply has it made anew.
func TestAccAccessRequest_secretsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*testing.T, acceptance.AccessLandscape){
		"gone": func(t *testing.T, l acceptance.AccessLandscape) { t.Helper(); lose(t, l, secret(l, "one")) },
		"ended": func(t *testing.T, l acceptance.AccessLandscape) {
			t.Helper()
			data, _ := json.Marshal(map[string]any{"data": map[string][]byte{"expirationTimestamp": []byte("1700000000")}})
			if err := l.Client().Patch(context.Background(), secret(l, "one"), client.RawPatch("application/merge-patch+json", data)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewAccessLandscape(t)
			base := l.Provider() + l.AccessOf("one", `timeouts = { update = "2m" }`)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Echoing,
				CheckDestroy:             l.NoAccess,
				Steps: []resource.TestStep{
					{Config: base + opened(openedOne)},
					{
						PreConfig: func() { spoil(t, l) }, Config: base + opened(openedOne, 2),
						ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate, plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id"))),
						Check: func(s *terraform.State) error {
							return entered(s).namespaces
						},
					}, {
						PreConfig: func() { silenceOperator(l, true); spoil(t, l) },
						Config:    l.Provider() + opened(fmt.Sprintf("access_request_id = \"%s/one\"", l.Namespace)) + l.AccessOf("one"),
						ExpectError: acceptance.ErrorLike(map[string]string{"gone": "Secret of an access is gone", "ended": "Access has ended"}[name],
							l.Namespace+"/one", "Run apply"),
					}, {
						Config: l.Provider() + l.AccessOf("one", `timeouts = { update = "20s" }`) + opened(openedOne, 3), ExpectNonEmptyPlan: true,
						ConfigStateChecks: []statecheck.StateCheck{
							acceptance.AccessValue("granted", knownvalue.Bool(false)), acceptance.AccessValue("phase", knownvalue.StringExact("Granted")),
							openedAs("kubeconfig", knownvalue.Null(), 3),
						},
					}, // and it is destroyed all the same
				},
			})
		})
	}
}

// An AccessRequest that is gone, or that another party has made anew, leaves the state, and access is asked for again; what another party
// has changed in it is changed back.
func TestAccAccessRequest_changedByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	config := func(step int) string { return l.Provider() + l.AccessOf("one") + opened(openedOne, step) }
	anew := func(name string) {
		t.Helper()
		object := testbed.New("AccessRequest", l.Namespace, name)
		object.Object["spec"] = map[string]any{
			"clusterRef": map[string]any{"namespace": l.Namespace, "name": l.Cluster},
			"token":      map[string]any{"roleRefs": []any{map[string]any{"kind": "ClusterRole", "name": "view"}}},
		}
		if err := l.Client().Create(context.Background(), object); err != nil {
			t.Fatal(err)
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{Config: config(1)},
			{
				PreConfig: func() {
					patch(t, l, "AccessRequest", "one", `{"spec":{"token":{"permissions":null,"roleRefs":[{"kind":"ClusterRole","name":"view"}]}}}`)
				},
				Config: config(2), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
				Check: func(s *terraform.State) error {
					return entered(s).namespaces
				},
			},
			{
				PreConfig: func() { lose(t, l, testbed.New("AccessRequest", l.Namespace, "one")) },
				Config:    config(3), ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate),
			},
			{
				PreConfig: func() { lose(t, l, testbed.New("AccessRequest", l.Namespace, "one")); anew("one") },
				Config:    config(4),
				ExpectError: acceptance.ErrorLike("Request exists already", "there is an AccessRequest "+l.Namespace+"/one already",
					"import it: an import block with the id \""+l.Namespace+"/one\""),
			},
			{
				Config: config(5) + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", acceptance.AccessOne, l.Namespace+"/one"),
				Check: func(s *terraform.State) error {
					return entered(s).namespaces
				},
			},
		},
	})
}

// Another reference makes another request; one that is written otherwise and leads to the same does not.
func TestAccAccessRequest_replaced(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	to := func(ref string) string { return l.Provider() + l.AccessOf("one", ref) }
	own := fmt.Sprintf("cluster_ref = { name = %q }", l.Cluster)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{Config: to(own)},
			{
				Config: to(fmt.Sprintf("cluster_ref = { namespace = %q, name = %q }", l.Namespace, l.Cluster)), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
			},
			{
				Config: to(`request_ref = { name = "mcp1" }`), ConfigPlanChecks: accessPlan(plancheck.ResourceActionDestroyBeforeCreate),
			},
		},
	})
}

// Access for the users of an OIDC provider is a kubeconfig without a token.
func TestAccAccessRequest_oidc(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	oidc := func(extra string) string {
		return l.Provider() + l.AccessOf("one", "token =", `oidc = { name = "corp", issuer = "https://id.example.com", client_id = "x", `+extra+`
    role_bindings = [{ subjects = [{ kind = "Group", name = "admins" }], role_refs = [{ kind = "ClusterRole", name = "view" }] }] }`) + opened(openedOne)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		Steps: []resource.TestStep{
			{
				Config: oidc(""), ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					openedAs("kubeconfig", knownvalue.StringRegexp(regexp.MustCompile("oidc-login"))), openedAs("token", knownvalue.Null()),
					openedAs("host", knownvalue.NotNull()), acceptance.AccessValue("expires_at", knownvalue.Null()), acceptance.AccessValue("granted", knownvalue.Bool(true)),
				},
			},
			{
				Config: oidc(`groups_prefix = "", extra_scopes = ["email"], groups_claim = "teams",`), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					object, err := l.Object("AccessRequest", "one")
					spec, _, _ := unstructured.NestedMap(object.Object, "spec", "oidc")
					return errors.Join(err, acceptance.Equal("claims", fmt.Sprintf("%v %v %v", spec["groupsClaim"], spec["usernameClaim"], spec["extraScopes"]), "teams sub [email]"))
				},
			},
			{Config: oidc(""), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate)},
			{
				ResourceName: acceptance.AccessOne, ImportState: true, ImportStateId: l.Namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"oidc.groups_claim", "oidc.username_claim", "cluster_ref.namespace"},
			},
			{Config: l.Provider() + l.AccessOf("one") + opened(openedOne), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate)},
		},
	})
}

// Inputs that are wrong are refused before anything is written, at their attribute, and the message says what to do.
func TestAccAccessRequest_wrongInputs(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	rule := func(rule string) string { return "token = { permissions = [{ rules = [{ " + rule + " }] }] }" }
	for name, test := range map[string]struct {
		config  string
		summary string
		words   []string
	}{
		"no reference": {l.AccessOf("one", "cluster_ref ="), "Invalid Attribute Combination", []string{"cluster_ref", "request_ref"}},
		"two references": {strings.Replace(l.AccessOf("one"), "{\n", "{\n  request_ref = { name = \"mcp1\" }\n", 1), "Invalid Attribute Combination",
			[]string{"cluster_ref", "request_ref"}},
		"neither token nor OIDC": {l.AccessOf("one", "token ="), "Invalid Attribute Combination", []string{"token", "oidc"}},
		"an empty token":         {l.AccessOf("one", "token = {}"), "Invalid access", []string{"would allow nothing", "permissions", "role_refs"}},
		"an empty rule":          {l.AccessOf("one", rule(`verbs = ["get"]`)), "Invalid access", []string{"A rule names resources, or non_resource_urls"}},
		"no verbs":               {l.AccessOf("one", rule(`resources = ["pods"], api_groups = [""], verbs = []`)), "Invalid access", []string{"A rule without verbs"}},
		"no API groups":          {l.AccessOf("one", rule(`resources = ["pods"], verbs = ["get"]`)), "Invalid access", []string{"names their API groups"}},
		"resources and paths": {l.AccessOf("one", rule(`resources = ["pods"], api_groups = [""], non_resource_urls = ["/healthz"], verbs = ["get"]`)),
			"Invalid access", []string{"Make two rules of it"}},
		"a path in a namespace": {l.AccessOf("one", `token = { permissions = [{ namespace = "x", rules = [{ non_resource_urls = ["/healthz"], verbs = ["get"] }] }] }`),
			"Invalid access", []string{"Rule 1 has non_resource_urls", "without namespace"}},
		"a Role without a namespace": {l.AccessOf("one", `token = { role_refs = [{ kind = "Role", name = "x" }] }`), "Invalid access",
			[]string{"A Role lies in a namespace"}},
		"a ClusterRole in a namespace": {l.AccessOf("one", `token = { role_refs = [{ kind = "ClusterRole", name = "x", namespace = "y" }] }`),
			"Invalid access", []string{"A ClusterRole lies in no namespace"}},
		"another kind of role": {l.AccessOf("one", `token = { role_refs = [{ kind = "Group", name = "x" }] }`), "Invalid Attribute Value Match",
			[]string{"ClusterRole"}},
		"a label of the operator": {l.AccessOf("one", `labels = { "clusters.openmcp.cloud/profile" = "x" }`), "Reserved label or annotation",
			[]string{"clusters.openmcp.cloud/profile is written by the operator"}},
		"the provider's own annotation": {l.AccessOf("one", `annotations = { "hap-project.io/made-by" = "x" }`), "Reserved label or annotation",
			[]string{"hap-project.io/made-by is written by"}},
		"an operation that is carried out once": {l.AccessOf("one", `annotations = { "openmcp.cloud/operation" = "reconcile" }`), "Reserved label or annotation",
			[]string{"carried out once"}},
		"a bad name": {l.AccessOf("one", `name = "One_1"`), "Invalid Attribute Value Match", []string{"small letters, digits, - and ."}},
		"wait_for":   {l.AccessOf("one", `wait_for = "ready"`), "Invalid Attribute Value Match", []string{"granted"}},
		"an issuer that is no URL": {l.AccessOf("one", "token =", `oidc = { name = "corp", issuer = "id", client_id = "x",
    role_bindings = [{ subjects = [{ kind = "User", name = "a" }], role_refs = [{ kind = "ClusterRole", name = "view" }] }] }`),
			"Invalid Attribute Value Match", []string{"http or https URL"}},
		"twice":                {l.AccessOf("one") + l.AccessOf("two", `name = "one"`), "Request declared twice", []string{"AccessRequest", l.Namespace + "/one is declared twice"}},
		"what no schema knows": {l.AccessOf("one", `token = { permission = [] }`), "", []string{"permission"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{{
					Config: l.Provider() + test.config, PlanOnly: true, ExpectError: acceptance.ErrorLike(test.summary, test.words...),
				}},
			})
		})
	}
	t.Run("no platform", func(t *testing.T) {
		t.Parallel()
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acceptance.Factories,
			Steps: []resource.TestStep{{
				Config: "provider \"hap\" {\n}\n" + l.AccessOf("one"), PlanOnly: true,
				ExpectError: acceptance.ErrorLike("No connection to the platform cluster", "Planning AccessRequest one", "Write platform = {"),
			}},
		})
	})
	t.Cleanup(func() {
		if err := l.NoAccess(nil); err != nil {
			t.Error(err)
		}
	})
}

// Access that cannot be read is reported at its attribute, at once where nothing is to be waited for.
func TestAccClusterAccess_refused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	silenceOperator(l, true)
	pending := testbed.New("AccessRequest", l.Namespace, "pending")
	pending.Object["spec"] = map[string]any{
		"clusterRef": map[string]any{"namespace": l.Namespace, "name": l.Cluster}, "token": map[string]any{},
	}
	if err := l.Client().Create(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		id      string
		summary string
		words   []string
	}{
		"not there":         {l.Namespace + "/absent", "No such object on the platform cluster", []string{"there is no AccessRequest " + l.Namespace + "/absent"}},
		"no id":             {"absent", "Invalid access", []string{`"absent" is no access`, "<namespace>/<name>"}},
		"not granted":       {l.Namespace + "/pending", "Access is not granted", []string{"it is Pending", "gardener, which has not answered"}},
		"another namespace": {"default/one", "Not allowed on the platform cluster", []string{`"get" on accessrequests in namespace "default"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Echoing,
				Steps: []resource.TestStep{{
					Config:      l.Provider() + opened(fmt.Sprintf("access_request_id = %q\n  timeouts = { open = \"30s\" }", test.id)),
					ExpectError: acceptance.ErrorLike(test.summary, test.words...),
				}},
			})
			if name != "not granted" && time.Since(begun) > 2*time.Minute {
				t.Errorf("it took %v", time.Since(begun))
			}
		})
	}
}

// Without the right to read Secrets access is granted all the same: it is not known when it ends, and it cannot be read.
func TestAccAccessRequest_withoutSecrets(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	less := strings.Replace(string(gardens.RoleExample(t, "platform.yaml")), "resources: [secrets]", "resources: [configmaps]", 1)
	l.User = l.ServiceAccount(t, l.Namespace, "less", []byte(less))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + l.AccessOf("one"), ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(true)), acceptance.AccessValue("expires_at", knownvalue.Null())},
			},
			{
				Config:      l.Provider() + l.AccessOf("one") + opened(openedOne),
				ExpectError: acceptance.ErrorLike("Not allowed on the platform cluster", `Grant the verb "get" on secrets`, "examples/rbac/platform.yaml"),
			},
			{Config: l.Provider() + l.AccessOf("one")},
		},
	})
}

// A platform cluster that is known only after an apply does not stop a plan.
func TestAccAccessRequest_platformKnownLater(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
resource "terraform_data" "settings" { input = { kubeconfig = %q, namespace = %q, cluster = %q } }
provider "hap" { platform = { config_path = terraform_data.settings.output.kubeconfig } }
`, l.User.Kubeconfig, l.Namespace, l.Cluster) + l.AccessOf("one", "namespace = terraform_data.settings.output.namespace",
				"cluster_ref = { name = terraform_data.settings.output.cluster }") + opened(openedOne),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("namespace"))},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(true)), openedAs("token", knownvalue.NotNull())},
		}},
	})
}

// That an AccessRequest is not found behind another API server says nothing: it stays in the state.
func TestAccAccessRequest_anotherServer(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	admin := l.Config()
	elsewhere := fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q, host = %q }\n}\n", l.User.Kubeconfig,
		strings.Replace(admin.Host, "127.0.0.1", "localhost", 1))
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + l.AccessOf("one")},
			{Config: elsewhere + l.AccessOf("one"), PlanOnly: true}, // the same server by another name
			{
				PreConfig: func() { lose(t, l, testbed.New("AccessRequest", l.Namespace, "one")) },
				Config:    elsewhere + l.AccessOf("one"), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "127.0.0.1", "localhost", "Set the provider block back"),
			},
			{Config: l.Provider() + l.AccessOf("one")},
		},
	})
}
