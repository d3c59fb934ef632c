package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Terraform and OpenTofu show the log of a provider only where a variable asks for it. The framework does not know of that: it
// encodes its whole trace, some 400 entries for each claim that is made, and sends it to a program that decodes and drops it. So
// nothing is logged unless a variable asks.

// logVariables is what the names of all variables about logs begin with.
const logVariables = "TF_LOG"

// logsWanted reports whether the environment may ask for a log. It does not judge what a variable is about: with one that asks
// for no log of a provider, such as TF_LOG_PATH, the logs are made in vain, as they always were.
func logsWanted(environ []string) bool {
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, logVariables) && value != "" && !strings.EqualFold(value, "off") {
			return true
		}
	}
	return false
}

// silence turns off the logs of the protocol, of the framework and of the provider.
func silence(setenv func(name, value string) error) error {
	for _, part := range []string{"SDK", "SDK_PROTO", "SDK_FRAMEWORK", "PROVIDER_HAP"} {
		if err := setenv(logVariables+"_"+part, "OFF"); err != nil {
			return err
		}
	}
	return nil
}

// quietServer hands the calls that come for each object of a configuration on without what the protocol's server keeps in their
// contexts for logs. The framework holds on to the context of each call that it answers until the process ends: with that, it is a
// megabyte for every 20 claims.
type quietServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// quiet returns a server that logs nothing by itself.
func quiet(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	lists, ok := server.(tfprotov6.ListResourceServer)
	if !ok {
		return server
	}
	return quietServer{server, lists}
}

// quietly makes a call whose context ends with the caller's, and has nothing else of it.
func quietly[Q, A any](ctx context.Context, request Q, call func(context.Context, Q) (A, error)) (A, error) {
	bare, end := context.WithCancelCause(context.Background())
	defer end(nil)
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	defer stop()
	return call(bare, request)
}

func (s quietServer) ValidateResourceConfig(ctx context.Context, request *tfprotov6.ValidateResourceConfigRequest) (
	*tfprotov6.ValidateResourceConfigResponse, error) {
	return quietly(ctx, request, s.ProviderServer.ValidateResourceConfig)
}

func (s quietServer) UpgradeResourceState(ctx context.Context, request *tfprotov6.UpgradeResourceStateRequest) (
	*tfprotov6.UpgradeResourceStateResponse, error) {
	return quietly(ctx, request, s.ProviderServer.UpgradeResourceState)
}

func (s quietServer) ReadResource(ctx context.Context, request *tfprotov6.ReadResourceRequest) (
	*tfprotov6.ReadResourceResponse, error) {
	return quietly(ctx, request, s.ProviderServer.ReadResource)
}

func (s quietServer) PlanResourceChange(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	return quietly(ctx, request, s.ProviderServer.PlanResourceChange)
}

func (s quietServer) ApplyResourceChange(ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest) (
	*tfprotov6.ApplyResourceChangeResponse, error) {
	return quietly(ctx, request, s.ProviderServer.ApplyResourceChange)
}

func (s quietServer) ValidateDataResourceConfig(ctx context.Context, request *tfprotov6.ValidateDataResourceConfigRequest) (
	*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return quietly(ctx, request, s.ProviderServer.ValidateDataResourceConfig)
}

func (s quietServer) ReadDataSource(ctx context.Context, request *tfprotov6.ReadDataSourceRequest) (
	*tfprotov6.ReadDataSourceResponse, error) {
	return quietly(ctx, request, s.ProviderServer.ReadDataSource)
}

func (s quietServer) CallFunction(ctx context.Context, request *tfprotov6.CallFunctionRequest) (
	*tfprotov6.CallFunctionResponse, error) {
	return quietly(ctx, request, s.ProviderServer.CallFunction)
}
