package local

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// What is written runs at once, although other goroutines start programs all the time.
func TestWriteProgramIsNotBusy(t *testing.T) {
	t.Parallel()
	const runs, forks = 200, 4
	folder, done := t.TempDir(), make(chan struct{})
	var others sync.WaitGroup
	defer others.Wait()
	defer close(done)
	for range forks {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = exec.CommandContext(t.Context(), "/bin/true").Run()
				}
			}
		})
	}
	for i := range runs {
		path := filepath.Join(folder, fmt.Sprint(i))
		if err := WriteProgram(path, "#!/bin/sh\nexit 3\n"); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), path) //nolint:gosec // it was just written
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("program %d: %v, want exit status 3", i+1, err)
		}
	}
}
