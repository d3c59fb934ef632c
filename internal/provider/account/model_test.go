package account

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// standing is the state of an account that is as its configuration says.
func standing(changes ...func(*accountModel)) accountModel {
	m := accountModel{
		Name: types.StringValue("a"), ProviderType: types.StringValue("aws"), HyperscalerType: types.StringValue("aws"),
		CredentialsRef: refValue("Secret", "n", "s"), Shared: types.BoolValue(false), EUAccess: types.BoolValue(false),
		Internal: types.BoolValue(false), Labels: types.MapNull(types.StringType), Quotas: quotasOf(nil),
	}
	for _, change := range changes {
		change(&m)
	}
	return m
}

// bound gives an account quotas of these names.
func bound(names ...string) func(*accountModel) {
	c := account.Credentials{}
	for _, name := range names {
		c.Quotas = append(c.Quotas, account.QuotaRef{Namespace: "garden", Name: name})
	}
	return func(m *accountModel) { m.Quotas = quotasOf(&c) }
}

// unbound is a state that does not know the quotas, or a configuration that does not say.
func unbound(m *accountModel) { m.Quotas = types.SetNull(quotaType) }

func labels(pairs ...string) types.Map {
	all := map[string]attr.Value{}
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i]] = types.StringValue(pairs[i+1])
	}
	return types.MapValueMust(types.StringType, all)
}

