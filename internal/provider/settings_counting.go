package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// maxDatabaseTimeout bounds the deadlines of the database.
const maxDatabaseTimeout = 10 * time.Minute

func databaseAttributes() map[string]schema.Attribute {
	timeout := func(what string, otherwise time.Duration) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: fmt.Sprintf("%s, as a duration such as `10s`, at most `10m`. Default %#q.", what,
				otherwise.String()),
			Validators: []validator.String{tfvalue.Duration{What: "timeout of the database", Least: time.Millisecond, Most: maxDatabaseTimeout,
				Summary: diagnose.SummaryInvalidTimeout, ForExample: "10s or 1m"}},
		}
	}
	return map[string]schema.Attribute{
		"url": schema.StringAttribute{
			Optional: true, Sensitive: true,
			MarkdownDescription: "The connection to the broker's database: a URL or `keyword=value` text as `psql` takes it. Environment variable " +
				"`" + settings.DatabaseVariable + "`. Give it `sslmode=verify-full` and `sslrootcert`: without, the password and the data may " +
				"go unencrypted. What it leaves out, and all of it where it is absent, comes from the variables `PG*`, " +
				"the service file and the password file.",
		},
		"connect_timeout": timeout("How long a connection may take until it can be used", kebdb.DefaultConnectTimeout),
		"query_timeout":   timeout("How long the answer to a query may take", kebdb.DefaultQueryTimeout),
	}
}

func clusterCountAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"source": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "`gardener`: the Shoots of the namespace. `database`: the live rows of the broker's table `instances`, suspended " +
				"ones too. `both`: the higher number of the two. Default `both` where `database` or " +
				"`" + settings.DatabaseVariable + "` is set, else `gardener`. A release asks for both wherever a " +
				"database is set, whatever counts.",
			Validators: []validator.String{
				stringvalidator.OneOf(string(account.SourceGardener), string(account.SourceDatabase), string(account.SourceBoth)),
			},
		},
		"on_disagreement": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "What happens with `both` where the two differ for an account: `highest` uses the higher number and warns, " +
				"`error` refuses to select, claim, read a status or refresh a claim: each plan of a configuration with claims fails until the two " +
				"agree. Suspended clusters have a row and no Shoot, so `error` is for landscapes without any. Default `highest`.",
			Validators: []validator.String{stringvalidator.OneOf(string(account.TakeHighest), string(account.RefuseToCount))},
		},
	}
}

// countingFrom reads database and cluster_count; unknown names what is not known yet.
func countingFrom(ctx context.Context, model providerModel) (c settings.Counting, unknown []string, diags diag.Diagnostics) {
	for name, object := range map[string]types.Object{"cluster_count": model.ClusterCount, "database": model.Database} {
		if !tfvalue.Known(object) {
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
		c.Source, c.OnDisagreement = account.Source(how.Source.ValueString()), account.Disagreement(how.OnDisagreement.ValueString())
	}
	if !model.Database.IsNull() {
		var database struct {
			URL            types.String `tfsdk:"url"`
			ConnectTimeout types.String `tfsdk:"connect_timeout"`
			QueryTimeout   types.String `tfsdk:"query_timeout"`
		}
		diags.Append(model.Database.As(ctx, &database, basetypes.ObjectAsOptions{})...)
		c.Database = &kebdb.Settings{
			URL:            database.URL.ValueString(),
			ConnectTimeout: tfvalue.DurationOf(database.ConnectTimeout, 0),
			QueryTimeout:   tfvalue.DurationOf(database.QueryTimeout, 0),
		}
	}
	return c, nil, diags
}

// checkCounting finds what is wrong with the database's settings without dialling. What the environment lacks is found at
// the first use: it may have it by then.
func checkCounting(c settings.Counting, getenv func(string) string) (diags diag.Diagnostics) {
	if c.OnDisagreement != "" && c.By(c.Settings(getenv)) != account.SourceBoth {
		diags.AddAttributeError(path.Root("cluster_count").AtName("on_disagreement"), diagnose.SummaryBadCount, fmt.Sprintf(
			"cluster_count.on_disagreement: only two sources can disagree, and one counts alone. Remove on_disagreement, or configure the "+
				"database and count by %q.", account.SourceBoth))
	}
	settings := c.Settings(getenv)
	if settings == nil {
		return diags
	}
	database, err := kebdb.New(*settings)
	wrong, ok := errors.AsType[*kebdb.SettingError](err)
	switch at := path.Root("database").AtName("url"); {
	case ok && c.Database != nil && c.Database.URL != "":
		diags.AddAttributeError(at, diagnose.SummaryBadDatabase, "database.url: "+wrong.Problem)
	case err == nil && len(database.Unencrypted()) > 0:
		diags.AddAttributeWarning(at, diagnose.SummaryDatabaseClear, fmt.Sprintf(
			"The connection to the broker's database on %s may go unencrypted: sslmode is disable, allow or prefer, which is the default. A "+
				"party in between can read the data, and get the password. Write sslmode=verify-full and sslrootcert=<file with the authority "+
				"of the server> into database.url, or set PGSSLMODE and PGSSLROOTCERT.", words.List(database.Unencrypted())))
	}
	return diags
}
