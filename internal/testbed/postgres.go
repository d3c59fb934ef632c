package testbed

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	postgresStartTimeout = time.Minute
	// postgresOwner owns every database, as the broker owns its own.
	postgresOwner = "broker"
	// postgresReader is the role that examples/rbac/database.sql makes.
	postgresReader = "hap_provider"
)

// PostgresOptions of a [Postgres]; the zero value is what tests want.
type PostgresOptions struct {
	// Binaries is the folder that holds initdb, postgres and psql. Default: the PATH, else the newest of
	// /usr/lib/postgresql/*/bin.
	Binaries string
	// Timeout bounds the whole start. Default: one minute.
	Timeout time.Duration
}

// Postgres is a running PostgreSQL server with a data folder of its own. Roles need a password, as at the broker's.
//
// Nothing outlives the process that started it, not even after SIGKILL: see postgres_guard.go.
type Postgres struct {
	dir      string
	programs postgresPrograms
	user     *syscall.Credential // nil = the user of this process
	watchdog *watchdog
	port     int
	ended    chan struct{} // closed once the server is gone; nil before it was started

	ownerPassword, readerPassword string

	version string
	startup time.Duration

	making    sync.Mutex // roles are shared by all databases
	databases atomic.Int64
	stopOnce  sync.Once
	stopErr   error
}

// StartPostgres starts a PostgreSQL server on a free port of 127.0.0.1. The caller stops it; if it cannot any more, the
// guard does. Where PostgreSQL is not installed the error is [ErrNoPostgres].
func StartPostgres(ctx context.Context, options PostgresOptions) (*Postgres, error) {
	programs, err := findPostgres(options.Binaries)
	if err != nil {
		return nil, err
	}
	if options.Timeout <= 0 {
		options.Timeout = postgresStartTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()

	// A free port is only known to be free until somebody else takes it: try again then.
	for attempt := 1; ; attempt++ {
		p, err := startPostgres(ctx, programs)
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts || ctx.Err() != nil {
			return nil, fmt.Errorf("starting PostgreSQL: %w", err)
		}
	}
}

func startPostgres(ctx context.Context, programs postgresPrograms) (_ *Postgres, err error) {
	began := time.Now()
	user, err := postgresUser()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hap-postgres-")
	if err != nil {
		return nil, err
	}
	p := &Postgres{
		dir: dir, programs: programs, user: user, port: ports[0],
		ownerPassword: rand.Text(), readerPassword: rand.Text(),
	}
	if p.watchdog, err = startPostgresGuard(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Stop())
		}
	}()
	for _, step := range []func(context.Context) error{p.initialise, p.serve, p.waitUntilReady, p.askVersion} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	p.startup = time.Since(began)
	return p, nil
}

