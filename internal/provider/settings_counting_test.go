package provider

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

const aDatabase = "postgres://reader:s3cr3t-pa55@db.example.com/broker"

// nested is an object of the provider block of which these texts are set; "?" is unknown.
func nested(t *testing.T, name string, set map[string]string) types.Object {
	t.Helper()
	var resp frameworkprovider.SchemaResponse
	(&hapProvider{}).Schema(t.Context(), frameworkprovider.SchemaRequest{}, &resp)
	object, ok := resp.Schema.Attributes[name].(schema.SingleNestedAttribute)
	if !ok {
		t.Fatalf("%s is no nested attribute", name)
	}
	kinds, values := map[string]attr.Type{}, map[string]attr.Value{}
	for attribute := range object.Attributes {
		kinds[attribute], values[attribute] = types.StringType, types.StringNull()
		if text, ok := set[attribute]; ok && text == "?" {
			values[attribute] = types.StringUnknown()
		} else if ok {
			values[attribute] = types.StringValue(text)
		}
	}
	if set == nil {
		return types.ObjectNull(kinds)
	}
	return types.ObjectValueMust(kinds, values)
}

// Who counts by default, and when a database is asked at all: what PG* variables say for some other program is not
// enough to make it the broker's.
func TestCounting_source(t *testing.T) {
	t.Parallel()
	pg, hap := map[string]string{"PGHOST": "db.example.com"}, map[string]string{settings.DatabaseVariable: aDatabase}
	some := map[string]string{"url": aDatabase}
	for name, test := range map[string]struct {
		database, count map[string]string
		environment     map[string]string
		want            account.Source
		asked           bool
	}{
		"nothing":                              {nil, nil, nil, account.SourceGardener, false},
		"PG variables alone":                   {nil, nil, pg, account.SourceGardener, false},
		"PG variables and an empty database":   {map[string]string{}, nil, pg, account.SourceBoth, true},
		"PG variables and the source":          {nil, map[string]string{"source": "both"}, pg, account.SourceBoth, true},
		"the variable":                         {nil, nil, hap, account.SourceBoth, true},
		"the variable, and Gardener to count":  {nil, map[string]string{"source": "gardener"}, hap, account.SourceGardener, true},
		"the attribute":                        {some, nil, nil, account.SourceBoth, true},
		"the attribute, and Gardener to count": {some, map[string]string{"source": "gardener"}, nil, account.SourceGardener, true},
		"the attribute, and the database":      {some, map[string]string{"source": "database"}, nil, account.SourceDatabase, true},
		"the attribute, and both":              {some, map[string]string{"source": "both"}, nil, account.SourceBoth, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := providerModel{Database: nested(t, "database", test.database), ClusterCount: nested(t, "cluster_count", test.count)}
			c, unknown, diags := countingFrom(t.Context(), model)
			if diags.HasError() || len(unknown) > 0 {
				t.Fatal(diags, unknown)
			}
			settings := c.Settings(acceptance.Environment(test.environment))
			if source := c.By(settings); source != test.want || (settings != nil) != test.asked {
				t.Errorf("counted by %s, a database is asked: %t; want %s, %t", source, settings != nil, test.want, test.asked)
			}
		})
	}
}

func TestCounting_withoutADatabase(t *testing.T) {
	t.Parallel()
	c, _, _ := countingFrom(t.Context(), providerModel{
		Database: nested(t, "database", nil), ClusterCount: nested(t, "cluster_count", map[string]string{"source": "database"}),
	})
	host := "https://garden.example.com"
	namespace := "garden-dev"
	_, err := backend.New(settings.Settings{
		Kubernetes: kube.Settings{Host: &host, Namespace: &namespace}, Kind: garden.CredentialsBinding, Keys: garden.DefaultLabelKeys(),
		Counting: c, Getenv: acceptance.Environment(nil),
	}).Garden.Pool()
	if !errors.As(err, new(*kebdb.NotConfiguredError)) {
		t.Fatalf("got error %v, want that no database is configured", err)
	}
	if d := diagnose.Explain(err); d.Summary != diagnose.SummaryNoDatabase || !strings.Contains(err.Error(), settings.DatabaseVariable) {
		t.Errorf("%s: %v; want the variable named", d.Summary, err)
	}
}

// What can be wrong with the settings, and where it is said.
func TestCounting_badSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		database, count map[string]string
		summary, at     string
	}{
		"no URL at all": {map[string]string{"url": "postgres://reader:s3cr3t-pa55@db.example.com:no-port/broker"}, nil,
			diagnose.SummaryBadDatabase, "database.url"},
		"no source, and differ": {nil, map[string]string{"on_disagreement": "error"}, diagnose.SummaryBadCount, "cluster_count.on_disagreement"},
		"one source, and differ": {nil, map[string]string{"source": "gardener", "on_disagreement": "error"}, diagnose.SummaryBadCount,
			"cluster_count.on_disagreement"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _, diags := countingFrom(t.Context(), providerModel{Database: nested(t, "database", test.database),
				ClusterCount: nested(t, "cluster_count", test.count)})
			diags.Append(checkCounting(c, acceptance.Environment(nil))...)
			if len(diags) != 1 || diags[0].Summary() != test.summary {
				t.Fatalf("got %v, want %q alone", diags, test.summary)
			}
			if at, ok := diags[0].(interface{ Path() path.Path }); !ok || at.Path().String() != test.at {
				t.Errorf("it is not said at %s: %v", test.at, diags[0])
			}
			if strings.Contains(diags[0].Detail(), "s3cr3t") {
				t.Error("the message shows the password")
			}
		})
	}
}

func TestCounting_unknownSettingsAreNamed(t *testing.T) {
	t.Parallel()
	_, unknown, diags := countingFrom(t.Context(), providerModel{
		Database: nested(t, "database", map[string]string{"url": "?"}), ClusterCount: nested(t, "cluster_count",
			map[string]string{"source": "both"}),
	})
	if diags.HasError() || strings.Join(unknown, " ") != "database" {
		t.Errorf("unknown are %v (%v), want database", unknown, diags)
	}
}

// A URL that lets the password go unencrypted to another machine is warned of, also one of the environment.
func TestCounting_unencrypted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		url, variable string
		warned        bool
	}{
		"no sslmode":         {aDatabase, "", true},
		"disable":            {aDatabase + "?sslmode=disable", "", true},
		"of the environment": {"", aDatabase, true},
		"verify-full":        {aDatabase + "?sslmode=verify-full", "", false},
		"this machine":       {"postgres://reader@localhost/broker", "", false},
		"none":               {"", "", false},
	} {
		c := settings.Counting{}
		if test.url != "" {
			c.Database = &kebdb.Settings{URL: test.url}
		}
		diags := checkCounting(c, acceptance.Environment(map[string]string{settings.DatabaseVariable: test.variable}))
		warned := len(diags) == 1 && diags[0].Summary() == diagnose.SummaryDatabaseClear && strings.Contains(diags[0].Detail(), "on db.example.com may") &&
			strings.Contains(diags[0].Detail(), "sslmode=verify-full") && !strings.Contains(diags[0].Detail(), "s3cr3t")
		if warned != test.warned || len(diags) > 1 || diags.HasError() {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
