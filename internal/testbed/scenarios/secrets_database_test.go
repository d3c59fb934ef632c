package scenarios

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// besides is a connection to the Garden by a kubeconfig, so that the database is the only secret that is left.
func (s counted) besides(t *testing.T, database string) string {
	t.Helper()
	return fmt.Sprintf("kubernetes = { config_path = %q }\n  database = %s", s.proxy.Kubeconfig(t, s.user), database)
}

// No secret of the database comes out, whether it is reached or not.
func TestSecretsOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := newCounted(t, awsAccounts(1)...)
	secret := plant("database")
	escaped := url.QueryEscape(secret)
	for name, connection := range sampled(t, map[string]string{
		"a password that is wrong":        withPassword(t, s.database.ReaderURL(), secret),
		"a server that is not there":      "postgres://reader:" + escaped + "@127.0.0.1:1/broker",
		"no URL":                          "postgres://reader:" + escaped + "@127.0.0.1:port/broker",
		"a URL that cannot be read":       "postgres://reader:%zz" + secret + "@127.0.0.1/broker",
		"a password that is not escaped":  "postgres://reader:" + secret + "@x@127.0.0.1:1/broker",
		"a password with a hash":          "postgres://reader:" + secret + "#x@127.0.0.1:1/broker",
		"keywords":                        "host=127.0.0.1 port=1 user=reader password=" + secret,
		"keywords with an open quote":     "host=127.0.0.1 password='" + secret,
		"a password for a keyword":        "host=127.0.0.1 port=1 password=x " + secret + "=y",
		"a password in a TLS certificate": "host=127.0.0.1 port=1 sslmode=verify-full sslrootcert=/nowhere password=" + secret,
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := s.secretly(t, secrets{"password": secret}, s.besides(t, "{ url = var.planted }"), map[string]string{"planted": connection})
			p.run(t, "validate")
			result := p.run(t, applying...)
			if result.ExitCode == 0 || !strings.Contains(result.Output, "Error: ") || strings.Contains(result.Output, "Error: Unexpected") {
				t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
			p.keepsQuiet(t)
		})
	}
	t.Cleanup(func() { s.wantWrites(t, "without a count", 0) })
}

func TestSecretsOfADatabaseThatWorks(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{"by its attribute": "{ url = var.planted }", "by the environment": "{}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t, awsAccounts(1)...)
			s.database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-9", Account: "elsewhere"})
			connection, err := url.Parse(s.wire.URL(s.database.ReaderURL()))
			if err != nil {
				t.Fatal(err)
			}
			password, _ := connection.User.Password()
			p := s.secretly(t, secrets{"password": password}, s.besides(t, settings), map[string]string{"planted": connection.String()})
			if settings == "{}" {
				p.Setenv("HAP_DATABASE_URL", connection.String())
			}
			p.works(t)
			p.keepsQuiet(t)
			if s.wire.Connections() == 0 {
				t.Error("the database was not asked")
			}
		})
	}
}
