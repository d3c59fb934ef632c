package kube

import (
	"errors"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// The errors of a kubeconfig that came from a server. They have nothing of what it holds.
var (
	ErrKubeconfigUnreadable = errors.New("it cannot be read")
	ErrKubeconfigRefers     = errors.New("it refers to files or programs of the machine which reads it")
)

// Received reads a kubeconfig that came from a server; programs = one may log the user in, as with OIDC. What refers to anything outside of
// itself is refused: it would have a file of this machine sent to a server that it names.
//
// Errors: [ErrKubeconfigUnreadable], also where it is too large, as it is or with its YAML aliases written out; [ErrKubeconfigRefers].
func Received(kubeconfig []byte, programs bool) (*rest.Config, error) {
	if strict.Bounded(kubeconfig, strict.MaxSize) != nil { // an object of a server has no more, but its YAML aliases can become more
		return nil, ErrKubeconfigUnreadable
	}
	parsed, err := clientcmd.Load(kubeconfig)
	if err != nil { // its text may quote what it has read
		return nil, ErrKubeconfigUnreadable
	}
	if refersOutside(parsed, programs) {
		return nil, ErrKubeconfigRefers
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, ErrKubeconfigUnreadable
	}
	return config, nil
}

// refersOutside reports whether a kubeconfig refers to files, or to programs where it may not.
func refersOutside(config *api.Config, programs bool) bool {
	for _, cluster := range config.Clusters {
		if cluster.CertificateAuthority != "" {
			return true
		}
	}
	for _, user := range config.AuthInfos {
		if user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "" || user.AuthProvider != nil ||
			user.Exec != nil && !programs {
			return true
		}
	}
	return false
}