// What makes another account, and what does not: what is unknown, what another party has changed, and what a Secret lacks.
func TestReplaces(t *testing.T) {
	t.Parallel()
	gcp := func(m *accountModel) { m.HyperscalerType = types.StringValue("gcp") }
	provider := func(m *accountModel) { m.ProviderType = types.StringValue("gcp") }
	internalSecret := func(m *accountModel) { // only an import brings one into a state
		ref := standing().ref()
		m.CredentialsRef = refValue("InternalSecret", ref.Namespace, ref.Name)
	}
	for name, test := range map[string]struct {
		plan, state accountModel
		written     string // the type that was last written
		kind        garden.Kind
		want        string
	}{
		"nothing":            {standing(), standing(), "aws", garden.CredentialsBinding, "[]"},
		"a flag":             {standing(func(m *accountModel) { m.Shared = types.BoolValue(true) }), standing(), "aws", garden.CredentialsBinding, "[]"},
		"the type":           {standing(gcp), standing(), "aws", garden.CredentialsBinding, "[hyperscaler_type]"},
		"the type, by hand":  {standing(), standing(gcp), "aws", garden.CredentialsBinding, "[]"},
		"a type at last":     {standing(), standing(func(m *accountModel) { m.HyperscalerType = types.StringValue("") }), "", garden.CredentialsBinding, "[]"},
		"the name":           {standing(func(m *accountModel) { m.Name = types.StringValue("b") }), standing(), "aws", garden.CredentialsBinding, "[name]"},
		"the provider":       {standing(provider), standing(), "aws", garden.CredentialsBinding, "[provider_type]"},
		"that of a Secret":   {standing(provider), standing(), "aws", garden.Secret, "[]"},
		"none is noted":      {standing(), standing(func(m *accountModel) { m.ProviderType = types.StringNull() }), "aws", garden.SecretBinding, "[]"},
		"the credentials":    {standing(func(m *accountModel) { m.CredentialsRef = refValue("Secret", "n", "t") }), standing(), "aws", garden.SecretBinding, "[credentials_ref]"},
		"an InternalSecret":  {standing(internalSecret), standing(), "aws", garden.CredentialsBinding, "[credentials_ref]"},
		"no InternalSecret":  {standing(), standing(internalSecret), "aws", garden.CredentialsBinding, "[credentials_ref]"},
		"unknown":            {standing(func(m *accountModel) { m.HyperscalerType = types.StringUnknown() }), standing(), "aws", garden.CredentialsBinding, "[]"},
		"unknown reference":  {standing(func(m *accountModel) { m.CredentialsRef = types.ObjectUnknown(refTypes) }), standing(), "aws", garden.CredentialsBinding, "[]"},
		"type and provider":  {standing(gcp, provider), standing(), "aws", garden.CredentialsBinding, "[hyperscaler_type provider_type]"},
		"quotas":             {standing(bound("one")), standing(), "aws", garden.CredentialsBinding, "[quotas]"},
		"other quotas":       {standing(bound("one")), standing(bound("two")), "aws", garden.SecretBinding, "[quotas]"},
		"quotas given up":    {standing(bound()), standing(bound("one")), "aws", garden.CredentialsBinding, "[quotas]"},
		"the same quotas":    {standing(bound("one", "two")), standing(bound("two", "one")), "aws", garden.CredentialsBinding, "[]"},
		"quotas not known":   {standing(bound("one")), standing(unbound), "aws", garden.CredentialsBinding, "[quotas]"},
		"none of unknown":    {standing(bound()), standing(unbound), "aws", garden.CredentialsBinding, "[]"},
		"none is said":       {standing(unbound), standing(bound("one")), "aws", garden.CredentialsBinding, "[]"},
		"quotas of a Secret": {standing(bound("one")), standing(), "aws", garden.Secret, "[]"},
		"type back, by hand": {standing(gcp), standing(gcp), "aws", garden.CredentialsBinding, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paths := []string{}
			for _, c := range replaces(test.plan, test.state, holder{HyperscalerType: test.written}, test.kind) {
				paths = append(paths, c.at.String())
			}
			if got := fmt.Sprint(paths); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// What a refresh shows is the owner's own alone.
func TestRefreshed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state   accountModel
		account account.Account
		want    func(m *accountModel)
	}{
		"as it is":                  {standing(), account.Account{}, nil},
		"held, dirty and labelled":  {standing(), account.Account{Tenant: "ga-1", Dirty: account.Dirtied, Labels: map[string]string{"x": "y"}}, nil},
		"put aside by hand":         {standing(), account.Account{Dirty: account.Quarantined}, nil},
		"put aside":                 {standing(), account.Account{Dirty: account.Quarantined, Quarantine: "why"}, func(m *accountModel) { m.Quarantine = types.StringValue("why") }},
		"put aside and dirty since": {standing(), account.Account{Dirty: account.Dirtied, Quarantine: "why"}, func(m *accountModel) { m.Quarantine = types.StringValue("why") }},
		"put aside, label gone":     {standing(), account.Account{Quarantine: "why"}, nil},
		"a flag that says no":       {standing(), account.Account{FalseFlags: []account.Flag{account.FlagEUAccess}}, func(m *accountModel) { m.EUAccess = types.BoolNull() }},
		"shared by hand":            {standing(), account.Account{Shared: true}, func(m *accountModel) { m.Shared = types.BoolValue(true) }},
		"own labels": {standing(func(m *accountModel) { m.Labels = labels("a", "1", "b", "2", "c", "3") }),
			account.Account{Labels: map[string]string{"a": "1", "b": "x", "d": "4"}}, func(m *accountModel) { m.Labels = labels("a", "1", "b", "x") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.account.HyperscalerType, test.account.Name = "aws", "a"
			want := test.state
			if test.want != nil {
				test.want(&want)
			}
			got := test.state.refreshed(pool.Supplied{Account: test.account})
			for what, pair := range map[string][2]attr.Value{
				"type": {got.HyperscalerType, want.HyperscalerType}, "shared": {got.Shared, want.Shared}, "eu_access": {got.EUAccess, want.EUAccess},
				"internal": {got.Internal, want.Internal}, "quarantine": {got.Quarantine, want.Quarantine}, "labels": {got.Labels, want.Labels},
			} {
				if !pair[0].Equal(pair[1]) {
					t.Errorf("%s is %s, want %s", what, pair[0], pair[1])
				}
			}
		})
	}
}

// A state of an earlier version learns the quotas at a refresh; one that knows them keeps them, whatever a list says.
func TestRefreshedQuotas(t *testing.T) {
	t.Parallel()
	one := &account.Credentials{Quotas: []account.QuotaRef{{Namespace: "garden", Name: "one"}}}
	twice := &account.Credentials{Quotas: []account.QuotaRef{one.Quotas[0], one.Quotas[0]}}
	for name, test := range map[string]struct {
		state accountModel
		of    *account.Credentials
		want  types.Set
	}{
		"of an earlier version":           {standing(unbound), one, standing(bound("one")).Quotas},
		"of an earlier version, twice":    {standing(unbound), twice, standing(bound("one")).Quotas},
		"of an earlier version, none":     {standing(unbound), &account.Credentials{}, quotasOf(nil)},
		"of an earlier version, a list":   {standing(unbound), nil, types.SetNull(quotaType)},
		"of this version, by a list":      {standing(bound("one")), nil, standing(bound("one")).Quotas},
		"of this version, none, a list":   {standing(), nil, quotasOf(nil)},
		"of this version, by the account": {standing(bound("one")), one, standing(bound("one")).Quotas},
	} {
		got := test.state.refreshed(pool.Supplied{Account: account.Account{Name: "a", HyperscalerType: "aws", Credentials: test.of}})
		if !got.Quotas.Equal(test.want) {
			t.Errorf("%s: %s, want %s", name, got.Quotas, test.want)
		}
	}
}

// What a plan only puts back, and what its configuration wants, are distinguished by what was last written.
func TestPutsBack(t *testing.T) {
	t.Parallel()
	team := func(value string) func(*accountModel) {
		return func(m *accountModel) { m.Labels = labels("team", value) }
	}
	share := func(m *accountModel) { m.Shared = types.BoolValue(true) }
	for name, test := range map[string]struct {
		plan    accountModel
		written *written
		want    bool
	}{
		"as it was written":        {standing(team("a")), standing(team("a")).written(), true},
		"a changed label":          {standing(team("b")), standing(team("a")).written(), false},
		"a further label":          {standing(team("a")), standing().written(), false},
		"a flag":                   {standing(share), standing().written(), false},
		"a flag taken away":        {standing(), standing(share).written(), false},
		"not known what was":       {standing(), nil, false},
		"another type":             {standing(func(m *accountModel) { m.HyperscalerType = types.StringValue("gcp") }), standing().written(), false},
		"a quarantine that is new": {standing(func(m *accountModel) { m.Quarantine = types.StringValue("why") }), standing().written(), false},
	} {
		if got := test.plan.putsBack(holder{Written: test.written}); got != test.want {
			t.Errorf("%s: puts back is %t", name, got)
		}
	}
}

// Both values of each difference are named, of labels one by one.
func TestDifferences(t *testing.T) {
	t.Parallel()
	state := standing(func(m *accountModel) {
		m.HyperscalerType, m.Shared, m.EUAccess = types.StringValue("gcp"), types.BoolValue(true), types.BoolNull()
		m.Labels = labels("team", "b", "foreign", "x", "same", "s")
	})
	plan := standing(func(m *accountModel) { m.Labels = labels("team", "a", "stage", "dev", "same", "s") })
	want := `[hyperscaler_type: the account has "gcp", the configuration "aws" shared: the account has true, the configuration false ` +
		`eu_access: the account has none, the configuration false labels["foreign"]: the account has "x", the configuration none ` +
		`labels["stage"]: the account has none, the configuration "dev" labels["team"]: the account has "b", the configuration "a"]`
	if got := fmt.Sprint(plan.differences(state)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := plan.differences(plan); len(got) > 0 {
		t.Errorf("an account differs from itself: %v", got)
	}
}
