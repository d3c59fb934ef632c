package garden

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestLabelsOfAnAccount(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	tests := map[string]struct {
		labels labels
		want   account.Account
	}{
		"none":                {nil, account.Account{}},
		"a hyperscaler type":  {labels{"hyperscalerType": "aws_cf-eu11"}, account.Account{HyperscalerType: "aws_cf-eu11"}},
		"a tenant":            {labels{"tenantName": "ga-1"}, account.Account{Tenant: "ga-1"}},
		"an empty tenant":     {labels{"tenantName": ""}, account.Account{Unseen: []string{"tenantName="}}},
		"shared":              {labels{"shared": "true"}, account.Account{Shared: true}},
		"EU access":           {labels{"euAccess": "true"}, account.Account{EUAccess: true}},
		"internal":            {labels{"internal": "true"}, account.Account{Internal: true}},
		"dirty":               {labels{"dirty": "true"}, account.Account{Dirty: account.Dirtied}},
		"dirty=false":         {labels{"dirty": "false"}, account.Account{Dirty: account.Clean, Unseen: []string{"dirty=false"}}},
		"releasing":           {labels{"dirty": "releasing"}, account.Account{Dirty: account.Releasing}},
		"dirty without value": {labels{"dirty": ""}, account.Account{Dirty: account.Dirtied, Unseen: []string{"dirty="}}},
		"dirty=TRUE":          {labels{"dirty": "TRUE"}, account.Account{Dirty: "TRUE", Unseen: []string{"dirty=TRUE"}}},
		"dirty=False":         {labels{"dirty": "False"}, account.Account{Dirty: "False", Unseen: []string{"dirty=False"}}},
		"dirty=0":             {labels{"dirty": "0"}, account.Account{Dirty: "0", Unseen: []string{"dirty=0"}}},
		"quarantined":         {labels{"dirty": "quarantine"}, account.Account{Dirty: account.Quarantined}},
		"keys in other case": {labels{"Shared": "true", "euaccess": "true", "tenantname": "ga-1", "DIRTY": "true"},
			account.Account{Labels: labels{"Shared": "true", "euaccess": "true", "tenantname": "ga-1", "DIRTY": "true"}, Misread: []account.Misread{
				{Key: "DIRTY", Value: "true", Says: account.ClassDirty, Others: true}, {Key: "Shared", Value: "true", Says: account.ClassShared},
				{Key: "tenantname", Value: "ga-1", Says: account.ClassHeld, Others: true}}}},
		"keys of the other scheme that say the same": {labels{"tenantName": "ga-1", "tenant-name": "ga-1", "dirty": "true", "Dirty": "true"},
			account.Account{Tenant: "ga-1", Dirty: account.Dirtied, Labels: labels{"tenant-name": "ga-1", "Dirty": "true"}, Misread: []account.Misread{
				{Key: "Dirty", Value: "true", Others: true}, {Key: "tenant-name", Value: "ga-1", Others: true}}}},
		"keys in other case that say no": {labels{"Shared": "false", "tenant_name": "", "DIRTY": "false", "INTERNAL": "no"},
			account.Account{Labels: labels{"Shared": "false", "tenant_name": "", "DIRTY": "false", "INTERNAL": "no"}, Misread: []account.Misread{
				{Key: "DIRTY", Value: "false", Others: true}, {Key: "INTERNAL", Value: "no"}, {Key: "Shared", Value: "false"},
				{Key: "tenant_name", Others: true}}}},
		"Gardener's own": {labels{"provider.extensions.gardener.cloud/aws": "true", "gardener.cloud/x": "y", "example.com/x": "y"},
			account.Account{Labels: labels{"example.com/x": "y"}}},
		"everything": {
			labels{"hyperscalerType": "gcp", "tenantName": "ga-1", "shared": "true", "euAccess": "true", "internal": "true", "dirty": "true",
				"colour": "blue"},
			account.Account{HyperscalerType: "gcp", Tenant: "ga-1", Shared: true, EUAccess: true, Internal: true, Dirty: account.Dirtied,
				Labels: labels{"colour": "blue"}},
		},
		"everything said no": {
			labels{"hyperscalerType": "gcp", "tenantName": "", "shared": "false", "euAccess": "false", "internal": "false", "dirty": "false"},
			account.Account{HyperscalerType: "gcp", Unseen: []string{"dirty=false", "euAccess=false", "tenantName="},
				FalseFlags: []account.Flag{account.FlagShared, account.FlagEUAccess, account.FlagInternal}},
		},
		"shared, and all else said no": {
			labels{"shared": "true", "tenantName": "", "euAccess": "false", "dirty": "false"},
			account.Account{Shared: true, Unseen: []string{"euAccess=false"}, FalseFlags: []account.Flag{account.FlagEUAccess}}, // the broker asks shared accounts for nothing else
		},
	}
	for _, key := range []string{"shared", "euAccess", "internal"} {
		for _, value := range []string{"", "false", "True", "TRUE", "1", "yes", "no", "False", " true", "true "} {
			name := key + "=" + value
			want := account.Account{FalseFlags: []account.Flag{account.Flag(key)}}
			switch {
			case key == "euAccess":
				want.Unseen = []string{name}
			case !strings.EqualFold(value, "false"):
				want.Misspelt = []string{name}
			}
			tests[name] = struct {
				labels labels
				want   account.Account
			}{labels{key: value}, want}
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := DefaultLabelKeys().account(&metav1.ObjectMeta{Labels: test.labels})
			equal(t, "account", got, test.want)
		})
	}
}

