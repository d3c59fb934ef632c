package kebdb

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// keywords are what a connection text may set: those of libpq that the client knows. A password that was not quoted
// would otherwise be taken for the name of a setting, sent to the server, and come back in its answer.
var keywords = []string{
	"host", "port", "dbname", "user", "password", "passfile", "connect_timeout", "service", "application_name", "options",
	"sslmode", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslsni", "sslcertmode", "sslnegotiation",
	"channel_binding", "require_auth", "target_session_attrs", "min_protocol_version", "max_protocol_version",
	"timezone", "client_encoding", "search_path",
}

// maxMessage bounds one message of the server, and so the memory that a row can take.
const maxMessage = 1 << 20

// resolve builds the configuration of connections. It reads files and variables, and never dials.
func resolve(s Settings) (*pgx.ConnConfig, error) {
	getenv := s.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	text := strings.TrimSpace(s.URL)
	if err := unambiguous(text); err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfigWithOptions(text, pgx.ParseConfigOptions{
		ParseConfigOptions: pgconn.ParseConfigOptions{ConnStringAllowedKeys: keywords},
	})
	if err != nil {
		return nil, unusable(err)
	}
	hosts := hostsOf(config)
	for _, host := range hosts {
		if !written(host, text, getenv) {
			return nil, notConfigured(text, getenv)
		}
	}

	connect, _ := s.timeouts()
	// The first of several hosts must not use up the time of all.
	if each := connect / time.Duration(len(hosts)); len(hosts) > 1 && (config.ConnectTimeout == 0 || config.ConnectTimeout > each) {
		config.ConnectTimeout = each
	}
	config.MaxProtocolMessageBodyLen = maxMessage
	// One round trip, and nothing that stays behind: a connection pooler may be in between.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "terraform-provider-hap"
	}
	return config, nil
}

// unambiguous refuses a URL in which a special character turns a part of the password into something else, which
// messages show: a host, a database, a setting.
func unambiguous(text string) error {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		return nil
	}
	at := strings.IndexByte(rest, '@')
	if strings.Count(rest, "@") > 1 || at >= 0 && strings.ContainsAny(rest[:at], "/?#") {
		return &SettingError{Problem: "a user or password in it holds a special character: " +
			"write @ as %40, / as %2F, ? as %3F, # as %23, : as %3A, % as %25."}
	}
	return nil
}

// harmless are the complaints of the client that quote no part of the connection text but names of files and services. The
// client has one error type for all its complaints, so their text distinguishes them; an unknown one is not shown.
var harmless = regexp.MustCompile("`: ((?:failed to configure TLS|failed to read service|invalid port|could not match).*)$")

// serviceName finds the name at the end of a complaint about a service or its file.
var serviceName = regexp.MustCompile(`^(failed to read service .*?): (.*)$`)

// unusable says what is wrong with a connection text without showing it: the client's own message quotes it, with its
// best effort to leave out what may be a password.
func unusable(err error) error {
	if found := harmless.FindStringSubmatch(err.Error()); found != nil {
		problem := found[1]
		if file, ok := errors.AsType[*fs.PathError](err); ok && (strings.Contains(problem, "sslkey") || !words.QuotesAsPath(file.Path)) {
			// The key itself, or a password, may be written where its path belongs.
			problem = strings.ReplaceAll(problem, file.Error(), file.Err.Error()) + ". The value is not shown: it is to be the path of a file"
		}
		if named := serviceName.FindStringSubmatch(problem); len(named) == 3 && !words.QuotesAsPath(named[2]) {
			problem = named[1] + ". The name is not shown: it may be a secret in place of a name"
		}
		return &SettingError{Problem: problem + "."}
	}
	return &SettingError{Problem: "it is neither a URL (postgres://user:password@host:port/database?sslmode=verify-full) nor " +
		"keyword=value text as libpq reads them. It is not shown, because it holds the password. In a URL, percent-encode " +
		"special characters; in keyword=value text, quote values with blanks. It may set " + strings.Join(keywords, ", ") + "."}
}

// hostsOf returns the hosts that are tried, each once.
func hostsOf(config *pgx.ConnConfig) []string {
	hosts := []string{config.Host}
	for _, fallback := range config.Fallbacks {
		if !slices.Contains(hosts, fallback.Host) {
			hosts = append(hosts, fallback.Host)
		}
	}
	return hosts
}

// written reports whether the connection text, PGHOST or the service file names this host. Without any of them the client
// goes by libpq's default, a socket of this machine or localhost, and a pipeline's own machine is never what is meant.
func written(host, text string, getenv func(string) string) bool {
	sources := append(serviceHosts(getenv), text, getenv("PGHOST"))
	if decoded, err := url.PathUnescape(text); err == nil {
		sources = append(sources, decoded)
	}
	return slices.ContainsFunc(sources, func(source string) bool { return strings.Contains(source, host) })
}

var hostLine = regexp.MustCompile(`(?m)^\s*host\s*=\s*(.+)$`)

// serviceHosts returns what the service file says about hosts.
func serviceHosts(getenv func(string) string) []string {
	file := getenv("PGSERVICEFILE")
	if file == "" {
		file = filepath.Join(getenv("HOME"), ".pg_service.conf")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var hosts []string
	for _, line := range hostLine.FindAllSubmatch(content, -1) {
		hosts = append(hosts, string(line[1]))
	}
	return hosts
}

// notConfigured lists what was read.
func notConfigured(text string, getenv func(string) string) error {
	e := &NotConfiguredError{LookedAt: []LookedAt{{Name: "database.url", Variable: "HAP_DATABASE_URL", Set: text != ""}}}
	for _, name := range []string{
		"PGHOST", "PGSERVICE", "PGSERVICEFILE", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSSLMODE", "PGSSLROOTCERT",
	} {
		e.LookedAt = append(e.LookedAt, LookedAt{Variable: name, Set: getenv(name) != ""})
	}
	return e
}

// place names the database for messages.
func place(config *pgx.ConnConfig) string {
	return fmt.Sprintf("database %q on %s, as user %q", config.Database, strings.Join(hostsOf(config), ", "), config.User)
}

// secretsOf returns the texts that no message may show.
func secretsOf(config *pgx.ConnConfig) []string {
	var secrets []string
	for _, secret := range []string{config.Password, url.QueryEscape(config.Password), url.PathEscape(config.Password)} {
		if len(secret) > 3 {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}
