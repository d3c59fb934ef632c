package kube

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// What is said of values that must be URLs or PEM. The values are not quoted: they may hold a password or a key.
const (
	notServerURL   = "the value is not the URL of an API server: write https://<host>[:<port>]."
	notProxyURL    = "the value is not the URL of a proxy: write http://, https:// or socks5:// and the host."
	notCertificate = "the value is not a PEM certificate: it must start with -----BEGIN CERTIFICATE-----. " +
		"A kubeconfig holds it in base64: decode that first."
	notKey = "the value is not a PEM key: it must start with -----BEGIN ... PRIVATE KEY-----. " +
		"A kubeconfig holds it in base64: decode that first."
)

// Check finds what is wrong with the settings by themselves, before the environment and any file is read: values that are
// empty or malformed, and settings that exclude each other. It returns a *SettingError or nil. [Resolve] calls it; a
// caller that wants to report such mistakes earlier calls it as well.
func (s Settings) Check() error {
	for _, check := range []func(*Settings) error{checkEmpty, checkKubeconfig, checkServer, checkCredentials, checkNamespace} {
		if err := check(&s); err != nil {
			return err
		}
	}
	return nil
}

// rule is one thing that can be wrong with a setting.
type rule struct {
	broken           bool
	setting, problem string
}

// follows returns the problem of the first rule that is broken.
func (s *Settings) follows(rules ...rule) error {
	for _, r := range rules {
		if r.broken {
			return s.problem(r.setting, "%s", r.problem)
		}
	}
	return nil
}

func checkEmpty(s *Settings) error {
	for _, row := range table {
		if row.text != nil && s.isSet(row) && strings.TrimSpace(**row.text(s)) == "" {
			return s.problem(row.name, "the value is empty or blank: set it, or leave it unset.")
		}
	}
	return nil
}

func checkKubeconfig(s *Settings) error {
	named := slices.DeleteFunc(s.has(serverSetting), func(name string) bool { return name == "host" })
	if len(named) > 1 {
		return s.problem(named[0], "%s and %s exclude each other: set one of them.", named[0], named[1])
	}
	name, paths := s.paths()
	if s.ConfigPaths != nil && len(paths) == 0 {
		return s.problem(name, "the list is empty. Name at least one kubeconfig, or leave it out.")
	}
	for i, path := range paths {
		which := "the value"
		if s.ConfigPaths != nil {
			which = fmt.Sprintf("path %d of %d", i+1, len(paths))
		}
		switch {
		case strings.TrimSpace(path) == "":
			return s.problem(name, "%s is empty.", which)
		case words.NoPath(path) != "": // an error about the file would quote it
			return s.problem(name, "%s is not a path: it reads like %s, and has %s. The text of a kubeconfig goes to config_raw, "+
				"decoded where it is in base64, and a token to token.", which, words.NoPath(path), words.Count(len(path), "character"))
		}
	}
	if choices := s.has(choiceSetting); len(choices) > 0 && s.Host != nil && !s.namesKubeconfig() {
		return s.problem(choices[0], "there is no kubeconfig to look it up in: beside host, those of the environment are not read. "+
			"Set config_path, config_paths or config_raw, or remove %s.", choices[0])
	}
	return nil
}

func checkServer(s *Settings) error {
	if s.Host != nil {
		scheme, problem := checkURL(*s.Host)
		switch {
		case problem != "":
			return s.problem("host", "%s", problem)
		case scheme == "http" && len(s.has(credentials...)) > 0:
			return s.problem("host", "the URL starts with http://, and credentials are not sent without TLS: "+
				"use https://, or remove the credentials.")
		}
	}
	ca := s.ClusterCACertificate
	return s.follows(
		rule{s.ProxyURL != nil && !isProxy(*s.ProxyURL), "proxy_url", notProxyURL},
		rule{ca != nil && !hasCertificate(*ca), "cluster_ca_certificate", notCertificate},
		rule{ca != nil && s.Insecure != nil && *s.Insecure, "insecure",
			"insecure and cluster_ca_certificate exclude each other: a certificate that is not checked needs no CA. Remove one of them."},
	)
}

func checkCredentials(s *Settings) error {
	certificate, key := s.ClientCertificate, s.ClientKey
	if err := s.follows(
		rule{s.Token != nil && strings.ContainsFunc(strings.TrimSpace(*s.Token), notInHeader), "token",
			"the token holds a blank, a line break or another character that no token has."},
		rule{s.Token != nil && len(s.has(basicSetting)) > 0, "token",
			"token and username exclude each other: a request carries one of them."},
		rule{certificate != nil && !hasCertificate(*certificate), "client_certificate", notCertificate},
		rule{key != nil && !isPEM(*key), "client_key", notKey},
		rule{certificate != nil && key != nil && !isPair(*certificate, *key), "client_key",
			"the key does not fit client_certificate: they are not a pair, or the key is malformed."},
	); err != nil || s.Exec == nil {
		return err
	}
	versions := []string{"", DefaultExecAPIVersion, "client.authentication.k8s.io/v1beta1"}
	badName := false
	for name := range s.Exec.Env {
		badName = badName || name == "" || strings.ContainsAny(name, "=\x00")
	}
	return s.follows(
		rule{strings.TrimSpace(s.Exec.Command) == "", "exec.command", "exec needs the command to run."},
		rule{!slices.Contains(versions, s.Exec.APIVersion), "exec.api_version", fmt.Sprintf("%q is not a version of ExecCredential "+
			"that can be read: %s (the default) and %s can.", s.Exec.APIVersion, versions[1], versions[2])},
		rule{badName, "exec.env", "the name of a variable is empty, or it holds an equals sign."},
		rule{len(s.has(credentials...)) > 1, "exec", "exec excludes token, username, password, client_certificate and client_key: " +
			"the program says who asks. Remove exec or the others."},
	)
}

// checkPairs finds credentials of which one half is missing, also in the environment.
func checkPairs(s *Settings) error {
	for _, kind := range []group{basicSetting, certificateSetting} {
		if half := s.has(kind); len(half) == 1 {
			return s.problem(half[0], "the other half is missing: username goes with password, client_certificate with client_key.")
		}
	}
	return nil
}

func checkNamespace(s *Settings) error {
	if s.Namespace == nil {
		return nil
	}
	if wrong := validation.IsDNS1123Label(*s.Namespace); len(wrong) > 0 {
		return s.problem("namespace", "%q is not the name of a namespace: %s.", *s.Namespace, wrong[0])
	}
	return nil
}

// checkURL says what keeps text from being the URL of an API server, or "".
func checkURL(text string) (scheme, problem string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", notServerURL
	case u.User != nil:
		return "", "the URL holds a user: set username and password instead."
	case u.RawQuery != "" || u.Fragment != "":
		return "", "the URL of an API server has neither a query nor a fragment: write https://<host>[:<port>]."
	}
	return u.Scheme, ""
}

func isProxy(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5"}, u.Scheme)
}

// hasCertificate reports whether text holds a PEM certificate that can be read. Of a bundle one is enough, as for client-go.
func hasCertificate(text string) bool { return x509.NewCertPool().AppendCertsFromPEM([]byte(text)) }

func isPEM(text string) bool {
	block, _ := pem.Decode([]byte(text))
	return block != nil
}

func isPair(certificate, key string) bool {
	_, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	return err == nil
}

// notInHeader says whether a character cannot be part of a bearer token.
func notInHeader(r rune) bool { return r <= ' ' || r > '~' }
