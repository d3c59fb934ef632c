package report

import (
	"fmt"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
)

// Prometheus writes the metrics of seed 000 in the text format 0.0.4 of Prometheus. The labels are those of the broker's
// metrics where it has such labels.
func Prometheus(o overview.Overview) string {
	held := gauge("keb_credentials_bindings_per_ga", "CredentialsBindings per Global Account (1 CredentialsBinding = 1 hyperscaler account).")
	for _, t := range o.Tenants {
		held.add(t.Accounts, "global_account_id", t.GlobalAccount)
	}
	clusters := gauge("keb_shoots_per_credentials_binding", "Clusters per CredentialsBinding, of those that are held, shared or in use.")
	for i := range o.Accounts {
		if a := &o.Accounts[i]; inUse(a) {
			clusters.add(a.Clusters, "credentials_binding", a.Name, "global_account_id", a.Tenant, "hyperscaler_type", a.HyperscalerType)
		}
	}
	available := gauge("keb_available_credentials_bindings", "Unclaimed CredentialsBindings in the pool.")
	for i := range o.Pools {
		if p := &o.Pools[i]; !p.Shared {
			available.add(p.Unclaimed(), "eu_access", strconv.FormatBool(p.EUAccess), "hyperscaler_type", p.HyperscalerType)
		}
	}
	var text strings.Builder
	for _, f := range []family{held, clusters, available} {
		f.write(&text)
	}
	return text.String()
}

// inUse reports whether an account is shared, held, or has a cluster or a reservation on it.
func inUse(a *overview.Account) bool {
	return a.Shared || a.Tenant != "" || a.Clusters+a.Reserved > 0
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
		// Own code: expfmt refuses a metric without samples, and an empty pool still tells which metrics there are.
		fmt.Fprintf(text, "# HELP %s %s\n# TYPE %s gauge\n", f.GetName(), f.GetHelp(), f.GetName())
		return
	}
	_, _ = expfmt.MetricFamilyToText(text, f.MetricFamily) // a strings.Builder takes every write
}
