package testbed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// Program is a program of bin/tools that runs beside the control plane, and ends with it at the latest.
type Program struct {
	name  string
	log   string // the file that takes its output
	cmd   *exec.Cmd
	ended chan struct{} // closed once the program is gone
}

// StartProgram starts a program of the folder of programs, with env beside the environment of this process.
func (g *Garden) StartProgram(name string, env []string, args ...string) (*Program, error) {
	path, err := g.watchdog.Wrap(filepath.Join(g.options.Binaries, name))
	if err != nil {
		return nil, err
	}
	log, err := g.openLog(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	p := &Program{name: name, log: g.logPath(name), ended: make(chan struct{}), cmd: exec.Command(path, args...)}
	p.cmd.Dir = g.dir
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	// Its own process group, as envtest does it: Ctrl-C is for us to handle.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, p.failed(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// WaitUntilHealthy returns once a URL of the program answers 200, or with the end of the program's log.
func (p *Program) WaitUntilHealthy(ctx context.Context, httpClient *http.Client, url string) error {
	err := local.Poll(ctx, programStartTimeout, func(ctx context.Context) error {
		select {
		case <-p.ended:
			return local.StopPolling(errors.New("it ended by itself"))
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return local.StopPolling(err)
		}
		response, err := httpClient.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", request.URL.Path, response.Status)
		}
		return nil
	})
	if err != nil {
		return p.failed(err)
	}
	return nil
}

// Kill ends the program by SIGKILL and waits until it is gone. It may be called more than once.
func (p *Program) Kill() error {
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	return p.wait()
}

// wait waits for the end of a program that was killed.
func (p *Program) wait() error {
	select {
	case <-p.ended:
		return nil
	case <-time.After(local.StopTimeout):
		return fmt.Errorf("%s did not end", p.name)
	}
}

// failed adds the end of the program's log.
func (p *Program) failed(err error) error { return local.ProgramError(p.name, p.log, err) }
