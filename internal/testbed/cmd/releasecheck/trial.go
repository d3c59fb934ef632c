package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The example of the guide "Getting started", and what it names.
const (
	guide          = "examples/guides/getting-started"
	guideNamespace = "garden-my-project"
	guideAccount   = "try-hap"
	guideTenant    = "ga-test"
)

// pinnedVersion asks for the version of the release: neither program takes a pre-release, such as a snapshot, unasked.
const pinnedVersion = `terraform {
  required_providers {
    hap = {
      source  = "hap-project/hap"
      version = %q
    }
  }
}
`

// trial is the guide, followed with one program.
type trial struct {
	release release
	program cli.Program
	garden  *testbed.Garden
	root    string

	namespace *testbed.Namespace
	proxy     *fault.Proxy
	cli       *cli.CLI
}

// run follows the guide in a namespace of its own: the account, the role, the connection, init, apply and destroy.
func (t *trial) run(ctx context.Context, mirror string) (err error) {
	if t.namespace, err = t.garden.MakeNamespace(ctx, t.program.Name); err != nil {
		return err
	}
	if err := t.makeAccount(ctx); err != nil {
		return err
	}
	if t.proxy, err = fault.MakeProxy(t.garden, fault.ProxyOptions{}); err != nil {
		return err
	}
	defer t.proxy.Close()
	if err := t.prepare(ctx, mirror); err != nil {
		return err
	}
	if err := t.do(ctx, t.checkInstalled, "init"); err != nil {
		return err
	}
	if err := t.do(ctx, t.checkClaimed, "apply", "-auto-approve"); err != nil {
		return err
	}
	return t.do(ctx, t.checkReturned, "destroy", "-auto-approve")
}

// do runs a command and then checks what it has done.
func (t *trial) do(ctx context.Context, check func(context.Context) error, arguments ...string) error {
	if err := t.cli.Follow(ctx, os.Stdout, arguments...); err != nil {
		return err
	}
	if err := check(ctx); err != nil {
		return fmt.Errorf("after %s: %w", arguments[0], err)
	}
	return nil
}

// makeAccount makes what the guide has kubectl apply.
func (t *trial) makeAccount(ctx context.Context) error {
	content, err := os.ReadFile(filepath.Join(t.root, guide, "account.yaml"))
	if err != nil {
		return err
	}
	content = bytes.ReplaceAll(content, []byte(guideNamespace), []byte(t.namespace.Name))
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		object := &unstructured.Unstructured{}
		if err == nil {
			err = yaml.Unmarshal(document, &object.Object)
		}
		if err == nil {
			err = t.namespace.Client().Create(ctx, object)
		}
		if err != nil {
			return fmt.Errorf("applying account.yaml: %w", err)
		}
	}
}

// prepare makes the folder with the configuration, and the connection as the documented service account.
func (t *trial) prepare(ctx context.Context, mirror string) error {
	role, err := os.ReadFile(filepath.Join(t.root, "examples", "rbac", "role.yaml"))
	if err != nil {
		return err
	}
	user, err := t.namespace.MakeUser(ctx, "hap-provider", role)
	if err != nil {
		return err
	}
	folder, err := t.garden.Scratch("guide")
	if err != nil {
		return err
	}
	if t.cli, err = cli.MakeFromMirror(folder, t.program.Path, mirror); err != nil {
		return err
	}
	if err := t.cli.CopyFrom(filepath.Join(t.root, guide)); err != nil {
		return err
	}
	config := user.Config()
	t.proxy.Through(config)
	t.cli.Setenv("HAP_NAMESPACE", t.namespace.Name)
	t.cli.Setenv("KUBE_HOST", config.Host)
	t.cli.Setenv("KUBE_TOKEN", config.BearerToken)
	t.cli.Setenv("KUBE_CLUSTER_CA_CERT_DATA", string(config.CAData))
	// A file of this name is merged into what the guide shows.
	return os.WriteFile(filepath.Join(folder, "version_override.tf"), fmt.Appendf(nil, pinnedVersion, t.release.version), 0o600)
}

// checkInstalled sees that the provider was installed from the archive.
func (t *trial) checkInstalled(context.Context) error {
	pattern := filepath.Join(t.cli.Folder, ".terraform", "providers", "*", "hap-project", "hap", t.release.version, t.release.platform, "*")
	files, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, file := range files {
		if filepath.Base(file) == t.release.program() {
			return nil
		}
	}
	return fmt.Errorf("%s is not installed; there is %q", t.release.program(), files)
}

// checkClaimed sees that the claim is made, and that each request was one of the release.
func (t *trial) checkClaimed(ctx context.Context) error {
	if err := t.checkTenant(ctx, guideTenant); err != nil {
		return err
	}
	exchanges := t.proxy.Log()
	if len(exchanges) == 0 {
		return errors.New("the provider has sent no request")
	}
	for _, x := range exchanges {
		if !strings.HasSuffix(x.Client, " "+project+"/"+t.release.version) {
			return fmt.Errorf("the provider calls itself %q, and the archive is version %s: "+
				"look at ldflags in .goreleaser.yml", x.Client, t.release.version)
		}
	}
	return nil
}

// checkReturned sees that the account is free again.
func (t *trial) checkReturned(ctx context.Context) error { return t.checkTenant(ctx, "") }

// checkTenant sees that the account of the guide is held by a tenant; empty = by none, and not marked either.
func (t *trial) checkTenant(ctx context.Context, tenant string) error {
	accounts, err := t.namespace.ReadAccounts(ctx)
	if err != nil {
		return err
	}
	if len(accounts) != 1 || accounts[0].Name != guideAccount {
		return fmt.Errorf("there are %d accounts, want %s alone", len(accounts), guideAccount)
	}
	labels := accounts[0].Labels
	if _, marked := labels[testbed.LabelDirty]; marked || labels[testbed.LabelTenant] != tenant {
		return fmt.Errorf("the account %s has the labels %v, want tenant %q and no mark", guideAccount, labels, tenant)
	}
	return nil
}
