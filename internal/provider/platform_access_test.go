package provider

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const accessOne = "hap_access_request.one"

// accessLandscape is a namespace on a platform cluster with the request "mcp1" and its Cluster. Its user has exactly the documented
// rights.
type accessLandscape struct {
	*testbed.Platform
	user      testbed.User
	namespace string
	cluster   string // of the request, in the namespace
}

func newAccessLandscape(t *testing.T) accessLandscape {
	t.Helper()
	needsGarden(t)
	p := testbed.Shared(t)
	l := accessLandscape{Platform: p, namespace: p.NewNamespace(t)}
	l.user = p.ServiceAccount(t, l.namespace, "hap", gardens.RoleExample(t, "platform.yaml"))
	request := testbed.New("ClusterRequest", l.namespace, "mcp1")
	request.Object["spec"] = map[string]any{"purpose": "mcp"}
	if err := p.Client().Create(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	err := local.Poll(t.Context(), 30*time.Second, func(context.Context) error {
		request, err := l.object("ClusterRequest", "mcp1")
		if err != nil {
			return err
		}
		l.cluster, _, _ = unstructured.NestedString(request.Object, "status", "cluster", "name")
		if l.cluster == "" {
			return errors.New("there is no Cluster")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// provider is the provider block that leads to the platform cluster, and to no Garden.
func (l accessLandscape) provider() string {
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q }\n}\n", l.user.Kubeconfig)
}

func (l accessLandscape) object(kind, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	object := testbed.New(kind, l.namespace, name)
	return object, l.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
}

// secret is the Secret of an access.
func (l accessLandscape) secret(name string) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = l.namespace, name+".kubeconfig"
	return secret
}

// noAccess fails where an AccessRequest is left.
func (l accessLandscape) noAccess(*terraform.State) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(testbed.New("AccessRequestList", "", "").GroupVersionKind())
	if err := l.Client().List(context.Background(), list, client.InNamespace(l.namespace)); err != nil || len(list.Items) > 0 {
		return fmt.Errorf("%d AccessRequests are left: %w", len(list.Items), err)
	}
	return nil
}

// patch changes an object as another party would.
func (l accessLandscape) patch(t *testing.T, kind, name, change string) {
	t.Helper()
	object := testbed.New(kind, l.namespace, name)
	if err := l.Client().Patch(context.Background(), object, client.RawPatch("application/merge-patch+json", []byte(change))); err != nil {
		t.Fatal(err)
	}
}

// lose deletes an object as another party would, and waits until it is gone.
func (l accessLandscape) lose(t *testing.T, object client.Object) {
	t.Helper()
	if err := l.Client().Delete(context.Background(), object); err != nil {
		t.Fatal(err)
	}
	err := local.Poll(context.Background(), 30*time.Second, func(ctx context.Context) error {
		if err := l.Client().Get(ctx, client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is not gone: %w", object.GetName(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// silence leaves the AccessRequests of the namespace without an answer.
func (l accessLandscape) silence(silent bool) {
	testbed.SharedProvider().GrantNothing(l.namespace, silent)
}

// uid is that of the AccessRequest one.
func (l accessLandscape) uid(t *testing.T) string {
	t.Helper()
	object, err := l.object("AccessRequest", "one")
	if err != nil {
		t.Fatal(err)
	}
	return string(object.GetUID())
}

// allowing is a token that allows these verbs on namespaces.
func allowing(verbs string) string {
	return fmt.Sprintf(`token = { permissions = [{ rules = [{ api_groups = [""], resources = ["namespaces"], verbs = [%s] }] }] }`, verbs)
}

// accessOf writes an access to the Cluster of mcp1; attributes win over these.
func (l accessLandscape) accessOf(label string, attributes ...string) string {
	lines := map[string]string{"name": fmt.Sprintf("%q", label), "cluster_ref": fmt.Sprintf("{ name = %q }", l.cluster)}
	for _, a := range append([]string{allowing(`"list"`)}, attributes...) {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if lines["request_ref"] != "" {
		lines["cluster_ref"] = ""
	}
	text := fmt.Sprintf("resource \"hap_access_request\" %q {\n", label)
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
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

func accessValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(accessOne, tfjsonpath.New(attribute), check)
}

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
	if e.namespaces = fromEcho(s, &found); e.namespaces != nil {
		return e
	}
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(found.Kubeconfig))
	if err == nil {
		err = errors.Join(equal("host", found.Host, config.Host), equal("token", found.Token, config.BearerToken),
			equal("CA", found.CA, string(config.CAData)))
	}
	if err != nil {
		return entry{namespaces: err}
	}
	inside, err := client.New(config, client.Options{})
	if err != nil {
		return entry{namespaces: err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return entry{inside.List(ctx, &corev1.NamespaceList{}), inside.List(ctx, &corev1.SecretList{}, client.InNamespace("default")), found.ExpiresAt}
}

func accessPlan(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             append([]plancheck.PlanCheck{plancheck.ExpectResourceAction(accessOne, action)}, more...),
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
			l := newAccessLandscape(t)
			ref := fmt.Sprintf("cluster_ref = { namespace = %q, name = %q }", l.namespace, l.cluster)
			if name == "request_ref" {
				ref = `request_ref = { name = "mcp1" }`
			}
			id := l.namespace + "/one"
			var uid string
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: echoing,
				CheckDestroy:             l.noAccess,
				Steps: []resource.TestStep{
					{
						Config:           l.provider() + l.accessOf("one", ref) + opened(openedOne),
						ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate, plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("access_request_id"))),
						ConfigStateChecks: []statecheck.StateCheck{
							accessValue("id", knownvalue.StringExact(id)), accessValue("access_request_id", knownvalue.StringExact(id)),
							accessValue("namespace", knownvalue.StringExact(l.namespace)), accessValue("phase", knownvalue.StringExact("Granted")),
							accessValue("granted", knownvalue.Bool(true)), accessValue("expires_at", knownvalue.StringRegexp(regexp.MustCompile(`^20..-.*Z$`))),
							accessValue("secret_ref", knownvalue.ObjectExact(map[string]knownvalue.Check{
								"namespace": knownvalue.StringExact(l.namespace), "name": knownvalue.StringExact("one.kubeconfig"),
							})),
						},
						Check: func(s *terraform.State) error {
							uid = l.uid(t)
							return allowed(s)
						},
					}, {
						Config: l.provider() + l.accessOf("one", ref, allowing(`"get"`), `labels = { team = "a" }`) + opened(openedOne, 2),
						ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate, plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("granted")),
							plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("access_request_id"))),
						Check: func(s *terraform.State) error {
							if namespaces := entered(s).namespaces; !apierrors.IsForbidden(namespaces) {
								return fmt.Errorf("namespaces: %w", namespaces)
							}
							object, err := l.object("AccessRequest", "one")
							return errors.Join(err, equal("uid", l.uid(t), uid), equal("team", object.GetLabels()["team"], "a"))
						},
					}, {
						Config: l.provider() + l.accessOf("one", ref, `timeouts = { delete = "1m" }`) + opened(openedOne, 3), // the label goes
						Check: func(s *terraform.State) error {
							object, err := l.object("AccessRequest", "one")
							return errors.Join(err, equal("team", object.GetLabels()["team"], ""), allowed(s))
						},
					}, {
						ResourceName: accessOne, ImportState: true, ImportStateId: id, ImportStateVerify: true,
						ImportStateVerifyIgnore: []string{"timeouts"},
					}, {
						ResourceName: accessOne, ImportState: true, ImportStateId: "one", ImportStateVerify: true,
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
	l := newAccessLandscape(t)
	base := l.provider() + opened(openedOne)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		Steps: []resource.TestStep{
			{Config: base + l.accessOf("one", `labels = { team = "a" }`)},
			{
				Config: base + l.accessOf("one", `labels = { team = "b" }`, `annotations = { why = "x" }`, `timeouts = { update = "1m" }`),
				ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate, plancheck.ExpectKnownValue(accessOne, tfjsonpath.New("access_request_id"),
					knownvalue.StringExact(l.namespace+"/one"))),
				Check: func(*terraform.State) error {
					object, err := l.object("AccessRequest", "one")
					return errors.Join(err, equal("generation", fmt.Sprint(object.GetGeneration()), "1"),
						equal("team", object.GetLabels()["team"], "b"), equal("why", object.GetAnnotations()["why"], "x"))
				},
			}, {
				PreConfig: func() { l.patch(t, "AccessRequest", "one", `{"metadata":{"labels":{"team":"c","theirs":"stays"}}}`) },
				Config:    base + l.accessOf("one", `labels = { team = "b" }`), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					object, err := l.object("AccessRequest", "one")
					return errors.Join(err, equal("team", object.GetLabels()["team"], "b"), equal("theirs", object.GetLabels()["theirs"], "stays"),
						equal("why", object.GetAnnotations()["why"], ""))
				},
			},
		},
	})
}

