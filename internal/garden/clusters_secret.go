package garden

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// In a pool of Secrets a Shoot does not name its account: it names a binding, and the binding names the Secret.

// binding names one of the bindings of the namespace.
type binding struct {
	kind Kind
	name string
}

// binding returns the binding that a Shoot names; no name = none, a Shoot without workers needs no account.
func (s shootNames) binding() binding {
	if s.credentialsBinding != "" {
		return binding{CredentialsBinding, s.credentialsBinding}
	}
	return binding{SecretBinding, s.secretBinding}
}

// LostBindingError says that a Shoot names a binding that does not exist: the account of the cluster is not known, so no
// account can be counted, or said to be empty.
type LostBindingError struct {
	Shoot, Namespace string // one such Shoot of the namespace
	Kind             Kind   // of the binding that it names
	Binding          string // the name of that
}

func (e *LostBindingError) Error() string {
	return fmt.Sprintf("Shoot %s in namespace %q names the %s %s, which does not exist: which Secret the cluster is on cannot be determined",
		e.Shoot, e.Namespace, e.Kind, e.Binding)
}

// clustersOnSecrets reads every Shoot that is on a Secret of the namespace.
func (g *Garden) clustersOnSecrets(ctx context.Context) ([]cluster, error) {
	for try := 0; ; try++ {
		// The bindings after the Shoots: Gardener keeps a binding for as long as a Shoot names it.
		shoots, err := g.shoots(ctx)
		if err != nil {
			return nil, err
		}
		secretOf, err := g.secretsOf(ctx, shoots)
		if err != nil {
			return nil, err
		}
		clusters, lost := g.place(shoots, secretOf)
		if lost == nil {
			return clusters, nil
		}
		if try == kube.MaxRestarts { // not a Shoot that was just given another binding
			return nil, lost
		}
	}
}

// place says which Secret each Shoot is on. Those on other credentials, or on a Secret of another namespace, are on their binding: the pool
// knows whether it is one cloud account with one of its Secrets.
func (g *Garden) place(shoots []shootNames, secretOf map[binding]string) ([]cluster, error) {
	var clusters []cluster
	for _, s := range shoots {
		b := s.binding()
		if b.name == "" {
			continue
		}
		secret, known := secretOf[b]
		if !known {
			return nil, &LostBindingError{Shoot: s.name, Namespace: g.namespace, Kind: b.kind, Binding: b.name}
		}
		if secret == "" { // the binding itself may be declared to lead into the cloud account of a Secret (account.SameAnnotation)
			secret = account.BindingOf(string(b.kind), b.name)
		}
		clusters = append(clusters, cluster{binding: secret, shoot: s.name, deleting: s.deleting})
	}
	return clusters, nil
}

// secretsOf reads the bindings and returns the Secret of each. A kind that no Shoot names is not asked for: where the
// oldest pools are, there may be no CredentialsBindings at all.
func (g *Garden) secretsOf(ctx context.Context, shoots []shootNames) (map[binding]string, error) {
	named := map[Kind]bool{}
	for _, s := range shoots {
		if b := s.binding(); b.name != "" {
			named[b.kind] = true
		}
	}
	found := map[binding]string{}
	for _, kind := range []Kind{CredentialsBinding, SecretBinding} {
		if !named[kind] {
			continue
		}
		refs, err := g.references(ctx, kind)
		if err != nil {
			return nil, err
		}
		for name, ref := range refs {
			secret := ""
			if ref == secretRef(g.namespace, ref.Name) {
				secret = ref.Name
			}
			found[binding{kind, name}] = secret
		}
	}
	return found, nil
}

// references reads the bindings of one kind, and returns what each refers to, by its name.
func (g *Garden) references(ctx context.Context, kind Kind) (map[string]account.CredentialsRef, error) {
	of, group := kinds[kind], g.core
	if kind == CredentialsBinding {
		group = g.security
	}
	found := map[string]account.CredentialsRef{}
	what := kube.Call{Verb: "list", Resource: of.resource, Namespace: g.namespace}
	err := group.List(ctx, what, metav1.ListOptions{}, func() { clear(found) },
		func(ctx context.Context, request *rest.Request) (string, error) {
			list, err := kube.Answer[runtime.Object](request.Do(ctx))
			if err != nil {
				return "", err
			}
			token, err := meta.ListAccessor(list)
			if err != nil {
				return "", fmt.Errorf("the server answers with a %T", list)
			}
			return token.GetContinue(), meta.EachListItem(list, func(item runtime.Object) error {
				about, credentials := of.read(item)
				if about == nil {
					return fmt.Errorf("the server lists a %T", item)
				}
				found[about.Name] = credentials.Ref
				return nil
			})
		})
	return found, Translate(err)
}
