package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// GarbageCollection is GOGC for all programs that tests start; Go's own default is 100.
	GarbageCollection = 400

	// PIDsFolder is where the programs of a watchdog's folder record their pids: the name of a folder within it.
	PIDsFolder = "pids"
	// StopTimeout bounds the wait for a program that was killed.
	StopTimeout = 10 * time.Second

	watchdogTimeout = 2 * time.Minute
	// waitScript waits for our end. The programs that are known by then are those of "$dir/ended".
	waitScript = `
trap '' HUP INT TERM
dir=$1

# Blocks until the other end of the pipe is closed: by us, or by the kernel once we are gone.
while read -r _; do :; done

# A program that is only starting now finds no place for its pid and gives up.
mv "$dir/pids" "$dir/ended" 2>/dev/null

# The pid may belong to another program by now: every program of ours has the folder in its arguments. One that has ended and
# only waits to be collected has none.
ours() {
	if [ -r "/proc/$1/cmdline" ]; then arguments=$(tr '\0' ' ' <"/proc/$1/cmdline"); else arguments=$(ps -ww -o command= -p "$1"); fi
	case $arguments in *"$dir"*) return 0 ;; esac
	return 1
}
`
	killScript = `
for entry in "$dir"/ended/*; do
	pid=${entry##*/}
	# Each leads a process group, so that whatever it started goes too.
	ours "$pid" 2>/dev/null && { kill -s KILL -- "-$pid" || kill -s KILL "$pid"; } 2>/dev/null
done
`
	removeScript = `
# A program that is being killed may still finish a write.
tries=0
while [ -e "$dir" ] && [ "$tries" -lt 100 ]; do
	rm -rf "$dir" 2>/dev/null
	[ -e "$dir" ] && sleep 0.1
	tries=$((tries + 1))
done
`
	programScript = `#!/bin/sh
: >%[1]s/"$$" || exit 1
# The programs are short-lived, and tests have more memory than processors: collect garbage less often.
export GOGC="${GOGC:-%[3]d}"
exec %[2]s "$@"
`
)

// Watchdog is a shell in a session of its own that waits for this process to end, in whatever
// way, and then kills the programs of one folder and removes it. It learns of our end
// through a pipe: its other end is held by this process alone, because Go opens pipes
// close-on-exec, so that no child of ours keeps it open.
type Watchdog struct {
	dir     string
	release *os.File
	ended   chan struct{} // closed once the shell is gone
}

// StartWatchdog starts a watchdog that kills the programs of a folder by SIGKILL.
func StartWatchdog(dir string) (*Watchdog, error) {
	return Guard(dir, "hap-testbed-watchdog", killScript)
}

// Guard starts a watchdog that ends the programs of a folder by a script of their own. The script finds their pids as the names
// of the files in "$dir/ended", and the function ours, which says whether a pid is still one of them.
func Guard(dir, name, end string) (*Watchdog, error) {
	if err := os.Mkdir(filepath.Join(dir, PIDsFolder), 0o700); err != nil {
		return nil, err
	}
	wait, release, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/bin/sh", "-c", waitScript+end+removeScript, name, dir)
	cmd.Dir = "/"
	cmd.Stdin = wait
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = wait.Close()
	if err != nil {
		_ = release.Close()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	w := &Watchdog{dir: dir, release: release, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		_ = cmd.Wait() // what counts is whether the folder is gone
	}()
	return w, nil
}

// Stop lets the watchdog do its work now and waits for it. It may be called more than once.
func (w *Watchdog) Stop() error {
	_ = w.release.Close()
	select {
	case <-w.ended:
		if _, err := os.Stat(w.dir); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s could not be removed", w.dir)
		}
		return nil
	case <-time.After(watchdogTimeout):
		return fmt.Errorf("the watchdog of %s did not end within %s", w.dir, watchdogTimeout)
	}
}

// Wrap writes a script that records its own pid where the watchdog finds it and then becomes the
// program: a file name is written in one step, so there is no moment at which the program runs
// but is not known.
func (w *Watchdog) Wrap(binary string) (string, error) {
	folder := filepath.Join(w.dir, "run")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, filepath.Base(binary))
	script := fmt.Sprintf(programScript, shellQuote(filepath.Join(w.dir, PIDsFolder)), shellQuote(binary), GarbageCollection)
	return path, WriteProgram(path, script)
}

func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
