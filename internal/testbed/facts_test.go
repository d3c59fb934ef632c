package testbed

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
)

// The facts the claim protocol rests on, asked from the real server.

func TestServerValidatesAccounts(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	account := &securityv1alpha1.CredentialsBinding{
		ObjectMeta: ns.named("wrong"),
		Provider:   securityv1alpha1.CredentialsBindingProvider{Type: "aws"},
		CredentialsRef: corev1.ObjectReference{
			APIVersion: "v1", Kind: "ConfigMap", Name: "wrong", Namespace: ns.Name,
		},
	}
	err := ns.client.Create(t.Context(), account)
	expect.Status(t, err, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)

	ns.Account(t, AccountSpec{Name: "right"})
	err = patch(t.Context(), ns, "right", map[string]any{"provider": map[string]string{"type": "gcp"}})
	expect.Status(t, err, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
}

func TestPatchPreconditions(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	read := ns.Account(t, AccountSpec{Name: "account", HyperscalerType: "aws"})
	claim := func(uid types.UID, version, tenant string) error {
		return patch(t.Context(), ns, "account", map[string]any{"metadata": map[string]any{
			"uid": uid, "resourceVersion": version, "labels": map[string]string{"tenantName": tenant},
		}})
	}

	if err := claim(read.UID, read.ResourceVersion, "ga-first"); err != nil {
		t.Fatalf("with the version just read: %v", err)
	}
	err := claim(read.UID, read.ResourceVersion, "ga-second")
	expect.Status(t, err, http.StatusConflict, metav1.StatusReasonConflict)

	fresh := ns.GetAccount(t, "account")
	err = claim("00000000-0000-0000-0000-000000000000", fresh.ResourceVersion, "ga-second")
	expect.Status(t, err, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
	if tenant := ns.GetAccount(t, "account").Labels["tenantName"]; tenant != "ga-first" {
		t.Errorf("a refused patch changed the tenant to %q", tenant)
	}

	if err := claim(fresh.UID, fresh.ResourceVersion, "ga-second"); err != nil {
		t.Errorf("with the fresh version: %v", err)
	}
	if tenant := ns.GetAccount(t, "account").Labels["tenantName"]; tenant != "ga-second" {
		t.Errorf("the tenant is %q", tenant)
	}
}

func TestProtobuf(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account", HyperscalerType: "aws"})
	ns.Shoots(t, "account", 2)

	security := protobufClient(t, ns.garden, securityv1alpha1.SchemeGroupVersion)
	accounts := &securityv1alpha1.CredentialsBindingList{}
	expectProtobuf(t, security.Get().Namespace(ns.Name).Resource("credentialsbindings").Do(t.Context()), accounts)
	if len(accounts.Items) != 1 || accounts.Items[0].Name != "account" {
		t.Errorf("accounts: %v", accounts.Items)
	}

	core := protobufClient(t, ns.garden, gardencorev1beta1.SchemeGroupVersion)
	shoots := &gardencorev1beta1.ShootList{}
	expectProtobuf(t, core.Get().Namespace(ns.Name).Resource("shoots").Do(t.Context()), shoots)
	if len(shoots.Items) != 2 || *shoots.Items[0].Spec.CredentialsBindingName != "account" {
		t.Errorf("shoots: %v", shoots.Items)
	}

	patched := &securityv1alpha1.CredentialsBinding{}
	expectProtobuf(t, security.Patch(types.MergePatchType).
		Namespace(ns.Name).Resource("credentialsbindings").Name("account").
		Body([]byte(`{"metadata":{"labels":{"tenantName":"ga-acme"}}}`)).
		Do(t.Context()), patched)
	if patched.Labels["tenantName"] != "ga-acme" || patched.Labels["hyperscalerType"] != "aws" {
		t.Errorf("labels of the patch's answer: %v", patched.Labels)
	}
}

func TestPagesHoldEverythingOnce(t *testing.T) {
	t.Parallel()
	const accounts, shoots, limit = 23, 17, 5
	ns := Shared(t).NewNamespace(t)
	var specs []AccountSpec
	for i := range accounts {
		specs = append(specs, AccountSpec{Name: fmt.Sprintf("account-%02d", i)})
	}
	ns.Accounts(t, specs...)
	ns.Shoots(t, specs[0].Name, shoots)

	expectPages(t, ns, &securityv1alpha1.CredentialsBindingList{}, accounts, limit)
	expectPages(t, ns, &gardencorev1beta1.ShootList{}, shoots, limit)
}

// patch sends a merge patch as the administrator.
func patch(ctx context.Context, ns *Namespace, name string, body map[string]any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	account := &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named(name)}
	return ns.client.Patch(ctx, account, client.RawPatch(types.MergePatchType, content))
}

func protobufClient(t *testing.T, g *Garden, gv schema.GroupVersion) *rest.RESTClient {
	t.Helper()
	config := g.AdminConfig()
	config.APIPath = "/apis"
	config.GroupVersion = &gv
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	restClient, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return restClient
}

// expectProtobuf reads an answer that must be protobuf, not JSON.
func expectProtobuf(t *testing.T, result rest.Result, into runtime.Object) {
	t.Helper()
	var contentType string
	if err := result.ContentType(&contentType).Into(into); err != nil {
		t.Fatal(err)
	}
	if contentType != runtime.ContentTypeProtobuf {
		t.Errorf("%T came as %s", into, contentType)
	}
}

// expectPages reads a list page by page.
func expectPages(t *testing.T, ns *Namespace, list client.ObjectList, want, limit int) {
	t.Helper()
	seen := map[string]int{}
	pages := 0
	for {
		pages++
		err := ns.client.List(t.Context(), list,
			client.InNamespace(ns.Name), client.Limit(int64(limit)), client.Continue(list.GetContinue()))
		if err != nil {
			t.Fatal(err)
		}
		names := namesOf(t, list)
		if len(names) > limit {
			t.Errorf("%T: a page of %d", list, len(names))
		}
		for _, name := range names {
			seen[name]++
		}
		if list.GetContinue() == "" {
			break
		}
	}
	if wantPages := (want + limit - 1) / limit; pages != wantPages {
		t.Errorf("%T: %d pages instead of %d", list, pages, wantPages)
	}
	if len(seen) != want {
		t.Errorf("%T: %d names instead of %d", list, len(seen), want)
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%T: %s came %d times", list, name, times)
		}
	}
}

func namesOf(t *testing.T, list client.ObjectList) []string {
	t.Helper()
	var names []string
	switch list := list.(type) {
	case *securityv1alpha1.CredentialsBindingList:
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
	case *gardencorev1beta1.ShootList:
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
	default:
		t.Fatalf("no names in a %T", list)
	}
	return names
}
