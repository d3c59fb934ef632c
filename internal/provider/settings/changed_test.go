package settings

import (
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// A setting that an object was made with is another one only where both are known.
func TestSame(t *testing.T) {
	t.Parallel()
	if err := errors.Join(Same("the claim", "namespace", "", "a"), Same("the claim", "namespace", "a", ""), Same("the claim", "namespace", "a", "a"),
		SameKeys("the claim", garden.LabelKeys{}, garden.DefaultLabelKeys())); err != nil {
		t.Errorf("what is not known, or the same, has changed: %v", err)
	}
	err := Same("the claim", "namespace", "garden-a", "garden-b")
	if !errors.As(err, new(*ChangedError)) || err.Error() != "the namespace of the claim is garden-a, and the provider's is garden-b" {
		t.Errorf("another namespace: %v", err)
	}
	if err := SameKeys("the claim", garden.LabelKeys{TenantName: "t"}, garden.DefaultLabelKeys()); !errors.As(err, new(*ChangedError)) {
		t.Errorf("other label keys: %v", err)
	}
}
