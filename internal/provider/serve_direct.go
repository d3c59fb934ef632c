package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// directServer answers without the framework what it can, and leaves all else to the framework. The context of each call ends where a CLI
// stops the provider: the server of the protocol sees to it, and not the framework.
type directServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	provider  *hapProvider
	resources func() map[string]func() resource.Resource // by their types
}

// directing returns a server that answers directly, for the server that the framework makes of a provider.
func directing(server tfprotov6.ProviderServer, p *hapProvider) tfprotov6.ProviderServer {
	lists, ok := server.(tfprotov6.ListResourceServer)
	if !ok {
		return server
	}
	return directServer{server, lists, p, sync.OnceValue(p.resourcesByType)}
}

func (p *hapProvider) resourcesByType() map[string]func() resource.Resource {
	all := map[string]func() resource.Resource{}
	for _, of := range p.Resources(context.Background()) {
		var named resource.MetadataResponse
		of().Metadata(context.Background(), resource.MetadataRequest{ProviderTypeName: typeName}, &named)
		all[named.TypeName] = of
	}
	return all
}

// direct returns a resource that can answer by itself, and what it answers with; ok = false: there is none.
func (s directServer) direct(named string) (answers family.Direct, with *backend.Backend, ok bool) {
	with, of := s.provider.backend.Load(), s.resources()[named]
	if with == nil || of == nil {
		return nil, nil, false
	}
	answers, ok = of().(family.Direct)
	return answers, with, ok
}

func (s directServer) PlanResourceChange(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	if direct, b, ok := s.direct(request.TypeName); ok {
		if answer, ok := direct.PlanDirectly(ctx, b, request); ok {
			return answer, nil
		}
	}
	return s.ProviderServer.PlanResourceChange(ctx, request)
}

func (s directServer) ReadResource(ctx context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if direct, b, ok := s.direct(request.TypeName); ok {
		if answer, ok := direct.ReadDirectly(ctx, b, request); ok {
			return answer, nil
		}
	}
	return s.ProviderServer.ReadResource(ctx, request)
}

func (s directServer) ApplyResourceChange(ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest) (
	*tfprotov6.ApplyResourceChangeResponse, error) {
	if direct, b, ok := s.direct(request.TypeName); ok {
		if answer, ok := direct.ApplyDirectly(ctx, b, request); ok {
			return answer, nil
		}
	}
	return s.ProviderServer.ApplyResourceChange(ctx, request)
}
