package kubeconn

import (
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth plugins that a kubeconfig may name
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// dialTimeout bounds one attempt to open a TCP connection to the API server. A request as a whole is bounded by its
// context.
const dialTimeout = 10 * time.Second

// Connection is a resolved connection to an API server. Nothing has been dialled yet. However it is printed, it shows
// no secret.
type Connection struct {
	// Config is the configuration for client-go. QPS is negative, so that client-go does not throttle: it would hold
	// back 50 claims of one apply to 5 requests a second, and the API server's own priority and fairness, whose 429
	// client-go obeys, is the better judge.
	Config *rest.Config
	// Namespace is the namespace of the Gardener project.
	Namespace string
	// Source says in one phrase where the connection came from, such as: config_path "/etc/garden", context "live".
	Source string
}

var (
	_ fmt.Formatter = (*Connection)(nil)
	_ fmt.Stringer  = (*Connection)(nil)
)

// String returns the server, the namespace and the source.
func (c *Connection) String() string {
	if c == nil || c.Config == nil {
		return "kubeconn.Connection{}"
	}
	return fmt.Sprintf("kubeconn.Connection{host=%s namespace=%q source=%q}", showURL(c.Config.Host), c.Namespace, c.Source)
}

// Format prints what String returns, whatever the verb.
func (c *Connection) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// Resolve builds the connection that the settings describe: it reads the kubeconfigs, chooses the context, applies the
// overrides and checks the outcome, and it never dials. userAgent is what requests carry as their User-Agent.
//
// A problem with one setting is a *SettingError; where no server is named at all it is a *NotConfiguredError. Neither
// shows a secret.
func Resolve(s Settings, userAgent string) (*Connection, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Host == nil && !s.namesKubeconfig() {
		return nil, s.notConfigured()
	}

	t := &target{
		attribute:   "host",
		source:      s.label("host"),
		clusterName: "host",
		userName:    "host",
		cluster:     api.NewCluster(),
		user:        api.NewAuthInfo(),
	}
	if s.namesKubeconfig() {
		var err error
		if t, err = s.fromKubeconfig(); err != nil {
			return nil, err
		}
	}
	if err := s.checkAgainst(t); err != nil {
		return nil, err
	}
	s.override(t)

	namespace, err := s.chooseNamespace(t)
	if err != nil {
		return nil, err
	}
	cfg, err := s.clientConfig(t, userAgent)
	if err != nil {
		return nil, err
	}
	return &Connection{Config: cfg, Namespace: namespace, Source: t.source}, nil
}

// target is where a connection goes and who asks: a kubeconfig's context with the overrides on top.
type target struct {
	attribute string // the attribute to report problems at
	source    string // where it came from, for Connection.Source
	context   string // the context's name, "" where there is none
	namespace string // the context's namespace

	clusterName, userName string
	cluster               *api.Cluster
	user                  *api.AuthInfo
}

// checkAgainst finds what is wrong with the target before the overrides are applied: a server or a proxy of the
// kubeconfig that is not a URL. Both are checked here, because client-go's messages quote them.
func (s *Settings) checkAgainst(t *target) error {
	if s.Host == nil {
		if t.cluster.Server == "" {
			return s.problem(t.attribute, "the kubeconfig names no server for the cluster %q.", t.clusterName)
		}
		if _, problem := parseServer(t.cluster.Server); problem != "" {
			return s.problem(t.attribute, "the server of the cluster %q in the kubeconfig: %s", t.clusterName, problem)
		}
	}
	if s.ProxyURL == nil && t.cluster.ProxyURL != "" {
		if problem := checkProxy(t.cluster.ProxyURL); problem != "" {
			return s.problem(t.attribute, "the proxy-url of the cluster %q in the kubeconfig: %s", t.clusterName, problem)
		}
	}
	return nil
}

// override puts what the settings say on top of what the kubeconfig says.
func (s *Settings) override(t *target) {
	var over []string
	note := func(attribute string) { over = append(over, s.label(attribute)) }

	if s.Host != nil {
		t.cluster.Server = *s.Host
		note("host")
	}
	if s.TLSServerName != nil {
		t.cluster.TLSServerName = *s.TLSServerName
		note("tls_server_name")
	}
	if s.ProxyURL != nil {
		t.cluster.ProxyURL = *s.ProxyURL
		note("proxy_url")
	}
	if s.Insecure != nil {
		t.cluster.InsecureSkipTLSVerify = *s.Insecure
		if *s.Insecure { // client-go refuses a CA that is not used
			t.cluster.CertificateAuthority, t.cluster.CertificateAuthorityData = "", nil
		}
		note("insecure")
	}
	if s.ClusterCACertificate != nil {
		t.cluster.CertificateAuthority = ""
		t.cluster.CertificateAuthorityData = []byte(*s.ClusterCACertificate)
		t.cluster.InsecureSkipTLSVerify = false
		note("cluster_ca_certificate")
	}
	if user := s.credentials(); user != nil {
		t.user = user
		for _, a := range attributes {
			if credentialKind(a.name) != "" && a.isSet(s) {
				note(a.name)
			}
		}
	}
	if s.namesKubeconfig() && len(over) > 0 {
		t.source += ", overridden by " + strings.Join(over, ", ")
	}
}

// credentials returns the user that the settings describe, or nil where they describe none.
func (s *Settings) credentials() *api.AuthInfo {
	if len(s.credentialKinds()) == 0 {
		return nil
	}
	user := api.NewAuthInfo()
	if s.Token != nil {
		user.Token = strings.TrimSpace(*s.Token) // file("token") ends in a line break
	}
	if s.Username != nil {
		user.Username, user.Password = *s.Username, *s.Password
	}
	if s.ClientCertificate != nil {
		user.ClientCertificateData, user.ClientKeyData = []byte(*s.ClientCertificate), []byte(*s.ClientKey)
	}
	if s.Exec != nil {
		user.Exec = &api.ExecConfig{
			APIVersion:      s.Exec.APIVersion,
			Command:         s.Exec.Command,
			Args:            slices.Clone(s.Exec.Args),
			InteractiveMode: api.NeverExecInteractiveMode,
		}
		if user.Exec.APIVersion == "" {
			user.Exec.APIVersion = DefaultExecAPIVersion
		}
		for _, name := range slices.Sorted(maps.Keys(s.Exec.Env)) {
			user.Exec.Env = append(user.Exec.Env, api.ExecEnvVar{Name: name, Value: s.Exec.Env[name]})
		}
	}
	return user
}

// chooseNamespace returns the namespace of the settings, else the context's. "default" is nobody's choice.
func (s *Settings) chooseNamespace(t *target) (string, error) {
	switch {
	case s.Namespace != nil:
		return *s.Namespace, nil
	case t.namespace != "":
		if msgs := validation.IsDNS1123Label(t.namespace); len(msgs) > 0 {
			return "", s.problem(namespaceAttribute, "%q, which the context %q names, is not the name of a namespace: %s.", t.namespace, t.context, msgs[0])
		}
		return t.namespace, nil
	}
	p := s.problem(namespaceAttribute, "the namespace of the Gardener project is not known: namespace and HAP_NAMESPACE are not set")
	switch {
	case t.context != "":
		p.Problem += fmt.Sprintf(", and the context %q names none", t.context)
	default:
		p.Problem += ", and there is no context that could name one"
	}
	p.Problem += ". Set one of them; the namespace \"default\" is not assumed."
	return "", p
}

// clientConfig makes the client-go configuration of the target.
func (s *Settings) clientConfig(t *target, userAgent string) (*rest.Config, error) {
	effective := api.NewConfig()
	effective.Clusters[t.clusterName] = t.cluster
	effective.AuthInfos[t.userName] = t.user
	effective.Contexts["effective"] = &api.Context{Cluster: t.clusterName, AuthInfo: t.userName}

	cfg, err := clientcmd.NewNonInteractiveClientConfig(*effective, "effective", &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, s.problem(t.attribute, "the connection cannot be used: %s.", redact(err.Error(), s.secrets(t)))
	}
	cfg.UserAgent = userAgent
	cfg.QPS = -1
	cfg.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	if cfg.ExecProvider != nil {
		cfg.ExecProvider.StdinUnavailable = true
		cfg.ExecProvider.StdinUnavailableMessage = "a Terraform provider has no terminal"
	}

	// This reads the certificates and sets up the auth plugins, which finds what is wrong with them. It does not dial.
	if _, err := rest.HTTPClientFor(cfg); err != nil {
		return nil, s.problem(t.attribute, "the certificates or credentials cannot be used: %s.", redact(err.Error(), s.secrets(t)))
	}
	return cfg, nil
}

// secrets returns the texts that no message may show.
func (s *Settings) secrets(t *target) []string {
	secrets := []string{t.user.Token, t.user.Password, string(t.user.ClientKeyData), t.cluster.ProxyURL}
	for _, p := range []*string{s.Token, s.Password, s.ClientKey, s.ConfigRaw, s.ProxyURL} {
		if p != nil {
			secrets = append(secrets, *p)
		}
	}
	if t.user.Exec != nil {
		secrets = append(secrets, t.user.Exec.Args...)
		for _, v := range t.user.Exec.Env {
			secrets = append(secrets, v.Value)
		}
	}
	if t.user.AuthProvider != nil {
		for _, v := range t.user.AuthProvider.Config {
			secrets = append(secrets, v)
		}
	}
	return secrets
}

// redact replaces the secrets in a message of client-go. None of its messages is known to hold one.
func redact(message string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) > 3 {
			message = strings.ReplaceAll(message, secret, "(secret)")
		}
	}
	return strings.TrimRight(message, ".")
}

// label names an attribute as the user set it: by its name, or by its variable where the value came from there.
func (s *Settings) label(attribute string) string {
	if v := s.variables[attribute]; v != "" {
		return v
	}
	return attribute
}
