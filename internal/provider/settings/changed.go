package settings

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// ChangedError says that the provider leads elsewhere than to where an object was made: there "not found" does not mean "gone".
type ChangedError struct {
	Object   string // which object, such as "the claim"
	What     string // the setting that differs: an attribute of the provider block, or the API server
	Was, Now string // the setting that the object was made or last seen with, and the provider's
}

// Error names both settings.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the %s of %s is %s, and the provider's is %s", e.What, e.Object, e.Was, e.Now)
}

// Same returns an error where an object was made or last seen with another setting than the provider has. An empty setting is not known,
// and differs from none.
//
// Errors: [*ChangedError].
func Same(object, what, was, now string) error {
	if was == "" || now == "" || was == now {
		return nil
	}
	return &ChangedError{Object: object, What: what, Was: was, Now: now}
}

// SameKeys is [Same] for the keys of the labels.
func SameKeys(object string, was, now garden.LabelKeys) error {
	if was == (garden.LabelKeys{}) {
		return nil
	}
	return Same(object, "pool.label_keys", strings.Join(was.All(), ", "), strings.Join(now.All(), ", "))
}
