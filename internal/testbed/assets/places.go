package assets

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Here is this machine, with the environment that getenv reads.
func Here(getenv func(string) string) Machine {
	return Machine{Assets: getenv(Variable), Store: store(runtime.GOOS, getenv), Platform: runtime.GOOS + "-" + runtime.GOARCH}
}

// store is the folder in which setup-envtest keeps what it has downloaded; empty where nothing says so.
func store(system string, getenv func(string) string) string {
	data, name, home := getenv("XDG_DATA_HOME"), "kubebuilder-envtest", getenv("HOME")
	switch {
	case system == "darwin" && home != "":
		data, name = filepath.Join(home, "Library", "Application Support"), "io.kubebuilder.envtest"
	case system == "darwin":
		return ""
	case data == "" && home != "":
		data = filepath.Join(home, ".local", "share")
	}
	if data == "" {
		return ""
	}
	return filepath.Join(data, name, "k8s")
}

// storeCalled is what messages call the store.
const storeCalled = "the store of setup-envtest"

// place is a folder in which a program may be.
type place struct {
	folder string
	// called says in messages what the folder is.
	called string
	// kubernetes is the version of Kubernetes that the store has in this folder; nil = the user has named the folder.
	kubernetes *version
}

// places are where a program may be: the folder that the user has named, and then those of the store, the newest first.
func (m Machine) places() []place {
	var named, kept []place
	if m.Assets != "" {
		folder := m.Assets
		if whole, err := filepath.Abs(folder); err == nil {
			folder = whole // else "." would be looked for in the PATH
		}
		named = append(named, place{folder: folder, called: Variable})
	}
	if m.Store == "" {
		return named
	}
	entries, _ := os.ReadDir(m.Store) // there is none where setup-envtest has never run
	for _, e := range entries {
		number, ours := strings.CutSuffix(e.Name(), "-"+m.Platform)
		if v, ok := parse(number); ours && ok {
			kept = append(kept, place{folder: filepath.Join(m.Store, e.Name()), called: storeCalled, kubernetes: &v})
		}
	}
	slices.SortFunc(kept, func(a, b place) int { return b.kubernetes.compare(*a.kubernetes) })
	return append(named, kept...)
}
