package connection

import (
	"cmp"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// Known is an object on the platform cluster as a state knows it.
type Known struct {
	Kind string
	api.Ref
	UID    string // empty = it comes from an import
	Server string // the API server where it was made
}

// Find reads the object of a state. That it is not found on another platform cluster than before says nothing.
//
// Errors: [*api.GoneError], [*settings.ChangedError]; those of [Platform.API] and of the read.
func Find[T api.Object](
	p *Platform, of Known, read func(*openmcp.Platform, api.Ref) (T, error),
) (platform *openmcp.Platform, live T, err error) {
	if platform, err = p.API(); err != nil {
		return nil, live, err
	}
	live, err = read(platform, of.Ref)
	if api.IsGone(err) || err == nil && of.UID != "" && string(live.GetUID()) != of.UID {
		gone := &api.GoneError{Kind: of.Kind, Ref: of.Ref, UID: of.UID}
		err = cmp.Or[error](settings.Same("the "+of.Kind, "API server", of.Server, p.Server()), gone)
	}
	return platform, live, err
}
