package report

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// large is the overview of 10,000 accounts, of which 2,000 tenants hold one with 10 clusters each, and 1,000 are dirty.
func large() overview.Overview {
	var counts account.Counts
	accounts := make([]account.Account, 10_000)
	for i := range accounts {
		accounts[i] = account.Account{Name: fmt.Sprintf("account-%05d", i), UID: fmt.Sprint(i), HyperscalerType: fmt.Sprint("aws_cf-eu", i%20)}
		switch {
		case i < 2000:
			accounts[i].Tenant = fmt.Sprintf("tenant-%05d", i)
			counts.Set(accounts[i].Name, 10)
		case i < 3000:
			accounts[i].Dirty = account.Dirtied
		}
	}
	return survey(counts, overview.Filter{}, accounts...)
}

// The report of a large pool takes little of a page.
func TestReportOfALargePoolIsSmall(t *testing.T) {
	t.Parallel()
	o := large()
	if n := len(Markdown(o, account.SourceGardener)); n > 150_000 {
		t.Errorf("the report has %d bytes", n)
	}
}

func BenchmarkMarkdown(b *testing.B) {
	o := large()
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(Markdown(o, account.SourceGardener))))
	}
}

func BenchmarkPrometheus(b *testing.B) {
	o := large()
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(Prometheus(o))))
	}
}
