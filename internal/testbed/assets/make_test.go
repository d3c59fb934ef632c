package assets_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// pinned returns the version of a module that the programs of the Garden are built from, and its minor version: v1.34.3 and v1.34.
func pinned(t *testing.T, module string) (whole, minor string) {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, "internal", "tools", "garden", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if at := slices.Index(fields, module); at >= 0 && at+1 < len(fields) {
			return fields[at+1], fields[at+1][:strings.LastIndex(fields[at+1], ".")]
		}
	}
	t.Fatal("not pinned: ", module)
	return "", ""
}

// packages are what make builds of the Garden, by the names of the programs.
var packages = map[string]string{
	"etcd": "go.etcd.io/etcd/server/v3", "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
	"gardener-apiserver": "github.com/gardener/gardener/cmd/gardener-apiserver",
}

// makeServers has make fill a folder with the programs of the Garden, where KUBEBUILDER_ASSETS names one folder and the store of setup-envtest
// is another. Nothing is compiled: it returns what would be.
func makeServers(t *testing.T, into, assets, data string) (built []string, said string) {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "make", "-C", root, "TOOLS="+into, "GOBUILD=echo compiling", filepath.Join(into, "etcd"))
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KUBEBUILDER_ASSETS", "XDG_DATA_HOME"}, name) {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "KUBEBUILDER_ASSETS="+assets, "XDG_DATA_HOME="+data)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "compiling ") {
			continue
		}
		for name, pkg := range packages {
			if slices.Contains(strings.Fields(line), pkg) {
				built = append(built, name)
			}
		}
	}
	slices.Sort(built)
	return built, string(out)
}

func script(t *testing.T, folder, name, version string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := local.WriteProgram(filepath.Join(folder, name), "#!/bin/sh\necho "+version+"\n"); err != nil {
		t.Fatal(err)
	}
}

// make builds what the machine does not have in the pinned minor version, and nothing else, and says for each program where it comes from.
func TestMake(t *testing.T) {
	t.Parallel()
	etcd, etcdMinor := pinned(t, "go.etcd.io/etcd/server/v3")
	kubernetes, minor := pinned(t, "k8s.io/kubernetes")
	fit := map[string]string{"etcd": strings.TrimPrefix(etcdMinor, "v") + ".99", "kube-apiserver": minor + ".99"}
	for name, test := range map[string]struct {
		assets, store map[string]string // versions of programs in KUBEBUILDER_ASSETS, and in the store
		built         []string
		says          []string
	}{
		"nothing is there": {nil, nil, []string{"etcd", "gardener-apiserver", "kube-apiserver"},
			[]string{"etcd " + etcd + " is built", "kube-apiserver " + kubernetes + " is built"}},
		"both are there": {fit, nil, []string{"gardener-apiserver"}, []string{"etcd " + etcdMinor + ".99 is taken from KUBEBUILDER_ASSETS",
			"kube-apiserver " + minor + ".99 is taken from KUBEBUILDER_ASSETS"}},
		"a wrong minor version": {map[string]string{"etcd": fit["etcd"], "kube-apiserver": "v1.1.1"}, nil, []string{"gardener-apiserver", "kube-apiserver"},
			[]string{"etcd " + etcdMinor + ".99 is taken", "it is v1.1.1, and " + minor + " is pinned", "kube-apiserver " + kubernetes + " is built"}},
		"both are in the store": {nil, fit, []string{"gardener-apiserver"},
			[]string{"etcd " + etcdMinor + ".99 is taken from the store", "kube-apiserver " + minor + ".99 is taken from the store"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "darwin" && test.store != nil {
				t.Skip("the store is below HOME, where the compiler has its caches too")
			}
			into, assets, data := t.TempDir(), "", t.TempDir()
			if test.assets != nil {
				assets = t.TempDir()
			}
			for name, version := range test.assets {
				script(t, assets, name, version)
			}
			for name, version := range test.store {
				script(t, filepath.Join(data, "kubebuilder-envtest", "k8s", strings.TrimPrefix(minor, "v")+".99-"+runtime.GOOS+"-"+runtime.GOARCH), name, version)
			}
			built, said := makeServers(t, into, assets, data)
			if !slices.Equal(built, test.built) {
				t.Errorf("built: %q, want %q", built, test.built)
			}
			for _, want := range test.says {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}

// The real programs are taken: those that were built before.
func TestMake_realPrograms(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	assets, into := filepath.Join(root, "bin", "tools"), t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(assets, name)); err != nil {
			t.Skip("not built yet:", err)
		}
	}
	built, said := makeServers(t, into, assets, t.TempDir())
	if !slices.Equal(built, []string{"gardener-apiserver"}) {
		t.Errorf("built: %q\n%s", built, said)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(into, "kube-apiserver"), "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), "Kubernetes v1.") {
		t.Errorf("the program that was taken says %q (%v)", out, err)
	}
}
