package kube

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the auth plugins that a kubeconfig may name
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// dialTimeout bounds one attempt to open a TCP connection to the API server. A request as a whole is bounded by its
// context.
const dialTimeout = 10 * time.Second

// Connection is a resolved connection to an API server. Nothing has been dialled yet. Printed, it shows no secret.
type Connection struct {
	// Config is the configuration for client-go. QPS is negative, so that client-go does not throttle: it would hold
	// back 50 claims of one apply to 5 requests a second, and the API server's own priority and fairness, whose 429
	// client-go obeys, is the better judge.
	Config    *rest.Config
	Namespace string // the namespace to work in: that of the settings, else the context's
	Source    string // in one phrase where the connection came from, such as: config_path "/etc/garden", context "live"
}

// Resolve builds the connection that the settings describe: it reads the kubeconfigs, chooses the context, applies the
// overrides and checks the outcome, and it never dials. userAgent is what requests carry as their User-Agent.
//
// A problem with one setting is a *SettingError; where no server is named at all it is a *NotConfiguredError. Neither
// shows a secret.
func Resolve(s Settings, userAgent string) (*Connection, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := checkPairs(&s); err != nil {
		return nil, err
	}
	if len(s.has(serverSetting)) == 0 {
		return nil, s.notConfigured()
	}
	t := newTarget("host", s.label("host"))
	if s.namesKubeconfig() {
		var err error
		if t, err = s.fromKubeconfig(); err != nil {
			return nil, err
		}
	}
	s.override(t)
	namespace, err := s.chooseNamespace(t)
	if err != nil {
		return nil, err
	}
	cfg, err := s.clientConfig(t)
	if err != nil {
		return nil, err
	}
	cfg.UserAgent = userAgent
	return &Connection{Config: cfg, Namespace: namespace, Source: t.source}, nil
}

// target is where a connection goes and who asks: a kubeconfig's context with the overrides on top.
type target struct {
	setting   string // the setting to report problems at
	source    string // for Connection.Source
	context   string // the context's name, "" where there is none
	namespace string // the context's namespace

	clusterName string
	cluster     *api.Cluster
	user        *api.AuthInfo
}

func newTarget(setting, source string) *target {
	return &target{setting: setting, source: source, cluster: api.NewCluster(), user: api.NewAuthInfo()}
}

// override puts what the settings say on top of what the kubeconfig says.
func (s *Settings) override(t *target) {
	t.cluster.Server = orElse(s.Host, t.cluster.Server)
	t.cluster.TLSServerName = orElse(s.TLSServerName, t.cluster.TLSServerName)
	if !s.keepsProxy(t) {
		t.cluster.ProxyURL = orElse(s.ProxyURL, t.cluster.ProxyURL)
	}
	if s.Insecure != nil {
		t.cluster.InsecureSkipTLSVerify = *s.Insecure
		if *s.Insecure { // client-go refuses a CA that is not used
			t.cluster.CertificateAuthority, t.cluster.CertificateAuthorityData = "", nil
		}
	}
	if s.ClusterCACertificate != nil {
		t.cluster.CertificateAuthority, t.cluster.CertificateAuthorityData = "", []byte(*s.ClusterCACertificate)
		t.cluster.InsecureSkipTLSVerify = false
	}
	if len(s.has(credentials...)) > 0 {
		t.user = s.user()
	}
	var over []string
	for _, name := range s.has(slices.Concat(credentials, []group{serverSetting, transportSetting})...) {
		if !strings.HasPrefix(name, "config_") && (name != "proxy_url" || !s.keepsProxy(t)) {
			over = append(over, s.label(name))
		}
	}
	if len(over) > 0 && s.namesKubeconfig() {
		t.source += ", overridden by " + strings.Join(over, ", ")
	}
}

// keepsProxy reports whether the kubeconfig names the proxy: one that is given, and has a proxy, is not overridden by the environment.
func (s *Settings) keepsProxy(t *target) bool {
	given := s.namesKubeconfig() && s.variables["config_path"] == "" && s.variables["config_paths"] == ""
	return given && s.variables["proxy_url"] != "" && t.cluster.ProxyURL != "" && t.cluster.ProxyURL != *s.ProxyURL
}

