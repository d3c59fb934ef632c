// Package fakes has what the examples and guides use of other providers: of hashicorp/kubernetes Secrets and namespaces, of hashicorp/helm
// releases, of hashicorp/aws the account of its credentials. What they make they really make behind the connection that they are given.
// A test binary plays them, so that no test downloads a provider.
package fakes

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
)

const (
	prefix = "terraform-provider-"
	// version is that of the fakes: above what the examples ask for, and no pre-release.
	version = "99.0.0"
)

// providers are the fakes by their names in the registries.
var providers = map[string]func() frameworkprovider.Provider{
	"aws":        func() frameworkprovider.Provider { return &aws{} },
	"helm":       func() frameworkprovider.Provider { return &helm{} },
	"kubernetes": func() frameworkprovider.Provider { return &kubernetes{} },
}

// hosts are the default registries of OpenTofu and Terraform.
var hosts = []string{"registry.opentofu.org", "registry.terraform.io"}

// Serve is this program as one of the providers; false = it was not started as one. TestMain calls it first.
func Serve() bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(os.Args[0]), prefix), "_v")
	fake, known := providers[name]
	if !known {
		return false
	}
	err := providerserver.Serve(context.Background(), fake, providerserver.ServeOpts{
		Address: "registry.terraform.io/hashicorp/" + name, ProtocolVersion: 6,
	})
	if err != nil {
		os.Exit(1)
	}
	return true
}

// Override makes a CLI configuration file with dev_overrides take this very program for the providers that it plays. The folder is for
// links to it.
func Override(config, folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	overrides := ""
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		if err := os.Symlink(self, filepath.Join(folder, prefix+name)); err != nil {
			return err
		}
		for _, host := range hosts {
			overrides += fmt.Sprintf("    %q = %q\n", host+"/hashicorp/"+name, folder)
		}
	}
	content, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	text := strings.Replace(string(content), "dev_overrides {\n", "dev_overrides {\n"+overrides, 1)
	return os.WriteFile(config, []byte(text), 0o600)
}

// Mirror lays this program into a filesystem mirror, as each of the providers that it plays, and another program as the provider
// hap-project/hap. A program that is the real hashicorp/kubernetes takes the place of the fake; empty = none.
func Mirror(folder, hap, kubernetes string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	programs := map[string]string{"hap-project/hap": hap}
	for name := range providers {
		programs["hashicorp/"+name] = self
	}
	if kubernetes != "" {
		programs["hashicorp/kubernetes"] = kubernetes
	}
	for address, program := range programs {
		for _, host := range hosts {
			place := filepath.Join(folder, host, address, version, runtime.GOOS+"_"+runtime.GOARCH)
			if err := os.MkdirAll(place, 0o700); err != nil {
				return err
			}
			if err := os.Link(program, filepath.Join(place, prefix+filepath.Base(address)+"_v"+version)); err != nil {
				return err
			}
		}
	}
	return nil
}
