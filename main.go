// Terraform-provider-hap is the Terraform and OpenTofu provider for the Hyperscaler Account Pool.
package main

import (
	"flag"
	"log"

	"github.com/hap-project/terraform-provider-hap/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run as a server of its own, so that a debugger such as delve can be attached")
	flag.Parse()
	if err := provider.Serve(version, *debug); err != nil {
		log.Fatal(err)
	}
}
