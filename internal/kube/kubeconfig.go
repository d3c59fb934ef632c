package kube

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// fromKubeconfig reads the kubeconfigs that the settings name and takes the context, its cluster and its user, each unless
// the settings name another.
func (s *Settings) fromKubeconfig() (*target, error) {
	t, kubeconfig, err := s.load()
	if err != nil {
		return nil, err
	}
	context := api.NewContext()
	if t.context = orElse(s.ConfigContext, kubeconfig.CurrentContext); t.context != "" {
		if context = kubeconfig.Contexts[t.context]; context == nil {
			return nil, s.missing(t, "context", t.context, "config_context", maps.Keys(kubeconfig.Contexts))
		}
		t.source += fmt.Sprintf(", context %q", t.context)
	} else if s.ConfigContextCluster == nil || s.ConfigContextAuthInfo == nil {
		return nil, s.problem("config_context", "the kubeconfig has no current-context, so that one has to be named. It has %s.",
			quoted(maps.Keys(kubeconfig.Contexts)))
	}
	t.namespace = context.Namespace

	t.clusterName = orElse(s.ConfigContextCluster, context.Cluster)
	if cluster := kubeconfig.Clusters[t.clusterName]; cluster != nil {
		t.cluster = cluster
	} else if s.Host == nil || s.ConfigContextCluster != nil { // else the settings name the server themselves
		return nil, s.missing(t, "cluster", t.clusterName, "config_context_cluster", maps.Keys(kubeconfig.Clusters))
	}
	name := orElse(s.ConfigContextAuthInfo, context.AuthInfo)
	if user := kubeconfig.AuthInfos[name]; user != nil {
		t.user = user
	} else if s.ConfigContextAuthInfo != nil || name != "" && len(s.has(credentials...)) == 0 { // else anonymous, or the settings say who
		return nil, s.missing(t, "user", name, "config_context_auth_info", maps.Keys(kubeconfig.AuthInfos))
	}
	if s.ConfigContextCluster != nil {
		t.source += fmt.Sprintf(", cluster %q", t.clusterName)
	}
	if s.ConfigContextAuthInfo != nil {
		t.source += fmt.Sprintf(", user %q", name)
	}
	return t, nil
}

// missing says that a kubeconfig does not hold what the setting, or else the kubeconfig itself, names.
func (s *Settings) missing(t *target, kind, name, setting string, others iter.Seq[string]) error {
	what := fmt.Sprintf("the %s %q", kind, name)
	if !slices.Contains(s.has(choiceSetting), setting) {
		setting = t.setting
		if what += fmt.Sprintf(" of the context %q", t.context); kind == "context" {
			what = fmt.Sprintf("the current-context %q", name)
		}
	}
	return s.problem(setting, "%s is not in the kubeconfig (%s). It has %s.", what, t.source, quoted(others))
}

// quoted lists names; of many the first.
func quoted(names iter.Seq[string]) string {
	const most = 20
	listed := slices.Sorted(names)
	for i, name := range listed {
		listed[i] = fmt.Sprintf("%q", name)
	}
	if more := len(listed) - most; more > 0 {
		listed = append(listed[:most], fmt.Sprintf("%d more", more))
	}
	return cmp.Or(strings.Join(listed, ", "), "none")
}

func orElse(set *string, otherwise string) string {
	if set != nil {
		return *set
	}
	return otherwise
}

// load reads config_raw, config_path or config_paths.
func (s *Settings) load() (*target, *api.Config, error) {
	name, paths := s.paths()
	t := newTarget(name, s.label(name))
	var kubeconfig *api.Config
	if s.ConfigRaw != nil {
		t.setting, t.source = "config_raw", "config_raw"
		loaded, problem := parseKubeconfig([]byte(*s.ConfigRaw))
		if problem != "" {
			return nil, nil, s.problem(t.setting, "%s", problem+
				" config_raw takes the text itself: neither its path, which goes to config_path, nor the text in base64.")
		}
		kubeconfig = loaded
	} else {
		expanded, written := make([]string, len(paths)), make([]string, len(paths))
		for i, path := range paths {
			expanded[i], written[i] = expand(path), fmt.Sprintf("%q", path)
			if err := s.checkFile(name, path, expanded[i]); err != nil {
				return nil, nil, err
			}
		}
		t.source += " " + strings.Join(written, ", ")
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

// checkFile reports why a file cannot be read or is no kubeconfig. The user wrote it as path.
func (s *Settings) checkFile(name, path, expanded string) error {
	where := "the file " + fmt.Sprintf("%q", path)
	if absolute, err := filepath.Abs(expanded); err == nil && absolute != path {
		where += fmt.Sprintf(" (%s)", absolute)
	}
	if !words.QuotesAsPath(path) {
		where = fmt.Sprintf("the file that %s names (%s, not shown: it may be a secret in place of a path)", s.label(name),
			words.Count(len(path), "character"))
	}
	data, err := os.ReadFile(expanded)
	if err != nil {
		problem := s.problem(name, "%s does not exist.", where)
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err // without the path
		}
		if !errors.Is(err, fs.ErrNotExist) {
			problem = s.problem(name, "%s cannot be read: %v.", where, err)
		}
		problem.err = err
		return problem
	}
	if _, problem := parseKubeconfig(data); problem != "" {
		return s.problem(name, "%s: %s", where, problem)
	}
	return nil
}

// maxKubeconfig is how many bytes a kubeconfig has at most, with its YAML aliases written out. One of a thousand clusters has some 5 MiB.
const maxKubeconfig = 16 << 20

// parserPosition matches "yaml: line 3: ..." and "illegal base64 data at input byte 4".
var parserPosition = regexp.MustCompile(`\b(line \d+|input byte \d+)\b`)

// parseKubeconfig parses a kubeconfig. The problem never quotes it: the messages of the YAML and JSON parsers do, and a
// kubeconfig holds secrets. Of such a message only the position is taken over.
func parseKubeconfig(data []byte) (kubeconfig *api.Config, problem string) {
	if tooLarge, ok := errors.AsType[*strict.SizeError](strict.Bounded(data, maxKubeconfig)); ok {
		return nil, "the content is not a kubeconfig that can be read: " + tooLarge.Error() + "."
	}
	one, err := strict.OneDocument(string(data))
	if several, ok := errors.AsType[*strict.DocumentsError](err); ok {
		return nil, "the content is not one kubeconfig: " + several.Error() + "."
	}
	if err == nil { // otherwise the parser of kubeconfigs says more
		data = []byte(one)
	}
	if kubeconfig, err = clientcmd.Load(data); err == nil {
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
