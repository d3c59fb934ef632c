package adr

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Schedule decides on a request by purposes, traits and prefixes (ADR 015). Errors are an [*InputError]: a request or a landscape that
// contradicts itself. A request that nothing can serve is no error but denied.
//
//   - A request that holds a grant keeps it for life: the same Cluster and prefix, whatever has changed since. Nothing but its
//     name and the Clusters is read, so what else it asks for now is not checked [choice].
//   - A request that is not dedicated gets a shared Cluster that exists, where one fits: its purposes contain those of the
//     request [choice], its profile is deployed and meets the required traits, its version is the one asked for, it lies in the scope
//     of the scheduler, no other scheduler serves a request that holds it, and each grant on it has a prefix [choice]. Of several, the
//     one that meets the most optional traits, then the one with the fewest grants, then the first by namespace and name [choice].
//   - Else a new Cluster is made from a profile that meets the required traits, offers the version, and whose account takes a new
//     Cluster: the one that meets the most optional traits, then a version that is not deprecated before one that is, then the newest,
//     then the fullest account (ADR 005), then the first name [choice].
//   - A request that is dedicated always gets a new Cluster: one that exists may hold what another request left, or may yet be
//     shared. A dedicated Cluster is never given to a second request, not even when it is free [choice].
//   - Where no profile meets what is required, the request is denied.
func Schedule(r Request, l Landscape) (Decision, error) {
	s, err := newScheduling(r, l)
	if err != nil {
		return Decision{}, err
	}
	if d, held, err := s.heldGrant(); held || err != nil {
		return d, err
	}
	if err := s.prepare(l); err != nil {
		return Decision{}, err
	}
	s.wanted, err = aggregate(r, l.Purposes, s.same)
	if unknown := new(UnknownPurposeError); errors.As(err, &unknown) {
		return Decision{Action: clusters.Deny, Reason: clusters.ReasonUnknownPurpose, Message: unknown.Error()}, nil
	}
	if input := new(InputError); errors.As(err, &input) && strings.HasPrefix(input.Field, "purposes.") {
		input.Field = "landscape." + input.Field
	}
	if err != nil {
		return Decision{}, err
	}
	return s.decide(), nil
}

// scheduling is what is known while one request is decided on.
type scheduling struct {
	request  Request
	clusters []*Cluster // by namespace and name
	profiles []*profile // by name
	byName   map[string]*profile
	same     equivalences
	demand   demand
	wanted   Aggregated
	scope    Scope
	borders  []string // the Clusters that serve the request, and are not this scheduler's to give, with why
	closed   []string // the profiles that serve the request, and whose accounts take no new Cluster, with why
}

// profile is a deployed profile, prepared for comparisons.
type profile struct {
	*Profile
	traits     map[string]bool // canonical
	versions   []offeredVersion
	unreadable []string
}

// newScheduling checks and sorts what decides about a grant that is held: the name of the request, and the Clusters.
func newScheduling(r Request, l Landscape) (*scheduling, error) {
	if err := checkRef("request", r.Ref); err != nil {
		return nil, err
	}
	if err := l.checkClusters(); err != nil {
		return nil, err
	}
	return &scheduling{request: r, clusters: l.sortedClusters(), scope: l.Scope}, nil
}

