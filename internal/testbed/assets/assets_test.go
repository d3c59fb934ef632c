package assets

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// program is a script that prints a version.
func program(t *testing.T, folder, name, script string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := local.WriteProgram(filepath.Join(folder, name), "#!/bin/sh\n"+script+"\n"); err != nil {
		t.Fatal(err)
	}
}

func tells(text string) string { return fmt.Sprintf("echo '%s'", text) }

const platform = "linux-amd64"

// What fits the pinned minor version is taken, from the folder that the user has named before the store. All else is built, and the message
// says why. Nothing is left in the folder where nothing was taken.
func TestTake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		program, pinned string
		named           string            // the script in the folder of KUBEBUILDER_ASSETS; empty = no such folder is named
		store           map[string]string // scripts in the store, by the name of their folder
		want            string            // of the program that was taken; empty = none was
		says            []string
	}{
		"nothing is there": {"etcd", "v3.6.4", "", nil, "", []string{"etcd v3.6.4 is built"}},
		"the pinned one": {"kube-apiserver", "v1.34.3", tells("Kubernetes v1.34.3"), nil, "Kubernetes v1.34.3",
			[]string{"kube-apiserver v1.34.3 is taken from KUBEBUILDER_ASSETS ("}},
		"another patch": {"etcd", "v3.6.4", tells("etcd Version: 3.6.1"), nil, "etcd Version: 3.6.1",
			[]string{"etcd v3.6.1 is taken from KUBEBUILDER_ASSETS ("}},
		"another minor": {"kube-apiserver", "v1.34.3", tells("Kubernetes v1.33.9"), nil, "",
			[]string{"of KUBEBUILDER_ASSETS is not taken: it is v1.33.9, and v1.34 is pinned (", "kube-apiserver v1.34.3 is built"}},
		"a minor that begins alike": {"kube-apiserver", "v1.34.3", tells("Kubernetes v1.340.3"), nil, "", []string{"and v1.34 is pinned"}},
		"another major":             {"etcd", "v3.6.4", tells("etcd Version: 4.6.4"), nil, "", []string{"it is v4.6.4, and v3.6 is pinned"}},
		"before a release": {"kube-apiserver", "v1.34.3", tells("Kubernetes v1.34.0-rc.1"), nil, "",
			[]string{"v1.34.0-rc.1 is no release"}},
		"no version":       {"etcd", "v3.6.4", tells("hello"), nil, "", []string{`it does not print its version, but "hello"`}},
		"it fails":         {"etcd", "v3.6.4", "exit 3", nil, "", []string{"it does not print its version: exit status 3"}},
		"the folder lacks": {"kubectl", "v1.34.3", "-", nil, "", []string{"kubectl of KUBEBUILDER_ASSETS is not taken: there is none ("}},
		"the newest patch of the store": {"kubectl", "v1.34.3", "", map[string]string{
			"1.34.9-" + platform: tells("Client Version: v1.34.9"), "1.34.10-" + platform: tells("Client Version: v1.34.10"),
			"1.35.0-" + platform: tells("Client Version: v1.35.0"), "1.34.11-darwin-arm64": tells("Client Version: v1.34.11"),
		}, "Client Version: v1.34.10", []string{"kubectl v1.34.10 is taken from the store of setup-envtest ("}},
		"the store after a wrong one": {"kube-apiserver", "v1.34.3", tells("Kubernetes v1.35.0"), map[string]string{
			"1.34.1-" + platform: tells("Kubernetes v1.34.1"),
		}, "Kubernetes v1.34.1", []string{"it is v1.35.0, and v1.34 is pinned", "v1.34.1 is taken from the store"}},
		"other minors in the store": {"kube-apiserver", "v1.34.3", "", map[string]string{
			"1.33.0-" + platform: "exit 1", "1.35.2-" + platform: "exit 1", "notes": "exit 1",
		}, "", []string{"of the store of setup-envtest is not taken: it is there as v1.35.2, v1.33.0, and v1.34 is pinned"}},
		"etcd beside another Kubernetes": {"etcd", "v3.6.4", "", map[string]string{
			"1.33.0-" + platform: tells("etcd Version: 3.5.21"), "1.35.2-" + platform: tells("etcd Version: 3.6.5"),
		}, "etcd Version: 3.6.5", []string{"etcd v3.6.5 is taken"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			into, m := t.TempDir(), Machine{Store: filepath.Join(t.TempDir(), "none"), Platform: platform}
			if test.named != "" {
				m.Assets = t.TempDir()
			}
			if test.named != "" && test.named != "-" {
				program(t, m.Assets, test.program, test.named)
			}
			for folder, script := range test.store {
				program(t, filepath.Join(m.Store, folder), test.program, script)
			}
			taken, said, err := m.Take(t.Context(), test.program, test.pinned, into)
			text := strings.Join(said, "\n")
			if err != nil || taken != (test.want != "") {
				t.Errorf("taken %t, error %v\n%s", taken, err, text)
			}
			for _, want := range test.says {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
			files, err := os.ReadDir(into)
			if err != nil || len(files) > 0 != taken {
				t.Errorf("in the folder: %v, %v", files, err)
			}
			if !taken {
				return
			}
			content, err := os.ReadFile(filepath.Join(into, test.program))
			if err != nil || !strings.Contains(string(content), "'"+test.want+"'") {
				t.Errorf("another program was taken: %s %v", content, err)
			}
		})
	}
}

