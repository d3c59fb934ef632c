package provider

import (
	"os"
	"runtime"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// address is what users write as the source of the provider, with the registry.
const address = "registry.terraform.io/hap-project/hap"

// Serve serves the provider to the program that has started this process, until that program is done. With debug the process
// was started by a person: it prints how a CLI finds it, and ends at Ctrl-C. The version goes into the user agent.
func Serve(version string, debug bool) error {
	defer runtime.KeepAlive(makeRoom(os.Getenv))
	if debug { // it serves one run after the other
		server := protocol(version, account.Run{})
		return tf6server.Serve(address, server, tf6server.WithManagedDebug())
	}
	server := protocol(version, thisRun(os.Hostname, os.Getppid()))
	if logsWanted(os.Environ()) {
		return tf6server.Serve(address, server)
	}
	if err := silence(os.Setenv); err != nil {
		return err
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return quiet(server()) })
}
