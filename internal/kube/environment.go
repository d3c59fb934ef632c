package kube

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// FromEnvironment fills the unset fields of s from the environment variables of its place and returns the result; s stays
// as it is. An empty variable is unset. The package documentation says which settings keep which variables from being
// read. A *SettingError says that a variable that is read holds no value for its setting.
//
// getenv is [os.Getenv] outside of tests.
func FromEnvironment(getenv func(string) string, s Settings) (Settings, error) {
	given := s
	s.variables, s.notRead = map[string]string{}, nil
	s.kubeconfigVariable = getenv("KUBECONFIG") != ""
	for _, row := range table {
		variable := s.Place.variable(row)
		if variable == "" || given.isSet(row) {
			continue
		}
		value := getenv(variable)
		if value == "" {
			continue
		}
		if given.excludes(row) || row.name == "config_paths" && s.ConfigPath != nil {
			s.notRead = append(s.notRead, variable)
			continue
		}
		s.variables[row.name] = variable
		if err := s.set(row, value); err != nil {
			return Settings{}, err
		}
	}
	return s, nil
}

// NotRead returns the environment variables that are set and were not read, because a setting excludes them.
func (s Settings) NotRead() []string { return slices.Clone(s.notRead) }

// set sets a setting to the value of its variable.
func (s *Settings) set(row setting, value string) error {
	switch row.name {
	case "config_paths":
		s.ConfigPaths = slices.DeleteFunc(filepath.SplitList(value), func(path string) bool { return path == "" })
	case "insecure":
		insecure, err := strconv.ParseBool(strings.TrimSpace(value))
		if err != nil {
			return s.problem(row.name, "the value is not a boolean: write true or false.")
		}
		s.Insecure = &insecure
	default:
		*row.text(s) = &value
	}
	return nil
}

// excludes reports whether what is given keeps the variable of another setting from being read.
func (s *Settings) excludes(row setting) bool {
	switch row.group {
	case namespaceSetting:
		return false
	case choiceSetting:
		return len(s.has(choiceSetting)) > 0 || s.Host != nil && !s.namesKubeconfig()
	case serverSetting:
		return s.Host != nil || s.namesKubeconfig()
	}
	switch {
	case row.name == "proxy_url": // it says how servers are reached from here, whichever they are
		return false
	case s.namesKubeconfig():
		return true
	case row.name == "cluster_ca_certificate":
		return s.Insecure != nil && *s.Insecure
	case row.name == "insecure":
		return s.ClusterCACertificate != nil
	case row.group == transportSetting:
		return false
	}
	return len(s.has(credentials...)) > 0 && len(s.has(row.group)) == 0
}
