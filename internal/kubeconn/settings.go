package kubeconn

import (
	"encoding"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"sort"
	"strings"
)

// Settings are the connection settings as a user wrote them: the provider's kubernetes object and its namespace. A nil
// field is unset; a field that points to an empty string is set, and refused (see [Settings.Check]). FromEnvironment
// fills the unset fields, Resolve builds the connection.
//
// However it is printed (%v, %+v, %#v, log/slog, encoding/json), a Settings value shows no secret.
type Settings struct {
	// Host is the URL of the API server (KUBE_HOST).
	Host *string
	// Token is a bearer token (KUBE_TOKEN). Secret.
	Token *string
	// Username is the user of basic authentication (KUBE_USER).
	Username *string
	// Password is the password of basic authentication (KUBE_PASSWORD). Secret.
	Password *string
	// Insecure switches the check of the server's certificate off (KUBE_INSECURE).
	Insecure *bool
	// TLSServerName is the name the server's certificate is checked against (KUBE_TLS_SERVER_NAME).
	TLSServerName *string
	// ClientCertificate is a client certificate as PEM text (KUBE_CLIENT_CERT_DATA).
	ClientCertificate *string
	// ClientKey is the key of ClientCertificate as PEM text (KUBE_CLIENT_KEY_DATA). Secret.
	ClientKey *string
	// ClusterCACertificate holds the CA certificates of the server as PEM text (KUBE_CLUSTER_CA_CERT_DATA).
	ClusterCACertificate *string
	// ConfigPath is the path of a kubeconfig (KUBE_CONFIG_PATH).
	ConfigPath *string
	// ConfigPaths are paths of kubeconfigs that are merged as kubectl merges them (KUBE_CONFIG_PATHS).
	ConfigPaths []string
	// ConfigContext is the context to take, else the kubeconfig's current one (KUBE_CTX).
	ConfigContext *string
	// ConfigContextAuthInfo is the user to take instead of the context's (KUBE_CTX_AUTH_INFO).
	ConfigContextAuthInfo *string
	// ConfigContextCluster is the cluster to take instead of the context's (KUBE_CTX_CLUSTER).
	ConfigContextCluster *string
	// ProxyURL is the proxy to reach the server through (KUBE_PROXY_URL).
	ProxyURL *string
	// Exec is a program that prints credentials (no variable).
	Exec *Exec
	// ConfigRaw is a kubeconfig as text (no variable). Secret.
	ConfigRaw *string
	// Namespace is the namespace of the Gardener project (HAP_NAMESPACE).
	Namespace *string

	// variables holds, for each attribute that FromEnvironment filled, the name of the variable.
	variables map[string]string
	// notRead are the variables that are set but were not read because an attribute excludes them.
	notRead []string
	// kubeconfigVariable says that KUBECONFIG is set.
	kubeconfigVariable bool
	// home is the home folder that ~ stands for.
	home string
}

// Exec is a client-go credential plugin: a program that prints an ExecCredential.
type Exec struct {
	// APIVersion is the version of ExecCredential that the program prints, [DefaultExecAPIVersion] when empty.
	APIVersion string
	// Command is the program to run.
	Command string
	// Args are its arguments. They may hold secrets and are never printed.
	Args []string
	// Env are variables it gets in addition. The values may be secret and are never printed.
	Env map[string]string
}

var (
	_ fmt.Formatter          = Settings{}
	_ fmt.Stringer           = Settings{}
	_ slog.LogValuer         = Settings{}
	_ encoding.TextMarshaler = Settings{}
	_ fmt.Formatter          = Exec{}
	_ fmt.Stringer           = Exec{}
	_ slog.LogValuer         = Exec{}
	_ encoding.TextMarshaler = Exec{}
)

// NotRead returns the environment variables that are set but were not read, because an attribute excludes them. The
// package documentation says which attribute excludes which variables.
func (s Settings) NotRead() []string { return slices.Clone(s.notRead) }

// String returns which settings are set, on one line and without secrets.
func (s Settings) String() string {
	var b strings.Builder
	b.WriteString("kubeconn.Settings{")
	first := true
	add := func(attribute, value string) {
		if !first {
			b.WriteString(" ")
		}
		first = false
		b.WriteString(attribute + "=" + value)
		if v := s.variables[attribute]; v != "" {
			b.WriteString(" (" + v + ")")
		}
	}
	for _, a := range attributes {
		if a.isSet(&s) {
			add(a.name, a.show(&s))
		}
	}
	b.WriteString("}")
	return b.String()
}

// Format prints what String returns, whatever the verb.
func (s Settings) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue makes log/slog print what String returns.
func (s Settings) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText makes encoding/json, and loggers that use it, print what String returns.
func (s Settings) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String returns the program and how much it is given, without arguments and values: they may be secret.
func (e Exec) String() string {
	program := "?"
	if words := strings.Fields(e.Command); len(words) > 0 {
		program = words[0]
	}
	names := make([]string, 0, len(e.Env))
	for name := range e.Env {
		names = append(names, name)
	}
	sort.Strings(names)
	return fmt.Sprintf("{command=%q args=%d env=%v}", program, len(e.Args), names)
}

