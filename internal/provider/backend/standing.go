package backend

import (
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// Standing is an object on the platform cluster as a state knows it.
type Standing struct {
	Kind string
	api.Ref
	UID    string // empty = it comes from an import
	Server string // the API server where it was made
}

// Find reads the object of a state. That it is not found on another platform cluster than before says nothing.
//
// Errors: [*api.GoneError], [*PlatformElsewhereError]; those of [Platform.API] and of the read.
func Find[T api.Object](
	p *Platform, of Standing, read func(*openmcp.Platform, api.Ref) (T, error),
) (platform *openmcp.Platform, live T, err error) {
	if platform, err = p.API(); err != nil {
		return nil, live, err
	}
	live, err = read(platform, of.Ref)
	if api.IsGone(err) || err == nil && of.UID != "" && string(live.GetUID()) != of.UID {
		err = &api.GoneError{Kind: of.Kind, Ref: of.Ref, UID: of.UID}
		if now := p.Server(); of.Server != "" && of.Server != now {
			err = &PlatformElsewhereError{Made: of.Server, Provider: now}
		}
	}
	return platform, live, err
}