// Access that is not granted in time is kept, does not taint, stops neither plan nor destroy, and is waited on.
func TestAccAccessRequest_slow(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	l.silence(true)
	short := `timeouts = { create = "` + operatorSees + `", update = "2s" }`
	guarded := "lifecycle {\n    postcondition {\n      condition = self.granted\n      error_message = \"no access yet\"\n    }\n  }\n"
	one := l.accessOf("one", short)
	var uid string
	waits := []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(accessOne, plancheck.ResourceActionUpdate),
		plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("granted")),
		plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("access_request_id")),
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{
				Config:      l.provider() + strings.TrimSuffix(one, "}\n") + guarded + "}\n" + opened(openedOne),
				ExpectError: regexp.MustCompile("no access yet"),
			}, {
				PreConfig: func() { uid = l.uid(t) },
				Config:    l.provider() + one + opened(openedOne), ExpectNonEmptyPlan: true,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: waits},
				ConfigStateChecks: []statecheck.StateCheck{
					accessValue("granted", knownvalue.Bool(false)), accessValue("access_request_id", knownvalue.Null()),
					accessValue("phase", knownvalue.StringExact("Pending")), accessValue("expires_at", knownvalue.Null()),
					accessValue("secret_ref", knownvalue.Null()), openedAs("kubeconfig", knownvalue.Null()),
				},
			}, {
				Config: l.provider() + l.accessOf("one") + opened(openedOne, 2),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             append(waits, onPlan(func() { l.silence(false) })), // no sooner: a refresh would find it granted
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(true)), openedAs("token", knownvalue.NotNull(), 2)},
				Check:             func(*terraform.State) error { return equal("uid", l.uid(t), uid) },
			},
		},
	})
}

