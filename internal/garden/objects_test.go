package garden

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

func TestLabelWritten(t *testing.T) {
	t.Parallel()
	at := func(minute int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)}
	}
	manager := func(at *metav1.Time, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Time: at, FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	const dirty, other = `{"f:metadata":{"f:labels":{".":{},"f:dirty":{}}}}`, `{"f:metadata":{"f:labels":{".":{},"f:dirty2":{},"f:tenantName":{}}}}`
	tests := map[string]struct {
		managers []metav1.ManagedFieldsEntry
		want     *metav1.Time
	}{
		"no manager":           {},
		"the owner":            {[]metav1.ManagedFieldsEntry{manager(at(1), other), manager(at(2), dirty), manager(at(3), `{"f:provider":{}}`)}, at(2)},
		"another label":        {[]metav1.ManagedFieldsEntry{manager(at(1), other)}, nil},
		"an annotation":        {[]metav1.ManagedFieldsEntry{manager(at(1), `{"f:metadata":{"f:annotations":{"f:dirty":{}}}}`)}, nil},
		"two owners":           {[]metav1.ManagedFieldsEntry{manager(at(9), dirty), manager(at(4), dirty)}, at(4)},
		"an owner, no time":    {[]metav1.ManagedFieldsEntry{manager(nil, dirty)}, nil},
		"no fields, and wrong": {[]metav1.ManagedFieldsEntry{{Time: at(1)}, manager(at(1), "{"), manager(at(5), dirty)}, at(5)},
	}
	for name, test := range tests {
		var want time.Time
		if test.want != nil {
			want = test.want.Time
		}
		equal(t, name, labelWritten(&metav1.ObjectMeta{ManagedFields: test.managers}, "dirty"), want)
	}
}

// A survey of the whole pool sees the objects that are no accounts, what the credentials are, and since when an account is dirty.
func TestObjectsOfEachKind(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p olderPool) {
		t.Helper()
		began := time.Now().Add(-2 * time.Second)
		kind := string(p.kind)
		p.Accounts(t, testbed.AccountSpec{Name: "b", Kind: kind, HyperscalerType: "aws", Labels: map[string]string{"dirty": "true"}},
			testbed.AccountSpec{Name: "stray", Kind: kind, Labels: map[string]string{"hyperscaler-type": "aws"}})
		g := p.garden(t)
		listed, err := g.Objects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		objects := map[string]account.Object{}
		for _, o := range listed {
			objects[o.Name] = o
		}
		for name := range objects { // the credentials of the bindings, and what Gardener puts into a project
			if name != "a" && name != "b" && name != "stray" && p.kind != Secret {
				t.Errorf("listed: %q", slices.Sorted(maps.Keys(objects)))
			}
		}
		whole, err := g.Get(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the account of the list", objects["b"].Account, whole)
		equal(t, "typed", []bool{objects["a"].Typed, objects["b"].Typed, objects["stray"].Typed}, []bool{true, true, false})
		equal(t, "labels of the stray", objects["stray"].Labels["hyperscaler-type"], "aws")
		equal(t, "a is dirty since", objects["a"].DirtySince, time.Time{})
		if since := objects["b"].DirtySince; since.Before(began) || since.After(time.Now().Add(2*time.Second)) {
			t.Errorf("b is dirty since %s, it was made after %s", since, began)
		}
	})
}

// The bindings of the other kinds have the age of their label dirty, in a pool of each kind.
func TestSiblingObjectsOfEachKind(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, p olderPool) {
		t.Helper()
		began, want := time.Now().Add(-2*time.Second), []string{}
		for _, kind := range bindingKinds {
			if kind != p.kind {
				name := "marked-" + strings.ToLower(string(kind))
				p.Accounts(t, testbed.AccountSpec{Name: name, Kind: string(kind), Labels: map[string]string{"dirty": "releasing"}})
				want = append(want, account.BindingOf(string(kind), name))
			}
		}
		listed, err := p.garden(t).SiblingObjects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var marked []string
		for _, o := range listed {
			if o.Dirty != account.Clean && o.UID != "" && o.DirtySince.After(began) {
				marked = append(marked, o.Name)
			}
		}
		equal(t, "marked", marked, want)
	})
}

// The age of a label is no reason for a survey to fail.
func TestSiblingObjectsThatMustNotBeListed(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Accounts(t, testbed.AccountSpec{Name: "marked", Kind: testbed.SecretBinding, Labels: map[string]string{"dirty": "true"}})
	user := p.ServiceAccount(t, "restricted", roleWithout(t, secretBindings, "list"))
	listed, err := connect(t, user.Config(), p.Name).SiblingObjects(t.Context())
	if err != nil || len(listed) != 0 {
		t.Errorf("%d objects, error %v", len(listed), err)
	}
}

// A write on another label by another party says nothing of the age of the label dirty.
func TestDirtySinceIsNotTouchedByOthers(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws", Labels: map[string]string{"dirty": "true"}})
	g := p.garden(t, func(c *rest.Config) { c.UserAgent = "another-party/1" })
	sinceNow := func() time.Time {
		objects, err := g.Objects(t.Context())
		if err != nil || len(objects) != 1 {
			t.Fatalf("%d objects, error %v", len(objects), err)
		}
		return objects[0].DirtySince
	}
	before := sinceNow()
	time.Sleep(1100 * time.Millisecond) // the server keeps seconds
	change, _ := claimed()
	change.Dirty = nil
	if _, err := g.Write(t.Context(), get(t, g, "a"), change); err != nil {
		t.Fatal(err)
	}
	equal(t, "since", sinceNow(), before)
}

// An answer that is no list is an error, and never an empty pool.
func TestObjectsComeInPages(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	var specs []testbed.AccountSpec
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		specs = append(specs, testbed.AccountSpec{Name: name, HyperscalerType: "aws"})
	}
	p.Accounts(t, specs...)
	front := p.front(t, fault.ProxyOptions{PageLimit: 2})
	objects, err := p.garden(t, front.Through).Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "objects", len(objects), 5)
	equal(t, "requests", requests(front), map[string]int{"list " + bindings: 1, "page " + bindings: 2})
	if _, _, err := p.garden(t).objects(&metav1.Status{}, kinds[CredentialsBinding], ""); err == nil {
		t.Error("a status passes for a list")
	}
}
