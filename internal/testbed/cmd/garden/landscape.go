package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/landscape"
)

// lay puts a landscape into the project of a Garden that another process of this program runs, or takes it out again. The environment of
// the shell names the Garden, as the file .garden/env sets it.
func lay(ctx context.Context, arguments []string, out io.Writer) error {
	remove := len(arguments) == 2 && arguments[1] == "remove"
	if arguments[0] != "landscape" || len(arguments) > 1 && !remove {
		return fmt.Errorf("unknown arguments %q: garden takes none, landscape, or landscape remove", arguments)
	}
	namespace, err := runningGarden(os.Getenv("KUBECONFIG"), os.Getenv("HAP_NAMESPACE"))
	if err != nil {
		return err
	}
	found := landscape.New()
	if remove {
		if err := found.Remove(ctx, namespace); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has no landscape any more\n", namespace.Name)
		return nil
	}
	if err := found.Lay(ctx, namespace); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s has %d bindings and %d clusters\n", namespace.Name, len(found.Accounts), len(found.Shoots))
	return nil
}

// runningGarden is the project of a Garden on this machine. Any other Garden is refused: it has accounts of its own.
func runningGarden(kubeconfig, namespace string) (*testbed.Namespace, error) {
	if kubeconfig == "" || namespace == "" {
		return nil, fmt.Errorf("KUBECONFIG and HAP_NAMESPACE are not set: run make garden, and . .garden/env in this shell")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(server.Hostname()); server.Hostname() != "localhost" && !ip.IsLoopback() {
		return nil, fmt.Errorf("KUBECONFIG leads to %s, and a landscape is laid on the Garden of make garden alone", config.Host)
	}
	if filepath.Base(filepath.Dir(kubeconfig)) != ".garden" { // a tunnel to another Garden begins on this machine, too
		return nil, fmt.Errorf("KUBECONFIG is %s, and a landscape is laid on the Garden of make garden alone: . .garden/env", kubeconfig)
	}
	config.QPS = -1 // without a limit of the client's
	return testbed.OpenNamespace(config, namespace)
}
