package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// platformNamespace is where requests lie that name no namespace.
const platformNamespace = "team-a"

// clusterTime is how long a requested cluster takes: long enough for a person to watch.
const clusterTime = 5 * time.Second

// platform is openMCP on the local Garden's own API server.
type platform struct {
	stop       func()
	kubeconfig []byte
}

// startPlatform makes the Garden a platform cluster too, with the real openmcp-operator and a stand-in for a cluster provider, whose Shoots
// come into the namespace; nil where the operator is not among the programs.
func startPlatform(
	ctx context.Context, garden *testbed.Garden, namespace *testbed.Namespace, programs string,
) (*platform, error) {
	if _, err := os.Stat(filepath.Join(programs, "openmcp-operator")); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "garden: openmcp-operator is not built (`make tools`), so there is no platform cluster")
		return nil, nil
	}
	p, err := openmcp.On(ctx, garden)
	if err != nil {
		return nil, err
	}
	requests := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: platformNamespace}}
	if err := p.Client().Create(ctx, requests); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	if err := p.StartOperator(ctx, openmcp.Usual()); err != nil {
		return nil, err
	}
	provider := &openmcp.Provider{Platform: p, Garden: namespace}
	provider.Set(platformNamespace, "", openmcp.Course{After: clusterTime, Deletes: clusterTime})
	kubeconfig, err := p.Kubeconfig(platformNamespace)
	if err != nil {
		return nil, err
	}
	return &platform{stop: provider.Start(ctx), kubeconfig: kubeconfig}, nil
}
