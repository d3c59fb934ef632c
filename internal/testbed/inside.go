package testbed

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// Connection is one of another provider, such as hashicorp/kubernetes: into a cluster, or to the Garden. What is empty is taken from
// the variables that such providers read: KUBE_CONFIG_PATH, or KUBE_HOST, KUBE_TOKEN and KUBE_CLUSTER_CA_CERT_DATA.
type Connection struct {
	ConfigPath           string // goes only without a host
	Host                 string
	Certificate, Key     string // of the client, in PEM
	CertificateAuthority string // of the server, in PEM
	Token                string
}

func (c Connection) config() (*rest.Config, error) {
	if path := cmp.Or(c.ConfigPath, os.Getenv("KUBE_CONFIG_PATH")); path != "" && c.Host == "" {
		return clientcmd.BuildConfigFromFlags("", path)
	}
	config := &rest.Config{Host: cmp.Or(c.Host, os.Getenv("KUBE_HOST")), TLSClientConfig: rest.TLSClientConfig{
		CAData:   []byte(cmp.Or(c.CertificateAuthority, os.Getenv("KUBE_CLUSTER_CA_CERT_DATA"))),
		CertData: []byte(c.Certificate), KeyData: []byte(c.Key),
	}}
	if c.Certificate == "" {
		config.BearerToken = cmp.Or(c.Token, os.Getenv("KUBE_TOKEN"))
	}
	return config, nil
}

// Open opens an existing namespace, see [OpenNamespace].
func (c Connection) Open(name string) (*Namespace, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	return OpenNamespace(config, name)
}

// MakeNamespace makes a namespace that belongs to no project.
func (c Connection) MakeNamespace(ctx context.Context, name string, labels map[string]string) error {
	ns, err := c.Open(name)
	if err != nil {
		return err
	}
	return ns.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}})
}

// HasNamespace reports whether there is a namespace.
func (c Connection) HasNamespace(ctx context.Context, name string) (bool, error) {
	ns, err := c.Open(name)
	if err != nil {
		return false, err
	}
	err = ns.client.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{})
	return err == nil, client.IgnoreNotFound(err)
}

// RemoveNamespace deletes a namespace that may be gone, and waits until it is, as hashicorp/kubernetes does.
func (c Connection) RemoveNamespace(ctx context.Context, name string) error {
	ns, err := c.Open(name)
	if err != nil {
		return err
	}
	err = ns.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	return local.Poll(ctx, time.Minute, func(ctx context.Context) error {
		there, err := c.HasNamespace(ctx, name)
		if err == nil && there {
			return fmt.Errorf("the namespace %s is still there", name)
		}
		return err
	})
}

// NamespaceLabels returns the labels of a namespace inside the clusters, which all are the kube-apiserver of this Garden; nil = there
// is no such namespace.
func (g *Garden) NamespaceLabels(t testing.TB, name string) map[string]string {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	var found corev1.Namespace
	err := g.client.Get(ctx, client.ObjectKey{Name: name}, &found)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		t.Fatal(err)
	}
	return found.Labels
}

// ShootFacts is what tests want to know of a cluster.
type ShootFacts struct {
	Name, Account, Version string
	URL                    string // of its API server; empty = none is published
	Annotations            map[string]string
}

// ListShoots returns the clusters of the namespace.
func (ns *Namespace) ListShoots(t testing.TB) (found []ShootFacts) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	var list gardencorev1beta1.ShootList
	if err := ns.client.List(ctx, &list, client.InNamespace(ns.Name)); err != nil {
		t.Fatal(err)
	}
	for _, shoot := range list.Items {
		facts := ShootFacts{
			Name: shoot.Name, Account: ptr.Deref(shoot.Spec.CredentialsBindingName, ""), Version: shoot.Spec.Kubernetes.Version,
			Annotations: shoot.Annotations,
		}
		if addresses := shoot.Status.AdvertisedAddresses; len(addresses) > 0 {
			facts.URL = addresses[0].URL
		}
		found = append(found, facts)
	}
	return found
}
