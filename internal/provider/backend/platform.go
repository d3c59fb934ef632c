package backend

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Who grants the requests.
const (
	SchedulerOperator = "operator" // the openmcp-operator
	SchedulerBuiltin  = "builtin"  // the scheduler in the provider, by purposes, traits and prefixes (ADR 015)
)

// PlatformSettings are what the provider block says of the platform cluster of openMCP.
type PlatformSettings struct {
	Given      bool          // there is a block
	Kubernetes kube.Settings // how to reach it
	Scheduler  string        // which scheduler grants requests: one of SchedulerOperator and SchedulerBuiltin
	Unknown    []string      // the attributes without whose values it cannot be reached: they are known only after an apply
}

// Platform is the way to the platform cluster. It is built at the first use, and shared by all objects.
type Platform struct {
	settings PlatformSettings
	agent    string

	mu     sync.Mutex
	api    *openmcp.Platform
	server string
	source string

	withdrawn set[string]       // the UIDs of the requests that this plan withdraws
	protected map[string]string // of these the names of the ones whose deletion_protection guards their Cluster
	waiting   patience          // of the objects that wait until these are noted
}

// NoPlatformError says that the provider block leads to no platform cluster.
type NoPlatformError struct{}

func (*NoPlatformError) Error() string { return "the provider block has no platform" }

// API returns openMCP on the platform cluster. It does not dial.
//
// Errors: [NoPlatformError], [UnknownSettingsError], those of kube for the settings.
func (p *Platform) API() (*openmcp.Platform, error) {
	switch {
	case !p.settings.Given:
		return nil, &NoPlatformError{}
	case len(p.settings.Unknown) > 0:
		return nil, &UnknownSettingsError{p.settings.Unknown}
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
	p.api, p.server, p.source = platform, connection.Config.Host, connection.Source
	return platform, nil
}

// Builtin reports whether the scheduler in the provider grants the requests. It needs no connection.
func (p *Platform) Builtin() bool { return p.settings.Scheduler == SchedulerBuiltin }

// Later reports whether the provider leads to a platform cluster only after an apply.
func (p *Platform) Later() bool { return len(p.settings.Unknown) > 0 }

// PlatformElsewhereError says that an object was made on another platform cluster than the provider leads to.
type PlatformElsewhereError struct{ Made, Provider string } // the URLs of both API servers

func (e *PlatformElsewhereError) Error() string {
	return fmt.Sprintf("it was made on the platform cluster %s, and the provider leads to %s", e.Made, e.Provider)
}

// Withdraw notes that this plan withdraws a request.
func (p *Platform) Withdraw(uid string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.withdrawn.add(uid)
}

// Protect notes that a request which this plan withdraws guards its Cluster by deletion_protection.
func (p *Platform) Protect(uid, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.protected == nil {
		p.protected = map[string]string{}
	}
	p.protected[uid] = name
}

// Protected returns the names of those of some requests that this plan withdraws, and that guard their Cluster, sorted.
func (p *Platform) Protected(uids []string) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, uid := range uids {
		if name, is := p.protected[uid]; is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Withdraws reports whether this plan was seen to withdraw a request.
func (p *Platform) Withdraws(uid string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.withdrawn[uid]
}

// AwaitWithdrawn waits for a moment until this plan was seen to withdraw all of these requests: what goes together is planned in no order.
// sure = what it returns can be relied on; otherwise too many objects wait already.
func (p *Platform) AwaitWithdrawn(ctx context.Context, uids []string) (all, sure bool) {
	return p.waiting.until(ctx, func() bool {
		return !slices.ContainsFunc(uids, func(uid string) bool { return !p.Withdraws(uid) })
	})
}

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