// Access that was denied is left alone by its cluster provider: the plan says that the apply has it looked at again, and the apply does.
func TestAccAccessRequest_denied(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	l.silence(true)
	ear := newEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{Config: l.provider() + l.accessOf("one", `timeouts = { create = "`+operatorSees+`" }`), ExpectNonEmptyPlan: true},
			{
				PreConfig: func() {
					object, err := l.object("AccessRequest", "one")
					if err != nil {
						t.Fatal(err)
					}
					status := fmt.Sprintf(`{"status":{"phase":"Denied","observedGeneration":%d}}`, object.GetGeneration())
					if err := l.Client().Status().Patch(context.Background(), object, client.RawPatch("application/merge-patch+json", []byte(status))); err != nil {
						t.Fatal(err)
					}
					l.silence(false)
				},
				Config: l.provider() + l.accessOf("one"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(accessOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(true)), accessValue("phase", knownvalue.StringExact("Granted"))},
				Check: func(*terraform.State) error {
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryAccessNotGranted, "", l.namespace+"/one was denied", "reconcile")
					return nil
				},
			},
		},
	})
}

// Access that was never granted does not stop a destroy.
func TestAccAccessRequest_destroyNotGranted(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	l.silence(true)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{{
			Config:             l.provider() + l.accessOf("one", `timeouts = { create = "1s" }`, `request_ref = { name = "absent" }`) + opened(openedOne),
			ExpectNonEmptyPlan: true,
		}},
	})
}

