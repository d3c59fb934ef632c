package adr

import (
	"errors"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// Outgrown says why a Cluster does not serve a request any more that holds it and asks for something else by now; empty = it serves it, and
// the request keeps its grant [choice]. A shared Cluster has all purposes of the request; a dedicated one is for the request alone,
// whatever its purposes. Either meets the required traits and has the version; optional traits move no request. The proposed prefix is not
// read: the prefix was granted.
//
// Errors are an [*InputError], or an [*UnknownPurposeError].
func Outgrown(r Request, l Landscape, of clusters.Ref) (why string, err error) {
	s, err := newScheduling(r, l)
	if err != nil {
		return "", err
	}
	if err := s.prepare(l); err != nil {
		return "", err
	}
	if s.wanted, err = aggregate(r, l.Purposes, s.same); err != nil {
		return "", err
	}
	i := slices.IndexFunc(s.clusters, func(c *Cluster) bool { return c.Ref == of })
	if i < 0 {
		return "", errors.New("the landscape has no Cluster " + of.String())
	}
	switch c := s.clusters[i]; {
	case c.Dedicated && !s.wanted.Dedicated:
		return "it is dedicated, and the request is for a shared one", nil
	case !c.Dedicated && s.wanted.Dedicated:
		return "it is shared, and the request is dedicated", nil
	default:
		return s.unmetBy(c), nil
	}
}
