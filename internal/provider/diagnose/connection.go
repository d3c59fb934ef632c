package diagnose

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kubeconn"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// anonymousUser is what Kubernetes calls somebody who has shown no credentials.
const anonymousUser = `"system:anonymous"`

// nowhereNext says how to name a Garden. It begins with what most people have.
func nowhereNext(e *kubeconn.NotConfiguredError) string {
	first := `Write kubernetes = { config_path = "~/.kube/config" } into the provider block, or export KUBE_CONFIG_PATH.`
	if e.KubeconfigVariable {
		first = `Run export KUBE_CONFIG_PATH="$KUBECONFIG" (KUBE_CONFIG_PATHS for several files), or write kubernetes = { config_path = "..." } into the provider block.`
	}
	return first + " If something is set there already, look for a misspelt name: Terraform drops an attribute that it does not know inside kubernetes = { } without a word."
}

// briefly is the text of an error for a warning: without the lists of all that was looked at.
func Briefly(err error) string {
	switch {
	case errors.As(err, new(*kubeconn.NotConfiguredError)):
		return "no connection to the Garden is configured"
	case errors.As(err, new(*kebdb.NotConfiguredError)):
		return "no connection to the broker's database is configured"
	}
	return strings.TrimRight(err.Error(), ".")
}

// settingNext says where a setting that cannot be used is to be corrected.
func settingNext(e *kubeconn.SettingError) string {
	attribute := strings.Join(e.Path(), ".")
	if e.Variable != "" {
		return fmt.Sprintf("Correct the environment variable %s, or set %s in the provider block: that goes first.", e.Variable, attribute)
	}
	return fmt.Sprintf("Correct %s in the provider block.", attribute)
}

// unreachableNext says what to look at when no usable answer came: mostly the network, but not where the answer was not
// believed or the question could not be put.
func unreachableNext(e *pool.UnreachableError) string {
	var distrust *tls.CertificateVerificationError
	switch {
	case errors.As(e, &distrust):
		return "The server was reached, and its certificate is not trusted. Set kubernetes.cluster_ca_certificate to the CA of the Garden, or take the connection from a kubeconfig, which brings it along; " +
			"where the certificate is for another host name, set kubernetes.tls_server_name."
	case strings.Contains(e.Error(), "getting credentials: exec"):
		return "The program that gets the credentials could not be run, or failed. Install it where the provider runs, check kubernetes.exec or the user of the kubeconfig, and try it by hand."
	}
	return "Check the provider's kubernetes settings, the network and the API server, and run the same command again."
}
