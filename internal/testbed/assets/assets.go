package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Variable names the folder of programs that tests based on envtest use.
const Variable = "KUBEBUILDER_ASSETS"

// askDeadline is for a program of 100 MB that is read from a slow disk.
const askDeadline = 30 * time.Second

// asked are the arguments with which a program prints its version and nothing else.
var asked = map[string][]string{
	"etcd":           {"--version"},
	"kube-apiserver": {"--version"},
	"kubectl":        {"version", "--client"},
}

// Machine is where programs are looked for.
type Machine struct {
	// Assets is the folder of KUBEBUILDER_ASSETS; empty = none.
	Assets string
	// Store is the store of setup-envtest, with one folder for each version and platform; empty = none.
	Store string
	// Platform is the system and the processor, as the folders of the store are called: linux-amd64.
	Platform string
}

// Take copies a program of the pinned minor version into a folder, and says from where, or why none was taken. Whether one was taken is the
// first result; an error means that a program that fits could not be copied.
func (m Machine) Take(ctx context.Context, name, pinned, into string) (taken bool, said []string, err error) {
	want, ok := parse(pinned)
	if _, known := asked[name]; !ok || !known {
		return false, nil, fmt.Errorf("%s %s is no program with a version that can be taken", name, pinned)
	}
	var others []string
	for _, p := range m.places() {
		if p.kubernetes != nil && name != "etcd" && want.refuses(*p.kubernetes) != "" {
			others = append(others, p.kubernetes.String())
			continue
		}
		file := filepath.Join(p.folder, name)
		found, why := version{}, "the programs are built into this folder"
		if !same(p.folder, into) {
			found, why = fits(ctx, file, name, want)
		}
		if why != "" {
			said = append(said, fmt.Sprintf("%s of %s is not taken: %s (%s)", name, p.called, why, file))
			continue
		}
		if err := copyProgram(file, filepath.Join(into, name)); err != nil {
			return false, said, fmt.Errorf("taking %s of %s: %w", name, p.called, err)
		}
		return true, append(said, fmt.Sprintf("%s %s is taken from %s (%s)", name, found, p.called, file)), nil
	}
	if len(others) > 0 {
		said = append(said, fmt.Sprintf("%s of %s is not taken: it is there as %s, and v%d.%d is pinned", name, storeCalled,
			strings.Join(others, ", "), want.major, want.minor))
	}
	return false, append(said, fmt.Sprintf("%s %s is built", name, pinned)), nil
}

func same(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// fits returns the version of a program, or why it cannot be taken.
func fits(ctx context.Context, file, name string, want version) (found version, why string) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found, "there is none"
	case err != nil:
		return found, err.Error()
	case info.IsDir() || info.Mode()&0o111 == 0:
		return found, "it is no executable file"
	}
	ctx, cancel := context.WithTimeout(ctx, askDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, asked[name]...)
	cmd.Env = []string{"HOME=" + os.DevNull} // no kubeconfig, no settings of etcd
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return found, fmt.Sprintf("it does not print its version within %s", askDeadline)
	}
	if err != nil {
		return found, fmt.Sprintf("it does not print its version: %s", err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	found, ok := parse(line)
	if !ok {
		return found, fmt.Sprintf("it does not print its version, but %q", clip(line))
	}
	return found, want.refuses(found)
}

func clip(line string) string {
	const most = 80
	if len(line) > most {
		return line[:most] + "..."
	}
	return line
}

// copyProgram copies a file whole or not at all. A link would end with the folder that it points into.
func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(target.Name())
		}
	}()
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Chmod(0o755), target.Close()); err != nil {
		return err
	}
	return os.Rename(target.Name(), to)
}
