package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// directServer plans without the framework what can be planned so, and leaves all else to the framework.
type directServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	provider  *hapProvider
	resources func() map[string]func() resource.Resource // by their types
	calls     *calls
}

// directing returns a server that plans directly, for the server that the framework makes of a provider.
func directing(server tfprotov6.ProviderServer, p *hapProvider) tfprotov6.ProviderServer {
	lists, ok := server.(tfprotov6.ListResourceServer)
	if !ok {
		return server
	}
	return directServer{server, lists, p, sync.OnceValue(p.resources), &calls{}}
}

// resources are the resources by their types.
func (p *hapProvider) resources() map[string]func() resource.Resource {
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
	if answer, ok := s.directly(ctx, request); ok {
		return answer, nil
	}
	return s.ProviderServer.PlanResourceChange(ctx, request)
}

func (s directServer) directly(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	answer *tfprotov6.PlanResourceChangeResponse, ok bool) {
	b, of := s.provider.backend.Load(), s.resources()[request.TypeName]
	if b == nil || of == nil {
		return nil, false
	}
	planner, plans := of().(family.Planner)
	if !plans {
		return nil, false
	}
	ctx, end := s.calls.begin(ctx)
	defer end()
	return planner.PlanDirectly(ctx, b, request)
}

// StopProvider ends the plans that are under way, as the framework does.
func (s directServer) StopProvider(ctx context.Context, request *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.calls.stop()
	return s.ProviderServer.StopProvider(ctx, request)
}

// calls are those that are under way. The zero value is ready.
type calls struct {
	lock sync.Mutex
	ends map[*context.CancelFunc]struct{}
}

// begin returns the context of a call, and what is done at its end.
func (c *calls) begin(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancel(ctx)
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.ends == nil {
		c.ends = map[*context.CancelFunc]struct{}{}
	}
	c.ends[&end] = struct{}{}
	return ctx, func() {
		end()
		c.lock.Lock()
		defer c.lock.Unlock()
		delete(c.ends, &end)
	}
}

// stop ends all calls that are under way. Those that come later are not ended.
func (c *calls) stop() {
	c.lock.Lock()
	defer c.lock.Unlock()
	for end := range c.ends {
		(*end)()
	}
}
