package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// fakeProgram is a script in the place of OpenTofu or Terraform.
func fakeProgram(t *testing.T, folder, name, script string) {
	t.Helper()
	if err := local.WriteProgram(filepath.Join(folder, name), "#!/bin/sh\n"+script+"\n"); err != nil {
		t.Fatal(err)
	}
}

// printing is a script that prints its version, as both programs do, and prints nothing for other arguments.
func printing(version string) string {
	return fmt.Sprintf(`[ "$*" = "version -json" ] && echo '{"terraform_version": %q, "platform": "linux_amd64"}'`, version)
}

func TestInstalled(t *testing.T) {
	for name, test := range map[string]struct {
		programs map[string]string
		want     string
		err      []string
	}{
		"OpenTofu goes first":                   {map[string]string{"tofu": printing("1.12.6"), "terraform": printing("1.15.0")}, "tofu 1.12.6", nil},
		"the oldest that will do":               {map[string]string{"terraform": printing("1.11.0")}, "terraform 1.11.0", nil},
		"a major version on":                    {map[string]string{"terraform": printing("2.0.1")}, "terraform 2.0.1", nil},
		"OpenTofu is too old, Terraform is not": {map[string]string{"tofu": printing("1.10.9"), "terraform": printing("1.14.2")}, "terraform 1.14.2", nil},
		"a warning beside the version": {
			map[string]string{"tofu": "echo 'a warning' >&2; " + printing("1.11.4")}, "tofu 1.11.4", nil,
		},
		"none": {nil, "", []string{"no tofu on the PATH", "no terraform on the PATH"}},
		"both are too old": {
			map[string]string{"tofu": printing("1.6.0"), "terraform": printing("1.11.0-rc1")}, "",
			[]string{"tofu is version 1.6.0, and the provider needs 1.11.0", "terraform is version 1.11.0-rc1, and the provider needs 1.11.0"},
		},
		// Version managers put a program of their own on the PATH.
		"a version manager without a version": {
			map[string]string{"terraform": "echo 'no version is set' >&2; exit 126"}, "", []string{"exit status 126", "no version is set"},
		},
		"no JSON":    {map[string]string{"terraform": "echo Terraform v0.11.1"}, "", []string{"terraform version -json", "Terraform v0.11.1"}},
		"no version": {map[string]string{"tofu": "echo '{}'"}, "", []string{"tofu version -json"}},
		"another answer to the settings of the user": {
			map[string]string{"tofu": `[ -z "$TF_LOG" ] && [ "$TF_CLI_CONFIG_FILE" = /dev/null ] && ` + printing("1.11.0")}, "tofu 1.11.0", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for program, script := range test.programs {
				fakeProgram(t, folder, program, script)
			}
			t.Setenv("PATH", folder)
			t.Setenv("TF_LOG", "trace")
			t.Setenv("TF_CLI_CONFIG_FILE", "/no/such/file")
			program, err := Installed(t.Context(), "tofu", "terraform")
			for _, reason := range test.err {
				if err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("the error %v does not say %q", err, reason)
				}
			}
			if test.err != nil {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := program.Name + " " + program.Version; got != test.want || program.Path != filepath.Join(folder, program.Name) {
				t.Errorf("found %s, want %s", program, test.want)
			}
		})
	}
}

// A copy of a configuration has all its files, and nothing of its runs.
func TestCopyFrom(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"main.tf", "modules/a/a.tf", ".terraform/x", ".terraform.lock.hcl", "terraform.tfstate", "terraform.tfstate.backup"} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := (&CLI{Folder: to}).CopyFrom(from); err != nil {
		t.Fatal(err)
	}
	var copied []string
	for _, pattern := range []string{"*", ".*", "modules/a/*"} {
		paths, _ := filepath.Glob(filepath.Join(to, pattern))
		for _, path := range paths {
			copied = append(copied, strings.TrimPrefix(path, to+"/"))
		}
	}
	if want := []string{"main.tf", "modules", "modules/a/a.tf"}; !slices.Equal(copied, want) {
		t.Errorf("copied %q instead of %q", copied, want)
	}
}