// With wait_for = "none" nothing is waited for, and no plan shows an update for it.
func TestAccAccessRequest_waitForNone(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	l.silence(true)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		Steps: []resource.TestStep{
			{
				Config:            l.provider() + l.accessOf("one", `wait_for = "none"`) + opened(openedOne),
				ConfigPlanChecks:  accessPlan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(false))},
			}, {
				Config:            l.provider() + l.accessOf("one", `wait_for = "none"`, allowing(`"get"`)) + opened(openedOne),
				ConfigPlanChecks:  accessPlan(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(false))},
			},
		},
	})
}

// A change that is not granted in time is not granted: the Secret of before does not count.
func TestAccAccessRequest_editedWhileWaiting(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	short := `timeouts = { update = "2s" }`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{Config: l.provider() + l.accessOf("one") + opened(openedOne)},
			{
				PreConfig: func() { l.silence(true) },
				Config:    l.provider() + l.accessOf("one", allowing(`"get"`), short) + opened(openedOne, 2), ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					accessValue("granted", knownvalue.Bool(false)), accessValue("access_request_id", knownvalue.Null()),
					accessValue("secret_ref", knownvalue.NotNull()), openedAs("kubeconfig", knownvalue.Null(), 2),
				},
			}, {
				Config: l.provider() + l.accessOf("one", allowing(`"list", "watch"`)) + opened(openedOne, 3), // edited once more
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{onPlan(func() { l.silence(false) })},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(s *terraform.State) error {
					return entered(s).namespaces
				},
			},
		},
	})
}

