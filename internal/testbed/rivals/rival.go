package rivals

import (
	"context"
	"fmt"
	"sync"

	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// Role has all rights that the broker and the clean-up job need: on accounts, on Shoots, and to read the Secrets that the
// accounts they write refer to.
const Role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: rivals}
rules:
- {apiGroups: [security.gardener.cloud], resources: [credentialsbindings], verbs: ["*"]}
- {apiGroups: [core.gardener.cloud], resources: [shoots], verbs: ["*"]}
- {apiGroups: [""], resources: [secrets], verbs: [get]}
`

// rival is the connection of another party that works on the pool: JSON, whole objects, no rate limit.
type rival struct {
	once      sync.Once
	namespace *testbed.Namespace // speaks with the rival's own client
	err       error
}

// open connects at the first call; its error is that of every call after.
func (r *rival) open(config *rest.Config, namespace, agent string) *rival {
	r.once.Do(func() {
		own := rest.CopyConfig(config)
		own.QPS = -1
		if own.UserAgent == "" || own.UserAgent == testbed.UserAgent {
			own.UserAgent = agent
		}
		r.namespace, r.err = testbed.OpenNamespace(own, namespace)
	})
	return r
}

// list lists the accounts that a selector finds, by name and whole, as they all do.
func (r *rival) list(ctx context.Context, selector string) ([]securityv1alpha1.CredentialsBinding, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	list := &securityv1alpha1.CredentialsBindingList{}
	if err := r.read(ctx, list, client.MatchingLabelsSelector{Selector: parsed}); err != nil {
		return nil, fmt.Errorf("listing the accounts: %w", err)
	}
	return list.Items, nil
}

func (r *rival) read(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if r.err != nil {
		return r.err
	}
	return r.namespace.Client().List(ctx, list, append(options, client.InNamespace(r.namespace.Name))...)
}

func (r *rival) get(ctx context.Context, name string) (*securityv1alpha1.CredentialsBinding, error) {
	account := &securityv1alpha1.CredentialsBinding{}
	return account, r.namespace.Client().Get(ctx, client.ObjectKey{Namespace: r.namespace.Name, Name: name}, account)
}

// update puts the whole account, at the version that was read.
func (r *rival) update(ctx context.Context, account *securityv1alpha1.CredentialsBinding) error {
	return r.namespace.Client().Update(ctx, account)
}
