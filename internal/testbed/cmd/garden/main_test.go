package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

func TestGarden(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder := filepath.Join(root, ".garden")
	ctx, interrupt := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, root, writer)
		_ = writer.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()

	lines := bufio.NewReader(reader)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	want := "ready: export KUBE_CONFIG_PATH=" + quote(filepath.Join(folder, "kubeconfig")) +
		" HAP_NAMESPACE=garden-hap TF_CLI_CONFIG_FILE=" + quote(filepath.Join(folder, "terraform.rc")) + "\n"
	if line != want {
		t.Errorf("got  %swant %s", line, want)
	}
	terraform, err := os.ReadFile(filepath.Join(folder, "terraform.rc"))
	override := `"registry.opentofu.org/hap-project/hap" = "` + filepath.Join(root, "bin") + `"`
	if err != nil || !strings.Contains(string(terraform), override) {
		t.Errorf("terraform.rc: %s, %v", terraform, err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(folder, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Discovery().ServerResourcesForGroupVersion("security.gardener.cloud/v1alpha1"); err != nil {
		t.Errorf("asking the Garden: %v", err)
	}
	address := expectDatabase(t, filepath.Join(folder, "database-url"))

	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("at the end: %v", err)
	}
	if _, err := lines.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("more than one line (%v)", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s still exists", folder)
	}
	if connection, err := net.Dial("tcp", address); err == nil {
		_ = connection.Close()
		t.Errorf("PostgreSQL still listens on %s", address)
	}
}

// expectDatabase sees that the file leads to PostgreSQL as the role that may only read, and returns the address.
func expectDatabase(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the URL holds a password, and may be read by others: %v, %v", info.Mode(), err)
	}
	database, err := url.Parse(strings.TrimSpace(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	if role := database.User.Username(); role != "hap_provider" {
		t.Errorf("the URL is one of the role %q", role)
	}
	connection, err := net.Dial("tcp", database.Host)
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
	return database.Host
}

func TestDatabaseThatIsNotThere(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct{ err, want error }{{postgres.ErrNotInstalled, nil}, {broken, broken}} {
		d, err := startDatabase(t.Context(), func(context.Context, postgres.Options) (*postgres.Server, error) {
			return nil, test.err
		})
		if d != nil || !errors.Is(err, test.want) {
			t.Errorf("after %v: %v, %v", test.err, d, err)
		}
		if err := d.stop(); err != nil {
			t.Errorf("stopping none: %v", err)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/plain/path-1.rc": "/plain/path-1.rc",
		"/with space":      "'/with space'",
		"/it's":            `'/it'\''s'`,
	} {
		if got := quote(path); got != want {
			t.Errorf("quote(%q) = %s instead of %s", path, got, want)
		}
	}
}