// The folder that programs are built into is no source of them: what an older pin has built there would stay.
func TestTake_notFromItself(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program(t, folder, "etcd", tells("etcd Version: 3.6.1"))
	taken, said, err := Machine{Assets: folder}.Take(t.Context(), "etcd", "v3.6.4", folder)
	if taken || err != nil || !strings.Contains(strings.Join(said, "\n"), "built into this folder") {
		t.Error(taken, said, err)
	}
}

// A program is asked without the settings of the user, and what cannot be taken at all is an error of the caller.
func TestTake_asksWithoutSettings(t *testing.T) {
	t.Setenv("KUBECONFIG", "7")
	folder, into := t.TempDir(), t.TempDir()
	program(t, folder, "kubectl", `echo "Client Version: v1.34.${KUBECONFIG:-2}"`)
	taken, said, err := Machine{Assets: folder}.Take(t.Context(), "kubectl", "v1.34.3", into)
	if !taken || err != nil || !strings.Contains(said[0], "v1.34.2") {
		t.Error(taken, said, err)
	}
	for name, pinned := range map[string]string{"gardener-apiserver": "v1.135.0", "etcd": "newest"} {
		if taken, _, err := (Machine{}).Take(t.Context(), name, pinned, into); taken || err == nil {
			t.Errorf("%s %s: taken %t, error %v", name, pinned, taken, err)
		}
	}
}

// The store is where envtest looks for it.
func TestStore(t *testing.T) {
	want, err := envtest.SetupEnvtestDefaultBinaryAssetsDirectory()
	if got := Here(os.Getenv).Store; err != nil || got != want {
		t.Errorf("the store is %q, want %q (%v)", got, want, err)
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if want, err = envtest.SetupEnvtestDefaultBinaryAssetsDirectory(); err != nil {
		t.Fatal(err)
	}
	if got := Here(os.Getenv).Store; got != want {
		t.Errorf("the store is %q, want %q", got, want)
	}
	none := func(string) string { return "" }
	if got := store("linux", none) + store("darwin", none); got != "" {
		t.Errorf("without a home the store is %q", got)
	}
	home := func(name string) string { return map[string]string{"HOME": "/h"}[name] }
	if got := store("darwin", home); got != "/h/Library/Application Support/io.kubebuilder.envtest/k8s" {
		t.Errorf("on darwin the store is %q", got)
	}
	if want := runtime.GOOS + "-" + runtime.GOARCH; Here(none).Platform != want {
		t.Errorf("the platform is %q, want %q", Here(none).Platform, want)
	}
}
