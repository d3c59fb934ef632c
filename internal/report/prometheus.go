package report

import (
	"fmt"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Prometheus writes the metrics of the broker's proposal (ADR 006), with the labels of the broker's metrics, and beside them those of the
// classes, places and problems, in the text format 0.0.4 of Prometheus. A series that is there at all is there while it is zero; a pool
// that rules name has its series without an account.
func Prometheus(o overview.Overview) string {
	held := gauge("keb_credentials_bindings_per_ga", "CredentialsBindings per Global Account (1 CredentialsBinding = 1 hyperscaler account).")
	for _, t := range o.Tenants {
		held.add(t.Accounts, "global_account_id", t.GlobalAccount)
	}
	clusters := gauge("keb_shoots_per_credentials_binding", "Clusters per CredentialsBinding, of those that are held, shared or in use.")
	for i := range o.Accounts {
		if a := &o.Accounts[i]; inUse(a) {
			clusters.add(a.Clusters, "credentials_binding", a.Name, "global_account_id", a.HeldBy(), "hyperscaler_type", a.HyperscalerType)
		}
	}
	available := gauge("keb_available_credentials_bindings", "Unclaimed CredentialsBindings in the pool.")
	for i := range o.Pools {
		if p := &o.Pools[i]; !p.Shared {
			available.add(p.Unclaimed(), "eu_access", strconv.FormatBool(p.EUAccess), "hyperscaler_type", p.HyperscalerType)
		}
	}
	var text strings.Builder
	for _, f := range []family{held, clusters, available, classes(o), places(o), problems(o)} {
		f.write(&text)
	}
	return text.String()
}

// classes counts the accounts of each hyperscaler type by class, those for EU access apart. A pool that rules name has its series without
// an account, too.
func classes(o overview.Overview) family {
	f := gauge("hap_accounts", "Accounts of the pool, each in one class.")
	type key struct {
		hyperscalerType string
		euAccess        bool
	}
	var order []key // the pools are sorted by their types; a shared pool and one of tenants are counted together
	tallies := map[key]account.Tally{}
	for i := range o.Pools {
		p := &o.Pools[i]
		of := key{p.HyperscalerType, p.EUAccess}
		if tallies[of] == nil {
			order, tallies[of] = append(order, of), account.Tally{}
		}
		for class, n := range p.Tally {
			tallies[of][class] += n
		}
	}
	for _, of := range order {
		for _, class := range account.Classes() {
			if class != account.ClassTaken { // that is for one Global Account that asks
				f.add(tallies[of][class], "class", string(class), "eu_access", strconv.FormatBool(of.euAccess), "hyperscaler_type",
					of.hyperscalerType, "namespace", o.Namespace)
			}
		}
	}
	return f
}

// places writes what is taken on the accounts in use, and how much may be.
func places(o overview.Overview) family {
	f := gauge("hap_account_places", "Places on an account in use: counted clusters, reserved ones, and the limit where one applies.")
	for i := range o.Accounts {
		a := &o.Accounts[i]
		if !inUse(a) {
			continue
		}
		add := func(kind string, n int) {
			f.add(n, "account", a.Name, "global_account", a.HeldBy(), "hyperscaler_type", a.HyperscalerType, "kind", kind, "namespace", o.Namespace)
		}
		add("clusters", a.Clusters)
		add("reserved", a.Reserved)
		if a.Limit > 0 {
			add("limit", a.Limit)
		}
	}
	return f
}

// problems counts the problems of each kind.
func problems(o overview.Overview) family {
	f := gauge("hap_problems", "Problems of the pool by kind.")
	counts := map[overview.ProblemKind]int{}
	for _, p := range o.Problems {
		counts[p.Kind]++
	}
	for _, kind := range overview.ProblemKinds() {
		f.add(counts[kind], "kind", string(kind), "namespace", o.Namespace)
	}
	return f
}

// inUse reports whether an account is shared, held, or has a cluster or a reservation on it. A cluster need not be one that counts.
func inUse(a *overview.Account) bool {
	return a.Shared || a.HeldBy() != "" || a.InUse() || a.Reserved > 0
}

// family is one metric with its samples.
type family struct{ *dto.MetricFamily }

func gauge(name, help string) family {
	return family{&dto.MetricFamily{Name: new(name), Help: new(help), Type: dto.MetricType_GAUGE.Enum()}}
}

// add adds a sample with its labels, which come in pairs of name and value.
func (f family) add(value int, labels ...string) {
	metric := &dto.Metric{Gauge: &dto.Gauge{Value: new(float64(value))}}
	for i := 0; i+1 < len(labels); i += 2 {
		metric.Label = append(metric.Label, &dto.LabelPair{Name: &labels[i], Value: &labels[i+1]})
	}
	f.Metric = append(f.Metric, metric)
}

func (f family) write(text *strings.Builder) {
	if len(f.Metric) == 0 {
		// Own code: expfmt refuses a metric without samples, and the output of an empty pool still has every metric.
		fmt.Fprintf(text, "# HELP %s %s\n# TYPE %s gauge\n", f.GetName(), f.GetHelp(), f.GetName())
		return
	}
	_, _ = expfmt.MetricFamilyToText(text, f.MetricFamily) // a strings.Builder takes every write
}
