package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// installFolders is where Debian and its like install the server: not on the PATH.
const installFolders = "/usr/lib/postgresql/*/bin"

// ErrNotInstalled says that PostgreSQL is not installed, and what to install.
var ErrNotInstalled = errors.New("initdb, postgres and psql are neither on the PATH nor in " + installFolders +
	": install PostgreSQL, for example the package postgresql")

// programs are the paths of the programs of one installation.
type programs struct{ initdb, postgres, psql string }

// findPrograms finds an installation that is whole.
func findPrograms(folder string) (programs, error) {
	if folder != "" {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return programs{}, err
		}
		programs, whole := programsIn(folder)
		if !whole {
			return programs, fmt.Errorf("%s does not hold initdb, postgres and psql", folder)
		}
		return programs, nil
	}
	for _, folder := range candidates() {
		if programs, whole := programsIn(folder); whole {
			return programs, nil
		}
	}
	return programs{}, ErrNotInstalled
}

// candidates lists the folder of the PATH's initdb, where it really lies, and then the newest version first.
func candidates() []string {
	var folders []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		folders = append(folders, filepath.Dir(path))
	}
	installed, _ := filepath.Glob(installFolders)
	slices.SortFunc(installed, func(a, b string) int { return majorVersion(b) - majorVersion(a) })
	return append(folders, installed...)
}

// majorVersion is the version in /usr/lib/postgresql/<version>/bin.
func majorVersion(folder string) int {
	major, _, _ := strings.Cut(filepath.Base(filepath.Dir(folder)), ".")
	version, _ := strconv.Atoi(major)
	return version
}

func programsIn(folder string) (programs, bool) {
	programs := programs{
		initdb:   filepath.Join(folder, "initdb"),
		postgres: filepath.Join(folder, "postgres"),
		psql:     filepath.Join(folder, "psql"),
	}
	for _, path := range []string{programs.initdb, programs.postgres, programs.psql} {
		if info, err := os.Stat(path); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return programs, false
		}
	}
	return programs, true
}

// serverUser is whom the server runs as: it refuses to run as root.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody")
}

// environment is ours without what would lead psql or the server elsewhere, and with messages in English.
func environment() []string {
	environment := slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "PG") })
	return append(environment, "LC_ALL=C")
}

// url leads to a database as a role.
func (p *Server) url(database, role, password string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password),
		Host: local.Address(p.port), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// psql runs a script and returns what it prints: a line per row, with | between the columns. It stops at the first error.
func (p *Server) psql(ctx context.Context, url string, script io.Reader) (string, error) {
	cmd := exec.CommandContext(ctx, p.programs.psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", "-")
	cmd.Env = environment()
	cmd.Stdin = script
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return stdout.String(), fmt.Errorf("psql: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
