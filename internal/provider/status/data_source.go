// Package status is the data source hap_pool_status: who holds what, what is free, what is stuck.
package status

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/report"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Family registers the object.
var Family = family.Family{DataSources: []func() datasource.DataSource{family.NewDataSource(status)}}

const (
	// overdue is how long the Shoot of a claim may take to come where the configuration does not say.
	overdue    = 24 * time.Hour
	maxOverdue = 365 * 24 * time.Hour
)

// outputs are the attributes that the data source can be asked for.
var outputs = []string{
	"accounts", "pools", "global_accounts", "problems", "unused_pools", "prometheus", "report", "import_config", "import_decisions",
}

// status shows the pool: who holds what, what is free, what is stuck, what runs full.
var status = family.DataSource[statusModel]{Type: "pool_status", Schema: statusSchema, Read: readStatus}

func statusSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The pool as it is now: who holds which account, what is free, what is stuck, what runs full. It reads the " +
			"live pool and never writes. `report` goes to the summary page of a pipeline, `prometheus` to a push gateway, and the lists into " +
			"`check` blocks.",
		Attributes: map[string]schema.Attribute{
			"hyperscaler_type": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Show the pools of this hyperscaler type only.",
				Validators: []validator.String{tfvalue.LabelValue{What: "Hyperscaler type", Summary: diagnose.SummaryInvalidLabel}},
			},
			"global_account": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Show only the accounts that concern this Global Account: those it holds, and those with claim records or " +
					"clusters of it. The pools of these accounts are counted as a whole all the same.",
				Validators: []validator.String{tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA}},
			},
			"expired_claims": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Show only the claims that are beyond their lease, and the accounts that they are on. Whether " +
					"one is beyond is by the clock of this machine. `import_config` is then what a janitor needs.",
			},
			"cluster_overdue_after": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("How long the Shoot of a claim with `cluster_name` may take to come, as a duration such as `90m`, at "+
					"least `1m`. A claim that still waits then is a problem (`waiting_for_cluster`). The clock of this machine decides, and where "+
					"the broker's database counts alone none is reported: rows do not name Shoots. Default `%.0fh`.", overdue.Hours()),
				Validators: []validator.String{tfvalue.Duration{What: "time for a Shoot to come", Least: time.Minute, Most: maxOverdue,
					Summary: diagnose.SummaryInvalidTimeout, ForExample: "90m or 24h"}},
			},
			"rule_set": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "The rules: `hap_rule_set.<name>`, or an object with the same inputs. A pool that none of " +
					"them leads to is a problem then (`unused_pool`), and so is one that they lead to and that has no account (`missing_pool`) or none " +
					"that is free (`empty_pool`). The metrics have series of each pool that they name, and `import_config` uses them.",
				Attributes: request.DataSourceAttributes(),
			},
			"import_options": importOptions(),
			"outputs": schema.SetAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Which of the attributes below are wanted, by name; the others are null. In a large pool the lists are the " +
					"most of the state and of the time: a pipeline that shows the report alone says `outputs = [\"report\"]`; the report may " +
					"name lists that are null then. Default: all.",
				Validators: []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(stringvalidator.OneOf(outputs...))},
			},
			"accounts": tfvalue.ComputedList("The accounts, by name.", accountAttributes()),
			"pools": tfvalue.ComputedList("The pools of these accounts, and those that `rule_set` names and that have no account, by hyperscaler "+
				"type and flags. Each account of a pool is in one of `claimed`, `unclaimed`, `cooling`, `dirty`, `internal`, `deleting`, `occupied`, "+
				"`unclear` and `duplicate`, but for those that all tenants share, and those that would be free but for a label (`unreachable`).",
				poolAttributes()),
			"global_accounts": tfvalue.ComputedList("The Global Accounts that hold one of the accounts, by name.", holderAttributes()),
			"problems": tfvalue.ComputedList("What needs attention, the worst first.", map[string]schema.Attribute{
				"account": tfvalue.ComputedText("The account; null for what concerns no account in particular."),
				"kind": tfvalue.ComputedText("What it is: one of " + tfvalue.Quoted(overview.ProblemKinds()) + ". [Troubleshooting]" +
					"(../guides/troubleshooting.md#problems-of-a-pool) has an entry of each."),
				"text":   tfvalue.ComputedText("What was found."),
				"remedy": tfvalue.ComputedText("What to do."),
				"command": tfvalue.ComputedText("The `kubectl` command of the remedy, for the Garden as the current context; null where none is safe " +
					"to give. Each leaves every account with the Global Account that has it, and the server refuses one whose account has changed since."),
			}),
			"unused_pools": tfvalue.ComputedList("The pools that no rule of `rule_set` leads to; empty without one.", map[string]schema.Attribute{
				"hyperscaler_type": tfvalue.ComputedText("The hyperscaler type."),
				"shared":           tfvalue.ComputedBool("Whether all tenants share its accounts."),
				"eu_access":        tfvalue.ComputedBool("Whether it is one for EU access."),
				"total":            tfvalue.ComputedNumber("How many accounts it has."),
				"unclaimed":        tfvalue.ComputedNumber("How many of them are free."),
			}),
			"prometheus": tfvalue.ComputedText("The metrics `keb_credentials_bindings_per_ga`, `keb_shoots_per_credentials_binding`, " +
				"`keb_available_credentials_bindings`, `hap_accounts`, `hap_account_places` and `hap_problems` in the text format of Prometheus, " +
				"for a push gateway or the textfile collector."),
			"report": tfvalue.ComputedText("A report in Markdown, for the pages of GitHub and GitLab and for a terminal: how full each pool is, " +
				"the problems with their remedies, and a bar for each account in use; the worst first, long lists folded. It has at " +
				"most 900,000 bytes, whatever the pool holds, because the summary page of a pipeline refuses more than 1 MiB; what is left " +
				"out is counted."),
			"import_config":    importConfig(),
			"import_decisions": importDecisions(),
		},
	}
}

