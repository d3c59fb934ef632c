package main

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plugin is a script that starts as a provider of protocol 6 does, where it is asked as OpenTofu and Terraform ask.
const plugin = "#!/bin/sh\n" + `[ -n "$TF_PLUGIN_MAGIC_COOKIE" ] && echo '1|6|unix|/tmp/plugin1|grpc|'` + "\n"

// packed is a file of an archive.
type packed struct {
	content string
	mode    fs.FileMode
}

// parts are what a release is made of.
type parts struct {
	archive  string
	files    map[string]packed
	sums     string
	manifest string
	// lines are the checksums that differ from the right ones, by file name; empty = no line.
	lines map[string]string
}

const platform = "linux_amd64"

// good is a release without a fault.
func good() parts {
	return parts{
		archive: "terraform-provider-hap_1.2.3-rc.1_linux_amd64.zip",
		files: map[string]packed{
			"LICENSE":                            {"text", 0o644},
			"terraform-provider-hap_v1.2.3-rc.1": {plugin, 0o755},
		},
		sums:     "terraform-provider-hap_1.2.3-rc.1_SHA256SUMS",
		manifest: `{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}`,
		lines:    map[string]string{},
	}
}

// write writes the release to a folder and returns the path of the manifest.
func (p parts) write(t *testing.T, folder string) string {
	t.Helper()
	archive, err := os.Create(filepath.Join(folder, p.archive))
	if err != nil {
		t.Fatal(err)
	}
	packer := zip.NewWriter(archive)
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		header := &zip.FileHeader{Name: name}
		header.SetMode(p.files[name].mode)
		w, err := packer.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, p.files[name].content)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(t.TempDir(), manifestFile)
	if err := os.WriteFile(manifest, []byte(p.manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	published := strings.TrimSuffix(p.archive, platform+".zip") + "manifest.json"
	var sums strings.Builder
	for name, path := range map[string]string{p.archive: filepath.Join(folder, p.archive), published: manifest} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name)
		if other, ok := p.lines[name]; ok {
			line = other
		}
		sums.WriteString(line)
	}
	if p.sums != "" {
		if err := os.WriteFile(filepath.Join(folder, p.sums), []byte(sums.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return manifest
}

// check does what the command does before it starts a Garden.
func (p parts) check(t *testing.T) error {
	t.Helper()
	folder, temp := t.TempDir(), t.TempDir()
	manifest := p.write(t, folder)
	r, err := findRelease(folder, platform)
	if err != nil {
		return err
	}
	if err := r.check(t.Context(), manifest, temp); err != nil {
		return err
	}
	return r.mirror(filepath.Join(temp, "mirror"))
}

// The cases start programs that they have written: one after the other, so that no start of one inherits another's file
// while it is still open.
func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		program  = "terraform-provider-hap_v1.2.3-rc.1"
		manifest = "terraform-provider-hap_1.2.3-rc.1_manifest.json"
	)
	for name, test := range map[string]struct {
		change func(*parts)
		want   []string // what the error says; none = no error
	}{
		"all is well": {func(*parts) {}, nil},
		"the name of the clone": {
			func(p *parts) { p.archive = "main_1.2.3-rc.1_linux_amd64.zip" },
			[]string{"main_1.2.3-rc.1_linux_amd64.zip", "terraform-provider-hap_VERSION_linux_amd64.zip", "project_name"},
		},
		"another platform": {
			func(p *parts) { p.archive = "terraform-provider-hap_1.2.3-rc.1_windows_386.zip" },
			[]string{"terraform-provider-hap_VERSION_linux_amd64.zip"},
		},
		"a version with v": {
			func(p *parts) { p.archive = "terraform-provider-hap_v1.2.3_linux_amd64.zip" }, []string{`version "v1.2.3"`, "semantic version"},
		},
		"no version": {
			func(p *parts) { p.archive = "terraform-provider-hap_latest_linux_amd64.zip" }, []string{`version "latest"`},
		},
		"a version in capitals": {
			func(p *parts) { p.archive = "terraform-provider-hap_1.2.3-RC1_linux_amd64.zip" }, []string{`version "1.2.3-RC1"`, "lower case"},
		},
		"no checksums": {func(p *parts) { p.sums = "" }, []string{"reading the checksums", "terraform-provider-hap_1.2.3-rc.1_SHA256SUMS"}},
		"checksums of another version": {
			func(p *parts) { p.sums = "terraform-provider-hap_1.2.2_SHA256SUMS" }, []string{"terraform-provider-hap_1.2.3-rc.1_SHA256SUMS"},
		},
		"a wrong checksum": {
			func(p *parts) { p.lines[p.archive] = "0123  " + p.archive + "\n" },
			[]string{"the checksum of terraform-provider-hap_1.2.3-rc.1_linux_amd64.zip is ", "says 0123"},
		},
		"a wrong checksum of the manifest": {
			func(p *parts) { p.lines[manifest] = "4567  " + manifest + "\n" }, []string{"the checksum of " + manifest, "says 4567"},
		},
		"no checksum of the archive":  {func(p *parts) { p.lines[p.archive] = "" }, []string{"no line for terraform-provider-hap_1.2.3-rc.1_linux_amd64.zip"}},
		"no checksum of the manifest": {func(p *parts) { p.lines[manifest] = "" }, []string{"no line for " + manifest}},
		"no checksums in the file":    {func(p *parts) { p.lines[manifest] = "text\n" }, []string{`no checksum: "text\n"`}},
		"another version in the archive": {
			func(p *parts) { p.files = map[string]packed{"terraform-provider-hap_v1.2.2": {plugin, 0o755}} },
			[]string{"terraform-provider-hap_v1.2.2", "asks for " + program + " alone"},
		},
		"no v": {
			func(p *parts) { p.files = map[string]packed{"terraform-provider-hap_1.2.3-rc.1": {plugin, 0o755}} },
			[]string{`["terraform-provider-hap_1.2.3-rc.1"]`},
		},
		"two providers": {
			func(p *parts) { p.files["terraform-provider-hap"] = packed{plugin, 0o755} }, []string{`"terraform-provider-hap" "` + program + `"`},
		},
		"a folder within the archive": {
			func(p *parts) { p.files = map[string]packed{"bin/" + program: {plugin, 0o755}} }, []string{`["bin/` + program + `"]`},
		},
		"no provider": {func(p *parts) { delete(p.files, program) }, []string{"holds the providers []"}},
		"a provider that cannot be started": {
			func(p *parts) { p.files[program] = packed{plugin, 0o644} }, []string{program, "is not executable"},
		},
		"a provider that is none": {
			func(p *parts) { p.files[program] = packed{"#!/bin/sh\necho usage\n", 0o755} },
			[]string{"does not start as a plugin", `"usage\n"`},
		},
		"a provider that says nothing": {
			func(p *parts) { p.files[program] = packed{"#!/bin/sh\n", 0o755} }, []string{"does not start as a plugin", `""`},
		},
		"a manifest of another protocol": {
			func(p *parts) { p.manifest = `{"version": 1, "metadata": {"protocol_versions": ["5.0"]}}` },
			[]string{manifestFile, `names the protocols ["5.0"], and the provider speaks 6.0`},
		},
		"a manifest of another version": {
			func(p *parts) { p.manifest = `{"version": 2, "metadata": {"protocol_versions": ["6.0"]}}` }, []string{"is of version 2"},
		},
		"a manifest that is none": {func(p *parts) { p.manifest = "text" }, []string{manifestFile, "invalid character"}},
	} {
		p := good()
		test.change(&p)
		err := p.check(t)
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: the check ends with %v", name, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error does not say %q:\n%v", name, want, err)
			}
		}
	}
}

// goreleaser left nothing, or an archive for each platform.
func TestFindRelease(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	find := func(want string) {
		t.Helper()
		_, err := findRelease(folder, platform)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	find("holds 0 archives")
	for _, archive := range []struct{ platform, want string }{{"linux_amd64", ""}, {"linux_386", "holds 2 archives"}} {
		path := filepath.Join(folder, "terraform-provider-hap_1.2.3_"+archive.platform+".zip")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		find(archive.want)
	}
}