func TestMetadataOfAnAccount(t *testing.T) {
	t.Parallel()
	meta := metav1.ObjectMeta{Name: "a", Namespace: "garden", UID: "5c1e", ResourceVersion: "17"}
	want := account.Account{Name: "a", UID: "5c1e", Version: "17"}
	equal(t, "account", DefaultLabelKeys().account(&meta), want)

	now := metav1.Now()
	meta.DeletionTimestamp = &now
	want.Terminating = true
	equal(t, "account that is being deleted", DefaultLabelKeys().account(&meta), want)

	meta.Finalizers = []string{"gardener", "example.com/audit"}
	want.Held = kube.HeldBy(meta.Finalizers)
	equal(t, "account that finalizers keep", DefaultLabelKeys().account(&meta), want)
	meta.DeletionTimestamp = nil
	want.Terminating, want.Held = false, ""
	equal(t, "account that lives", DefaultLabelKeys().account(&meta), want)
}

// The time of an annotation that cannot be read is none: it must not keep an account from the claims.
func TestTimesOfAnAccount(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-01T12:00:00Z": at, "2026-03-01T13:00:00+01:00": at, "": {}, "yesterday": {}, "1772366400": {}, "2026-13-01T12:00:00Z": {},
	} {
		meta := metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(at.Local()), Annotations: map[string]string{account.LastHeldAnnotation: text}}
		a := DefaultLabelKeys().account(&meta)
		if !a.LastHeld.Equal(want) || !a.Made.Equal(at) {
			t.Errorf("%q: held last at %s, want %s; made at %s", text, a.LastHeld, want, a.Made)
		}
	}
	patch, err := DefaultLabelKeys().patch(account.Account{UID: "u", Version: "1"}, account.Change{LastHeld: at.Add(time.Millisecond).Local()})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "patch", string(patch), `{"metadata":{"annotations":{"hap-project.io/last-held":"2026-03-01T12:00:00Z"},"resourceVersion":"1","uid":"u"}}`)
}

func TestOtherLabelKeys(t *testing.T) {
	t.Parallel()
	keys := LabelKeys{HyperscalerType: "t", TenantName: "g", Shared: "s", EUAccess: "e", Dirty: "d", Internal: "i"}
	own := map[string]string{"t": "aws", "g": "ga-1", "s": "true", "e": "true", "d": "true", "i": "true"}
	want := account.Account{HyperscalerType: "aws", Tenant: "ga-1", Shared: true, EUAccess: true, Internal: true, Dirty: account.Dirtied}
	equal(t, "its own labels", keys.account(&metav1.ObjectMeta{Labels: own}), want)

	keb := map[string]string{"hyperscalerType": "aws", "tenantName": "ga-1", "shared": "true", "euAccess": "true", "dirty": "true",
		"internal": "true"}
	equal(t, "labels of the default keys", keys.account(&metav1.ObjectMeta{Labels: keb}), account.Account{Labels: keb,
		Misread: []account.Misread{{Key: "dirty", Value: "true", Says: account.ClassDirty, Others: true},
			{Key: "internal", Value: "true", Says: account.ClassInternal}, {Key: "shared", Value: "true", Says: account.ClassShared},
			{Key: "tenantName", Value: "ga-1", Says: account.ClassHeld, Others: true}}})

	no := map[string]string{"t": "aws", "g": "", "e": "false", "d": "false", "dirty": "false", "euAccess": "false"}
	want = account.Account{HyperscalerType: "aws", Unseen: []string{"d=false", "e=false", "g="}, FalseFlags: []account.Flag{account.FlagEUAccess},
		Labels: map[string]string{"dirty": "false", "euAccess": "false"}, Misread: []account.Misread{{Key: "dirty", Value: "false", Others: true}}}
	equal(t, "its own labels that say no", keys.account(&metav1.ObjectMeta{Labels: no}), want)

	free := ""
	patch, err := keys.patch(account.Account{UID: "u", Version: "1"}, account.Change{Tenant: &free, Dirty: new(account.Releasing)})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "patch", string(patch), `{"metadata":{"labels":{"d":"releasing","g":null},"resourceVersion":"1","uid":"u"}}`)
}

