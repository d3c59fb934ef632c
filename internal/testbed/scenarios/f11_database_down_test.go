package scenarios

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// counted is a pool with a database beside it.
type counted struct {
	stage
	database *postgres.Database
	wire     *fault.DatabaseProxy
}

// newCounted makes a pool of these accounts and a database that is reached through a proxy of its own.
func newCounted(t *testing.T, accounts ...testbed.AccountSpec) counted {
	t.Helper()
	s := newStage(t, accounts...)
	database := postgres.Shared(t).NewDatabase(t)
	return counted{s, database, fault.NewDatabaseProxy(t, database)}
}

// by are provider settings that count by a source, with short deadlines.
func (s counted) by(source, more string) string {
	return fmt.Sprintf("  database = { url = %q, connect_timeout = \"6s\", query_timeout = \"6s\" }\n  cluster_count = { source = %q\n %s }\n",
		s.wire.URL(s.database.ReaderURL()), source, more)
}

// databasePatience is what those deadlines come to, for each of the counts of a run.
const databasePatience = 12 * time.Second

// F11: without the database nothing is claimed and nothing is released. Where Gardener alone counts, a claim does not
// touch it; a release asks it all the same.
func TestF11DatabaseDown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source, summary string
		broken          func(t *testing.T, s counted) (settings string)
	}{
		"refuses connections, database": {"database", "Database not reachable", down},
		"refuses connections, both":     {"both", "Database not reachable", down},
		"wrong password": {"database", "Not let in to the database", func(t *testing.T, s counted) string {
			t.Helper()
			return fmt.Sprintf("  database = { url = %q }\n", withPassword(t, s.database.ReaderURL(), "w0ngpa55"))
		}},
		"another database": {"database", "Not the broker's database", func(t *testing.T, s counted) string {
			t.Helper()
			s.database.Exec(t, "DROP TABLE instances")
			return s.by("database", "")
		}},
		"nothing granted": {"both", "Not allowed to read the database", func(t *testing.T, s counted) string {
			t.Helper()
			s.database.Exec(t, "REVOKE ALL ON SCHEMA hap FROM hap_provider; GRANT USAGE ON SCHEMA public TO hap_provider")
			return s.by("both", "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t, awsAccounts(2)...)
			c := s.configure(t)
			c.write(t, s.by(test.source, ""), claim("blue", "ga-1"))
			c.apply(t)
			s.wantWrites(t, "with a database", 1)

			settings := test.broken(t, s)
			if settings == "" {
				settings = s.by(test.source, "")
			}
			c.write(t, settings, claim("blue", "ga-1"), claim("green", "ga-2"))
			c.fails(t, applying, test.summary, "Nothing was claimed or released")
			c.fails(t, destroying, test.summary)
			s.wantWrites(t, "without a database", 1)
		})
	}
}

func TestF11GardenerAloneDoesNotTouchTheDatabase(t *testing.T) {
	t.Parallel()
	s := newCounted(t, awsAccounts(2)...)
	s.wire.Set(t, fault.RefuseConnect())
	c := s.configure(t)
	c.write(t, s.by("gardener", ""), claim("blue", "ga-1"))
	c.apply(t)
	s.wantWrites(t, "claimed", 1)
	if n := s.wire.Connections(); n != 0 {
		t.Errorf("%d connections to the database, want none", n)
	}
	c.fails(t, destroying, "Database not reachable", "whether clusters are on account", "a release asks it all the same")
	s.wantWrites(t, "not released", 1)
}

func down(t *testing.T, s counted) string {
	t.Helper()
	s.wire.Set(t, fault.RefuseConnect())
	return ""
}

// withPassword is a connection URL with another password.
func withPassword(t *testing.T, of, password string) string {
	t.Helper()
	u, err := url.Parse(of)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}