func accountAttributes() map[string]schema.Attribute {
	return tfvalue.WithUsage("the Global Account that holds it", map[string]schema.Attribute{
		"name":             tfvalue.ComputedText("The account."),
		"hyperscaler_type": tfvalue.ComputedText("The hyperscaler type of its pool."),
		"global_account": tfvalue.ComputedText("The Global Account that holds it, by its label or by that of another binding of its " +
			"credentials that is no account of the pool; null where none does."),
		"shared":    tfvalue.ComputedBool("Whether all tenants share it."),
		"eu_access": tfvalue.ComputedBool("Whether it is one for EU access."),
		"class": tfvalue.ComputedText("What it is to a Global Account that does not hold it: one of the [classes](../guides/words.md#" +
			"classes)."),
		"dirty": tfvalue.ComputedBool("Whether it is marked dirty: it takes no new clusters."),
		"dirty_since": tfvalue.ComputedText("The account is dirty at least since then (RFC 3339): the owner of the label has not written on it " +
			"since. Null where it is not dirty, or where the server does not say."),
		"free_since": tfvalue.ComputedText("It is free since then at the earliest (RFC 3339): it was made then, or there is a sign that it was " +
			"still held. Null where it is not free."),
		"cools_until": tfvalue.ComputedText("Until when claims leave it alone (RFC 3339), by `pool.min_free_time` of the provider; null where " +
			"a claim can take it, or it is not free."),
		"quarantine": tfvalue.ComputedText("Why the pool's owner has put it aside; null where that is not so."),
		"releasing":  tfvalue.ComputedBool("Whether it is dirty because a release has begun and not ended."),
		"internal":   tfvalue.ComputedBool("Whether it is kept for internal use."),
		"deleting":   tfvalue.ComputedBool("Whether it is being deleted."),
		"clusters":   tfvalue.ComputedNumber("The clusters counted on it, of all tenants."),
		"reserved":   tfvalue.ComputedNumber("The places that claims reserve for clusters which are not there yet."),
		"limit":      tfvalue.ComputedNumber("The most clusters that it may have; null where no limit applies."),
		"claims": tfvalue.ComputedList("The claims on it, by name.", map[string]schema.Attribute{
			"name":         tfvalue.ComputedText("The claim's own name."),
			"owner":        tfvalue.ComputedText("Who keeps it; null where none is recorded."),
			"cluster_name": tfvalue.ComputedText("The Shoot that it is for; null where none is named."),
			"claimed_at":   tfvalue.ComputedText("When it was made (RFC 3339)."),
			"expires_at":   tfvalue.ComputedText("When its lease ends (RFC 3339); null where it has none. Nothing happens by itself then."),
			"expired":      tfvalue.ComputedBool("Whether it is beyond its lease, by the clock of this machine."),
		}),
		"problems": schema.ListAttribute{Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The kinds of its problems, see `problems`."},
	})
}

func poolAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"hyperscaler_type": tfvalue.ComputedText("The hyperscaler type."),
		"shared":           tfvalue.ComputedBool("Whether all tenants share its accounts."),
		"eu_access":        tfvalue.ComputedBool("Whether it is one for EU access."),
		"total":            tfvalue.ComputedNumber("How many accounts it has."),
		"claimed":          tfvalue.ComputedNumber("How many a Global Account holds and can use."),
		"unclaimed": tfvalue.ComputedNumber("How many are free: what a claim could take now. The metric `keb_available_credentials_bindings` " +
			"and `unclaimed` of `hap_binding_selection` are the same number. 0 in a shared pool."),
		"cooling": tfvalue.ComputedNumber("How many are free, and are left alone for a while after their last claim. The broker does not heed " +
			"that, and may take them."),
		"dirty": tfvalue.ComputedNumber("How many have the label `dirty` with another value than `false`, on one of the bindings of their " +
			"credentials, and are not being deleted: they wait for the clean-up job, are quarantined or are being released. One without the label " +
			"that is a duplicate of such an account is counted in `duplicate`."),
		"internal": tfvalue.ComputedNumber("How many are kept for internal use, and no Global Account holds them."),
		"deleting": tfvalue.ComputedNumber("How many are being deleted."),
		"occupied": tfvalue.ComputedNumber("How many no Global Account holds although living clusters are on them."),
		"unclear": tfvalue.ComputedNumber("How many may be another Global Account's, shared or dirty, by a label under another key, an " +
			"annotation that cannot be read, or a binding of another namespace. No new cluster comes to them."),
		"duplicate": tfvalue.ComputedNumber("How many no Global Account holds, and have the credentials of another account of the pool, which " +
			"is the cloud account."),
		"unreachable": tfvalue.ComputedNumber("How many the broker overlooks for ever because of their labels, whatever else they are. Those " +
			"among them that would be free are not `unclaimed`: a claim does not take them."),
		"clusters": tfvalue.ComputedNumber("The clusters on all its accounts."),
		"reserved": tfvalue.ComputedNumber("The places reserved beside them."),
	}
}

