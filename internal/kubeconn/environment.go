package kubeconn

import (
	"maps"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// FromEnvironment fills the unset fields of s from the environment variables of hashicorp/kubernetes and from
// HAP_NAMESPACE, and returns the result; s stays as it is. An empty variable is unset. The package documentation says
// which attributes keep which variables from being read. It is an error when a variable that is read holds no value
// for its attribute: a KUBE_INSECURE that is not a boolean.
//
// getenv is [os.Getenv] outside of tests.
func FromEnvironment(getenv func(string) string, s Settings) (Settings, error) {
	given := s // what the attributes say; s is filled below
	s.variables = maps.Clone(s.variables)
	if s.variables == nil {
		s.variables = map[string]string{}
	}
	s.notRead = nil
	s.kubeconfigVariable = getenv("KUBECONFIG") != ""
	if s.home = getenv("HOME"); runtime.GOOS == "windows" {
		s.home = getenv("USERPROFILE")
	}

	for _, a := range attributes {
		if a.variable == "" || a.isSet(&given) {
			continue
		}
		value := getenv(a.variable)
		if value == "" {
			continue
		}
		if excluded(&given, a.name) || a.name == "config_paths" && s.ConfigPath != nil {
			s.notRead = append(s.notRead, a.variable)
			continue
		}
		s.variables[a.name] = a.variable
		if problem := a.set(&s, value); problem != "" {
			return Settings{}, s.problem(a.name, "%s", problem)
		}
	}
	return s, nil
}

// excluded says whether the attributes that are given keep the variable of another attribute from being read.
func excluded(given *Settings, attribute string) bool {
	switch attribute {
	case namespaceAttribute:
		return false
	case "config_context", "config_context_auth_info", "config_context_cluster":
		return given.choosesInKubeconfig() || given.Host != nil && !given.namesKubeconfig()
	case "host", "config_path", "config_paths":
		return given.Host != nil || given.namesKubeconfig()
	}
	if given.namesKubeconfig() {
		return true
	}
	switch attribute {
	case "cluster_ca_certificate":
		return given.Insecure != nil && *given.Insecure
	case "insecure":
		return given.ClusterCACertificate != nil
	}
	if kind := credentialKind(attribute); kind != "" {
		kinds := given.credentialKinds()
		return len(kinds) > 0 && !kinds[kind]
	}
	return false
}

func (s *Settings) namesKubeconfig() bool {
	return s.ConfigPath != nil || s.ConfigPaths != nil || s.ConfigRaw != nil
}

func (s *Settings) choosesInKubeconfig() bool {
	return s.ConfigContext != nil || s.ConfigContextAuthInfo != nil || s.ConfigContextCluster != nil
}

// credentialKind returns which way of authentication an attribute belongs to, or "".
func credentialKind(attribute string) string {
	switch attribute {
	case "token", "exec":
		return attribute
	case "username", "password":
		return "basic"
	case "client_certificate", "client_key":
		return "certificate"
	}
	return ""
}

// credentialKinds returns the ways of authentication that are set.
func (s *Settings) credentialKinds() map[string]bool {
	kinds := map[string]bool{}
	for _, a := range attributes {
		if kind := credentialKind(a.name); kind != "" && a.isSet(s) {
			kinds[kind] = true
		}
	}
	return kinds
}

func setInsecure(s *Settings, v string) (problem string) {
	insecure, err := strconv.ParseBool(strings.TrimSpace(v))
	if err != nil {
		return "the value is not a boolean: write true or false."
	}
	s.Insecure = &insecure
	return ""
}

// splitList splits the value of a variable that lists paths, as the operating system writes such lists.
func splitList(v string) []string {
	paths := []string{}
	for _, p := range filepath.SplitList(v) {
		if p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}