// A Secret that is gone, or whose token has ended, is told; it stops no plan, and an apply has it made anew.
func TestAccAccessRequest_secretsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*testing.T, accessLandscape){
		"gone": func(t *testing.T, l accessLandscape) { t.Helper(); l.lose(t, l.secret("one")) },
		"ended": func(t *testing.T, l accessLandscape) {
			t.Helper()
			data, _ := json.Marshal(map[string]any{"data": map[string][]byte{"expirationTimestamp": []byte("1700000000")}})
			if err := l.Client().Patch(context.Background(), l.secret("one"), client.RawPatch("application/merge-patch+json", data)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newAccessLandscape(t)
			base := l.provider() + l.accessOf("one", `timeouts = { update = "2m" }`)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: echoing,
				CheckDestroy:             l.noAccess,
				Steps: []resource.TestStep{
					{Config: base + opened(openedOne)},
					{
						PreConfig: func() { spoil(t, l) }, Config: base + opened(openedOne, 2),
						ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate, plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("access_request_id"))),
						Check: func(s *terraform.State) error {
							return entered(s).namespaces
						},
					}, {
						PreConfig: func() { l.silence(true); spoil(t, l) },
						Config:    l.provider() + opened(fmt.Sprintf("access_request_id = \"%s/one\"", l.namespace)) + l.accessOf("one"),
						ExpectError: errorLike(map[string]string{"gone": "Secret of an access is gone", "ended": "Access has ended"}[name],
							l.namespace+"/one", "Run apply"),
					}, {
						Config: l.provider() + l.accessOf("one", `timeouts = { update = "2s" }`) + opened(openedOne, 3), ExpectNonEmptyPlan: true,
						ConfigStateChecks: []statecheck.StateCheck{
							accessValue("granted", knownvalue.Bool(false)), accessValue("phase", knownvalue.StringExact("Granted")),
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
	l := newAccessLandscape(t)
	config := func(step int) string { return l.provider() + l.accessOf("one") + opened(openedOne, step) }
	anew := func(name string) {
		t.Helper()
		object := testbed.New("AccessRequest", l.namespace, name)
		object.Object["spec"] = map[string]any{
			"clusterRef": map[string]any{"namespace": l.namespace, "name": l.cluster},
			"token":      map[string]any{"roleRefs": []any{map[string]any{"kind": "ClusterRole", "name": "view"}}},
		}
		if err := l.Client().Create(context.Background(), object); err != nil {
			t.Fatal(err)
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{Config: config(1)},
			{
				PreConfig: func() {
					l.patch(t, "AccessRequest", "one", `{"spec":{"token":{"permissions":null,"roleRefs":[{"kind":"ClusterRole","name":"view"}]}}}`)
				},
				Config: config(2), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
				Check: func(s *terraform.State) error {
					return entered(s).namespaces
				},
			},
			{
				PreConfig: func() { l.lose(t, testbed.New("AccessRequest", l.namespace, "one")) },
				Config:    config(3), ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate),
			},
			{
				PreConfig: func() { l.lose(t, testbed.New("AccessRequest", l.namespace, "one")); anew("one") },
				Config:    config(4),
				ExpectError: errorLike("Request exists already", "there is an AccessRequest "+l.namespace+"/one already",
					"import it: an import block with the id \""+l.namespace+"/one\""),
			},
			{
				Config: config(5) + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", accessOne, l.namespace+"/one"),
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
	l := newAccessLandscape(t)
	to := func(ref string) string { return l.provider() + l.accessOf("one", ref) }
	own := fmt.Sprintf("cluster_ref = { name = %q }", l.cluster)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{Config: to(own)},
			{
				Config: to(fmt.Sprintf("cluster_ref = { namespace = %q, name = %q }", l.namespace, l.cluster)), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
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
	l := newAccessLandscape(t)
	oidc := func(extra string) string {
		return l.provider() + l.accessOf("one", "token =", `oidc = { name = "corp", issuer = "https://id.example.com", client_id = "x", `+extra+`
    role_bindings = [{ subjects = [{ kind = "Group", name = "admins" }], role_refs = [{ kind = "ClusterRole", name = "view" }] }] }`) + opened(openedOne)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		Steps: []resource.TestStep{
			{
				Config: oidc(""), ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					openedAs("kubeconfig", knownvalue.StringRegexp(regexp.MustCompile("oidc-login"))), openedAs("token", knownvalue.Null()),
					openedAs("host", knownvalue.NotNull()), accessValue("expires_at", knownvalue.Null()), accessValue("granted", knownvalue.Bool(true)),
				},
			},
			{
				Config: oidc(`groups_prefix = "", extra_scopes = ["email"], groups_claim = "teams",`), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					object, err := l.object("AccessRequest", "one")
					spec, _, _ := unstructured.NestedMap(object.Object, "spec", "oidc")
					return errors.Join(err, equal("claims", fmt.Sprintf("%v %v %v", spec["groupsClaim"], spec["usernameClaim"], spec["extraScopes"]), "teams sub [email]"))
				},
			},
			{Config: oidc(""), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate)},
			{
				ResourceName: accessOne, ImportState: true, ImportStateId: l.namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"oidc.groups_claim", "oidc.username_claim", "cluster_ref.namespace"},
			},
			{Config: l.provider() + l.accessOf("one") + opened(openedOne), ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate)},
		},
	})
}

