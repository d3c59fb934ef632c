package kube

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// fromKubeconfig reads the kubeconfigs that the settings name, and chooses in them.
func (s *Settings) fromKubeconfig() (*target, error) {
	t, kubeconfig, err := s.load()
	if err != nil {
		return nil, err
	}
	context, err := s.chooseContext(t, kubeconfig)
	if err != nil {
		return nil, err
	}
	t.namespace = context.Namespace

	cluster := choose(t, "cluster", context.Cluster, "config_context_cluster", s.ConfigContextCluster, kubeconfig.Clusters)
	switch {
	case cluster.found != nil:
		t.cluster, t.clusterName = cluster.found, cluster.name
	case s.Host == nil || s.ConfigContextCluster != nil: // else the server is named beside the kubeconfig
		return nil, s.problem(cluster.setting, "%s is not in the kubeconfig. It has %s.", cluster.what, cluster.others)
	}
	user := choose(t, "user", context.AuthInfo, "config_context_auth_info", s.ConfigContextAuthInfo, kubeconfig.AuthInfos)
	switch {
	case user.found != nil:
		t.user = user.found
	case s.ConfigContextAuthInfo != nil || context.AuthInfo != "" && len(s.has(credentials...)) == 0: // else anonymous, or named beside
		return nil, s.problem(user.setting, "%s is not in the kubeconfig. It has %s.", user.what, user.others)
	}
	return t, nil
}

// load reads config_raw, config_path or config_paths.
func (s *Settings) load() (*target, *api.Config, error) {
	name, paths := s.paths()
	expanded := make([]string, len(paths))
	t := newTarget(name, s.label(name))
	kubeconfig, problem := api.NewConfig(), ""
	if s.ConfigRaw != nil {
		t.setting, t.source = "config_raw", "config_raw"
		if kubeconfig, problem = parseKubeconfig([]byte(*s.ConfigRaw)); problem != "" {
			return nil, nil, s.problem(t.setting, "%s", problem+
				" config_raw takes the text of a kubeconfig: set config_path to a path, and wrap Base64 in base64decode().")
		}
	} else {
		for i, path := range paths {
			if err := s.checkFile(name, path); err != nil {
				return nil, nil, err
			}
			t.source += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(" %q", path)
			expanded[i] = expand(path)
		}
		var err error // a list and no explicit path: clientcmd merges these files and reads no other
		if kubeconfig, err = (&clientcmd.ClientConfigLoadingRules{Precedence: expanded}).Load(); err != nil {
			return nil, nil, s.problem(name, "the kubeconfig cannot be read: it changed while it was being read.")
		}
	}
	if len(kubeconfig.Clusters) == 0 && len(kubeconfig.Contexts) == 0 { // YAML of another kind is an empty kubeconfig
		return nil, nil, s.problem(t.setting, "%s holds no kubeconfig: there is neither a cluster nor a context in it.", t.source)
	}
	return t, kubeconfig, nil
}

// checkFile reports why a file cannot be read or is no kubeconfig.
func (s *Settings) checkFile(name, path string) error {
	where := fmt.Sprintf("%q", path)
	if absolute, err := filepath.Abs(expand(path)); err == nil && absolute != path {
		where += fmt.Sprintf(" (%s)", absolute)
	}
	data, err := os.ReadFile(expand(path))
	if err != nil {
		problem := s.problem(name, "the file %s does not exist.", where)
		if problem.err = err; !errors.Is(err, fs.ErrNotExist) {
			reason := err
			if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
				reason = pathErr.Err
			}
			problem.Problem = fmt.Sprintf("the file %s cannot be read: %v.", where, reason)
		}
		return problem
	}
	if _, problem := parseKubeconfig(data); problem != "" {
		return s.problem(name, "the file %s: %s", where, problem)
	}
	return nil
}

// chooseContext finds the context. Where the settings name both the cluster and the user, none is needed.
func (s *Settings) chooseContext(t *target, kubeconfig *api.Config) (*api.Context, error) {
	kind := "context"
	if s.ConfigContext == nil {
		kind = "current-context"
	}
	context := choose(t, kind, kubeconfig.CurrentContext, "config_context", s.ConfigContext, kubeconfig.Contexts)
	switch {
	case context.found != nil:
		t.context = context.name
		return context.found, nil
	case context.name != "":
		return nil, s.problem(context.setting, "%s is not in the kubeconfig (%s). It has %s.", context.what, t.source, context.others)
	case s.ConfigContextCluster == nil || s.ConfigContextAuthInfo == nil:
		return nil, s.problem("config_context", "the kubeconfig has no current-context, so that one has to be named. It has %s.", context.others)
	}
	return api.NewContext(), nil
}

// chosen is what was chosen in a kubeconfig; found is nil where there is none of the name.
type chosen[T any] struct {
	name, what, setting, others string
	found                       *T
}

// choose looks a name up: the one that a setting gives, else that of the kubeconfig itself. It notes the choice.
func choose[T any](t *target, kind, name, setting string, set *string, from map[string]*T) chosen[T] {
	c := chosen[T]{name: name, setting: t.setting, what: fmt.Sprintf("the %s %q", kind, name)}
	if set != nil {
		c.name, c.setting, c.what = *set, setting, fmt.Sprintf("the %s %q", kind, *set)
	} else if t.context != "" {
		c.what += fmt.Sprintf(" of the context %q", t.context)
	}
	c.found = from[c.name]
	if kind := strings.TrimPrefix(kind, "current-"); c.found != nil && (set != nil || kind == "context") {
		t.source += fmt.Sprintf(", %s %q", kind, c.name)
	}
	names := slices.Sorted(maps.Keys(from))
	for i, name := range names {
		names[i] = fmt.Sprintf("%q", name)
	}
	const most = 20
	if c.others = strings.Join(names[:min(len(names), most)], ", "); len(names) > most {
		c.others += fmt.Sprintf(" and %d more", len(names)-most)
	}
	c.others = cmp.Or(c.others, "none")
	return c
}

// parserPosition matches "yaml: line 3: ..." and "illegal base64 data at input byte 4".
var parserPosition = regexp.MustCompile(`\b(line \d+|input byte \d+)\b`)

// parseKubeconfig parses a kubeconfig. The problem never quotes it: the messages of the YAML and JSON parsers do, and a
// kubeconfig holds secrets. Of such a message only the position is taken over.
func parseKubeconfig(data []byte) (kubeconfig *api.Config, problem string) {
	kubeconfig, err := clientcmd.Load(data)
	if err == nil {
		return kubeconfig, ""
	}
	problem = "the content is not a kubeconfig that can be read"
	if position := parserPosition.FindString(err.Error()); position != "" {
		problem += ", at " + position
	}
	return nil, problem + ". (The parser's own message is left out: it may quote secrets.)"
}

// expand replaces a leading ~ by the home folder.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