// user returns the user that the settings describe.
func (s *Settings) user() *api.AuthInfo {
	user := api.NewAuthInfo()
	user.Token = strings.TrimSpace(orElse(s.Token, "")) // file("token") ends in a line break
	user.Username, user.Password = orElse(s.Username, ""), orElse(s.Password, "")
	user.ClientCertificateData, user.ClientKeyData = []byte(orElse(s.ClientCertificate, "")), []byte(orElse(s.ClientKey, ""))
	if s.Exec != nil {
		user.Exec = &api.ExecConfig{
			APIVersion: s.Exec.APIVersion, Command: s.Exec.Command, Args: slices.Clone(s.Exec.Args), InteractiveMode: api.NeverExecInteractiveMode,
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

// chooseNamespace returns the namespace of the settings, else the context's. The namespace "default" is never assumed.
func (s *Settings) chooseNamespace(t *target) (string, error) {
	switch {
	case s.Namespace != nil:
		return *s.Namespace, nil
	case t.namespace == "":
		looked, context := s.Place.Namespace+" is not set", "there is no context that could name one"
		if s.Place.NamespaceVariable != "" {
			looked = s.Place.Namespace + " and " + s.Place.NamespaceVariable + " are not set"
		}
		if t.context != "" {
			context = fmt.Sprintf("the context %q names none", t.context)
		}
		return "", s.problem("namespace", "the namespace of %s is not known: %s, and %s. Set it: the namespace \"default\" is not assumed.",
			s.Place.NamespaceOf, looked, context)
	}
	if wrong := validation.IsDNS1123Label(t.namespace); len(wrong) > 0 {
		return "", s.problem("namespace", "%q, which the context %q names, is not the name of a namespace: %s.", t.namespace, t.context, wrong[0])
	}
	return t.namespace, nil
}

// clientConfig makes the client-go configuration of the target. A server and a proxy are checked before client-go sees
// them, because its messages quote them.
func (s *Settings) clientConfig(t *target) (*rest.Config, error) {
	if _, problem := checkURL(t.cluster.Server); problem != "" {
		return nil, s.problem(t.setting, "the server of the cluster %q in the kubeconfig: %s", t.clusterName, problem)
	}
	if t.cluster.ProxyURL != "" && !isProxy(t.cluster.ProxyURL) {
		return nil, s.problem(t.setting, "the proxy-url of the cluster %q in the kubeconfig: %s", t.clusterName, notProxyURL)
	}
	if err := s.checkCommand(t); err != nil {
		return nil, err
	}
	withoutRenewal(t.user)
	effective := api.NewConfig()
	effective.Clusters["effective"], effective.AuthInfos["effective"] = t.cluster, t.user
	effective.Contexts["effective"] = &api.Context{Cluster: "effective", AuthInfo: "effective"}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*effective, "effective", &clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, s.problem(t.setting, "the connection cannot be used: %s.", t.redact(err))
	}
	cfg.QPS = -1
	cfg.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	if cfg.ExecProvider != nil {
		cfg.ExecProvider.StdinUnavailable = true
		cfg.ExecProvider.StdinUnavailableMessage = "there is no terminal"
	}
	// This reads the certificates and sets up the auth plugins, which finds what is wrong with them. It does not dial.
	if _, _, err := httpClientFor(cfg); err != nil {
		return nil, s.problem(t.setting, "the certificates or credentials cannot be used: %s.", t.redact(err))
	}
	return cfg, nil
}

// checkCommand finds a command with its arguments in it: client-go would quote both, and an argument may be secret.
func (s *Settings) checkCommand(t *target) error {
	if t.user.Exec == nil || !strings.ContainsFunc(t.user.Exec.Command, unicode.IsSpace) {
		return nil
	}
	if _, err := exec.LookPath(t.user.Exec.Command); err == nil || errors.Is(err, exec.ErrDot) {
		return nil
	}
	setting := t.setting
	if s.Exec != nil {
		setting = "exec.command"
	}
	return s.problem(setting, "exec: there is no program of the command's name, with the blanks in it (%s, not shown: it may hold a secret). "+
		"Arguments go to args.", words.Count(len(t.user.Exec.Command), "character"))
}

// withoutRenewal keeps client-go's oidc plugin (auth-provider of a kubeconfig) from renewing a token by itself: it would send the refresh
// token and the client's secret wherever the issuer redirects to, and has no place to keep what it gets. The id-token is used as it is.
func withoutRenewal(user *api.AuthInfo) {
	if user.AuthProvider == nil {
		return
	}
	plugin := *user.AuthProvider
	plugin.Config = maps.Clone(plugin.Config)
	delete(plugin.Config, "refresh-token")
	delete(plugin.Config, "client-secret")
	user.AuthProvider = &plugin
}

// redact returns a message of client-go without the secrets of the target, also those that are written in place of a path.
func (t *target) redact(err error) string {
	secrets := []string{t.user.Token, t.user.Password, string(t.user.ClientKeyData), t.cluster.ProxyURL}
	if t.user.Exec != nil {
		secrets = append(secrets, t.user.Exec.Args...)
		for _, v := range t.user.Exec.Env {
			secrets = append(secrets, v.Value)
		}
	}
	if t.user.AuthProvider != nil {
		secrets = slices.AppendSeq(secrets, maps.Values(t.user.AuthProvider.Config))
	}
	for _, path := range []string{t.user.ClientKey, t.user.ClientCertificate, t.user.TokenFile, t.cluster.CertificateAuthority} {
		if !words.QuotesAsPath(path) {
			secrets = append(secrets, path)
		}
	}
	message := err.Error()
	for _, secret := range secrets {
		if len(secret) > 3 {
			message = strings.ReplaceAll(message, secret, "(secret)")
		}
	}
	return strings.TrimRight(message, ".")
}
