package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
)

// postgresChildVariable makes this test binary start a PostgreSQL server and wait to be killed.
const postgresChildVariable = "HAP_TESTBED_POSTGRES_CHILD"

// TestPostgresChild is no test: it is what TestKilledProcessLeavesNoPostgres kills.
func TestPostgresChild(t *testing.T) { //nolint:paralleltest // it is a program of its own
	if os.Getenv(postgresChildVariable) == "" {
		t.Skip("only as a child of TestKilledProcessLeavesNoPostgres")
	}
	d := Shared(t).NewDatabase(t)
	// A query that keeps a child of the server busy: such a one does not notice on its own that the server is gone.
	go func() {
		_, _ = d.Ask(context.Background(), d.URL(), "SELECT count(*) FROM generate_series(1, 100000000000)")
	}()
	expect.Eventually(t, "the query runs", func() bool {
		return d.Query(t, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()") == "1"
	})
	expect.ChildStarted(d.server.dir)
}

func TestKilledProcessLeavesNoPostgres(t *testing.T) {
	t.Parallel()
	cmd, dir := expect.Child(t, postgresChildVariable, "-test.run=^TestPostgresChild$", "-test.v")
	segment := sharedMemoryOf(t, dir)
	children := childrenOf(t, dir)

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	expect.NothingLeft(t, dir)
	expectNoPostgresLeft(t, segment, children)
}

func TestStopLeavesNoPostgres(t *testing.T) {
	t.Parallel()
	p, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := p.NewDatabase(t)
	answer := make(chan error, 1)
	go func() {
		_, err := d.Ask(context.WithoutCancel(t.Context()), d.URL(), "SELECT count(*) FROM generate_series(1, 100000000000)")
		answer <- err
	}()
	expect.Eventually(t, "the query runs", func() bool {
		return d.Query(t, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()") == "1"
	})
	segment, children := sharedMemoryOf(t, p.dir), childrenOf(t, p.dir)
	for range 2 {
		if err := p.Stop(); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
	select {
	case err := <-answer:
		if err == nil {
			t.Error("an answer of a server that is stopped")
		}
	case <-time.After(time.Minute):
		t.Fatal("psql does not end")
	}
	expect.NothingLeft(t, p.dir)
	expectNoPostgresLeft(t, segment, children)
}

// As after a server that was interrupted in its first moments.
func TestKilledServerLeavesNoPostgres(t *testing.T) {
	t.Parallel()
	p, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	segment, children := sharedMemoryOf(t, p.dir), childrenOf(t, p.dir)
	content, err := os.ReadFile(filepath.Join(p.dataFolder(), "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	expect.NothingLeft(t, p.dir)
	expectNoPostgresLeft(t, segment, children)
}

func TestPostgresSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Binaries: t.TempDir()})
	expect.Error(t, err, "does not hold initdb, postgres and psql")
	expect.Error(t, ErrNotInstalled, "install", "postgresql")
}

func TestPostgresShowsTheLogOfAFailingProgram(t *testing.T) {
	t.Parallel()
	for failing, want := range map[string]string{"initdb": "initdb did not start", "postgres": "postgres did not start"} {
		folder := brokenPostgres(t, failing, "echo 'no such luck' >&2; exit 1")
		_, err := Start(t.Context(), Options{Binaries: folder})
		expect.Error(t, err, want, "no such luck")
	}
}

func TestPostgresGivesUpInTime(t *testing.T) {
	t.Parallel()
	began := time.Now()
	// A program that never answers, with a child of its own that no other run of the tests has.
	silent := fmt.Sprintf("sleep 299.%d", os.Getpid())
	for _, program := range []string{"initdb", "postgres"} {
		_, err := Start(t.Context(), Options{
			Timeout: time.Second, Binaries: brokenPostgres(t, program, silent+"; exit 1"),
		})
		expect.Error(t, err, program+" did not start", context.DeadlineExceeded.Error())
		if left := expect.ProcessesNaming(t, silent); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}

// brokenPostgres makes an installation of which one program only does what the shell commands say, and the others nothing.
func brokenPostgres(t *testing.T, program, commands string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil { // the server runs as another user
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres", "psql"} {
		script := "#!/bin/sh\nexit 0\n"
		if name == program {
			script = "#!/bin/sh\n" + commands + "\n"
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// sharedMemoryOf is the number of the piece of shared memory that the server has noted.
func sharedMemoryOf(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(content))
	if len(words) < 3 {
		t.Fatalf("postmaster.pid holds %q", content)
	}
	return words[len(words)-2] // before the last word, which says that it is ready
}

// childrenOf lists the children of the server; where there is no /proc, none.
func childrenOf(t *testing.T, dir string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%[1]s/task/%[1]s/children", first))
	return strings.Fields(string(children))
}

// expectNoPostgresLeft sees that no child of the server runs on, and that the shared memory was given back.
func expectNoPostgresLeft(t *testing.T, segment string, children []string) {
	t.Helper()
	for _, pid := range children {
		expect.Eventually(t, "process "+pid+" has ended", func() bool {
			command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			return !strings.Contains(string(command), "postgres")
		})
	}
	table, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(table)) {
		if words := strings.Fields(line); len(words) > 1 && words[1] == segment {
			t.Errorf("the shared memory is left: %s", line)
		}
	}
}
