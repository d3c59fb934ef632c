package kubeconn

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// DefaultExecAPIVersion is the version of ExecCredential that an exec plugin prints unless it says otherwise.
const DefaultExecAPIVersion = "client.authentication.k8s.io/v1"

// Check finds what is wrong with the settings by themselves, before any file is read: values that are empty or
// malformed, and settings that exclude or need each other. It returns a *SettingError or nil. Resolve calls it; a
// caller that wants to report such mistakes earlier may call it as well.
func (s Settings) Check() error {
	for _, check := range []func(*Settings) error{
		checkEmpty, checkKubeconfigSource, checkServer, checkTLS, checkCredentials, checkNamespace,
	} {
		if err := check(&s); err != nil {
			return err
		}
	}
	return nil
}

func checkEmpty(s *Settings) error {
	for _, a := range attributes {
		if a.field == nil || !a.isSet(s) {
			continue
		}
		if strings.TrimSpace(**a.field(s)) == "" {
			switch {
			case s.variables[a.name] != "":
				return s.problem(a.name, "the value is blank.")
			case a.variable == "":
				return s.problem(a.name, "the value is empty. Leave the attribute out, or set it to null.")
			}
			return s.problem(a.name, "the value is empty. Leave the attribute out, or set it to null, to take %s from the environment.", a.variable)
		}
	}
	return nil
}

func checkKubeconfigSource(s *Settings) error {
	switch {
	case s.ConfigPath != nil && s.ConfigPaths != nil:
		return s.problem("config_path", "config_path and config_paths exclude each other: set one of them.")
	case s.ConfigPath != nil && s.ConfigRaw != nil:
		return s.problem("config_path", "config_path and config_raw exclude each other: set one of them.")
	case s.ConfigPaths != nil && s.ConfigRaw != nil:
		return s.problem("config_paths", "config_paths and config_raw exclude each other: set one of them.")
	case s.ConfigPath != nil && isKubeconfigText(*s.ConfigPath):
		return s.problem("config_path", "the value is not a path. The text of a kubeconfig goes to config_raw.")
	case s.ConfigPaths != nil && len(s.ConfigPaths) == 0:
		return s.problem("config_paths", "the list is empty. Name at least one kubeconfig, or leave the attribute out.")
	}
	for i, p := range s.ConfigPaths {
		if strings.TrimSpace(p) == "" {
			return s.problem("config_paths", "path %d of %d is empty.", i+1, len(s.ConfigPaths))
		}
		if isKubeconfigText(p) {
			return s.problem("config_paths", "path %d of %d is not a path. The text of a kubeconfig goes to config_raw.", i+1, len(s.ConfigPaths))
		}
	}
	if s.Host == nil || s.namesKubeconfig() {
		return nil
	}
	for _, a := range attributes {
		switch a.name {
		case "config_context", "config_context_auth_info", "config_context_cluster":
			if a.isSet(s) {
				return s.problem(a.name, "there is no kubeconfig to look it up in: with host as an attribute, "+
					"KUBE_CONFIG_PATH and KUBE_CONFIG_PATHS are not read. Set config_path, config_paths or config_raw, or remove %s.", a.name)
			}
		}
	}
	return nil
}

func checkServer(s *Settings) error {
	if s.Host != nil {
		u, problem := parseServer(*s.Host)
		if problem != "" {
			return s.problem("host", "%s", problem)
		}
		if u.Scheme == "http" && len(s.credentialKinds()) > 0 {
			return s.problem("host", "the URL starts with http://, and credentials are not sent without TLS: use https://, or remove the credentials.")
		}
	}
	if s.ProxyURL != nil {
		if problem := checkProxy(*s.ProxyURL); problem != "" {
			return s.problem("proxy_url", "%s", problem)
		}
	}
	return nil
}

func checkTLS(s *Settings) error {
	if s.ClusterCACertificate == nil {
		return nil
	}
	if problem := checkCertificates(*s.ClusterCACertificate); problem != "" {
		return s.problem("cluster_ca_certificate", "%s", problem)
	}
	if s.Insecure != nil && *s.Insecure {
		return s.problem("insecure", "insecure and cluster_ca_certificate exclude each other: "+
			"a certificate that is not checked needs no CA. Remove one of them.")
	}
	return nil
}

