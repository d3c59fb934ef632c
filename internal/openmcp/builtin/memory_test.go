package builtin_test

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// memory is a platform cluster in memory, where one profile is offered. Its own purpose is "work".
type memory struct{ server *apiserver.Server }

func newMemory(t *testing.T, profiles ...string) memory {
	t.Helper()
	m := memory{server: apiserver.New(apiserver.OpenMCP()...)}
	p := m.in(t, "setup")
	for _, name := range profiles {
		m.offer(t, p, name)
	}
	return m
}

// in is openMCP as a new process sees it whose requests lie in a namespace.
func (m memory) in(t *testing.T, namespace string) *openmcp.Platform {
	t.Helper()
	p, err := openmcp.New(&rest.Config{Host: "https://memory.invalid", Transport: m.server, QPS: -1}, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// offer publishes a profile that comes from no ProviderConfig.
func (m memory) offer(t *testing.T, p *openmcp.Platform, name string) {
	t.Helper()
	_, err := p.Objects.Profiles.Create(t.Context(), meta("", name), api.ProfileSpec{
		ProviderRef: api.Ref{Name: "gardener"}, ProviderConfigRef: api.Ref{Name: name},
		SupportedVersions: []api.SupportedVersion{{Version: "1.33.1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}
