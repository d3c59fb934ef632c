package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A step that needs the program waits for it, once, and says how long. The build is no part of the make that runs the demo.
func TestBuilding(t *testing.T) {
	t.Setenv("MAKEFLAGS", "w -- X=1")
	file := filepath.Join(t.TempDir(), "made")
	b := start(t.Context(), `echo Building; sleep 0.2; echo "made $MAKEFLAGS" > `+file)
	defer b.stop()
	var out bytes.Buffer
	if err := b.wait(t.Context(), &out); err != nil || !strings.Contains(out.String(), "still being built") ||
		!strings.Contains(out.String(), "was built beside the steps before") {
		t.Errorf("it says %q (%v)", &out, err)
	}
	if made, err := os.ReadFile(file); err != nil || string(made) != "made \n" {
		t.Errorf("it has made %q (%v)", made, err)
	}
	out.Reset()
	if err := errors.Join(b.wait(t.Context(), &out), (*building)(nil).wait(t.Context(), &out)); err != nil || out.Len() > 0 {
		t.Errorf("it says %q (%v)", &out, err)
	}
}

// A build that fails is reported with what it said. One that has nothing to do is not reported.
func TestBuilding_ends(t *testing.T) {
	t.Parallel()
	failed := start(t.Context(), "echo no space left; exit 3")
	defer failed.stop()
	if err := failed.wait(t.Context(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("the error is %v", err)
	}
	idle := start(t.Context(), "echo up to date")
	defer idle.stop()
	<-idle.ended
	var out bytes.Buffer
	if err := idle.wait(t.Context(), &out); err != nil || out.Len() > 0 {
		t.Errorf("it says %q (%v)", &out, err)
	}
}

// Where the demo ends early, the build ends with it, with all its processes.
func TestBuilding_stop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	file := filepath.Join(t.TempDir(), "started")
	b := start(ctx, "sleep 60 & : > "+file+"; wait")
	for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := b.wait(ctx, &bytes.Buffer{}); err == nil {
		t.Error("there is no error")
	}
	began := time.Now()
	b.stop()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it ended after %s: a process was left", took)
	}
}