// initialise makes the data folder.
func (p *Postgres) initialise(ctx context.Context) error {
	password := filepath.Join(p.dir, "password")
	if err := os.WriteFile(password, []byte(p.ownerPassword), 0o600); err != nil {
		return err
	}
	cmd, err := p.command(p.programs.initdb, "-D", p.dataFolder(), "-U", postgresOwner, "--pwfile", password,
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync")
	if err != nil {
		return err
	}
	if err := p.own(password); err != nil {
		return err
	}
	ended, err := p.begin(cmd, "initdb")
	if err != nil {
		return err
	}
	select {
	case <-ended:
	case <-ctx.Done():
		return p.programError("initdb", errors.Join(ctx.Err(), p.watchdog.stop()))
	}
	if !cmd.ProcessState.Success() {
		return p.programError("initdb", errors.New(cmd.ProcessState.String()))
	}
	return nil
}

// serve starts the server. What it writes is thrown away in the end, so it need not reach the disk.
func (p *Postgres) serve(context.Context) error {
	arguments := []string{"-D", p.dataFolder(), "-h", "127.0.0.1", "-p", strconv.Itoa(p.port)}
	for _, setting := range []string{
		"unix_socket_directories=",
		"dynamic_shared_memory_type=mmap", // in the data folder, so that it goes with it
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0",
		"max_wal_size=4GB", "log_timezone=UTC", "timezone=UTC", "lc_messages=C",
	} {
		arguments = append(arguments, "-c", setting)
	}
	cmd, err := p.command(p.programs.postgres, arguments...)
	if err != nil {
		return err
	}
	p.ended, err = p.begin(cmd, "postgres")
	return err
}

// waitUntilReady waits for the word that the server writes beside its pid once it answers.
func (p *Postgres) waitUntilReady(ctx context.Context) error {
	err := poll(ctx, postgresStartTimeout, func(context.Context) error {
		select {
		case <-p.ended:
			return stopPolling(errors.New("it ended"))
		default:
		}
		content, err := os.ReadFile(filepath.Join(p.dataFolder(), "postmaster.pid"))
		if err != nil {
			return err
		}
		lines := strings.Split(string(content), "\n")
		if len(lines) < 8 || strings.TrimSpace(lines[7]) != "ready" {
			return errors.New("it is not ready")
		}
		return nil
	})
	if err != nil {
		return p.programError("postgres", err)
	}
	return nil
}

func (p *Postgres) askVersion(ctx context.Context) error {
	version, err := p.psql(ctx, p.url("postgres", postgresOwner, p.ownerPassword), strings.NewReader("SHOW server_version;"))
	p.version, _, _ = strings.Cut(strings.TrimSpace(version), " ") // distributions add their own version
	return err
}

// command prepares a program that records its pid for the guard before it becomes what it is.
func (p *Postgres) command(binary string, arguments ...string) (*exec.Cmd, error) {
	path, err := p.watchdog.wrap(binary)
	if err != nil {
		return nil, err
	}
	if err := p.own(p.dir, filepath.Join(p.dir, pidsFolder), filepath.Dir(path), path); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, arguments...)
	cmd.Dir = p.dir
	cmd.Env = postgresEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.user}
	return cmd, nil
}

// begin starts a program that writes to a log, and returns what is closed at its end.
func (p *Postgres) begin(cmd *exec.Cmd, name string) (chan struct{}, error) {
	log, err := os.OpenFile(p.logPath(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ended is in its state
	}()
	return ended, nil
}

// own gives files to the user that the server runs as.
func (p *Postgres) own(paths ...string) error {
	if p.user == nil {
		return nil
	}
	var errs []error
	for _, path := range paths {
		errs = append(errs, os.Chown(path, int(p.user.Uid), int(p.user.Gid)))
	}
	return errors.Join(errs...)
}

func (p *Postgres) dataFolder() string { return filepath.Join(p.dir, "data") }

func (p *Postgres) logPath(name string) string { return filepath.Join(p.dir, name+".log") }

// programError adds the end of the program's log to what went wrong.
func (p *Postgres) programError(name string, err error) error {
	content, _ := os.ReadFile(p.logPath(name))
	if bytes.Contains(content, []byte("Address already in use")) {
		err = errors.Join(errPortTaken, err)
	}
	tail := strings.TrimSpace(string(content[max(0, len(content)-logTailBytes):]))
	if tail == "" {
		tail = "(empty)"
	}
	return fmt.Errorf("%s did not start: %w\nend of its log:\n%s", name, err, tail)
}

// Stop ends the server and removes all that it wrote. It may be called more than once.
func (p *Postgres) Stop() error {
	p.stopOnce.Do(func() {
		if p.stopErr = p.stop(); p.stopErr != nil {
			p.stopErr = fmt.Errorf("stopping PostgreSQL: %w", p.stopErr)
		}
	})
	return p.stopErr
}

func (p *Postgres) stop() error {
	if err := p.watchdog.stop(); err != nil || p.ended == nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(programStopTimeout):
		return errors.New("it does not end")
	}
}

// String names what runs, in one line for a log.
func (p *Postgres) String() string {
	return fmt.Sprintf("PostgreSQL %s, started in %.1fs", p.version, p.startup.Seconds())
}