func TestRecordsOnAnAccount(t *testing.T) {
	t.Parallel()
	const key = account.AnnotationPrefix + "0123"
	record := account.Record{
		Name: "first", GlobalAccount: "ga-1", Pool: "aws",
		Details:   account.Details{ClusterName: "c-1", Owner: "pipeline", Request: account.Request{Plan: "aws", PlatformRegion: "cf-eu11"}},
		ClaimedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Version: 1, NewlyClaimed: true,
	}
	newer := record
	newer.Version = 7
	const text = `{"name":"first","globalAccount":"ga-1","pool":"aws","clusterName":"c-1","owner":"pipeline",` +
		`"claimedAt":"2026-03-01T12:00:00Z",` +
		`"version":1,"newlyClaimed":true,"request":{"plan":"aws","platformRegion":"cf-eu11"}}`
	tests := map[string]struct {
		key, value string
		want       map[string]account.Record
	}{
		"a record": {key, text, map[string]account.Record{key: record}},
		"the least": {key, `{"name":"first","globalAccount":"ga-1"}`,
			map[string]account.Record{key: {Name: "first", GlobalAccount: "ga-1"}}},
		"unknown fields": {key, strings.Replace(text, "{", `{"colour":"blue","deep":{"er":[1,2]},`, 1),
			map[string]account.Record{key: record}},
		"a newer version": {key, strings.Replace(text, `"version":1`, `"version":7,"expires":"never"`, 1),
			map[string]account.Record{key: newer}},
		"another annotation":      {"hap-project.io/note", text, nil},
		"a foreign annotation":    {"example.com/claim-0123", text, nil},
		"the prefix further on":   {"x." + key, text, nil},
		"no JSON":                 {key, "held by ga-1", nil},
		"cut JSON":                {key, text[:len(text)-1], nil},
		"two values":              {key, text + text, nil},
		"an empty value":          {key, "", nil},
		"another type":            {key, `["first","ga-1"]`, nil},
		"a field of another type": {key, `{"name":"first","globalAccount":1}`, nil},
		"a time that is none":     {key, `{"name":"first","globalAccount":"ga-1","claimedAt":"yesterday"}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := DefaultLabelKeys().account(&metav1.ObjectMeta{Annotations: map[string]string{test.key: test.value, "example.com/note": "kept"}})
			equal(t, "records", got.Records, test.want)
		})
	}
	t.Run("one that cannot be read does not hide the others", func(t *testing.T) {
		t.Parallel()
		got := DefaultLabelKeys().account(&metav1.ObjectMeta{Annotations: map[string]string{key: text, key + "4": "{", key + "5": text}})
		equal(t, "records", got.Records, map[string]account.Record{key: record, key + "5": record})
	})
}

func TestMergePatch(t *testing.T) {
	t.Parallel()
	const key = account.AnnotationPrefix + "0123"
	record := &account.Record{Name: "first", GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Version: 1}
	const inAnnotation = `"{\"name\":\"first\",\"globalAccount\":\"ga-1\",\"pool\":\"aws\",` +
		`\"claimedAt\":\"2026-03-01T12:00:00Z\",\"version\":1}"`
	for name, test := range map[string]struct {
		change account.Change
		want   string // without the precondition
	}{
		"nothing":   {account.Change{}, ``},
		"a tenant":  {account.Change{Tenant: new("ga-1")}, `"labels":{"tenantName":"ga-1"},`},
		"no tenant": {account.Change{Tenant: new("")}, `"labels":{"tenantName":null},`},
		"a fence":   {account.Change{Dirty: new(account.Releasing)}, `"labels":{"dirty":"releasing"},`},
		"dirt":      {account.Change{Dirty: new(account.Dirtied)}, `"labels":{"dirty":"true"},`},
		"clean":     {account.Change{Dirty: new(account.Clean)}, `"labels":{"dirty":null},`},
		"a record": {account.Change{Records: map[string]*account.Record{key: record}},
			`"annotations":{"` + key + `":` + inAnnotation + `},`},
		"no record":               {account.Change{Records: map[string]*account.Record{key: nil}}, `"annotations":{"` + key + `":null},`},
		"an empty set of records": {account.Change{Records: map[string]*account.Record{}}, ``},
		"one record for another": {account.Change{Records: map[string]*account.Record{key: record, key + "4": nil}},
			`"annotations":{"` + key + `":` + inAnnotation + `,"` + key + `4":null},`},
		"a claim": {account.Change{Tenant: new("ga-1"), Records: map[string]*account.Record{key: record}},
			`"annotations":{"` + key + `":` + inAnnotation + `},"labels":{"tenantName":"ga-1"},`},
		"a return to the pool": {account.Change{Tenant: new(""), Dirty: new(account.Clean), Records: map[string]*account.Record{key: nil}},
			`"annotations":{"` + key + `":null},"labels":{"dirty":null,"tenantName":null},`},
		"the end by a clean-up": {account.Change{Dirty: new(account.Dirtied), Records: map[string]*account.Record{key: nil}},
			`"annotations":{"` + key + `":null},"labels":{"dirty":"true"},`},
		"a quarantine": {account.Change{Dirty: new(account.Quarantined), Quarantine: new("why")},
			`"annotations":{"hap-project.io/quarantine":"why"},"labels":{"dirty":"quarantine"},`},
		"the end of a quarantine": {account.Change{Dirty: new(account.Clean), Quarantine: new("")},
			`"annotations":{"hap-project.io/quarantine":null},"labels":{"dirty":null},`},
		"flags": {account.Change{Flags: map[account.Flag]bool{account.FlagShared: true, account.FlagEUAccess: false, account.FlagInternal: true}},
			`"labels":{"euAccess":null,"internal":"true","shared":"true"},`},
		"a type and labels": {account.Change{HyperscalerType: new("gcp"), Labels: map[string]*string{"team": new("a"), "stage": nil, "empty": new("")}},
			`"labels":{"empty":"","hyperscalerType":"gcp","stage":null,"team":"a"},`},
		"no account any more":      {account.Change{HyperscalerType: new("")}, `"labels":{"hyperscalerType":null},`},
		"a tenant of strange name": {account.Change{Tenant: new(`a","uid":"x`)}, `"labels":{"tenantName":"a\",\"uid\":\"x"},`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What else is known of the account must not find its way into the patch.
			judged := account.Account{
				Name: "a", UID: "5c1e", Version: "17", HyperscalerType: "aws", Tenant: "ga-0", Shared: true, Dirty: account.Dirtied,
				Records: map[string]account.Record{key + "9": *record},
			}
			patch, err := DefaultLabelKeys().patch(judged, test.change)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "patch", string(patch), `{"metadata":{`+test.want+`"resourceVersion":"17","uid":"5c1e"}}`)
		})
	}
}