func holderAttributes() map[string]schema.Attribute {
	attributes := holdingAttributes()
	attributes["global_account"] = tfvalue.ComputedText("The Global Account.")
	ofType := holdingAttributes()
	ofType["hyperscaler_type"] = tfvalue.ComputedText("The hyperscaler type.")
	attributes["hyperscaler_types"] = tfvalue.ComputedList("The same for each hyperscaler type, by name.", ofType)
	return attributes
}

func holdingAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"accounts":      tfvalue.ComputedNumber("How many accounts it holds."),
		"clusters":      tfvalue.ComputedNumber("The clusters on them."),
		"reserved":      tfvalue.ComputedNumber("The places reserved beside them."),
		"capacity_left": tfvalue.ComputedNumber("How many clusters still fit on those of them that can be used; null where no limit applies."),
	}
}

func readStatus(ctx context.Context, call *family.Call, m *statusModel) {
	set, source, diags := request.Rules(m.RuleSet)
	call.Diags.Append(diags...)
	if call.Diags.HasError() {
		return
	}
	of := call.Backend.Garden
	o, err := m.survey(ctx, call.Backend, set)
	if err != nil {
		diagnose.Report(call.Diags, "Looking at the pool"+of.Where(), err)
		return
	}
	m.fill(o, of.CountedBy())
	m.text(&m.Prometheus, "prometheus", func() string { return report.Prometheus(o) })
	m.text(&m.Report, "report", func() string { return report.Markdown(o, of.CountedBy()) })
	m.takeOver(o, m.ImportOptions.terms(set, source))
}

// survey reads the pool.
func (m *statusModel) survey(ctx context.Context, b *backend.Backend, set *rules.Set) (overview.Overview, error) {
	p, err := b.Garden.Selecting()
	if err != nil {
		return overview.Overview{}, err
	}
	g, err := b.Garden.API()
	if err != nil {
		return overview.Overview{}, err
	}
	facts := overview.Facts{
		Keys: b.Settings.Keys.All(), Secrets: b.Settings.Kind == garden.Secret, Strands: strandsIn(b), Rules: set,
		Kubectl: overview.Kubectl{Resource: b.Settings.Kind.Resource(), Dirty: b.Settings.Keys.Dirty},
		Overdue: tfvalue.DurationOf(m.ClusterOverdueAfter, overdue),
	}
	return overview.Of(ctx, p, overview.Reads{Objects: g.Objects, Siblings: g.SiblingObjects}, facts, m.filter())
}

// strandsIn returns what reports whether no clean-up job wipes an account once it is dirty. Where the object does not say the provider
// type, the name of the pool may.
func strandsIn(b *backend.Backend) func(*account.Account) bool {
	return func(a *account.Account) bool {
		var c account.Credentials
		if a.Credentials != nil {
			c = *a.Credentials
		}
		c.ProviderType = cmp.Or(c.ProviderType, a.Target().ProviderType())
		return b.Settings.Strands(c)
	}
}
