package kube

import (
	"fmt"
	"strings"
)

// SettingError says what is wrong with one setting, and what to do about it. Its text shows no secret.
type SettingError struct {
	Place    Place  // where the settings of the connection are written
	Setting  string // the setting to report at, such as "config_path", "exec.command" or "namespace"
	Variable string // the environment variable that the value came from; empty = none
	Problem  string // what is wrong and what to do, in one or two sentences
	err      error
}

func (e *SettingError) Error() string {
	label := strings.Join(e.Path(), ".")
	if e.Variable != "" {
		label += " (from the environment variable " + e.Variable + ")"
	}
	return label + ": " + e.Problem
}

// Unwrap returns the cause where it has a type, such as [io/fs.ErrNotExist].
func (e *SettingError) Unwrap() error { return e.err }

// Path returns the steps to the setting, those of its place first.
func (e *SettingError) Path() []string {
	switch {
	case e.Setting == "namespace" && e.Place.Namespace != "":
		return strings.Split(e.Place.Namespace, ".")
	case e.Place.Object == "":
		return strings.Split(e.Setting, ".")
	}
	return strings.Split(e.Place.Object+"."+e.Setting, ".")
}

// NotConfiguredError says that nothing names an API server, neither a setting nor an environment variable.
type NotConfiguredError struct {
	Place              Place // where the settings of the connection are written
	KubeconfigVariable bool  // KUBECONFIG is set. It is not read

	// servers are the settings that could have named a server, others the rest; each says whether it is set.
	servers, others []string
}

func (e *NotConfiguredError) Error() string {
	variables, kubeconfig := "", ""
	if e.Place.Prefix != "" {
		variables = ", or its environment variable"
	}
	if e.KubeconfigVariable {
		kubeconfig = "KUBECONFIG is set, but it is not read (as in the providers hashicorp/kubernetes and hashicorp/helm).\n"
		if prefix := e.Place.Prefix; prefix != "" {
			kubeconfig += fmt.Sprintf("Set %sCONFIG_PATH, or %sCONFIG_PATHS for several files, to the same value.\n", prefix, prefix)
		}
	}
	return fmt.Sprintf("no connection to %s is configured: nothing says where its API server is. Set one of these in %s%s:\n  - %s\n"+
		"Looked at as well, none of them names a server: %s.\n%s"+
		"There is no default: neither localhost nor the service account of a pod is tried.",
		e.Place.API, e.Place.Object, variables, strings.Join(e.servers, "\n  - "), strings.Join(e.others, ", "), kubeconfig)
}

// problem returns the error for a setting, with the variable where the value came from the environment.
func (s *Settings) problem(name, format string, args ...any) *SettingError {
	row, _, _ := strings.Cut(name, ".")
	return &SettingError{Place: s.Place, Setting: name, Variable: s.variables[row], Problem: fmt.Sprintf(format, args...)}
}

// notConfigured returns the error for settings that name no server.
func (s *Settings) notConfigured() *NotConfiguredError {
	e := &NotConfiguredError{Place: s.Place, KubeconfigVariable: s.kubeconfigVariable}
	for _, row := range table {
		looked, state := row.name, ": not set"
		if variable := s.Place.variable(row); variable != "" {
			looked += " (" + variable + ")"
		}
		if s.isSet(row) {
			state = ": set"
		}
		switch row.group {
		case namespaceSetting:
		case serverSetting:
			e.servers = append(e.servers, looked+state)
		default:
			e.others = append(e.others, looked+state)
		}
	}
	return e
}
