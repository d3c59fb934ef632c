package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// directServer plans without the framework what it can, and leaves all else to the framework. The context of each call ends where a CLI
// stops the provider: the server of the protocol sees to it.
type directServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	provider  *hapProvider
	resources func() map[string]func() resource.Resource // by their types
}

// directing returns a server that plans directly, for the server that the framework makes of a provider.
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

func (s directServer) PlanResourceChange(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	if b, of := s.provider.backend.Load(), s.resources()[request.TypeName]; b != nil && of != nil {
		if planner, plans := of().(family.Planner); plans {
			if answer, ok := planner.PlanDirectly(ctx, b, request); ok {
				return answer, nil
			}
		}
	}
	return s.ProviderServer.PlanResourceChange(ctx, request)
}
