package provider

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// replanServer says in words of its own where an apply would make an object anew that its plan keeps. Terraform and OpenTofu plan once
// more within an apply, with the inputs that were unknown before, and call a replacement that comes up there a bug of the provider.
//
// A plan reads each object before it plans it. An apply reads none, and of one that it replaces it asks without a state: the object is
// gone by then, or set aside. So a replacement of an object with a state, in a process that has read nothing, was not planned.
type replanServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	read *atomic.Bool // an object was read since the provider was configured
}

// replanning returns a server that refuses what no plan has shown.
func replanning(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	lists, ok := server.(tfprotov6.ListResourceServer)
	if !ok {
		return server
	}
	return replanServer{server, lists, &atomic.Bool{}}
}

func (s replanServer) ConfigureProvider(ctx context.Context, request *tfprotov6.ConfigureProviderRequest) (
	*tfprotov6.ConfigureProviderResponse, error) {
	s.read.Store(false)
	return s.ProviderServer.ConfigureProvider(ctx, request)
}

func (s replanServer) ReadResource(ctx context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.read.Store(true)
	return s.ProviderServer.ReadResource(ctx, request)
}

func (s replanServer) PlanResourceChange(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	answer, err := s.ProviderServer.PlanResourceChange(ctx, request)
	if answer == nil || len(answer.RequiresReplace) == 0 || s.read.Load() {
		return answer, err
	}
	names := make([]string, len(answer.RequiresReplace))
	for i, at := range answer.RequiresReplace {
		names[i] = nameOf(at)
	}
	answer.Diagnostics = append(answer.Diagnostics, &tfprotov6.Diagnostic{
		Severity: tfprotov6.DiagnosticSeverityError, Attribute: answer.RequiresReplace[0], Summary: diagnose.SummaryTurnedOut,
		Detail: fmt.Sprintf("The plan did not know all that decides whether the object can stay, and keeps it. It is known now, and by %s "+
			"the object would be made anew. No plan has shown that, so nothing was done: the object is as it was. Run plan again: it shows "+
			"the replacement.\n\nThis can also be a plan with -refresh=false, in which a replacement cannot be distinguished from "+
			"one that an apply comes upon. Run it with a refresh.", strings.Join(names, ", ")),
	})
	answer.RequiresReplace = nil
	return answer, err
}

// nameOf is the attribute that a path begins with.
func nameOf(at *tftypes.AttributePath) string {
	if steps := at.Steps(); len(steps) > 0 {
		if name, ok := steps[0].(tftypes.AttributeName); ok {
			return string(name)
		}
	}
	return at.String()
}

// unpinned are the attributes that a generated configuration leaves out although the state has them: they are choices of the pool, and
// would become ones of the user.
var unpinned = map[string]string{"hap_credentials_binding_claim": "binding_name"}

// GenerateResourceConfig writes the configuration of an object that is imported. Terraform asks from version 1.14 on; before that, and in
// OpenTofu, the program itself writes down all that can be configured.
func (s replanServer) GenerateResourceConfig(ctx context.Context, request *tfprotov6.GenerateResourceConfigRequest) (
	*tfprotov6.GenerateResourceConfigResponse, error) {
	answer, err := s.ProviderServer.GenerateResourceConfig(ctx, request)
	attribute, choice := unpinned[request.TypeName]
	if err != nil || answer == nil || answer.Config == nil || !choice {
		return answer, err
	}
	schema, err := s.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	of := schema.ResourceSchemas[request.TypeName].ValueType()
	config, err := answer.Config.Unmarshal(of)
	if err != nil {
		return nil, err
	}
	config, err = tftypes.Transform(config, func(at *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if at.Equal(tftypes.NewAttributePath().WithAttributeName(attribute)) {
			return tftypes.NewValue(value.Type(), nil), nil
		}
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	written, err := tfprotov6.NewDynamicValue(of, config)
	answer.Config = &written
	return answer, err
}