// Inputs that are wrong are refused before anything is written, at their attribute, and the message says what to do.
func TestAccAccessRequest_wrongInputs(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	rule := func(rule string) string { return "token = { permissions = [{ rules = [{ " + rule + " }] }] }" }
	for name, test := range map[string]struct {
		config  string
		summary string
		words   []string
	}{
		"no reference": {l.accessOf("one", "cluster_ref ="), "Invalid Attribute Combination", []string{"cluster_ref", "request_ref"}},
		"two references": {strings.Replace(l.accessOf("one"), "{\n", "{\n  request_ref = { name = \"mcp1\" }\n", 1), "Invalid Attribute Combination",
			[]string{"cluster_ref", "request_ref"}},
		"neither token nor OIDC": {l.accessOf("one", "token ="), "Invalid Attribute Combination", []string{"token", "oidc"}},
		"an empty token":         {l.accessOf("one", "token = {}"), "Invalid access", []string{"would allow nothing", "permissions", "role_refs"}},
		"an empty rule":          {l.accessOf("one", rule(`verbs = ["get"]`)), "Invalid access", []string{"A rule names resources, or non_resource_urls"}},
		"no verbs":               {l.accessOf("one", rule(`resources = ["pods"], api_groups = [""], verbs = []`)), "Invalid access", []string{"A rule without verbs"}},
		"no API groups":          {l.accessOf("one", rule(`resources = ["pods"], verbs = ["get"]`)), "Invalid access", []string{"names their API groups"}},
		"resources and paths": {l.accessOf("one", rule(`resources = ["pods"], api_groups = [""], non_resource_urls = ["/healthz"], verbs = ["get"]`)),
			"Invalid access", []string{"Make two rules of it"}},
		"a path in a namespace": {l.accessOf("one", `token = { permissions = [{ namespace = "x", rules = [{ non_resource_urls = ["/healthz"], verbs = ["get"] }] }] }`),
			"Invalid access", []string{"Rule 1 has non_resource_urls", "without namespace"}},
		"a Role without a namespace": {l.accessOf("one", `token = { role_refs = [{ kind = "Role", name = "x" }] }`), "Invalid access",
			[]string{"A Role lies in a namespace"}},
		"a ClusterRole in a namespace": {l.accessOf("one", `token = { role_refs = [{ kind = "ClusterRole", name = "x", namespace = "y" }] }`),
			"Invalid access", []string{"A ClusterRole lies in no namespace"}},
		"another kind of role": {l.accessOf("one", `token = { role_refs = [{ kind = "Group", name = "x" }] }`), "Invalid Attribute Value Match",
			[]string{"ClusterRole"}},
		"a label of the operator": {l.accessOf("one", `labels = { "clusters.openmcp.cloud/profile" = "x" }`), "Reserved label or annotation",
			[]string{"clusters.openmcp.cloud/profile is written by the operator"}},
		"the provider's own annotation": {l.accessOf("one", `annotations = { "hap-project.io/made-by" = "x" }`), "Reserved label or annotation",
			[]string{"hap-project.io/made-by is written by"}},
		"an operation that is carried out once": {l.accessOf("one", `annotations = { "openmcp.cloud/operation" = "reconcile" }`), "Reserved label or annotation",
			[]string{"carried out once"}},
		"a bad name": {l.accessOf("one", `name = "One_1"`), "Invalid Attribute Value Match", []string{"small letters, digits, - and ."}},
		"wait_for":   {l.accessOf("one", `wait_for = "ready"`), "Invalid Attribute Value Match", []string{"granted"}},
		"an issuer that is no URL": {l.accessOf("one", "token =", `oidc = { name = "corp", issuer = "id", client_id = "x",
    role_bindings = [{ subjects = [{ kind = "User", name = "a" }], role_refs = [{ kind = "ClusterRole", name = "view" }] }] }`),
			"Invalid Attribute Value Match", []string{"http or https URL"}},
		"twice":                {l.accessOf("one") + l.accessOf("two", `name = "one"`), "Request declared twice", []string{"AccessRequest", l.namespace + "/one stands twice"}},
		"what no schema knows": {l.accessOf("one", `token = { permission = [] }`), "", []string{"permission"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{{
					Config: l.provider() + test.config, PlanOnly: true, ExpectError: errorLike(test.summary, test.words...),
				}},
			})
		})
	}
	t.Run("no platform", func(t *testing.T) {
		t.Parallel()
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: factories,
			Steps: []resource.TestStep{{
				Config: "provider \"hap\" {\n}\n" + l.accessOf("one"), PlanOnly: true,
				ExpectError: errorLike("No connection to the platform cluster", "Planning AccessRequest one", "Write platform = {"),
			}},
		})
	})
	t.Cleanup(func() {
		if err := l.noAccess(nil); err != nil {
			t.Error(err)
		}
	})
}

