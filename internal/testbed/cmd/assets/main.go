// Command assets copies into a folder what this machine already has of etcd, kube-apiserver and kubectl in the pinned minor version, and
// prints the names of the programs that remain to be built. What it has taken, and why not, it says on standard error.
//
//	assets -into bin/tools etcd=v3.6.4 kube-apiserver=v1.34.3
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/assets"
)

func main() {
	into := flag.String("into", "", "folder that takes the programs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	machine := assets.Here(os.Getenv)
	for _, argument := range flag.Args() {
		name, pinned, _ := strings.Cut(argument, "=")
		taken, said, err := machine.Take(ctx, name, pinned, *into)
		for _, line := range said {
			fmt.Fprintln(os.Stderr, "    "+line)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "assets:", err)
			os.Exit(1) //nolint:gocritic // nothing is left to stop
		}
		if !taken {
			fmt.Println(name)
		}
	}
}
