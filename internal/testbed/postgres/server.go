package postgres

import (
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

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	startTimeout = time.Minute
	// owner owns every database, as the broker owns its own.
	owner = "broker"
	// reader is the role that examples/rbac/database.sql makes.
	reader = "hap_provider"
)

// Options of a [Server]; the zero value is what tests want.
type Options struct {
	// Binaries is the folder that holds initdb, postgres and psql. Default: the PATH, else the newest of
	// /usr/lib/postgresql/*/bin.
	Binaries string
	// Timeout bounds the whole start. Default: one minute.
	Timeout time.Duration
}

// Server is a running PostgreSQL server with a data folder of its own. Roles need a password, as at the broker's.
//
// Nothing outlives the process that started it, not even after SIGKILL: see guard.go.
type Server struct {
	dir      string
	programs programs
	user     *syscall.Credential // nil = the user of this process
	watchdog *local.Watchdog
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

// Start starts a PostgreSQL server on a free port of 127.0.0.1. The caller stops it; if it cannot any more, the
// guard does. Where PostgreSQL is not installed the error is [ErrNotInstalled].
func Start(ctx context.Context, options Options) (*Server, error) {
	programs, err := findPrograms(options.Binaries)
	if err != nil {
		return nil, err
	}
	if options.Timeout <= 0 {
		options.Timeout = startTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()

	p, err := local.Start(ctx, func(ctx context.Context) (*Server, error) { return start(ctx, programs) })
	if err != nil {
		return nil, fmt.Errorf("starting PostgreSQL: %w", err)
	}
	return p, nil
}

func start(ctx context.Context, programs programs) (_ *Server, err error) {
	began := time.Now()
	user, err := serverUser()
	if err != nil {
		return nil, err
	}
	ports, err := local.FreePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hap-postgres-")
	if err != nil {
		return nil, err
	}
	p := &Server{
		dir: dir, programs: programs, user: user, port: ports[0],
		ownerPassword: rand.Text(), readerPassword: rand.Text(),
	}
	if p.watchdog, err = startGuard(dir); err != nil {
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
func (p *Server) initialise(ctx context.Context) error {
	password := filepath.Join(p.dir, "password")
	if err := os.WriteFile(password, []byte(p.ownerPassword), 0o600); err != nil {
		return err
	}
	cmd, err := p.command(p.programs.initdb, "-D", p.dataFolder(), "-U", owner, "--pwfile", password,
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
		return p.programError("initdb", errors.Join(ctx.Err(), p.watchdog.Stop()))
	}
	if !cmd.ProcessState.Success() {
		return p.programError("initdb", errors.New(cmd.ProcessState.String()))
	}
	return nil
}

// serve starts the server. What it writes is thrown away in the end, so it need not reach the disk.
func (p *Server) serve(context.Context) error {
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
func (p *Server) waitUntilReady(ctx context.Context) error {
	err := local.Poll(ctx, startTimeout, func(context.Context) error {
		select {
		case <-p.ended:
			return local.StopPolling(errors.New("it ended"))
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

func (p *Server) askVersion(ctx context.Context) error {
	version, err := p.psql(ctx, p.url("postgres", owner, p.ownerPassword), strings.NewReader("SHOW server_version;"))
	p.version, _, _ = strings.Cut(strings.TrimSpace(version), " ") // distributions add their own version
	return err
}

// command prepares a program that records its pid for the guard before it becomes what it is.
func (p *Server) command(binary string, arguments ...string) (*exec.Cmd, error) {
	path, err := p.watchdog.Wrap(binary)
	if err != nil {
		return nil, err
	}
	if err := p.own(p.dir, filepath.Join(p.dir, local.PIDsFolder), filepath.Dir(path), path); err != nil {
		return nil, err
	}
	cmd := exec.Command(path, arguments...)
	cmd.Dir = p.dir
	cmd.Env = environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.user}
	return cmd, nil
}

// begin starts a program that writes to a log, and returns what is closed at its end.
func (p *Server) begin(cmd *exec.Cmd, name string) (chan struct{}, error) {
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
func (p *Server) own(paths ...string) error {
	if p.user == nil {
		return nil
	}
	var errs []error
	for _, path := range paths {
		errs = append(errs, os.Chown(path, int(p.user.Uid), int(p.user.Gid)))
	}
	return errors.Join(errs...)
}

func (p *Server) dataFolder() string { return filepath.Join(p.dir, "data") }

func (p *Server) logPath(name string) string { return filepath.Join(p.dir, name+".log") }

func (p *Server) programError(name string, err error) error {
	return local.ProgramError(name, p.logPath(name), err)
}

// Stop ends the server and removes all that it wrote. It may be called more than once.
func (p *Server) Stop() error {
	p.stopOnce.Do(func() {
		if p.stopErr = p.stop(); p.stopErr != nil {
			p.stopErr = fmt.Errorf("stopping PostgreSQL: %w", p.stopErr)
		}
	})
	return p.stopErr
}

func (p *Server) stop() error {
	if err := p.watchdog.Stop(); err != nil || p.ended == nil {
		return err
	}
	select {
	case <-p.ended:
		return nil
	case <-time.After(local.StopTimeout):
		return errors.New("it does not end")
	}
}

// String names what runs, in one line for a log.
func (p *Server) String() string {
	return fmt.Sprintf("PostgreSQL %s, started in %.1fs", p.version, p.startup.Seconds())
}
