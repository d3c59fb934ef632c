package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// databaseVariable names the database where the attribute does not.
const databaseVariable = "HAP_DATABASE_URL"

// maxDatabaseTimeout bounds the deadlines of the database.
const maxDatabaseTimeout = 10 * time.Minute

func databaseAttributes() map[string]schema.Attribute {
	timeout := func(what string, otherwise time.Duration) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: fmt.Sprintf("%s, as a duration such as `10s`, at most `10m`. Default %#q.", what, otherwise.String()),
			Validators: []validator.String{duration{"timeout of the database", time.Millisecond, maxDatabaseTimeout, summaryInvalidTimeout, "10s or 1m"}},
		}
	}
	return map[string]schema.Attribute{
		"url": schema.StringAttribute{
			Optional: true, Sensitive: true,
			MarkdownDescription: "The connection to the broker's database: a URL or `keyword=value` text as `psql` takes it. Environment variable `" + databaseVariable + "`. " +
				"What it leaves out, and all of it where it is absent, comes from the variables `PG*`, the service file and the password file.",
		},
		"connect_timeout": timeout("How long a connection may take until it can be used", kebdb.DefaultConnectTimeout),
		"query_timeout":   timeout("How long the answer to a query may take", kebdb.DefaultQueryTimeout),
	}
}

func clusterCountAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"source": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "`gardener`: the Shoots of the namespace. `database`: the live rows of the broker's table `instances`, suspended ones too. `both`: the higher number of the two. " +
				"Default `both` where `database` or `" + databaseVariable + "` is set, else `gardener`. A release asks for both wherever a database is set, whatever counts.",
			Validators: []validator.String{stringvalidator.OneOf(string(pool.SourceGardener), string(pool.SourceDatabase), string(pool.SourceBoth))},
		},
		"on_disagreement": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "What happens with `both` where the two differ for an account: `highest` goes by the higher number and warns, `error` refuses to select, claim or read a status. " +
				"Suspended clusters have a row and no Shoot, so `error` is for landscapes without any. Default `highest`.",
			Validators: []validator.String{stringvalidator.OneOf(string(pool.TakeHighest), string(pool.RefuseToCount))},
		},
	}
}

// counting is how clusters are to be counted.
type counting struct {
	source         pool.Source // empty = by what is configured
	onDisagreement pool.Disagreement
	database       *kebdb.Settings // nil = none is configured in the provider block
}

// countingFrom reads database and cluster_count; unknown names what is not known yet.
func countingFrom(ctx context.Context, model providerModel) (c counting, unknown []string, diags diag.Diagnostics) {
	for name, object := range map[string]types.Object{"cluster_count": model.ClusterCount, "database": model.Database} {
		if !whollyKnown(object) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return c, unknown, nil
	}
	var how struct {
		Source         types.String `tfsdk:"source"`
		OnDisagreement types.String `tfsdk:"on_disagreement"`
	}
	if !model.ClusterCount.IsNull() {
		diags.Append(model.ClusterCount.As(ctx, &how, basetypes.ObjectAsOptions{})...)
		c.source, c.onDisagreement = pool.Source(how.Source.ValueString()), pool.Disagreement(how.OnDisagreement.ValueString())
	}
	if !model.Database.IsNull() {
		var database struct {
			URL            types.String `tfsdk:"url"`
			ConnectTimeout types.String `tfsdk:"connect_timeout"`
			QueryTimeout   types.String `tfsdk:"query_timeout"`
		}
		diags.Append(model.Database.As(ctx, &database, basetypes.ObjectAsOptions{})...)
		c.database = &kebdb.Settings{
			URL: database.URL.ValueString(), ConnectTimeout: durationOf(database.ConnectTimeout), QueryTimeout: durationOf(database.QueryTimeout),
		}
	}
	return c, nil, diags
}

// settings returns the settings of the database as the block and the environment have them; nil = there is none.
func (c counting) settings(getenv func(string) string) *kebdb.Settings {
	wanted := c.database != nil || c.source == pool.SourceDatabase || c.source == pool.SourceBoth || getenv(databaseVariable) != ""
	if !wanted {
		return nil
	}
	var s kebdb.Settings
	if c.database != nil {
		s = *c.database
	}
	s.URL, s.Getenv = cmp.Or(s.URL, getenv(databaseVariable)), getenv
	return &s
}

// by says which source counts, with these settings of a database.
func (c counting) by(settings *kebdb.Settings) pool.Source {
	if settings == nil {
		return pool.SourceGardener
	}
	return cmp.Or(c.source, pool.SourceBoth)
}

// open returns who counts, and by which source. It does not dial.
func (c counting) open(shoots pool.Counter, getenv func(string) string) (pool.Counter, pool.Source, error) {
	settings := c.settings(getenv)
	if settings == nil {
		return shoots, c.by(settings), nil
	}
	database, err := kebdb.New(*settings)
	if err != nil {
		return nil, "", err
	}
	source := c.by(settings)
	return &pool.Counting{Shoots: shoots, Instances: logQueries(database, settings.URL, getenv("PGPASSWORD")), Source: source, OnDisagreement: c.onDisagreement}, source, nil
}

// check looks for what is wrong with the database's settings without dialling. What the environment lacks is found at
// the first use: it may have it by then.
func (c counting) check(getenv func(string) string) (diags diag.Diagnostics) {
	if c.onDisagreement != "" && c.by(c.settings(getenv)) != pool.SourceBoth {
		diags.AddAttributeError(path.Root("cluster_count").AtName("on_disagreement"), summaryBadCount, fmt.Sprintf(
			"cluster_count.on_disagreement: only two sources can disagree, and one counts alone. Remove on_disagreement, or configure the database and count by %q.", pool.SourceBoth))
	}
	if c.database == nil || c.database.URL == "" {
		return diags
	}
	var wrong *kebdb.SettingError
	if _, err := kebdb.New(*c.settings(getenv)); errors.As(err, &wrong) {
		diags.AddAttributeError(path.Root("database").AtName("url"), summaryBadDatabase, "database.url: "+wrong.Problem)
	}
	return diags
}

// countedBy says who counts, as far as it is known.
func (b *backend) countedBy() pool.Source {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}

// usageValues shows what the clusters on an account are made of; null is what nobody was asked for.
func usageValues(u pool.Usage, by pool.Source, globalAccount string) map[string]attr.Value {
	number := func(asked bool, n int) attr.Value {
		if !asked {
			return types.Int64Null()
		}
		return types.Int64Value(int64(n))
	}
	own, others := u.Of(globalAccount)
	gardener, database := by != pool.SourceDatabase, by == pool.SourceDatabase || by == pool.SourceBoth
	return map[string]attr.Value{
		"shoots": number(gardener, u.Shoots), "instances": number(database, u.Instances),
		"own_instances": number(database, own), "other_instances": number(database, others), "suspended": number(database, u.Suspended),
	}
}
