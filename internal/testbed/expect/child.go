package expect

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// childFolder begins the line in which a child says what its folder is, see [Child].
const childFolder = "folder: "

// childTimeout bounds the start of what a child starts.
const childTimeout = 4 * time.Minute

// Child runs this test binary as a process of its own that starts a program and then waits to be killed: with these
// arguments, and with a variable that says so. It returns the folder of the program, which the child writes as
// [ChildStarted] does.
func Child(t *testing.T, variable string, arguments ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	cmd.Env = append(os.Environ(), variable+"=1")
	if _, err := cmd.StdinPipe(); err != nil { // the child waits for its end
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	folder := make(chan string, 1)
	go func() {
		defer close(folder)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if dir, found := strings.CutPrefix(lines.Text(), childFolder); found {
				folder <- dir
				return
			}
		}
	}()
	select {
	case dir := <-folder:
		if _, err := os.Stat(dir); dir == "" || err != nil {
			t.Fatalf("the child names no folder: %q, %v", dir, err)
		}
		return cmd, dir
	case <-time.After(childTimeout):
		t.Fatal("the child did not start its program")
		return nil, ""
	}
}

// ChildStarted passes to the parent the folder of what the child has started, and returns when the parent is gone.
func ChildStarted(folder string) {
	_, _ = os.Stdout.WriteString(childFolder + folder + "\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
}
