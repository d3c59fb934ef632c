package kube

import (
	"fmt"
	"io"
	"slices"
)

// DefaultExecAPIVersion is the version of ExecCredential that an exec plugin prints unless its settings say otherwise.
const DefaultExecAPIVersion = "client.authentication.k8s.io/v1"

// Settings are the settings of one connection as the user wrote them. A nil field is unset; a field that points to an
// empty string is set, and refused. Printed or encoded, settings show nothing of what they hold.
type Settings struct {
	hidden

	// Place is where the settings are written.
	Place Place

	// The server: its URL, the proxy before it, the name and the CA certificates (PEM) that its certificate is checked
	// against, and whether that check is switched off.
	Host, ProxyURL, TLSServerName, ClusterCACertificate *string
	Insecure                                            *bool

	// Who asks, by one kind of credentials. Certificate and key are PEM; Token, Password and ClientKey are secret.
	Token, Username, Password, ClientCertificate, ClientKey *string
	Exec                                                    *Exec

	// The kubeconfig: its path, several that are merged as kubectl merges them, or its text, which is secret.
	ConfigPath, ConfigRaw *string
	ConfigPaths           []string
	// What to take from the kubeconfig instead of its current context, and of the context's user and cluster.
	ConfigContext, ConfigContextAuthInfo, ConfigContextCluster *string

	Namespace *string // the namespace to work in, else the context's

	variables          map[string]string // the variable of each setting that FromEnvironment filled
	notRead            []string          // the variables that are set and were not read
	kubeconfigVariable bool              // KUBECONFIG is set
}

// Exec is a client-go credential plugin: a program that prints an ExecCredential.
type Exec struct {
	hidden

	// APIVersion is the version of ExecCredential that the program prints, [DefaultExecAPIVersion] when empty.
	APIVersion string
	Command    string
	// Args and the values of Env may be secret.
	Args []string
	Env  map[string]string
}

// hidden keeps what embeds it out of messages, of JSON and of log/slog.
type hidden struct{}

// Format prints nothing of the value, whatever the verb.
func (hidden) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "(hidden)") }

// MarshalText encodes nothing of the value.
func (hidden) MarshalText() ([]byte, error) { return []byte("(hidden)"), nil }

// Place is where the settings of one connection are written, for errors and for the environment.
type Place struct {
	API               string // what the connection leads to, as in "no connection to the Garden API"
	Object            string // the path of the object that holds the settings, such as "kubernetes"
	Namespace         string // the path of the namespace, which may be outside of the object
	NamespaceOf       string // what the namespace is of, as in "the namespace of the Gardener project"
	Prefix            string // begins the names of the environment variables, such as "KUBE_"; empty = the settings have none
	NamespaceVariable string // the environment variable of the namespace; empty = it has none
}

// group says what a setting is for.
type group int

const (
	serverSetting group = iota // names the API server
	choiceSetting              // chooses in a kubeconfig
	tokenSetting               // this and the next three are the kinds of credentials
	basicSetting
	certificateSetting
	execSetting
	transportSetting // how the server is reached
	namespaceSetting
)

// credentials are the kinds of credentials.
var credentials = []group{tokenSetting, basicSetting, certificateSetting, execSetting}

// setting is one row of the table of settings.
type setting struct {
	name string
	// variable follows the prefix of the environment variable; empty = it has none.
	variable string
	group    group
	// text returns where the setting is kept; nil = it is no text.
	text func(*Settings) **string
}

// table holds all settings, in the order in which errors list them.
var table = []setting{
	{"config_path", "CONFIG_PATH", serverSetting, func(s *Settings) **string { return &s.ConfigPath }},
	{"config_paths", "CONFIG_PATHS", serverSetting, nil},
	{"config_raw", "", serverSetting, func(s *Settings) **string { return &s.ConfigRaw }},
	{"host", "HOST", serverSetting, func(s *Settings) **string { return &s.Host }},
	{"config_context", "CTX", choiceSetting, func(s *Settings) **string { return &s.ConfigContext }},
	{"config_context_auth_info", "CTX_AUTH_INFO", choiceSetting, func(s *Settings) **string { return &s.ConfigContextAuthInfo }},
	{"config_context_cluster", "CTX_CLUSTER", choiceSetting, func(s *Settings) **string { return &s.ConfigContextCluster }},
	{"token", "TOKEN", tokenSetting, func(s *Settings) **string { return &s.Token }},
	{"username", "USER", basicSetting, func(s *Settings) **string { return &s.Username }},
	{"password", "PASSWORD", basicSetting, func(s *Settings) **string { return &s.Password }},
	{"client_certificate", "CLIENT_CERT_DATA", certificateSetting, func(s *Settings) **string { return &s.ClientCertificate }},
	{"client_key", "CLIENT_KEY_DATA", certificateSetting, func(s *Settings) **string { return &s.ClientKey }},
	{"exec", "", execSetting, nil},
	{"cluster_ca_certificate", "CLUSTER_CA_CERT_DATA", transportSetting, func(s *Settings) **string { return &s.ClusterCACertificate }},
	{"insecure", "INSECURE", transportSetting, nil},
	{"tls_server_name", "TLS_SERVER_NAME", transportSetting, func(s *Settings) **string { return &s.TLSServerName }},
	{"proxy_url", "PROXY_URL", transportSetting, func(s *Settings) **string { return &s.ProxyURL }},
	{"namespace", "", namespaceSetting, func(s *Settings) **string { return &s.Namespace }},
}

// isSet reports whether a setting is set.
func (s *Settings) isSet(row setting) bool {
	switch row.name {
	case "config_paths":
		return s.ConfigPaths != nil
	case "insecure":
		return s.Insecure != nil
	case "exec":
		return s.Exec != nil
	}
	return *row.text(s) != nil
}

// variable returns the environment variable of a setting; empty = it has none.
func (p Place) variable(row setting) string {
	switch {
	case row.group == namespaceSetting:
		return p.NamespaceVariable
	case row.variable == "" || p.Prefix == "":
		return ""
	}
	return p.Prefix + row.variable
}

// label returns the name under which the user set a setting: that of the setting, or of its variable.
func (s *Settings) label(name string) string {
	if variable := s.variables[name]; variable != "" {
		return variable
	}
	return name
}

func (s *Settings) namesKubeconfig() bool {
	return s.ConfigPath != nil || s.ConfigPaths != nil || s.ConfigRaw != nil
}

// paths returns the kubeconfigs to read, and the setting that names them.
func (s *Settings) paths() (name string, paths []string) {
	if s.ConfigPath != nil {
		return "config_path", []string{*s.ConfigPath}
	}
	return "config_paths", s.ConfigPaths
}

// has returns the names of those settings of some groups that are set.
func (s *Settings) has(groups ...group) (names []string) {
	for _, row := range table {
		if slices.Contains(groups, row.group) && s.isSet(row) {
			names = append(names, row.name)
		}
	}
	return names
}
