package kebdb

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// secret is the start of every password in these tests.
const secret = "s3cr3t"

// A connection text that cannot be used is refused before a host is dialled, and no message shows a part of it that may be
// the password.
func TestMalformedConnectionTextKeepsItsPassword(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"postgres://u:s3cr3t%zz@db.example.com/keb",
		"postgres://u:s3cr3t@s3cr3t2@db.example.com/keb",
		"postgres://u:s3cr3t/s3cr3t@db.example.com/keb",
		"postgres://u:12/s3cr3t@db.example.com/keb",
		"postgres://u:12?s3cr3t=x@db.example.com/keb",
		"postgres://u:12?s3cr3t@db.example.com/keb",
		"postgres://u:s3cr3t@db.example.com:port/keb",
		"postgres://u:s3cr3t@db.example.com:99999/keb",
		"postgres://u:s3cr3t@[::1/keb",
		"postgres://u:s3cr3t@db.example.com/keb?sslmode=s3cr3t",
		"postgres://u:s3cr3t@db.example.com/keb?s3cr3t=1",
		"postgres://u:s3cr3t@db.example.com/keb?s3cr3t",
		"postgres://db.example.com/keb?password=s3cr3t&sslmode",
		"postgres://db.example.com/keb?password=s3cr3t=s3cr3t",
		"postgres://db.example.com/keb?password=s3cr3t@x",
		"postgres://u:s3cr3t@db.example.com/keb?target_session_attrs=s3cr3t",
		"postgres:u:s3cr3t@db.example.com",
		"jdbc:postgresql://db.example.com/keb?user=u&password=s3cr3t",
		"POSTGRES://u:s3cr3t@db.example.com/keb",
		"mysql://u:s3cr3t@db.example.com/keb",
		"s3cr3t",
		"host=db.example.com password=x s3cr3t dbname=keb",
		"host=db.example.com password=x s3cr3t=y",
		"host=db.example.com password='s3cr3t",
		"host=db.example.com password=s3cr3t port=x",
		"host=db.example.com password=s3cr3t sslmode=s3cr3t",
		"host=db.example.com password=s3cr3t =",
		"host=db.example.com pasword=s3cr3t",
		"host=db.example.com servicefile=/etc/s3cr3t",
		"host=db.example.com password=s3cr3t\x00",
	} {
		settings := Settings{URL: text, Getenv: func(string) string { return "" }}
		d, err := New(settings)
		if err == nil {
			t.Errorf("%q was taken: %v", text, d)
			continue
		}
		_ = as[*SettingError](t, err)
		shown := fmt.Sprintf("%v %+v %#v %s", err, err, err, errors.Unwrap(err))
		expectNone(t, shown, secret)
	}
}

// However the settings and the database are printed, they show no password.
func TestPrintingShowsNoPassword(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"postgres://u:s3cr3t@db.example.com:1/keb?sslmode=disable",
		"postgres://db.example.com:1/keb?user=u&password=s3cr3t",
		"host=db.example.com port=1 user=u dbname=keb password='s3cr3t with blanks'",
	} {
		s := Settings{URL: text}
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		d := open(t, s)
		shown := fmt.Sprintf("%v %+v %#v %s %s; %v %+v %#v %s", s, s, s, s, encoded, d, d, d, d)
		expectNone(t, shown, secret)
		if !strings.Contains(shown, `database "keb" on db.example.com, as user "u"`) {
			t.Errorf("it does not say which database it is: %s", shown)
		}
	}
}

// Nothing that names a host: an error that lists what was read, and never a try at this machine.
func TestNothingConfigured(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		url string
		env map[string]string
	}{
		{"", nil},
		{"", map[string]string{"PGDATABASE": "keb", "PGUSER": "u", "PGPASSWORD": "s3cr3t"}},
		{"postgres:///keb", nil},
		{"postgres://u:s3cr3t@:5432/keb", nil},
		{"user=u password=s3cr3t dbname=keb", nil},
		{"host=db.example.com,,other.example.com user=u password=s3cr3t", nil},
	} {
		_, err := New(Settings{URL: test.url, Getenv: func(name string) string { return test.env[name] }})
		missing := as[*NotConfiguredError](t, err)
		for _, l := range missing.LookedAt {
			want := test.env[l.Variable] != "" || l.Variable == "HAP_DATABASE_URL" && test.url != ""
			equal(t, fmt.Sprintf("%q: %s is set", test.url, l.Variable), l.Set, want)
		}
		for _, want := range []string{"database.url (HAP_DATABASE_URL)", "PGHOST: not set", "PGSERVICE: not set", "localhost is not tried"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: the error lacks %q: %v", test.url, want, err)
			}
		}
		expectNone(t, err.Error(), secret)
	}
}

