package shoots

import "reflect"

// Reach is what a change of a configuration may change of a Shoot that lives, beside what is written. Labels and annotations reach
// nothing: Gardener does not act on them before the spec changes.
type Reach struct {
	Operation   bool // Gardener acts on the Shoot: whether it is ready, and its conditions
	Version     bool // its Kubernetes version
	Hibernation bool // whether it is hibernated
	Addresses   bool // the URLs of its API server
}

// ReachAll is the reach of a change that is not known, or that makes good what another party has changed.
func ReachAll() Reach {
	return Reach{Operation: true, Version: true, Hibernation: true, Addresses: true}
}

// Reaches says what a change to another configuration of the same Shoot may change of it. Its name in its seed and the seed stay:
// Gardener takes no other seed in an update. Whether it has workers stays, or the change is refused. The certificate authority changes by
// a rotation alone, which no configuration asks for: see [Reserved].
func (w Wanted) Reaches(to Wanted) Reach {
	was, now := w.Template.spec(), to.Template.spec()
	differs := func(path ...string) bool { return !reflect.DeepEqual(within(was, path), within(now, path)) }
	return Reach{
		Operation:   w.Account != to.Account || differs(),
		Version:     differs("kubernetes", "version"),
		Hibernation: differs("hibernation"),
		// The URLs follow from the domain, and from the issuer of the service accounts. A cluster that is hibernated, or woken, is looked at
		// anew by Gardener.
		Addresses: differs("dns") || differs("hibernation") || differs("kubernetes", "kubeAPIServer"),
	}
}

// spec is what the template names of the spec, without the account.
func (t Template) spec() map[string]any {
	spec, _ := t.Object("", "")["spec"].(map[string]any)
	return spec
}

// within is the value at a path; nil = there is none.
func within(object map[string]any, path []string) any {
	var value any = object
	for _, key := range path {
		inside, _ := value.(map[string]any)
		value = inside[key]
	}
	return value
}