// prepare checks the rest of what is given, and sorts it, so that no order of the input counts.
func (s *scheduling) prepare(l Landscape) error {
	r := s.request
	s.demand = demand{text: r.KubernetesVersion, any: r.KubernetesVersion == ""}
	var ok bool
	if s.demand.version, ok = parseVersion(r.KubernetesVersion); !ok && !s.demand.any {
		return wrong("request.kubernetes_version", "%q is no version; write 1, 1.30 or 1.30.2", r.KubernetesVersion)
	}
	for _, check := range [...]func() error{r.check, func() error { return checkPrefix(r.Prefix) }, l.check} {
		if err := check(); err != nil {
			return err
		}
	}
	s.same = newEquivalences(l.Equivalences)
	s.byName = make(map[string]*profile, len(l.Profiles))
	for i := range l.Profiles {
		p := &profile{Profile: &l.Profiles[i], traits: s.same.set(l.Profiles[i].Traits)}
		p.versions, p.unreadable = readVersions(*p.Profile)
		s.profiles, s.byName[p.Name] = append(s.profiles, p), p
	}
	slices.SortFunc(s.profiles, func(a, b *profile) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// heldGrant returns the decision for a request that holds a grant.
func (s *scheduling) heldGrant() (d Decision, held bool, err error) {
	c, prefix, err := grantOf(s.request.Ref, s.clusters)
	if c == nil || err != nil {
		return Decision{}, false, err
	}
	d = Decision{
		Action: clusters.Reuse, Reason: clusters.ReasonGranted,
		Message: fmt.Sprintf("%v holds a grant on %v and keeps it.", s.request.Ref, c.Ref),
		Cluster: c.Ref, Profile: c.Profile, Version: c.Version, Dedicated: c.Dedicated,
		Prefix: prefix, PrefixRule: PrefixRule{PrefixKept, "the request holds a grant with this prefix"},
		Candidates: []clusters.Candidate{{Kind: clusters.CandidateCluster, Ref: c.Ref, Chosen: true, Reason: "the request holds a grant on it"}},
	}
	switch {
	case c.Dedicated && prefix == "":
		d.PrefixRule.Why = "the request holds a grant, and its Cluster is dedicated"
	case prefix == "":
		d.PrefixRule.Why = "the request holds a grant without a prefix"
		d.Warnings = append(d.Warnings, fmt.Sprintf("The grant of %v on the shared Cluster %v has no prefix, so its names can collide with "+
			"those of other requests.", s.request.Ref, c.Ref))
	}
	if !c.Dedicated {
		d.Warnings = append(d.Warnings, newPrefixIndex(c.Grants).warnings(c.Ref)...)
	}
	return d, true, nil
}

// decide answers a request that is well formed and holds no grant.
func (s *scheduling) decide() Decision {
	d := Decision{Wanted: s.wanted, Dedicated: s.wanted.Dedicated, Warnings: slices.Clone(s.wanted.Warnings)}
	cluster, candidates := s.chooseCluster()
	d.Candidates = candidates
	fitting, candidates := s.chooseProfile(cluster, &d)
	d.Candidates = append(d.Candidates, candidates...)
	d.Warnings = append(d.Warnings, s.unreadableVersions()...)
	switch {
	case cluster != nil:
		s.reuse(&d, cluster)
	case fitting != nil:
		s.create(&d, fitting)
	default:
		s.deny(&d)
	}
	if d.Action == clusters.Deny && len(s.borders) > 0 {
		d.Message += fmt.Sprintf(" Passed over %s %s.", words.Verb(len(s.borders), "are"), listed(s.borders))
	}
	return d
}

// unreadableVersions warns of what profiles offer and is no version.
func (s *scheduling) unreadableVersions() (warnings []string) {
	for _, p := range s.profiles {
		for _, text := range p.unreadable {
			warnings = append(warnings, fmt.Sprintf("Profile %s: %q is no version and is passed over.", p.Name, text))
		}
	}
	return bounded(warnings)
}

// reuse decides for a shared Cluster that exists.
func (s *scheduling) reuse(d *Decision, c *fittingCluster) {
	d.Action, d.Reason = clusters.Reuse, clusters.ReasonShared
	d.Message = fmt.Sprintf("The shared Cluster %v fits: it %v and has %s.", c.Ref, c.optional,
		words.Count(len(c.Grants), "grant"))
	d.Cluster, d.Profile, d.Version = c.Ref, c.Profile, c.Version
	index := newPrefixIndex(c.Grants)
	d.Prefix, d.PrefixRule = sharedPrefix(s.request.Prefix, index)
	switch v, readable := parseVersion(c.Version); {
	case !readable && c.Version != "":
		d.Warnings = append(d.Warnings, fmt.Sprintf("The version %q of the Cluster %v cannot be read, so it is not known whether it is a "+
			"pre-release or deprecated.", c.Version, c.Ref))
	case readable && s.byName[c.Profile].deprecates(v): // that concerns new Clusters [choice]
		d.Warnings = append(d.Warnings, fmt.Sprintf("The Cluster %v runs Kubernetes %s, which is deprecated.", c.Ref, c.Version))
	}
	d.Warnings = append(d.Warnings, index.warnings(c.Ref)...)
}

// create decides for a new Cluster.
func (s *scheduling) create(d *Decision, o *fittingProfile) {
	d.Action, d.Reason = clusters.Create, clusters.ReasonNew
	d.Profile, d.Version, d.Account = o.profile.Name, o.version.text, o.profile.Account
	version := "a Kubernetes version of the provider's choice"
	if d.Version != "" {
		version = "Kubernetes " + d.Version
	}
	if d.Dedicated {
		d.Message = "The request asks for a dedicated Cluster: "
		if by := s.wanted.DedicatedBy; by[0] != SourceRequest {
			d.Message = fmt.Sprintf("The request is dedicated, because %s %s: ", words.List(by), words.Verb(len(by), "are"))
		}
		d.PrefixRule = PrefixRule{PrefixEmpty, "the Cluster is dedicated"}
	} else {
		d.Message = "No shared Cluster fits: "
		d.Prefix, d.PrefixRule = sharedPrefix(s.request.Prefix, prefixIndex{})
	}
	d.Message += fmt.Sprintf("a new one is made from the profile %s with %s; it %v.", d.Profile, version, o.optional)
	if o.version.deprecated {
		d.Warnings = append(d.Warnings, fmt.Sprintf("Kubernetes %s of the profile %s is deprecated; it is taken because it is asked for in full.",
			d.Version, d.Profile))
	}
	d.Warnings = append(d.Warnings, s.unseenAccounts(d.Fitting)...)
}
