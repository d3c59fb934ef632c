package openmcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Profiles reads all ClusterProfiles.
//
// Errors: those of [kube.Group.List].
func (p *Platform) Profiles(ctx context.Context) ([]*ClusterProfile, error) {
	all, _, err := p.profiles.list(ctx)
	return all, err
}

// publishTime is how long a profile is waited for whose ProviderConfig is there: its provider publishes it within moments. publishPause is
// the pause between two reads.
const (
	publishTime  = 2 * time.Second
	publishPause = 100 * time.Millisecond
)

// AwaitProfile reads all ClusterProfiles again and again until the one of this name is among them, for a moment: the ProviderConfig behind
// it may be made in this run. It is no error where that is not published in time.
//
// Errors: those of [kube.Group.List].
func (p *Platform) AwaitProfile(ctx context.Context, name string) (all []*ClusterProfile, err error) {
	for end := time.Now().Add(publishTime); ; {
		all, err = p.Profiles(ctx)
		if err != nil || time.Now().After(end) || slices.ContainsFunc(all, func(one *ClusterProfile) bool { return one.Name == name }) {
			return all, err
		}
		select {
		case <-time.After(publishPause):
		case <-ctx.Done():
			return all, nil
		}
	}
}

// How long a ProviderConfig may have a condition that does not hold before its profile is given up: what it refers to may be on its way. And
// the pause between two reads.
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
		return fmt.Sprintf("the cluster provider has published the profile of ProviderConfig %s as %s, not as %s", e.Config, e.Published, e.Profile)
	}
	text := fmt.Sprintf("the cluster provider has not published the profile %s of ProviderConfig %s", e.Profile, e.Config)
	if e.Err != nil {
		text += " (" + ended(e.Err) + ")"
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
// ProviderConfig does not hold for a while, or the profile has another name.
//
// Errors: [*NotPublishedError]; [*GoneError].
func (p *Platform) AwaitPublished(ctx context.Context, of *ProviderConfig, profile string) (last *ProviderConfig, err error) {
	last = of
	var failing time.Time // since when a condition does not hold; zero = all hold
	refusal := &NotPublishedError{Config: of.Name, Profile: profile}
	for {
		offered, err := p.ProfileOf(ctx, of.Spec.ProviderRef.Name, of.Name)
		if err == nil && offered != nil {
			if offered.Name != profile {
				refusal.Published = offered.Name
				return last, refusal
			}
			return p.published(ctx, of, last)
		}
		live, readErr := p.Config(ctx, of.Name)
		switch {
		case IsGone(readErr), readErr == nil && live.UID != of.UID:
			return last, &GoneError{Kind: kindConfig, Ref: of.Ref(), UID: string(of.UID)}
		case readErr == nil:
			last = live
			refusal.Phase, refusal.Failing = live.Status.Phase, live.Status.Failing()
		}
		switch {
		case len(refusal.Failing) == 0:
			failing = time.Time{}
		case failing.IsZero():
			failing = time.Now()
		case time.Since(failing) >= failingTime:
			return last, refusal
		}
		if !kube.Sleep(ctx, offerPause) {
			refusal.Err = cmp.Or(context.Cause(ctx), err, readErr)
			return last, refusal
		}
	}
}

// published is a ProviderConfig whose profile is published, as it is now; where it cannot be read, as it was seen last.
func (p *Platform) published(ctx context.Context, of, last *ProviderConfig) (*ProviderConfig, error) {
	live, err := p.Config(ctx, of.Name)
	if err != nil || live.UID != of.UID {
		return last, nil //nolint:nilerr // the profile is there
	}
	return live, nil
}

// ConfigKey names the configuration of a cluster provider.
type ConfigKey struct{ Provider, Name string }

// ConfigKeyOf names the configuration behind a profile.
func ConfigKeyOf(p *ClusterProfile) ConfigKey {
	return ConfigKey{p.Spec.ProviderRef.Name, p.Spec.ProviderConfigRef.Name}
}

// ProfileFacts reads what the ProviderConfigs of the Gardener cluster provider say of their clusters; none where the platform cluster
// has no such provider.
//
// Errors: those of [kube.Group.List].
func (p *Platform) ProfileFacts(ctx context.Context) (map[ConfigKey]ShootFacts, error) {
	all, err := p.Configs(ctx)
	if isUnknownResource(err) {
		return nil, nil
	}
	facts := map[ConfigKey]ShootFacts{}
	for _, c := range all {
		if f, ok := c.Spec.Facts(); ok {
			facts[ConfigKey{c.Spec.ProviderRef.Name, c.Name}] = f
		}
	}
	return facts, err
}

// isUnknownResource reports whether the server does not know the kind that it was asked for.
func isUnknownResource(err error) bool {
	return reason(err) == kube.NoAPI
}
