package connection

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// Platform is the way to the platform cluster. It is built at the first use, and shared by all objects.
type Platform struct {
	settings settings.Platform
	agent    string
	garden   *Garden // where the accounts behind profiles are

	mu     sync.Mutex
	api    *openmcp.Platform
	server string
	source string
}

// ToPlatform returns the way to the platform cluster of a provider block, whose profiles may lead to accounts in the Garden: the pool there
// gives none of these back under its Clusters. It does not dial, and comes before the first use of the Garden.
func ToPlatform(s settings.Settings, garden *Garden) *Platform {
	garden.platform = &Platform{settings: s.Platform, agent: s.Agent, garden: garden}
	return garden.platform
}

// NoPlatformError says that the provider block leads to no platform cluster.
type NoPlatformError struct{}

func (*NoPlatformError) Error() string { return "the provider block has no platform" }

// API returns openMCP on the platform cluster. It does not dial.
//
// Errors: [NoPlatformError], [settings.UnknownError], those of kube for the settings.
func (p *Platform) API() (*openmcp.Platform, error) {
	switch {
	case !p.settings.Given:
		return nil, &NoPlatformError{}
	case len(p.settings.Unknown) > 0:
		return nil, &settings.UnknownError{Attributes: p.settings.Unknown}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.api != nil {
		return p.api, nil
	}
	connection, err := kube.Resolve(p.settings.Kubernetes, p.agent)
	if err != nil {
		return nil, err
	}
	journal.LogPlatformRequests(connection)
	platform, err := openmcp.New(connection.Config, connection.Namespace)
	if err != nil {
		return nil, err
	}
	platform.Objects.TakesPart(p.garden.settings.Run.Sure())
	platform.Requests.Accounts = accounts{p.garden}
	platform.Requests.Shoots = bound{p.garden}
	platform.Access.Builtin = p.Builtin()
	platform.Requests.ClusterWide = p.settings.Scope == settings.ScopeCluster
	p.api, p.server, p.source = platform, connection.Config.Host, connection.Source
	return platform, nil
}

// Builtin reports whether the scheduler in the provider grants the requests. It needs no connection.
func (p *Platform) Builtin() bool { return p.settings.Scheduler == settings.SchedulerBuiltin }

// Later reports whether the provider leads to a platform cluster only after an apply.
func (p *Platform) Later() bool { return len(p.settings.Unknown) > 0 }

// Server returns the URL of the API server; empty before the connection is built.
func (p *Platform) Server() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.server
}

// Attempt says what was tried, for a message, with the connection as far as it is known.
func (p *Platform) Attempt(format string, args ...any) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if p.source == "" {
		return text
	}
	return text + fmt.Sprintf(" on the platform cluster (connection from %s)", p.source)
}

// Known is an object on the platform cluster as a state knows it.
type Known struct {
	Kind string
	api.Ref
	UID    string // empty = it comes from an import
	Server string // the API server where it was made
}

// Find reads the object of a state. One that is not found on another platform cluster than before may exist.
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
