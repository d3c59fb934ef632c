package kubeconn

import (
	"fmt"
	"strings"
)

// SettingError says what is wrong with one setting, and what to do about it. Its text shows no secret.
type SettingError struct {
	// Attribute is the attribute to report at, such as "config_path", "exec.command" or "namespace".
	Attribute string
	// Variable is the environment variable that the value came from; empty for an attribute of the provider block.
	Variable string
	// Problem is what is wrong and what to do, in one or two sentences.
	Problem string

	err error
}

// Error returns the attribute, where its value came from, and the problem.
func (e *SettingError) Error() string {
	label := strings.Join(e.Path(), ".")
	if e.Variable != "" {
		label += " (from the environment variable " + e.Variable + ")"
	}
	return label + ": " + e.Problem
}

// Unwrap returns the cause where there is one that can be told apart, such as [io/fs.ErrNotExist].
func (e *SettingError) Unwrap() error { return e.err }

// Path returns the steps to the attribute from the root of the provider block: all settings stand in the object
// kubernetes, except the namespace, which stands beside it.
func (e *SettingError) Path() []string {
	if e.Attribute == namespaceAttribute {
		return []string{namespaceAttribute}
	}
	return append([]string{"kubernetes"}, strings.Split(e.Attribute, ".")...)
}

// NotConfiguredError says that nothing names an API server, neither an attribute nor an environment variable. Report
// it at the provider block's kubernetes object.
type NotConfiguredError struct {
	// LookedAt are the attributes that were looked at, each with its environment variable, and whether it is set.
	LookedAt []LookedAt
	// KubeconfigVariable says that KUBECONFIG is set. It is not read.
	KubeconfigVariable bool
}

// LookedAt is one attribute that was looked at when a connection was wanted.
type LookedAt struct {
	// Attribute is its name in the kubernetes object.
	Attribute string
	// Variable is its environment variable; empty where there is none.
	Variable string
	// NamesServer says that this attribute alone would have been enough to find an API server.
	NamesServer bool
	// Set says that it is set, as an attribute or in the environment.
	Set bool
}

// Error lists what was looked at.
func (e *NotConfiguredError) Error() string {
	var b strings.Builder
	b.WriteString("no connection to the Garden API is configured: nothing says where its API server is. " +
		"Set one of these attributes of the provider's kubernetes object, or its environment variable:\n")
	for _, l := range e.LookedAt {
		if l.NamesServer {
			fmt.Fprintf(&b, "  - %s\n", l)
		}
	}
	var rest []string
	for _, l := range e.LookedAt {
		if !l.NamesServer {
			rest = append(rest, l.String())
		}
	}
	fmt.Fprintf(&b, "Looked at as well, none of them names a server: %s.\n", strings.Join(rest, ", "))
	if e.KubeconfigVariable {
		b.WriteString("KUBECONFIG is set, but it is not read (as in the providers hashicorp/kubernetes and hashicorp/helm): " +
			"set KUBE_CONFIG_PATH, or KUBE_CONFIG_PATHS for several files, to the same value.\n")
	}
	b.WriteString("There is no default: neither localhost nor the service account of a pod is tried.")
	return b.String()
}

// String returns the attribute, its variable, and whether it is set.
func (l LookedAt) String() string {
	s := l.Attribute
	if l.Variable != "" {
		s += " (" + l.Variable + ")"
	}
	if l.Set {
		return s + ": set"
	}
	return s + ": not set"
}

// problem returns the error for one attribute; the variable is filled in where the value came from the environment.
func (s *Settings) problem(attribute, format string, args ...any) *SettingError {
	name, _, _ := strings.Cut(attribute, ".")
	return &SettingError{Attribute: attribute, Variable: s.variables[name], Problem: fmt.Sprintf(format, args...)}
}

// notConfigured returns the error for settings that name no server.
func (s *Settings) notConfigured() *NotConfiguredError {
	e := &NotConfiguredError{KubeconfigVariable: s.kubeconfigVariable}
	for _, a := range attributes {
		if a.name == namespaceAttribute {
			continue
		}
		e.LookedAt = append(e.LookedAt, LookedAt{
			Attribute: a.name, Variable: a.variable, NamesServer: namesServer(a.name), Set: a.isSet(s),
		})
	}
	return e
}

func namesServer(attribute string) bool {
	switch attribute {
	case "config_path", "config_paths", "config_raw", "host":
		return true
	}
	return false
}
