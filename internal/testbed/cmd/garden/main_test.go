package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
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
