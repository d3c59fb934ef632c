package shoots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	authentication "github.com/gardener/gardener/pkg/apis/authentication/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Role is what a kubeconfig allows in the cluster.
type Role string

// The roles of a kubeconfig.
const (
	Admin  Role = "admin"  // everything
	Viewer Role = "viewer" // reading, without Secrets
)

// MinExpiration is the shortest time that Gardener issues a kubeconfig for.
const MinExpiration = 10 * time.Minute

// Access is a kubeconfig for a cluster, as a whole and in its parts. It is a secret.
type Access struct {
	Kubeconfig []byte
	ExpiresAt  time.Time // as the server granted it, which may be sooner than was asked for

	Host                              string // the URL of the cluster's API server
	Certificate, Key, ServerAuthority []byte // in PEM; the last is what the server's certificate is checked by
}

// KubeconfigError says that a kubeconfig which Gardener has issued cannot be used. It never has what the kubeconfig holds.
type KubeconfigError struct {
	Name string // of the Shoot
	Err  error  // [kube.ErrKubeconfigUnreadable] or [kube.ErrKubeconfigRefers]
}

func (e *KubeconfigError) Error() string {
	return fmt.Sprintf("the kubeconfig that Gardener has issued for Shoot %s cannot be used: %v", e.Name, e.Err)
}

// Unwrap returns why.
func (e *KubeconfigError) Unwrap() error { return e.Err }

// issued takes a kubeconfig apart.
func issued(name string, kubeconfig []byte, expires metav1.Time) (Access, error) {
	config, err := kube.Received(kubeconfig, false)
	if err != nil {
		return Access{}, &KubeconfigError{Name: name, Err: err}
	}
	return Access{kubeconfig, expires.Time, config.Host, config.CertData, config.KeyData, config.CAData}, nil
}

// Access has Gardener issue a kubeconfig: a client certificate for the time that was asked for, or as long as the server grants.
//
// Errors: [*GoneError], [*KubeconfigError]; those of [kube.Read].
func (s *Shoots) Access(ctx context.Context, name string, role Role, expiration time.Duration) (Access, error) {
	subresource, request := "adminkubeconfig", "AdminKubeconfigRequest"
	if role == Viewer {
		subresource, request = "viewerkubeconfig", "ViewerKubeconfigRequest"
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": authentication.SchemeGroupVersion.String(), "kind": request,
		"spec": map[string]any{"expirationSeconds": int64(expiration.Seconds())},
	})
	if err != nil {
		return Access{}, fmt.Errorf("encoding the request for a kubeconfig: %w", err)
	}
	var kubeconfig []byte
	var expires metav1.Time
	call := kube.Call{Verb: "create", Resource: resource, Namespace: s.namespace, Name: name, Subresource: subresource}
	err = kube.Read(ctx, call, func(ctx context.Context) error { // what is issued twice does no harm
		answer := s.core.Request(kube.Call{Verb: "create", Resource: resource, Namespace: s.namespace}).
			Name(name).SubResource(subresource).Body(body).Do(ctx)
		object, err := answer.Get()
		if err != nil {
			return err
		}
		switch answer := object.(type) {
		case *authentication.AdminKubeconfigRequest:
			kubeconfig, expires = answer.Status.Kubeconfig, answer.Status.ExpirationTimestamp
		case *authentication.ViewerKubeconfigRequest:
			kubeconfig, expires = answer.Status.Kubeconfig, answer.Status.ExpirationTimestamp
		default:
			return fmt.Errorf("the server answers with a %T", object)
		}
		return nil
	})
	if err != nil {
		return Access{}, gone(name, "", err)
	}
	return issued(name, kubeconfig, expires)
}

// CA returns the certificate authority of a cluster, in PEM; empty = Gardener has not published it yet.
//
// Errors: those of [kube.Read].
func (s *Shoots) CA(ctx context.Context, name string) (pem string, err error) {
	call := kube.Call{Verb: "get", Resource: "configmaps", Namespace: s.namespace, Name: name + ".ca-cluster"}
	err = kube.Read(ctx, call, func(ctx context.Context) error {
		published, err := kube.Answer[*corev1.ConfigMap](s.kubernetes.Request(call).
			VersionedParams(&metav1.GetOptions{}, metav1.ParameterCodec).Do(ctx))
		if err != nil {
			return err
		}
		pem = published.Data["ca.crt"]
		return nil
	})
	if failed, ok := errors.AsType[*kube.Error](err); ok && failed.Reason == kube.NotFound {
		return "", nil
	}
	return pem, err
}