// Format prints what String returns, whatever the verb.
func (e Exec) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.String()) }

// LogValue makes log/slog print what String returns.
func (e Exec) LogValue() slog.Value { return slog.StringValue(e.String()) }

// MarshalText makes encoding/json, and loggers that use it, print what String returns.
func (e Exec) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// An attribute is one setting: its name in the provider block, its environment variable, and how to get at it.
type attribute struct {
	name     string
	variable string // "" where there is none
	isSet    func(*Settings) bool
	show     func(*Settings) string
	set      func(s *Settings, v string) (problem string) // from the text of the variable
	field    func(*Settings) **string                     // nil where it holds no string
}

// text describes an attribute that holds a string; show makes it printable.
func text(name, variable string, field func(*Settings) **string, show func(string) string) attribute {
	return attribute{
		name: name, variable: variable,
		isSet: func(s *Settings) bool { return *field(s) != nil },
		show:  func(s *Settings) string { return show(**field(s)) },
		set: func(s *Settings, v string) string {
			*field(s) = &v
			return ""
		},
		field: field,
	}
}

// attributes are all settings, in the order in which messages list them: what names a server, what chooses in a
// kubeconfig, what says who asks, how the server is reached, and the namespace.
var attributes = []attribute{
	text("config_path", "KUBE_CONFIG_PATH", func(s *Settings) **string { return &s.ConfigPath }, showPath),
	{
		name: "config_paths", variable: "KUBE_CONFIG_PATHS",
		isSet: func(s *Settings) bool { return s.ConfigPaths != nil },
		show: func(s *Settings) string {
			shown := make([]string, len(s.ConfigPaths))
			for i, p := range s.ConfigPaths {
				shown[i] = showPath(p)
			}
			return "[" + strings.Join(shown, " ") + "]"
		},
		set: func(s *Settings, v string) string {
			s.ConfigPaths = splitList(v)
			return ""
		},
	},
	text("config_raw", "", func(s *Settings) **string { return &s.ConfigRaw }, showSecret),
	text("host", "KUBE_HOST", func(s *Settings) **string { return &s.Host }, showURL),
	text("config_context", "KUBE_CTX", func(s *Settings) **string { return &s.ConfigContext }, showText),
	text("config_context_auth_info", "KUBE_CTX_AUTH_INFO", func(s *Settings) **string { return &s.ConfigContextAuthInfo }, showText),
	text("config_context_cluster", "KUBE_CTX_CLUSTER", func(s *Settings) **string { return &s.ConfigContextCluster }, showText),
	text("token", "KUBE_TOKEN", func(s *Settings) **string { return &s.Token }, showSecret),
	text("username", "KUBE_USER", func(s *Settings) **string { return &s.Username }, showText),
	text("password", "KUBE_PASSWORD", func(s *Settings) **string { return &s.Password }, showSecret),
	text("client_certificate", "KUBE_CLIENT_CERT_DATA", func(s *Settings) **string { return &s.ClientCertificate }, showSecret),
	text("client_key", "KUBE_CLIENT_KEY_DATA", func(s *Settings) **string { return &s.ClientKey }, showSecret),
	{
		name:  "exec",
		isSet: func(s *Settings) bool { return s.Exec != nil },
		show:  func(s *Settings) string { return s.Exec.String() },
	},
	text("cluster_ca_certificate", "KUBE_CLUSTER_CA_CERT_DATA", func(s *Settings) **string { return &s.ClusterCACertificate }, showSecret),
	{
		name: "insecure", variable: "KUBE_INSECURE",
		isSet: func(s *Settings) bool { return s.Insecure != nil },
		show:  func(s *Settings) string { return fmt.Sprint(*s.Insecure) },
		set:   setInsecure,
	},
	text("tls_server_name", "KUBE_TLS_SERVER_NAME", func(s *Settings) **string { return &s.TLSServerName }, showText),
	text("proxy_url", "KUBE_PROXY_URL", func(s *Settings) **string { return &s.ProxyURL }, showURL),
	text(namespaceAttribute, "HAP_NAMESPACE", func(s *Settings) **string { return &s.Namespace }, showText),
}

// namespaceAttribute stands beside the kubernetes object in the provider block, all others stand in it.
const namespaceAttribute = "namespace"

func showText(v string) string { return fmt.Sprintf("%q", v) }

func showSecret(string) string { return "(set)" }

// showPath prints a path, unless it is a whole kubeconfig that somebody took for one.
func showPath(v string) string {
	if isKubeconfigText(v) {
		return "(not a path)"
	}
	return fmt.Sprintf("%q", v)
}

// showURL prints scheme and host of a URL: the rest may hold a password.
func showURL(v string) string {
	u, err := url.Parse(v)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return "(not a URL)"
	}
	return fmt.Sprintf("%q", u.Scheme+"://"+u.Host)
}

// isKubeconfigText tells the text of a kubeconfig from the path of one.
func isKubeconfigText(v string) bool {
	return strings.ContainsAny(v, "\n\r") || strings.HasPrefix(strings.TrimSpace(v), "{") || strings.Contains(v, "apiVersion:")
}
