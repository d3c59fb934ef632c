package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// hyperscalerType is the one pool of all landscapes.
const hyperscalerType = "aws"

// shootsPerAccount is how many clusters lie on an account that has any.
const shootsPerAccount = 10

// landscape is a namespace with a pool and clusters, and the user that the provider is there.
type landscape struct {
	*testbed.Namespace
	accounts, shoots int
	user             *testbed.User
	kubeconfig       string
}

// String says how large it is.
func (l *landscape) String() string {
	return counted(l.shoots, "Shoot") + ", " + counted(l.accounts, "account")
}

// landscape returns the n-th of those that -shoots and -accounts ask for.
func (b *bench) landscape(ctx context.Context, n int) (*landscape, error) {
	for len(b.landscapes) <= n {
		i := len(b.landscapes)
		l, err := b.settle(ctx, fmt.Sprintf("large-%d", i), b.accounts[i], b.shoots[i])
		if err != nil {
			return nil, err
		}
		b.landscapes = append(b.landscapes, l)
		go l.stir(ctx)
	}
	return b.landscapes[n], nil
}

// settle makes a landscape in the Garden that the parts share.
func (b *bench) settle(ctx context.Context, project string, accounts, shoots int) (*landscape, error) {
	g, err := b.local(ctx)
	if err != nil {
		return nil, err
	}
	return b.settleIn(ctx, g, project, accounts, shoots)
}

// settleIn makes a landscape. The accounts that have clusters are tenants', and the others are free.
func (b *bench) settleIn(ctx context.Context, g *testbed.Garden, project string, accounts, shoots int) (_ *landscape, err error) {
	l := &landscape{accounts: accounts, shoots: shoots}
	tell("making %s", l)
	if l.Namespace, err = g.MakeNamespace(ctx, project); err != nil {
		return nil, err
	}
	settled := min((shoots+shootsPerAccount-1)/shootsPerAccount, accounts)
	specs := make([]testbed.AccountSpec, accounts)
	for i := range specs {
		specs[i] = testbed.AccountSpec{Name: fmt.Sprintf("account-%05d", i), HyperscalerType: hyperscalerType}
		if i < settled {
			specs[i].Tenant = fmt.Sprintf("tenant-%05d", i)
		}
	}
	if err := l.MakeAccounts(ctx, specs...); err != nil {
		return nil, err
	}
	clusters := make([]testbed.ShootSpec, shoots)
	for i := range clusters {
		clusters[i] = testbed.ShootSpec{Name: shootName(i), Account: specs[i%settled].Name, Large: true}
	}
	if err := l.MakeShoots(ctx, clusters...); err != nil {
		return nil, err
	}
	role, err := os.ReadFile(filepath.Join(b.root, "examples", "rbac", "role.yaml"))
	if err != nil {
		return nil, err
	}
	if l.user, err = l.MakeUser(ctx, "bench", role); err != nil {
		return nil, err
	}
	l.kubeconfig, err = l.user.WriteKubeconfig()
	return l, err
}

// stirEvery is less than the five minutes between two compactions of etcd.
const stirEvery = time.Minute

// stir changes a Shoot now and then until the context ends, as gardenlets do all the time. An API server of k8s.io/apiserver 0.36 keeps
// the list as it was after each change until etcd is compacted, and serves all pages but the first from there. Where no Shoot has changed
// since, it reads and decodes each of these pages anew, which takes it six times as long.
func (l *landscape) stir(ctx context.Context) {
	shoot := &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: l.Name, Name: shootName(0)}}
	for n := 0; ; n++ {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"changed":"%d"}}}`, n)
		if err := l.Client().Patch(ctx, shoot, client.RawPatch(types.MergePatchType, patch)); err != nil && ctx.Err() == nil {
			tell("%s: no Shoot was changed: %v", l, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(stirEvery):
		}
	}
}

// shootName is the name of the n-th Shoot.
func shootName(n int) string { return fmt.Sprintf("shoot-%05d", n) }

// place is where its configurations are applied.
func (l *landscape) place() place {
	return place{server: l.Garden(), variable: "KUBE_CONFIG_PATH", kubeconfig: func(lead func(*rest.Config)) (string, error) {
		config := l.user.Config()
		lead(config)
		return l.user.WriteKubeconfigOf(config)
	}}
}
