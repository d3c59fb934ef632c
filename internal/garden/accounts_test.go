package garden

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// More than two pages, so that there is one in the middle.
func TestListReturnsEveryAccountOnce(t *testing.T) {
	t.Parallel()
	const accounts, page = 250, 100
	p := newProject(t)
	specs := []testbed.AccountSpec{
		{Name: "no-pool"}, {Name: "no-pool-but-held", Tenant: "ga-1"}, {Name: "no-pool-but-shared", Shared: true},
		{Name: "other-key", Labels: map[string]string{"hyperscalertype": "aws"}},
	}
	want := make([]string, accounts)
	for i := range want {
		want[i] = fmt.Sprintf("account-%04d", i)
		specs = append(specs, testbed.AccountSpec{Name: want[i], HyperscalerType: fmt.Sprintf("aws_cf-eu%02d", i%7)})
	}
	p.Accounts(t, specs...)

	front := p.front(t, fault.ProxyOptions{PageLimit: page})
	listed, err := p.garden(t, front.Through).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	siblings := 0
	for _, a := range listed {
		if a.Sibling {
			siblings++
			continue
		}
		got = append(got, a.Name)
		if a.UID == "" || a.Version == "" || !strings.HasPrefix(a.HyperscalerType, "aws_cf-eu") || a.Credentials.Ref.Name == "" {
			t.Errorf("%+v", a)
		}
	}
	equal(t, "siblings", siblings, 4)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d accounts listed, %d of them different, of %d", len(got), len(slices.Compact(got)), len(want))
	}
	equal(t, "requests", requests(front), map[string]int{"list " + bindings: 1, "page " + bindings: 2})
}

// A list says of an account what the account itself says.
func TestListAndGetAgree(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	change, key := claimed()
	p.Account(t, testbed.AccountSpec{
		Name: "everything", HyperscalerType: "gcp_cf-eu30", Tenant: "ga-1", Shared: true, EUAccess: true, Internal: true, ProviderType: "gcp",
		Labels:      map[string]string{"dirty": "releasing", "colour": "blue"},
		Annotations: map[string]string{"note": "kept", account.AnnotationPrefix + "bad": "{"},
	})
	p.Account(t, testbed.AccountSpec{Name: "plain", HyperscalerType: "azure"})
	p.Account(t, testbed.AccountSpec{Name: "deleting", HyperscalerType: "aws"})
	p.DeleteAccountHeld(t, "deleting")
	g := p.garden(t)
	if _, err := g.Write(t.Context(), get(t, g, "everything"), change); err != nil {
		t.Fatal(err)
	}
	anAccount := func(name, providerType string) account.Account {
		object := p.GetAccount(t, name)
		return account.Account{
			Name: name, UID: string(object.UID), Version: object.ResourceVersion, Made: object.CreationTimestamp.UTC(),
			Credentials: &account.Credentials{ProviderType: providerType,
				Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: p.Name, Name: name}},
		}
	}
	everything, plain, terminating := anAccount("everything", "gcp"), anAccount("plain", "azure"), anAccount("deleting", "aws")
	everything.HyperscalerType, everything.Tenant, everything.Dirty = "gcp_cf-eu30", "ga-1", account.Releasing
	everything.Shared, everything.EUAccess, everything.Internal = true, true, true
	everything.Records = map[string]account.Record{key: *change.Records[key]}
	everything.Labels = map[string]string{"colour": "blue"}
	everything.Unreadable = []string{account.AnnotationPrefix + "bad"}
	plain.HyperscalerType = "azure"
	terminating.HyperscalerType, terminating.Terminating, terminating.Held = "aws", true, kube.HeldBy([]string{"gardener"})
	want := []account.Account{terminating, everything, plain}

	listed, err := g.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(listed, func(a, b account.Account) int { return strings.Compare(a.Name, b.Name) })
	for i := range want {
		equal(t, want[i].Name, get(t, g, want[i].Name), want[i])
	}
	equal(t, "list", listed, want)
}

func TestListOfAnEmptyNamespace(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	listed, err := p.garden(t).List(t.Context())
	if err != nil || len(listed) != 0 {
		t.Errorf("got %v, %v", listed, err)
	}
}

