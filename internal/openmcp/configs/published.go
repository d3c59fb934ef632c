package configs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// failingTime is how long a ProviderConfig may have a condition that does not hold before its profile is given up: what it refers to may be
// on its way. offerPause is the pause between two reads.
const (
	failingTime = 30 * time.Second
	offerPause  = 500 * time.Millisecond
)

// NotPublishedError says that the cluster provider has not published the profile of a ProviderConfig.
type NotPublishedError struct {
	Config    string
	Profile   string   // the name that was waited for
	Published string   // the name under which the provider has published it instead; empty = it has not
	Phase     string   // of the ProviderConfig, as it was seen last; empty = the provider has not processed it
	Failing   []string // its conditions that do not hold
	Err       error    // why the wait has ended; nil = the conditions do not change, or the name is another one
}

func (e *NotPublishedError) Error() string {
	if e.Published != "" {
		return fmt.Sprintf("the cluster provider has published the profile of ProviderConfig %s as %s, not as %s", e.Config, e.Published,
			e.Profile)
	}
	text := fmt.Sprintf("the cluster provider has not published the profile %s of ProviderConfig %s", e.Profile, e.Config)
	if e.Err != nil {
		text += " (" + api.Ended(e.Err) + ")"
	}
	switch {
	case len(e.Failing) > 0:
		text += ". " + strings.Join(e.Failing, ". ")
	case e.Phase == "":
		text += ". It has no phase: the provider has not processed it"
	default:
		text += ". Its phase is " + e.Phase
	}
	return text
}

// Unwrap returns why the wait has ended.
func (e *NotPublishedError) Unwrap() error { return e.Err }

// AwaitPublished waits until the cluster provider has published the profile of this ProviderConfig. It gives up where a condition of the
// ProviderConfig does not hold for a while, or the profile has another name for as long.
//
// Errors: [*NotPublishedError]; [*api.GoneError]; of those of [kube.Read] the ones that no time mends.
func (p *Profiles) AwaitPublished(ctx context.Context, of *api.ProviderConfig, profile string) (last *api.ProviderConfig, err error) {
	last = of
	var failing time.Time // since when there is a reason to give up; zero = there is none
	refusal := &NotPublishedError{Config: of.Name, Profile: profile}
	for {
		var published bool
		var other string
		published, other, err = p.publishedAs(ctx, of, profile)
		if published {
			return p.published(ctx, of, last), nil
		}
		if err == nil { // a read that is cut off says nothing, and what the one before said counts
			refusal.Published = other
		}
		live, readErr := p.objects.Configs.Get(ctx, of.Ref())
		switch {
		case api.IsGone(readErr), readErr == nil && live.UID != of.UID:
			return last, &api.GoneError{Kind: api.KindConfig, Ref: of.Ref(), UID: string(of.UID)}
		case isFinal(err), isFinal(readErr):
			return last, cmp.Or(err, readErr)
		case readErr == nil:
			last = live
			refusal.Phase, refusal.Failing = live.Status.Phase, live.Status.Failing()
		}
		switch {
		case len(refusal.Failing) == 0 && refusal.Published == "":
			failing = time.Time{}
		case failing.IsZero():
			failing = time.Now()
		case time.Since(failing) >= failingTime:
			return last, refusal
		}
		if !kube.Sleep(ctx, offerPause) {
			refusal.Err = errors.Join(context.Cause(ctx), err, readErr)
			return last, refusal
		}
	}
}

// isFinal reports whether the server refuses a read, so that no wait helps.
func isFinal(err error) bool {
	return slices.Contains([]kube.Reason{kube.Forbidden, kube.NoAPI, kube.Rejected}, api.Reason(err))
}

// publishedAs reports whether the profile of a ProviderConfig is published under its name, or under which other one; empty = it is not.
func (p *Profiles) publishedAs(ctx context.Context, of *api.ProviderConfig, profile string) (published bool, other string, err error) {
	all, err := p.objects.Profiles.All(ctx)
	for _, one := range all {
		if one.Spec.ProviderRef.Name != of.Spec.ProviderRef.Name || one.Spec.ProviderConfigRef.Name != of.Name {
			continue
		}
		if one.Name == profile {
			return true, "", nil
		}
		other = one.Name
	}
	return false, other, err
}

// published is a ProviderConfig whose profile is published, as it is now; where it cannot be read, as it was seen last.
func (p *Profiles) published(ctx context.Context, of, last *api.ProviderConfig) *api.ProviderConfig {
	live, err := p.objects.Configs.Get(ctx, of.Ref())
	if err != nil || live.UID != of.UID {
		return last
	}
	return live
}

// AwaitStatus waits a moment until the cluster provider has written the phase of a ProviderConfig as it is now: it does so after the
// profile. It returns what was seen last.
func (p *Profiles) AwaitStatus(ctx context.Context, of *api.ProviderConfig) *api.ProviderConfig {
	for end := time.Now().Add(publishTime); ; {
		written := of.Status.Phase != "" && of.Status.ObservedGeneration == of.Generation
		if written || time.Now().After(end) || !kube.Sleep(ctx, publishPause) {
			return of
		}
		of = p.published(ctx, of, of)
	}
}

// AdoptError says that a Cluster which is to be made would adopt a Shoot that its profile would move.
type AdoptError struct {
	api.Ref
	Shoot   BoundShoot
	Profile string
	Home    Home // where the profile brings its clusters
}

func (e *AdoptError) Error() string {
	return fmt.Sprintf("%s bears the labels of Cluster %s, which would adopt it, and profile %q brings its clusters to %s", e.Shoot, e.Ref,
		e.Profile, e.Home)
}

// MayAdopt judges whether a Cluster that is to be made may adopt the Shoots that have its labels: its cluster provider merges the template
// behind the profile into them. A profile that comes from no ProviderConfig adopts none.
//
// Errors: [*AdoptError]; those of [kube.Group.List].
func (p *Profiles) MayAdopt(ctx context.Context, of api.Ref, profile string, bound []BoundShoot) error {
	if len(bound) == 0 {
		return nil
	}
	config, err := p.ConfigBehind(ctx, profile)
	if err != nil || config == nil {
		return err
	}
	home, _ := HomeOf(config.Spec) // a Shoot of another project is not adopted, and none is seen here but those of the provider's
	for _, s := range bound {
		if !s.Keeps(home) {
			return &AdoptError{Ref: of, Shoot: s, Profile: profile, Home: home}
		}
	}
	return nil
}

// JoinError says that a Shoot is to have the labels of a Cluster that is there, and whose profile would move it, or that is being deleted.
type JoinError struct {
	Refused *AdoptError
	Ref     api.Ref
	Ends    bool // the Cluster is being deleted
}

func (e *JoinError) Error() string {
	if e.Ends {
		return fmt.Sprintf("Cluster %s is being deleted, and would take along what has its labels", e.Ref)
	}
	return fmt.Sprintf("Cluster %s is there and would adopt %s, and its profile %q brings its clusters to %s", e.Refused.Ref, e.Refused.Shoot,
		e.Refused.Profile, e.Refused.Home)
}

// MayJoin judges whether a Shoot may have the labels of a Cluster that is there, as [Profiles.MayAdopt] does of one that is to be made.
//
// Errors: [*JoinError]; those of [kube.Group.List].
func (p *Profiles) MayJoin(ctx context.Context, c *api.Cluster, s BoundShoot) error {
	err := p.MayAdopt(ctx, c.Ref(), c.Spec.Profile, []BoundShoot{s})
	if refused, is := errors.AsType[*AdoptError](err); is {
		return &JoinError{Refused: refused, Ref: c.Ref()}
	}
	return err
}