// Without its precondition a patch would be carried out on whatever there is.
func TestNoPatchWithoutPrecondition(t *testing.T) {
	t.Parallel()
	for name, judged := range map[string]account.Account{
		"no UID": {Name: "a", Version: "17"}, "no version": {Name: "a", UID: "5c1e"}, "neither": {Name: "a"},
	} {
		if patch, err := DefaultLabelKeys().patch(judged, account.Change{Tenant: new("ga-1")}); err == nil {
			t.Errorf("%s: %s", name, patch)
		}
	}
}

// What is written is what is read, whatever users write into their fields.
func TestRecordSurvivesTheAnnotation(t *testing.T) {
	t.Parallel()
	const key = account.AnnotationPrefix + "0123"
	for _, text := range []string{"", `"`, `\`, "</script>&", "übergroß 雪 🐟", "line\nbreak\ttab", " ", "{}", "null",
		strings.Repeat("x", 4000)} {
		record := account.Record{
			Name: text, GlobalAccount: "ga-1", Pool: "aws,shared",
			Details: account.Details{ClusterName: text, Owner: text,
				Request: account.Request{Plan: text, PlatformRegion: text, HyperscalerRegion: text, Hyperscaler: text}},
			ClaimedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
			Version:   account.RecordVersion, NewlyClaimed: true,
		}
		patch, err := DefaultLabelKeys().patch(account.Account{UID: "u", Version: "1"}, account.Change{Records: map[string]*account.Record{key: &record}})
		if err != nil {
			t.Fatal(err)
		}
		var object metav1.PartialObjectMetadata
		if err := json.Unmarshal(patch, &object); err != nil {
			t.Fatal(err)
		}
		equal(t, "record", DefaultLabelKeys().account(&object.ObjectMeta).Records, map[string]account.Record{key: record})
	}
}