// A write sets what it was asked to, touches nothing else, and its answer is the object as it is now.
func TestWriteSetsWhatItWasAskedTo(t *testing.T) {
	t.Parallel()
	acceptance(t)
	change, key := claimed()
	const foreign = account.AnnotationPrefix + "foreign"
	updated := *change.Records[key]
	updated.ClusterName, updated.ClaimedAt = "c-1", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const existing = `{"name":"other","globalAccount":"ga-1","pool":"aws","claimedAt":"2026-03-01T12:00:00Z","version":1}`
	held := testbed.AccountSpec{
		HyperscalerType: "aws", Tenant: "ga-1", Labels: map[string]string{"colour": "blue", "dirty": "releasing"},
		Annotations: map[string]string{"note": "kept", key: existing, foreign: existing},
	}
	free := testbed.AccountSpec{HyperscalerType: "aws", Labels: map[string]string{"colour": "blue"},
		Annotations: map[string]string{"note": "kept"}}
	emptyTenant := testbed.AccountSpec{HyperscalerType: "aws", Labels: map[string]string{"tenantName": ""}}
	for name, test := range map[string]struct {
		account testbed.AccountSpec
		change  account.Change
		labels  map[string]string // what changes; "" = is removed
		records map[string]*account.Record
	}{
		"a claim":         {free, change, map[string]string{"tenantName": "ga-1"}, change.Records},
		"a claim over ''": {emptyTenant, change, map[string]string{"tenantName": "ga-1"}, change.Records},
		"a record": {held, account.Change{Records: map[string]*account.Record{key: &updated}}, nil,
			map[string]*account.Record{key: &updated}},
		"no record":                {held, account.Change{Records: map[string]*account.Record{key: nil}}, nil, map[string]*account.Record{key: nil}},
		"no record, there is none": {free, account.Change{Records: map[string]*account.Record{key: nil}}, nil, nil},
		"a fence":                  {free, account.Change{Dirty: new(account.Releasing)}, map[string]string{"dirty": "releasing"}, nil},
		"dirt, and no record": {held, account.Change{Dirty: new(account.Dirtied), Records: map[string]*account.Record{key: nil}},
			map[string]string{"dirty": "true"}, map[string]*account.Record{key: nil}},
		"back to the pool": {
			held, account.Change{Tenant: new(""), Dirty: new(account.Clean), Records: map[string]*account.Record{key: nil}},
			map[string]string{"tenantName": "", "dirty": ""}, map[string]*account.Record{key: nil},
		},
		"nothing": {held, account.Change{}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			test.account.Name = "a"
			before := p.Account(t, test.account)
			g := p.garden(t)
			judged := get(t, g, "a")
			after, err := g.Write(t.Context(), judged, test.change)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "answer", after, get(t, g, "a"))
			if test.change.Tenant != nil {
				equal(t, "tenant", after.Tenant, *test.change.Tenant)
			}
			if test.change.Dirty != nil {
				equal(t, "dirt", after.Dirty, *test.change.Dirty)
			}
			records := maps.Clone(judged.Records)
			labels, annotations := maps.Clone(before.Labels), maps.Clone(before.Annotations)
			for label, value := range test.labels {
				labels[label] = value
				if value == "" {
					delete(labels, label)
				}
			}
			object := p.GetAccount(t, "a")
			for key, record := range test.records {
				delete(annotations, key)
				delete(records, key)
				if record != nil {
					if records == nil {
						records = map[string]account.Record{}
					}
					if annotations == nil {
						annotations = map[string]string{}
					}
					records[key] = *record
					annotations[key] = object.Annotations[key] // as it reads: see the records
				}
			}
			if len(records) == 0 {
				records = nil
			}
			equal(t, "records", after.Records, records)
			equal(t, "labels", object.Labels, labels)
			equal(t, "annotations", object.Annotations, annotations)
			equal(t, "credentials and the rest", [2]any{object.CredentialsRef, object.Provider}, [2]any{before.CredentialsRef, before.Provider})
		})
	}
}

// The server takes a write only for the object and version that was judged.
func TestWriteOnSomethingElseThanWasJudged(t *testing.T) {
	t.Parallel()
	acceptance(t)
	again := testbed.AccountSpec{Name: "a", HyperscalerType: "aws"}
	for name, change := range map[string]func(t *testing.T, p project, judged *account.Account){
		"another has it by now": func(t *testing.T, p project, _ *account.Account) {
			p.PatchLabels(t, "a", map[string]*string{"tenantName": new("ga-2")})
		},
		"a harmless edit": func(t *testing.T, p project, _ *account.Account) {
			p.PatchAnnotations(t, "a", map[string]*string{"note": new("hello")})
		},
		"claimed and given back": func(t *testing.T, p project, _ *account.Account) {
			p.PatchLabels(t, "a", map[string]*string{"tenantName": new("ga-2")})
			p.PatchLabels(t, "a", map[string]*string{"tenantName": nil})
		},
		"it is being deleted": func(t *testing.T, p project, _ *account.Account) { p.DeleteAccountHeld(t, "a") },
		"made anew": func(t *testing.T, p project, _ *account.Account) {
			p.DeleteAccount(t, "a")
			p.Account(t, again)
		},
		"made anew, and its version guessed": func(t *testing.T, p project, judged *account.Account) {
			p.DeleteAccount(t, "a")
			judged.Version = p.Account(t, again).ResourceVersion
		},
		"an object of another Garden": func(_ *testing.T, _ project, judged *account.Account) {
			judged.UID = "00000000-0000-0000-0000-000000000000"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.Account(t, again)
			g := p.garden(t)
			judged := get(t, g, "a")
			change(t, p, &judged)
			before := p.GetAccount(t, "a")
			claim, _ := claimed()
			_, err := g.Write(t.Context(), judged, claim)
			equal(t, "account", as[*account.ConflictError](t, err).Account, "a")
			equal(t, "account", p.GetAccount(t, "a"), before)
		})
	}
}

func TestMissingAccount(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
	g := p.garden(t)
	judged := get(t, g, "a")
	p.DeleteAccount(t, "a")
	_, err := g.Get(t.Context(), "a")
	equal(t, "account", as[*account.NotFoundError](t, err).Account, "a")
	change, _ := claimed()
	_, err = g.Write(t.Context(), judged, change)
	equal(t, "account", as[*account.NotFoundError](t, err).Account, "a")
	if left := p.ListAccounts(t); len(left) != 0 {
		t.Errorf("the write brought back %s", left[0].Name)
	}
}
