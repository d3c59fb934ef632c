package backend

import (
	"fmt"
	"sync"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// SchedulerOperator says that the openmcp-operator grants the requests.
const SchedulerOperator = "operator"

// PlatformSettings are what the provider block says of the platform cluster of openMCP.
type PlatformSettings struct {
	Given      bool          // there is a block
	Kubernetes kube.Settings // how to reach it
	Scheduler  string        // which scheduler grants requests
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
	journal.LogRequests(connection)
	api, err := openmcp.New(connection.Config, connection.Namespace)
	if err != nil {
		return nil, err
	}
	p.api, p.server, p.source = api, connection.Config.Host, connection.Source
	return api, nil
}

// Known reports whether the platform cluster can be reached already in this plan.
func (p *Platform) Known() bool { return p.settings.Given && len(p.settings.Unknown) == 0 }

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