// Access that cannot be read is told at its attribute, at once where nothing is to be waited for.
func TestAccClusterAccess_refused(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	l.silence(true)
	pending := testbed.New("AccessRequest", l.namespace, "pending")
	pending.Object["spec"] = map[string]any{
		"clusterRef": map[string]any{"namespace": l.namespace, "name": l.cluster}, "token": map[string]any{},
	}
	if err := l.Client().Create(t.Context(), pending); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		id      string
		summary string
		words   []string
	}{
		"not there":         {l.namespace + "/absent", "No such object on the platform cluster", []string{"there is no AccessRequest " + l.namespace + "/absent"}},
		"no id":             {"absent", "Invalid access", []string{`"absent" is no access`, "<namespace>/<name>"}},
		"not granted":       {l.namespace + "/pending", "Access is not granted", []string{"it is Pending", "gardener, which has not answered"}},
		"another namespace": {"default/one", "Not allowed on the platform cluster", []string{`"get" on accessrequests in namespace "default"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: echoing,
				Steps: []resource.TestStep{{
					Config:      l.provider() + opened(fmt.Sprintf("access_request_id = %q\n  timeouts = { open = \"3s\" }", test.id)),
					ExpectError: errorLike(test.summary, test.words...),
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
	l := newAccessLandscape(t)
	less := strings.Replace(string(gardens.RoleExample(t, "platform.yaml")), "resources: [secrets]", "resources: [configmaps]", 1)
	l.user = l.ServiceAccount(t, l.namespace, "less", []byte(less))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{
				Config: l.provider() + l.accessOf("one"), ConfigPlanChecks: accessPlan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(true)), accessValue("expires_at", knownvalue.Null())},
			},
			{
				Config:      l.provider() + l.accessOf("one") + opened(openedOne),
				ExpectError: errorLike("Not allowed on the platform cluster", `Grant the verb "get" on secrets`, "examples/rbac/platform.yaml"),
			},
			{Config: l.provider() + l.accessOf("one")},
		},
	})
}

// A platform cluster that is known only after an apply does not stop a plan.
func TestAccAccessRequest_platformKnownLater(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
resource "terraform_data" "settings" { input = { kubeconfig = %q, namespace = %q, cluster = %q } }
provider "hap" { platform = { config_path = terraform_data.settings.output.kubeconfig } }
`, l.user.Kubeconfig, l.namespace, l.cluster) + l.accessOf("one", "namespace = terraform_data.settings.output.namespace",
				"cluster_ref = { name = terraform_data.settings.output.cluster }") + opened(openedOne),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("namespace"))},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(true)), openedAs("token", knownvalue.NotNull())},
		}},
	})
}

// That an AccessRequest is not found behind another API server says nothing: it stays in the state.
func TestAccAccessRequest_anotherServer(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	admin := l.Config()
	elsewhere := fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q, host = %q }\n}\n", l.user.Kubeconfig,
		strings.Replace(admin.Host, "127.0.0.1", "localhost", 1))
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + l.accessOf("one")},
			{Config: elsewhere + l.accessOf("one"), PlanOnly: true}, // the same server by another name
			{
				PreConfig: func() { l.lose(t, testbed.New("AccessRequest", l.namespace, "one")) },
				Config:    elsewhere + l.accessOf("one"), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummarySettingsChanged, "127.0.0.1", "localhost", "Set the provider block back"),
			},
			{Config: l.provider() + l.accessOf("one")},
		},
	})
}
