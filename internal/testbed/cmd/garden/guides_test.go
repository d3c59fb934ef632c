package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	security "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	core "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fakes"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/guides"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

func TestMain(m *testing.M) {
	if fakes.Serve() { // started as another provider, from the filesystem mirror
		return
	}
	if filepath.Base(os.Args[0]) == programName { // started from the bin/ of a reader
		main()
		return
	}
	os.Exit(testbed.Main(m))
}

// wholeVariable has all pages followed, not the short ones alone. programVariable and kubernetesVariable name the program that is used for
// tofu, and the real hashicorp/kubernetes to take in place of the fake.
const (
	programName        = "garden" // of this program in bin/
	wholeVariable      = "HAP_GUIDES"
	programVariable    = "TF_ACC_TERRAFORM_PATH"
	kubernetesVariable = "HAP_KUBERNETES_PROVIDER"
)

// followed says how each page is followed: Count is what there is to follow on it. A page that is not here fails the test.
var followed = map[string]struct {
	count guides.Count
	edits map[string]string // what a reader would do by hand
	long  bool              // it takes more than a minute or two
}{
	"README.md":                        {count: guides.Count{Run: 2, Compared: 1, Exempt: 4}},
	"a-day-in-a-pool.md":               {count: guides.Count{Run: 6, Saved: 3, Compared: 4}},
	"beside-keb.md":                    {count: guides.Count{Run: 3, Saved: 2, Compared: 2}},
	"claims.md":                        {count: guides.Count{Run: 4, Saved: 1, Compared: 3}},
	"clusters-through-openmcp.md":      {count: guides.Count{Run: 14, Saved: 8, Compared: 9, Exempt: 1}},
	"counting.md":                      {count: guides.Count{Run: 3, Saved: 1, Compared: 2}},
	"filling-the-pool.md":              {count: guides.Count{Run: 5, Saved: 2, Compared: 3, Exempt: 1}, long: true},
	"from-nothing-to-a-cluster.md":     {count: guides.Count{Run: 9, Saved: 4, Compared: 3, Exempt: 1}, long: true},
	"getting-started.md":               {count: guides.Count{Run: 11, Saved: 5, Compared: 4, Exempt: 1}},
	"index.md":                         {count: guides.Count{Run: 2, Saved: 1, Compared: 1, Exempt: 5}},
	"moving-to-credentialsbindings.md": {count: guides.Count{Run: 13, Saved: 4, Compared: 7}, long: true},
	"performance.md":                   {},
	"permissions.md":                   {count: guides.Count{Run: 5, Saved: 1, Compared: 3, Exempt: 1}},
	"purposes-traits-prefixes.md":      {count: guides.Count{Run: 6, Saved: 4, Compared: 1, Exempt: 11}},
	"taking-over-a-landscape.md":       {count: guides.Count{Run: 10, Saved: 6, Compared: 9, Exempt: 1}, long: true},
	"troubleshooting.md":               {count: guides.Count{Run: 3, Saved: 1, Compared: 1}},
	"words.md":                         {},
	"writing-rules.md":                 {count: guides.Count{Run: 7, Saved: 4, Compared: 5, Exempt: 1}},
}

// A reader who follows a page from top to bottom, on the Garden of `make garden`, is stopped nowhere: each block is saved where the page
// says, or run, or compared with what was printed.
func TestGuides(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it needs TF_ACC=1")
	}
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	clone := cloneOf(t, root)
	garden := serve(t, clone)
	files := slices.Concat(glob(t, root, "README.md"), glob(t, root, "docs/index.md"), glob(t, root, "docs/guides/*.md"))
	for _, file := range files { //nolint:paralleltest // the pages share a pool
		page, err := guides.Read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		how, known := followed[page.Name]
		if !known {
			t.Errorf("%s: it is not said how the page is followed", page.Name)
			continue
		}
		t.Run(page.Name, func(t *testing.T) {
			if how.long && os.Getenv(wholeVariable) == "" {
				t.Skipf("long: make test-guides follows it")
			}
			defer garden.clear(t)
			walk := guides.Walk{Folder: clone, Env: garden.env, Edits: how.edits}
			count, err := walk.Follow(t.Context(), page)
			if err != nil {
				t.Fatal(err)
			}
			if count != how.count {
				t.Errorf("followed %+v, want %+v", count, how.count)
			}
			for _, block := range page.Blocks {
				if block.Exempt != "" {
					t.Logf("not followed: %s:%d: %s, %s", page.Name, block.Line, block.Language, block.Exempt)
				}
			}
		})
	}
}

func glob(t *testing.T, root, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	return found
}

// cloneOf is a folder with what a reader has after `make garden` in a clone: the examples, and bin/ with this program, the mirror and the
// tools.
func cloneOf(t *testing.T, root string) string {
	t.Helper()
	clone, tools := t.TempDir(), filepath.Join(root, "bin", "tools")
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(clone, "examples")); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(clone, "bin", "tools")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	program := os.Getenv(programVariable)
	if program == "" {
		program = filepath.Join(tools, "tofu")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"tofu": program, "kubectl": filepath.Join(tools, "kubectl"), "../" + programName: self} {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	mirror := filepath.Join(clone, "bin", "mirror")
	if err := fakes.Mirror(mirror, filepath.Join(cli.Provider(t), "terraform-provider-hap"), os.Getenv(kubernetesVariable)); err != nil {
		t.Fatal(err)
	}
	return clone
}

// served is the Garden of this program, as a reader's shell knows it.
type served struct {
	env       []string
	namespace *testbed.Namespace
}

// serve runs the program until the test ends.
func serve(t *testing.T, root string) served {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, root, writer)
		_ = writer.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	t.Cleanup(func() {
		interrupt()
		if err := <-ended; err != nil {
			t.Errorf("at the end: %v", err)
		}
	})
	if _, err := bufio.NewReader(reader).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	offline(t, filepath.Join(root, ".garden", "terraform.rc"), filepath.Join(root, "bin", "mirror"))
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(root, ".garden", "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	namespace, err := testbed.OpenNamespace(config, "garden-"+project)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "CHECKPOINT_DISABLE=1", "TF_DISABLE_PLUGIN_TLS=1", "TF_IN_AUTOMATION=1", "NO_COLOR=1",
	}
	return served{env: env, namespace: namespace}
}

// offline has a configuration of the CLI install from a mirror what would come from a registry.
func offline(t *testing.T, config, mirror string) {
	t.Helper()
	content, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	const registry = "direct {"
	if strings.Count(string(content), registry) != 1 {
		t.Fatalf("where do other providers come from?\n%s", content)
	}
	text := strings.Replace(string(content), registry, "filesystem_mirror {\n    path = "+strconv.Quote(mirror), 1)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// clear sees that a page has left no cluster and no claim, and deletes the accounts that it has made.
func (s served) clear(t *testing.T) {
	t.Helper()
	api, in := s.namespace.Client(), client.InNamespace(s.namespace.Name)
	var shoots gardencore.ShootList
	if err := api.List(t.Context(), &shoots, in); err != nil || len(shoots.Items) > 0 {
		t.Errorf("the page has left %d clusters (%v)", len(shoots.Items), err)
	}
	for _, a := range s.namespace.ListAccounts(t) {
		for key := range a.Annotations {
			if strings.HasPrefix(key, testbed.RecordPrefix) {
				t.Errorf("the page has left a claim on %s", a.Name)
			}
		}
	}
	for _, all := range []client.Object{&security.CredentialsBinding{}, &core.Secret{}} {
		if err := api.DeleteAllOf(t.Context(), all, in); err != nil {
			t.Error(err)
		}
	}
}
