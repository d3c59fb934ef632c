package kubeconn

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// fromKubeconfig reads the kubeconfigs that the settings name and chooses the context.
func (s *Settings) fromKubeconfig() (*target, error) {
	attribute, kubeconfig, source, err := s.loadKubeconfig()
	if err != nil {
		return nil, err
	}
	t := &target{attribute: attribute, source: source}

	context, err := s.chooseContext(attribute, kubeconfig, t)
	if err != nil {
		return nil, err
	}
	t.namespace = context.Namespace
	if t.cluster, err = s.chooseCluster(kubeconfig, context, t); err != nil {
		return nil, err
	}
	if t.user, err = s.chooseUser(kubeconfig, context, t); err != nil {
		return nil, err
	}
	return t, nil
}

// loadKubeconfig reads config_raw, config_path or config_paths. It returns which of them it was, and a phrase for
// Connection.Source.
func (s *Settings) loadKubeconfig() (attribute string, kubeconfig *api.Config, source string, err error) {
	if s.ConfigRaw != nil {
		attribute, source = "config_raw", "config_raw"
		loaded, problem := parseKubeconfig([]byte(*s.ConfigRaw))
		if problem != "" {
			return "", nil, "", s.problem(attribute, "%s", problem+kubeconfigHint(*s.ConfigRaw))
		}
		return s.nonEmpty(attribute, loaded, source)
	}

	attribute, paths := "config_paths", s.ConfigPaths
	if s.ConfigPath != nil {
		attribute, paths = "config_path", []string{*s.ConfigPath}
	}
	expanded := make([]string, len(paths))
	quoted := make([]string, len(paths))
	for i, path := range paths {
		expanded[i] = s.expand(path)
		quoted[i] = fmt.Sprintf("%q", path)
		if err := s.checkFile(attribute, path, expanded[i]); err != nil {
			return "", nil, "", err
		}
	}
	// Load with a list and no explicit path: it merges, and it reads none but these files.
	loaded, err := (&clientcmd.ClientConfigLoadingRules{Precedence: expanded}).Load()
	if err != nil { // the files were read and parsed a moment ago
		return "", nil, "", s.problem(attribute, "the kubeconfig cannot be read: it changed while it was being read.")
	}
	return s.nonEmpty(attribute, loaded, s.label(attribute)+" "+strings.Join(quoted, ", "))
}

// nonEmpty refuses a kubeconfig without a single cluster: YAML of another kind parses into one.
func (s *Settings) nonEmpty(attribute string, kubeconfig *api.Config, source string) (string, *api.Config, string, error) {
	if len(kubeconfig.Clusters) == 0 && len(kubeconfig.Contexts) == 0 {
		return "", nil, "", s.problem(attribute, "%s holds no kubeconfig: there is neither a cluster nor a context in it.", source)
	}
	return attribute, kubeconfig, source, nil
}

// checkFile reports why one file cannot be read or is no kubeconfig. written is the path as the user wrote it.
func (s *Settings) checkFile(attribute, written, path string) error {
	where := fmt.Sprintf("%q", written)
	if absolute, err := filepath.Abs(path); err == nil && absolute != written {
		where += fmt.Sprintf(" (%s)", absolute)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		p := s.problem(attribute, "the file %s cannot be read: %s.", where, reason(err))
		if errors.Is(err, fs.ErrNotExist) {
			p.Problem = fmt.Sprintf("the file %s does not exist.", where)
		}
		p.err = err
		return p
	}
	if _, problem := parseKubeconfig(data); problem != "" {
		return s.problem(attribute, "the file %s: %s", where, problem)
	}
	return nil
}

// reason returns the cause of a file error without the path, which the message names already.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}

// chooseContext finds the context and notes its name. Where both the cluster and the user are named by the settings,
// none is needed.
func (s *Settings) chooseContext(attribute string, kubeconfig *api.Config, t *target) (*api.Context, error) {
	name := kubeconfig.CurrentContext
	if s.ConfigContext != nil {
		name, attribute = *s.ConfigContext, "config_context"
	}
	if name == "" {
		if s.ConfigContextCluster != nil && s.ConfigContextAuthInfo != nil {
			return api.NewContext(), nil
		}
		return nil, s.problem("config_context", "the kubeconfig has no current-context, so that one has to be named. It has %s.",
			list("the context", "the contexts", "no context", slices.Collect(maps.Keys(kubeconfig.Contexts))))
	}
	context := kubeconfig.Contexts[name]
	if context == nil {
		what := fmt.Sprintf("the context %q", name)
		if s.ConfigContext == nil {
			what = fmt.Sprintf("the current-context %q", name)
		}
		return nil, s.problem(attribute, "%s is not in the kubeconfig (%s). It has %s.", what, t.source,
			list("the context", "the contexts", "no context", slices.Collect(maps.Keys(kubeconfig.Contexts))))
	}
	t.context = name
	t.source += fmt.Sprintf(", context %q", name)
	return context.DeepCopy(), nil
}