// A host that the user names is taken, even if it is this machine: a tunnel to the database ends there.
func TestWrittenHostsAreTaken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"postgres://u@localhost/keb", "postgresql://u@127.0.0.1:5433/keb", "postgres://u@[::1]:5433/keb", "postgres:///keb?host=/tmp",
		"postgres://u@%2Fvar%2Frun%2Fpostgresql/keb", "postgres://a.example.com:1,b.example.com:2/keb", "host=localhost user=u",
		"host='/var/run/postgresql' user=u", "\n postgres://u@db.example.com/keb \n",
		"host=h port=5432 user=u password='a b' dbname=keb sslmode=disable timezone=UTC",
	} {
		open(t, Settings{URL: text, Getenv: func(string) string { return "" }})
	}
}

// The variables of libpq work as they do for psql, with a service file and a password file.
func TestLibpqVariables(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range []string{"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSERVICE", "PGSSLMODE"} {
		t.Setenv(name, "")
	}
	t.Setenv("PGSERVICEFILE", write("services",
		"[keb]\nhost=service.example.com\nport=5433\nuser=from-service\ndbname=keb\n[local]\nuser=u\n"))
	t.Setenv("PGPASSFILE", write("passwords", "service.example.com:5433:keb:from-service:s3cr3t\n"))

	t.Setenv("PGSERVICE", "keb")
	for _, url := range []string{"", "service=keb", "postgres://?service=keb"} {
		config := open(t, Settings{URL: url}).config
		equal(t, "server", []any{config.Host, config.Port, config.User, config.Database, config.Password},
			[]any{"service.example.com", uint16(5433), "from-service", "keb", "s3cr3t"})
	}
	t.Setenv("PGSERVICE", "missing")
	_, err := New(Settings{})
	_ = as[*SettingError](t, err)

	t.Setenv("PGSERVICE", "")
	t.Setenv("PGHOST", "env.example.com")
	t.Setenv("PGUSER", "from-env")
	t.Setenv("PGPASSWORD", "s3cr3t")
	t.Setenv("PGSSLMODE", "disable")
	config := open(t, Settings{}).config
	equal(t, "server", []any{config.Host, config.User, config.Password, config.TLSConfig == nil},
		[]any{"env.example.com", "from-env", "s3cr3t", true})
	config = open(t, Settings{URL: "postgres://url.example.com/keb"}).config
	equal(t, "what the URL leaves out", []any{config.Host, config.User, config.Database}, []any{"url.example.com", "from-env", "keb"})
}

// A key, or a password, that is written where a path belongs is shown by no error. The error names the setting.
func TestSecretInPlaceOfAPath(t *testing.T) {
	cert := filepath.Join(t.TempDir(), "cert.pem")
	if err := os.WriteFile(cert, []byte("-"), 0o600); err != nil {
		t.Fatal(err)
	}
	pem := "-----BEGIN PRIVATE KEY-----" + secret + "-----END PRIVATE KEY-----"
	key := base64.RawURLEncoding.EncodeToString([]byte(pem))
	const random = "x7Kq2LmZ9aTb4RwE1cVn8YuP3sDf6GhJ5kQ0"
	const url = "postgres://u@db.example.com/keb"
	for name, tt := range map[string]struct {
		url, variable, value, word string

		services string // what the service file holds
	}{
		"key in base64":                {url: url + "?sslmode=require&sslcert=" + cert + "&sslkey=" + key, value: key, word: "sslkey"},
		"key in base64, keyword=value": {url: "host=h user=u sslmode=require sslcert=" + cert + " sslkey=" + key, value: key, word: "sslkey"},
		"key in one line":              {url: "host=h user=u sslmode=require sslcert=" + cert + " sslkey='" + pem + "'", value: pem, word: "sslkey"},
		"a short password":             {url: "host=h user=u sslmode=require sslcert=" + cert + " sslkey=s3cr3t", value: secret, word: "sslkey"},
		"key of the environment":       {url: url + "?sslmode=require&sslcert=" + cert, variable: "PGSSLKEY", value: key, word: "sslkey"},
		"key for the certificate":      {url: url + "?sslmode=verify-full&sslrootcert=" + key, value: key, word: "CA file"},
		"service, a token":             {url: url, services: "[a]\nhost=h\n", variable: "PGSERVICE", value: random, word: "service"},
		"service file, a token":        {url: url + "?service=a", variable: "PGSERVICEFILE", value: random, word: "service"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.services != "" {
				file := filepath.Join(t.TempDir(), "services")
				if err := os.WriteFile(file, []byte(tt.services), 0o600); err != nil {
					t.Fatal(err)
				}
				t.Setenv("PGSERVICEFILE", file)
			}
			if tt.variable != "" {
				t.Setenv(tt.variable, tt.value)
			}
			_, err := New(Settings{URL: tt.url})
			wrong := as[*SettingError](t, err)
			expectNone(t, fmt.Sprintf("%v %+v %#v %v", err, err, err, errors.Unwrap(err)), tt.value)
			if !strings.Contains(wrong.Error(), tt.word) || !strings.Contains(wrong.Error(), "not shown") {
				t.Errorf("the error does not name %s: %v", tt.word, err)
			}
		})
	}
}

