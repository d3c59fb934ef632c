// Package acceptance has what tests of several families of the provider share: a landscape on the local Garden, the configurations of
// the families, and the provider itself, asked without a CLI ([Session], [Asker], [Ear]) and with one ([Run]).
//
// The tests of a family are in its folder, in an external test package such as claim_test. Those of several families are in
// internal/provider. A helper moves here when the tests of a second folder need it.
//
// All packages share the Garden that bin/within has started, and each test has a namespace of its own there. The platform cluster with
// the real operator is one for each package: the operator has one configuration, and its cluster provider is played by the test process.
package acceptance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fakes"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// providerServer makes a server of the provider that sees the environment as getenv has it.
type providerServer func(version string, getenv func(string) string) tfprotov6.ProviderServer

// made is what [Main] was given.
var made providerServer

// Main runs the tests of a package, with the servers of the provider that server makes, and then stops what they have started. A
// package with tests on a local Garden calls it:
//
//	func TestMain(m *testing.M) { os.Exit(acceptance.Main(m, provider.NewServer)) }
//
// make finds the package by the import. The provider is handed over, so that the tests inside internal/provider can import this package
// too.
func Main(m *testing.M, server providerServer) int {
	if fakes.Serve() { // started as another provider, see [fakes.Serve]
		return 0
	}
	made = server
	if os.Getenv(resource.EnvTfAcc) != "" {
		printCLI()
	}
	code := testbed.Main(m)
	if err := openmcp.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// printCLI says in the log which program the acceptance tests run on.
func printCLI() {
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if cli == "" {
		cli = "terraform"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, cli, "version").Output()
	line, _, _ := strings.Cut(string(out), "\n")
	if err != nil {
		line = err.Error()
	}
	fmt.Printf("acceptance tests run on %s (%s)\n", line, cli)
}

// Factories start the provider under test.
var Factories = map[string]func() (tfprotov6.ProviderServer, error){
	"hap": func() (tfprotov6.ProviderServer, error) { return newServer(os.Getenv), nil },
}

// newServer starts the provider under test.
func newServer(getenv func(string) string) tfprotov6.ProviderServer {
	if made == nil {
		panic("the TestMain of this package does not call acceptance.Main")
	}
	return made("test", getenv)
}
