package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

const (
	project      = "terraform-provider-hap"
	manifestFile = "terraform-registry-manifest.json"
	// programLimit bounds what is unpacked.
	programLimit = 1 << 30
)

// release is what goreleaser has built for one platform.
type release struct {
	folder string
	// version is without the v of the tag.
	version string
	// platform is system and architecture, such as linux_amd64.
	platform string
}

// findRelease finds the one archive of a folder. Its name gives the version.
func findRelease(folder, platform string) (release, error) {
	archives, err := filepath.Glob(filepath.Join(folder, "*.zip"))
	if err != nil {
		return release{}, err
	}
	if len(archives) != 1 {
		return release{}, fmt.Errorf("%s holds %d archives, and this platform has one", folder, len(archives))
	}
	name := filepath.Base(archives[0])
	prefix, suffix := project+"_", "_"+platform+".zip"
	number, isProject := strings.CutPrefix(name, prefix)
	number, isPlatform := strings.CutSuffix(number, suffix)
	if !isProject || !isPlatform {
		return release{}, fmt.Errorf("the archive is called %s, and the registries ask for %sVERSION%s: "+
			"look at project_name and archives in .goreleaser.yml", name, prefix, suffix)
	}
	if _, err := version.ParseSemantic(number); err != nil || strings.HasPrefix(number, "v") {
		return release{}, fmt.Errorf("the archive %s has version %q, and the registries ask for a semantic version without v", name, number)
	}
	if strings.ToLower(number) != number {
		return release{}, fmt.Errorf("the archive %s has version %q, and in a filesystem mirror "+
			"OpenTofu and Terraform find versions in lower case alone", name, number)
	}
	return release{folder: folder, version: number, platform: platform}, nil
}

// file is the name that the registries ask for.
func (r release) file(suffix string) string { return project + "_" + r.version + "_" + suffix }

func (r release) archive() string { return r.file(r.platform + ".zip") }

// program is the name of the provider within the archive.
func (r release) program() string { return project + "_v" + r.version }

// check sees that checksums, archive and manifest fit each other and the provider, which it unpacks into a folder.
func (r release) check(ctx context.Context, manifest, folder string) error {
	sums, err := readSums(filepath.Join(r.folder, r.file("SHA256SUMS")))
	if err == nil {
		// The manifest is published under its own name, but goreleaser makes no copy of it.
		err = errors.Join(sums.check(r.archive(), filepath.Join(r.folder, r.archive())), sums.check(r.file("manifest.json"), manifest))
	}
	program, unpackErr := r.unpack(folder)
	if err := errors.Join(err, unpackErr); err != nil {
		return err
	}
	speaks, err := protocol(ctx, program)
	if err != nil {
		return err
	}
	return checkManifest(manifest, speaks)
}

// checksums are those of a SHA256SUMS file, by file name.
type checksums struct {
	file   string
	byName map[string]string
}

func readSums(path string) (checksums, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return checksums{}, fmt.Errorf("reading the checksums: %w", err)
	}
	sums := checksums{file: filepath.Base(path), byName: map[string]string{}}
	for line := range strings.Lines(string(content)) {
		sum, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		if !found {
			return checksums{}, fmt.Errorf("%s has a line that is no checksum: %q", sums.file, line)
		}
		sums.byName[name] = sum
	}
	return sums, nil
}

// check compares the checksum of a name with the content of a file.
func (c checksums) check(name, path string) error {
	want, listed := c.byName[name]
	if !listed {
		return fmt.Errorf("%s has no line for %s", c.file, name)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != want {
		return fmt.Errorf("the checksum of %s is %x, and %s says %s", name, sum, c.file, want)
	}
	return nil
}

// unpack takes the provider out of the archive and returns its path.
func (r release) unpack(folder string) (_ string, err error) {
	archive, err := zip.OpenReader(filepath.Join(r.folder, r.archive()))
	if err != nil {
		return "", fmt.Errorf("opening %s: %w", r.archive(), err)
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	var programs []string
	var program *zip.File
	for _, f := range archive.File {
		if strings.HasPrefix(filepath.Base(f.Name), "terraform-provider-") {
			programs, program = append(programs, f.Name), f
		}
	}
	if !slices.Equal(programs, []string{r.program()}) {
		return "", fmt.Errorf("%s holds the providers %q, and its version asks for %s alone", r.archive(), programs, r.program())
	}
	if program.Mode()&0o111 == 0 {
		return "", fmt.Errorf("%s in %s is not executable: %s", r.program(), r.archive(), program.Mode())
	}
	packed, err := program.Open()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, r.program())
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, io.LimitReader(packed, programLimit))
	return path, errors.Join(err, file.Close(), packed.Close())
}

// checkManifest compares the protocol of the manifest with the one that the provider speaks.
func checkManifest(path, speaks string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var manifest struct {
		Version  int `json:"version"`
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	if protocols := manifest.Metadata.ProtocolVersions; manifest.Version != 1 || !slices.Equal(protocols, []string{speaks + ".0"}) {
		return fmt.Errorf("%s is of version %d and names the protocols %q, and the provider speaks %s.0",
			filepath.Base(path), manifest.Version, protocols, speaks)
	}
	return nil
}

// mirror puts the archive where both programs find it, each under its own default registry.
func (r release) mirror(folder string) error {
	archive, err := os.ReadFile(filepath.Join(r.folder, r.archive()))
	if err != nil {
		return err
	}
	for _, host := range []string{"registry.opentofu.org", "registry.terraform.io"} {
		provider := filepath.Join(folder, host, "hap-project", "hap")
		if err := os.MkdirAll(provider, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(provider, r.archive()), archive, 0o600); err != nil {
			return err
		}
	}
	return nil
}