func TestSettingsOfTLS(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none.crt")
	_, err := New(Settings{URL: "postgres://u:s3cr3t@db.example.com/keb?sslmode=verify-full&sslrootcert=" + none})
	if wrong := as[*SettingError](t, err); !strings.Contains(wrong.Error(), none) {
		t.Errorf("the error does not name the file: %v", err)
	}
	_, err = New(Settings{URL: "postgres://u:s3cr3t@db.example.com/keb?sslmode=always"})
	if wrong := as[*SettingError](t, err); !strings.Contains(wrong.Error(), "sslmode is invalid") {
		t.Errorf("the error does not name sslmode: %v", err)
	}
	full := open(t, Settings{URL: "postgres://u@db.example.com/keb?sslmode=verify-full"}).config
	equal(t, "verify-full", []any{full.TLSConfig.InsecureSkipVerify, full.TLSConfig.ServerName, len(full.Fallbacks)},
		[]any{false, "db.example.com", 0})
}

// 30 s in all, unless the user says otherwise; of several hosts each gets its share.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	equal(t, "in all", DefaultConnectTimeout+DefaultQueryTimeout, 30*time.Second)
	d := open(t, Settings{URL: "postgres://u@db.example.com/keb"})
	equal(t, "default", []time.Duration{d.connect, d.query}, []time.Duration{DefaultConnectTimeout, DefaultQueryTimeout})
	d = open(t, Settings{URL: "postgres://u@db.example.com/keb?connect_timeout=2", ConnectTimeout: time.Minute, QueryTimeout: time.Second})
	equal(t, "as set", []time.Duration{d.connect, d.config.ConnectTimeout, d.query},
		[]time.Duration{time.Minute, 2 * time.Second, time.Second})
	d = open(t, Settings{URL: "postgres://u@a.example.com,b.example.com/keb"})
	equal(t, "of two hosts", d.config.ConnectTimeout, DefaultConnectTimeout/2)
}

// A connection may go unencrypted unless the settings demand TLS, whatever says so. This machine needs none.
func TestUnencrypted(t *testing.T) {
	t.Parallel()
	const url = "postgres://u:p@db.example.com/broker"
	for text, want := range map[string][]string{
		url:                          {"db.example.com"},
		url + "?sslmode=disable":     {"db.example.com"},
		url + "?sslmode=allow":       {"db.example.com"},
		url + "?sslmode=prefer":      {"db.example.com"},
		url + "?sslmode=require":     nil,
		url + "?sslmode=verify-full": nil,
		"host=db1,db2,localhost user=u sslmode=prefer":    {"db1", "db2"},
		"postgres://u:p@localhost/broker":                 nil,
		"postgres://u:p@127.0.0.1/broker":                 nil,
		"postgres://u:p@[::1]/broker?sslmode=disable":     nil,
		"host=/var/run/postgresql user=u":                 nil,
		"host=10.1.2.3 user=u password=p sslmode=disable": {"10.1.2.3"},
	} {
		equal(t, text, open(t, Settings{URL: text}).Unencrypted(), want)
	}
}