func checkCredentials(s *Settings) error {
	if s.Token != nil && strings.ContainsFunc(strings.TrimSpace(*s.Token), notInHeader) {
		return s.problem("token", "the token holds a blank, a line break or another character that no token has.")
	}
	switch {
	case s.Username != nil && s.Password == nil:
		return s.problem("username", "basic authentication needs a password as well: set password, or KUBE_PASSWORD.")
	case s.Password != nil && s.Username == nil:
		return s.problem("password", "basic authentication needs a user name as well: set username, or KUBE_USER.")
	case s.ClientCertificate != nil && s.ClientKey == nil:
		return s.problem("client_certificate", "a client certificate needs its key as well: set client_key, or KUBE_CLIENT_KEY_DATA.")
	case s.ClientKey != nil && s.ClientCertificate == nil:
		return s.problem("client_key", "a client key needs its certificate as well: set client_certificate, or KUBE_CLIENT_CERT_DATA.")
	}
	if s.ClientCertificate != nil {
		if problem := checkCertificates(*s.ClientCertificate); problem != "" {
			return s.problem("client_certificate", "%s", problem)
		}
		if problem := checkKey(*s.ClientKey); problem != "" {
			return s.problem("client_key", "%s", problem)
		}
		if _, err := tls.X509KeyPair([]byte(*s.ClientCertificate), []byte(*s.ClientKey)); err != nil {
			return s.problem("client_key", "the key does not fit client_certificate: they are not a pair, or the key is malformed.")
		}
	}
	if err := checkExec(s); err != nil {
		return err
	}
	if s.Token != nil && s.Username != nil {
		return s.problem("token", "token and username exclude each other: a request carries one of them.")
	}
	return nil
}

func checkExec(s *Settings) error {
	if s.Exec == nil {
		return nil
	}
	if strings.TrimSpace(s.Exec.Command) == "" {
		return s.problem("exec.command", "exec needs the command to run.")
	}
	switch s.Exec.APIVersion {
	case "", DefaultExecAPIVersion, "client.authentication.k8s.io/v1beta1":
	default:
		return s.problem("exec.api_version", "%q is not a version of ExecCredential that can be read: "+
			"client.authentication.k8s.io/v1 (the default) and client.authentication.k8s.io/v1beta1 can.", s.Exec.APIVersion)
	}
	for name := range s.Exec.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return s.problem("exec.env", "the name of a variable is empty, or it holds an equals sign.")
		}
	}
	if len(s.credentialKinds()) > 1 {
		return s.problem("exec", "exec excludes token, username, password, client_certificate and client_key: "+
			"the program says who asks. Remove exec or the others.")
	}
	return nil
}

func checkNamespace(s *Settings) error {
	if s.Namespace == nil {
		return nil
	}
	if msgs := validation.IsDNS1123Label(*s.Namespace); len(msgs) > 0 {
		return s.problem(namespaceAttribute, "%q is not the name of a namespace: %s.", *s.Namespace, msgs[0])
	}
	return nil
}

// parseServer parses the URL of an API server. The problem does not quote it: a URL may hold a password.
func parseServer(server string) (u *url.URL, problem string) {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, "the value is not the URL of an API server: write https://<host>[:<port>]."
	case u.User != nil:
		return nil, "the URL holds a user: set username and password instead."
	case u.RawQuery != "" || u.Fragment != "":
		return nil, "the URL of an API server has neither a query nor a fragment: write https://<host>[:<port>]."
	}
	return u, ""
}

// checkProxy says what keeps text from being the URL of a proxy, or "". It does not quote it: it may hold a password.
func checkProxy(proxy string) (problem string) {
	u, err := url.Parse(proxy)
	if err == nil && u.Hostname() != "" {
		switch u.Scheme {
		case "http", "https", "socks5":
			return ""
		}
	}
	return "the value is not the URL of a proxy: write http://, https:// or socks5:// and the host."
}

// checkCertificates says what keeps text from being one or more PEM certificates, or "". Of a bundle, one certificate
// that can be read is enough, as it is for client-go.
func checkCertificates(text string) (problem string) {
	rest := []byte(text)
	for n := 0; ; n++ {
		var block *pem.Block
		switch block, rest = pem.Decode(rest); {
		case block == nil && n == 0:
			return "the value is not a PEM certificate: it must start with -----BEGIN CERTIFICATE-----" + base64Hint(text)
		case block == nil:
			return "no PEM block of the value holds a certificate that can be read."
		case block.Type == "CERTIFICATE":
			if _, err := x509.ParseCertificate(block.Bytes); err == nil {
				return ""
			}
		}
	}
}

// checkKey says what keeps text from being a PEM key, or "".
func checkKey(text string) (problem string) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return "the value is not a PEM key: it must start with -----BEGIN ... PRIVATE KEY-----" + base64Hint(text)
	}
	return ""
}

// base64Hint ends the sentence about a value that should be PEM text: kubeconfigs hold such values in base64.
func base64Hint(text string) string {
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err == nil && strings.Contains(string(decoded), "-----BEGIN ") {
		return ". It looks base64-encoded, as in a kubeconfig: wrap it in base64decode()."
	}
	return "."
}

// notInHeader says whether a character cannot be part of a bearer token.
func notInHeader(r rune) bool { return r <= ' ' || r > '~' }
