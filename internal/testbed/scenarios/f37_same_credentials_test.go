package scenarios

import (
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// doubled is a stage with an account of which a SecretBinding of another name has the credentials.
func doubled(t *testing.T, labels map[string]string) (stage, configuration) {
	t.Helper()
	s := newStage(t, testbed.AccountSpec{Name: "acc", HyperscalerType: "aws"})
	s.Accounts(t, testbed.AccountSpec{Name: "old", Kind: testbed.SecretBinding, Secret: "acc", Labels: labels})
	return s, s.configure(t, claim("blue", "ga-1"))
}

// F37: an account whose credentials a binding of the other kind has is not free while another Global Account holds that binding, while it is
// dirty, or while a cluster names it.
func TestF37AccountOfAnotherBindingIsNotClaimed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		labels  map[string]string
		cluster bool
		says    string
	}{
		"held":  {map[string]string{testbed.LabelTenant: "ga-2"}, false, "held 1"},
		"dirty": {map[string]string{testbed.LabelDirty: testbed.LabelTrue}, false, "dirty 1"},
		"used":  {nil, true, "occupied 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := doubled(t, test.labels)
			if test.cluster {
				s.ShootBy(t, "theirs", testbed.SecretBinding, "old")
			}
			before := s.versions(t)
			c.fails(t, applying, "No free account", "free 0", test.says)
			s.unwritten(t, before)
		})
	}
}

// F37: a release goes by all bindings of the account: it is refused while a cluster names one, or another Global Account holds one. It marks
// all that its Global Account holds.
func TestF37ReleaseGoesByAllBindings(t *testing.T) {
	t.Parallel()
	s, c := doubled(t, nil)
	c.apply(t)
	s.ShootBy(t, "theirs", testbed.SecretBinding, "old")
	before := s.versions(t)
	c.fails(t, destroying, "Account is in use", "theirs")
	s.unwritten(t, before)

	s.DeleteShoot(t, "theirs")
	s.labelSecretBinding(t, "old", "ga-2")
	c.fails(t, destroying, "Cloud account is used by another binding", "SecretBinding old", "ga-2", "neither marked nor freed")
	s.unwritten(t, before)
	wantWarning(t, c.succeeds(t, planning...).Output, "SecretBinding old", "held by Global Account ga-2")

	s.labelSecretBinding(t, "old", "ga-1")
	c.fails(t, destroying, "Not allowed in the Garden", "secretbindings") // the documented Role reads these bindings alone
	s.wantLabels(t, "acc", "ga-1", "")

	s.labelSecretBinding(t, "old", "")
	c.destroy(t)
	s.wantLabels(t, "acc", "ga-1", "true")
}

// labelSecretBinding has a SecretBinding say that a Global Account holds it; "" = none does.
func (s stage) labelSecretBinding(t *testing.T, name, ga string) {
	t.Helper()
	var binding gardencorev1beta1.SecretBinding
	if err := s.Client().Get(t.Context(), client.ObjectKey{Namespace: s.Name, Name: name}, &binding); err != nil {
		t.Fatal(err)
	}
	before := binding.DeepCopy()
	binding.Labels = map[string]string{testbed.LabelTenant: ga}
	if ga == "" {
		binding.Labels = nil
	}
	if err := s.Client().Patch(t.Context(), &binding, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}
