package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// The log has parts whose level can be set one by one. Together they say how a claim came to its account.
func TestLogParts(t *testing.T) {
	t.Parallel()
	all := map[string][]string{
		"hap.garden": {"request to the Garden: ", "verb=PATCH", "status=200", "duration_ms=", "/credentialsbindings/"},
		"hap.pool": {
			"list of the accounts: ", "judgement of an account: ", "verdict=full", "write on an account: ", "claim of an account: ", "reason=",
			"release of an account: ",
		},
		"hap.database": {"count of all clusters: "},
	}
	for name, test := range map[string]struct {
		levels map[string]string
		want   []string
	}{
		"all": {map[string]string{"TF_LOG_PROVIDER": "TRACE"}, []string{"hap.database", "hap.garden", "hap.pool"}},
		"the pool's": {
			map[string]string{"TF_LOG_PROVIDER": "TRACE", "TF_LOG_PROVIDER_HAP_GARDEN": "OFF", "TF_LOG_PROVIDER_HAP_DATABASE": "OFF"},
			[]string{"hap.pool"},
		},
		"the Garden's": {
			map[string]string{"TF_LOG_PROVIDER": "TRACE", "TF_LOG_PROVIDER_HAP_POOL": "ERROR", "TF_LOG_PROVIDER_HAP_DATABASE": "OFF"},
			[]string{"hap.garden"},
		},
		"none but ours": {
			map[string]string{"TF_LOG_PROVIDER": "TRACE", "TF_LOG_PROVIDER_HAP": "OFF", "TF_LOG_PROVIDER_HAP_DATABASE": "TRACE"},
			[]string{"hap.database"},
		},
		"without asking": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t,
				testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
				testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
			s.database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"})
			c := s.configure(t)
			log := filepath.Join(t.TempDir(), "log")
			c.Setenv("TF_LOG_PATH", log)
			for variable, level := range test.levels {
				c.Setenv(variable, level)
			}
			c.write(t, s.by("database", "")+"  multi_account = { allowed_global_accounts = [\"*\"], limits = { default = 1 } }\n", claim("blue", "ga-1"))
			c.apply(t)
			c.destroy(t)
			text, err := os.ReadFile(log)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			var named []string
			for part, words := range all {
				lines := strings.Join(slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return !strings.Contains(line, part) }), "\n")
				if lines == "" {
					continue
				}
				named = append(named, part)
				for _, word := range words {
					if !strings.Contains(lines, word) {
						t.Errorf("%s does not say %q:\n%s", part, word, lines)
					}
				}
			}
			slices.Sort(named)
			if !slices.Equal(named, test.want) {
				t.Errorf("parts that have entries: %q, want %q", named, test.want)
			}
		})
	}
}