// chooseCluster finds the cluster. It may be missing where the settings name the host themselves.
func (s *Settings) chooseCluster(kubeconfig *api.Config, context *api.Context, t *target) (*api.Cluster, error) {
	attribute, by := t.attribute, fmt.Sprintf(", which the context %q names,", t.context)
	t.clusterName = context.Cluster
	if s.ConfigContextCluster != nil {
		attribute, by = "config_context_cluster", ""
		t.clusterName = *s.ConfigContextCluster
		t.source += fmt.Sprintf(", cluster %q", t.clusterName)
	}
	if cluster := kubeconfig.Clusters[t.clusterName]; cluster != nil {
		return cluster.DeepCopy(), nil
	}
	if s.Host != nil && s.ConfigContextCluster == nil {
		return api.NewCluster(), nil
	}
	if t.clusterName == "" {
		return nil, s.problem(attribute, "the context %q names no cluster.", t.context)
	}
	return nil, s.problem(attribute, "the cluster %q%s is not in the kubeconfig. It has %s.", t.clusterName, by,
		list("the cluster", "the clusters", "no cluster", slices.Collect(maps.Keys(kubeconfig.Clusters))))
}

// chooseUser finds the user. It may be missing where the settings hold credentials themselves; a context without a
// user is anonymous (kubectl proxy, for instance).
func (s *Settings) chooseUser(kubeconfig *api.Config, context *api.Context, t *target) (*api.AuthInfo, error) {
	attribute, by := t.attribute, fmt.Sprintf(", whom the context %q names,", t.context)
	t.userName = context.AuthInfo
	if s.ConfigContextAuthInfo != nil {
		attribute, by = "config_context_auth_info", ""
		t.userName = *s.ConfigContextAuthInfo
		t.source += fmt.Sprintf(", user %q", t.userName)
	}
	if user := kubeconfig.AuthInfos[t.userName]; user != nil {
		return user.DeepCopy(), nil
	}
	if s.ConfigContextAuthInfo == nil && (t.userName == "" || len(s.credentialKinds()) > 0) {
		return api.NewAuthInfo(), nil
	}
	return nil, s.problem(attribute, "the user %q%s is not in the kubeconfig. It has %s.", t.userName, by,
		list("the user", "the users", "no user", slices.Collect(maps.Keys(kubeconfig.AuthInfos))))
}

// parseKubeconfig parses a kubeconfig. The problem never quotes it: the messages of the YAML and JSON parsers do, and a
// kubeconfig holds secrets. Of such a message only the position is taken over.
func parseKubeconfig(data []byte) (kubeconfig *api.Config, problem string) {
	kubeconfig, err := clientcmd.Load(data)
	if err == nil {
		return kubeconfig, ""
	}
	problem = "the content is not a kubeconfig that can be read"
	message := err.Error()
	if m := parserField.FindStringSubmatch(message); m != nil {
		problem += ", at " + m[1]
	}
	if m := parserPosition.FindStringSubmatch(message); m != nil {
		problem += ", at " + m[1]
	}
	return nil, problem + ". (The parser's own message is left out: it may quote secrets.)"
}

var (
	// parserPosition matches "yaml: line 3: ..." and "illegal base64 data at input byte 4".
	parserPosition = regexp.MustCompile(`\b(line \d+|input byte \d+)\b`)
	// parserField matches "cannot unmarshal string into Go struct field AuthInfo.user.exec of type ...".
	parserField = regexp.MustCompile(`Go struct field ([A-Za-z]+(?:\.[A-Za-z-]+)*)`)
)

// kubeconfigHint returns a further sentence about text that is not a kubeconfig, or "".
func kubeconfigHint(text string) string {
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err == nil && strings.Contains(string(decoded), "clusters") {
		return " It looks base64-encoded: wrap it in base64decode()."
	}
	if _, err := os.Stat(text); err == nil {
		return " It is the path of a file: set config_path instead, or wrap it in file()."
	}
	return ""
}

// expand replaces a leading ~ by the home folder.
func (s *Settings) expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' && (runtime.GOOS != "windows" || rest[0] != '\\') {
		return path
	}
	home := s.home
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return path
		}
	}
	return filepath.Join(home, rest)
}

// maxListed is how many names a message lists at most.
const maxListed = 20

// list puts names into a sentence: `the contexts "a" and "b"`.
func list(one, many, none string, names []string) string {
	slices.Sort(names)
	quoted := make([]string, 0, len(names))
	for _, name := range names[:min(len(names), maxListed)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	switch {
	case len(names) == 0:
		return none
	case len(names) == 1:
		return one + " " + quoted[0]
	case len(names) > maxListed:
		return fmt.Sprintf("%s %s and %d more", many, strings.Join(quoted, ", "), len(names)-maxListed)
	}
	last := len(quoted) - 1
	return many + " " + strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}
