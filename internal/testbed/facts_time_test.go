package testbed

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What takes labels away leaves no time behind: managedFields has the times of those that own fields, and the clean-up job owns none. So
// nothing on an account says when the job has given it back (ADR 023).
func TestNoTimeOfRemovedLabels(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	labels := func(value any) map[string]any {
		return map[string]any{"metadata": map[string]any{"labels": map[string]any{"tenantName": value, "dirty": value}}}
	}
	for name, remove := range map[string]func(name string) error{
		"by-update": func(name string) error {
			account := ns.GetAccount(t, name)
			delete(account.Labels, LabelTenant)
			delete(account.Labels, LabelDirty)
			return ns.client.Update(t.Context(), account, client.FieldOwner("clean-up"))
		},
		"by-patch": func(name string) error {
			account := ns.GetAccount(t, name)
			body := []byte(`{"metadata":{"labels":{"tenantName":null,"dirty":null}}}`)
			return ns.client.Patch(t.Context(), account, client.RawPatch(types.MergePatchType, body), client.FieldOwner("clean-up"))
		},
	} {
		ns.Account(t, AccountSpec{Name: name, HyperscalerType: "aws"})
		if err := patch(t.Context(), ns, name, labels("true")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond) // the server keeps seconds
		began := time.Now().Truncate(time.Second)
		if err := remove(name); err != nil {
			t.Fatal(err)
		}
		account := ns.GetAccount(t, name)
		if account.Labels[LabelTenant] != "" || account.Labels[LabelDirty] != "" {
			t.Errorf("%s: the labels are still there: %v", name, account.Labels)
		}
		for _, manager := range account.ManagedFields {
			t.Logf("%s: %s at %s: %s", name, manager.Manager, manager.Time, manager.FieldsV1.Raw)
			if manager.Manager == "clean-up" || !manager.Time.Time.Before(began) {
				t.Errorf("%s: %s has written at %s, the labels went after %s: %s", name, manager.Manager, manager.Time, began, manager.FieldsV1.Raw)
			}
		}
	}
}
