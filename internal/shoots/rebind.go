package shoots

import (
	"cmp"
	"context"
	"errors"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Binding is how a spec names the account of its workers. The zero value is none.
type Binding struct {
	Field string // credentialsBindingName, or secretBindingName on older landscapes
	Name  string
}

// String names the binding with its kind.
func (b Binding) String() string {
	if b.Name == "" {
		return "(none)"
	}
	return b.Kind() + " " + b.Name
}

// The fields of a spec by which a Shoot names its account: it has one of them at most.
const (
	fieldCredentialsBinding = "credentialsBindingName"
	fieldSecretBinding      = "secretBindingName"
)

// bindingOf returns the binding that a spec names.
func bindingOf(spec gardencore.ShootSpec) Binding {
	switch {
	case spec.CredentialsBindingName != nil:
		return Binding{fieldCredentialsBinding, *spec.CredentialsBindingName}
	case spec.SecretBindingName != nil: //nolint:staticcheck // older landscapes have it
		return Binding{fieldSecretBinding, *spec.SecretBindingName} //nolint:staticcheck // see above
	}
	return Binding{}
}

// Binding is the binding that the Shoot names.
func (s Shoot) Binding() Binding {
	if s.live == nil {
		return Binding{}
	}
	return bindingOf(s.live.Spec)
}

// Kind is the kind of the object that the binding is.
func (b Binding) Kind() string {
	if b.Field == fieldSecretBinding {
		return "SecretBinding"
	}
	return "CredentialsBinding"
}

// Binding is the binding that is wanted.
func (w Wanted) Binding() Binding {
	if w.Account == "" {
		return Binding{}
	}
	return Binding{cmp.Or(w.AccountField, fieldCredentialsBinding), w.Account}
}

// on is what is wanted on another binding.
func (w Wanted) on(b Binding) Wanted {
	w.Account, w.AccountField = b.Name, b.Field
	return w
}

// mayBind says why a live Shoot must not come to the wanted binding; nil = it may, or it is there.
func (w Wanted) mayBind(live *gardencore.Shoot) error {
	now, wanted := bindingOf(live.Spec), w.Binding()
	if now == wanted || now == w.Leaves && now.Name != "" && wanted.Name != "" {
		return nil
	}
	return &MovedError{Name: w.Name, Now: now.String(), Wanted: wanted.String()}
}

// rebind has a live Shoot name the wanted binding in place of the one of the same cloud account that it names. Both fields change in one
// write, which needs no ownership of the old one.
func (s *Shoots) rebind(ctx context.Context, w Wanted, live *gardencore.Shoot, how mode) (*gardencore.Shoot, error) {
	uid := live.UID
	for try := 1; ; try++ {
		if err := w.mayBind(live); err != nil {
			return nil, err
		}
		if bindingOf(live.Spec) == w.Binding() {
			return live, nil
		}
		spec := map[string]any{fieldCredentialsBinding: nil, fieldSecretBinding: nil}
		spec[w.AccountField] = w.Account
		changed, err := s.write(ctx, s.call("patch", live.Name), types.MergePatchType, map[string]any{
			"metadata": map[string]any{"uid": string(live.UID), "resourceVersion": live.ResourceVersion}, "spec": spec,
		}, &metav1.PatchOptions{FieldManager: fieldManager, DryRun: how.of()}, how)
		unseen := how == forReal && namesUnseen(err)
		if r := reason(err); err == nil || r != kube.Conflict && r != kube.UnknownOutcome && !unseen || try == changeTries {
			return changed, w.refused(gone(w.Name, string(uid), err))
		}
		if unseen {
			kube.Sleep(ctx, makePause)
		}
		now, lookErr := s.again(ctx, live)
		switch {
		case errors.As(lookErr, new(*GoneError)):
			return nil, lookErr
		case lookErr != nil:
			return nil, errors.Join(err, lookErr)
		}
		live = now
	}
}
