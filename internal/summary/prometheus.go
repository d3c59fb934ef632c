package summary

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Prometheus writes the metrics of seed 000 in the text format 0.0.4 of Prometheus. The labels are those of the broker's
// metrics where it has the like.
func Prometheus(o pool.Overview) string {
	var m metrics
	m.family("keb_credentials_bindings_per_ga", "CredentialsBindings per Global Account (1 CredentialsBinding = 1 hyperscaler account).")
	for _, t := range o.Tenants {
		m.sample(t.Accounts, "global_account_id", t.GlobalAccount)
	}
	m.family("keb_shoots_per_credentials_binding", "Clusters per CredentialsBinding, of those that are held, shared or in use.")
	for i := range o.Accounts {
		if a := &o.Accounts[i]; inUse(a) {
			m.sample(a.Clusters, "credentials_binding", a.Name, "global_account_id", a.Tenant, "hyperscaler_type", a.HyperscalerType)
		}
	}
	m.family("keb_available_credentials_bindings", "Unclaimed CredentialsBindings in the pool.")
	for i := range o.Pools {
		if p := &o.Pools[i]; !p.Shared {
			m.sample(p.Unclaimed(), "eu_access", strconv.FormatBool(p.EUAccess), "hyperscaler_type", p.HyperscalerType)
		}
	}
	return m.String()
}

// inUse reports whether an account is more than one of many that wait to be claimed.
func inUse(a *pool.AccountStatus) bool {
	return a.Shared || a.Tenant != "" || a.Clusters+a.Reserved > 0
}

// metrics is the text as it grows.
type metrics struct {
	strings.Builder
	name string
}

// family begins a metric; all are gauges.
func (m *metrics) family(name, help string) {
	m.name = name
	fmt.Fprintf(m, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}

// sample adds a value with its labels, which come in pairs of name and value.
func (m *metrics) sample(value int, labels ...string) {
	pairs := make([]string, 0, len(labels)/2)
	for i := 0; i+1 < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+escapeLabel.Replace(labels[i+1])+`"`)
	}
	fmt.Fprintf(m, "%s{%s} %d\n", m.name, strings.Join(pairs, ","), value)
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
