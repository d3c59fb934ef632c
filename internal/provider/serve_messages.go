package provider

import (
	"context"
	"iter"
	"os"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// protocol returns what makes the servers of the provider, as a CLI meets them. The zero run is that of a process which serves several.
func protocol(version string, run account.Run) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		return serverOf(&hapProvider{version: version, run: run, getenv: os.Getenv})
	}
}

// NewServer makes a server of the provider as a CLI meets it, for tests. It sees the environment as getenv has it, and takes part in
// no run.
func NewServer(version string, getenv func(string) string) tfprotov6.ProviderServer {
	return serverOf(&hapProvider{version: version, getenv: getenv})
}

func serverOf(p *hapProvider) tfprotov6.ProviderServer {
	return readable(replanning(directing(providerserver.NewProtocol6(p)(), p)))
}

// maxDetail is how long a message may be, in bytes.
const maxDetail = 16 << 10

// readableServer hands all calls on, and makes messages fit for a terminal. Messages quote what servers have sent, and what others
// have written on objects: names, labels, records, conditions.
type readableServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// readable returns a server whose messages hold no control characters and are not too long.
func readable(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	lists, ok := server.(tfprotov6.ListResourceServer)
	if !ok {
		return server
	}
	return readableServer{server, lists}
}

// fit makes messages fit for a terminal. Lines and tabs stay.
func fit(diagnostics []*tfprotov6.Diagnostic) {
	for _, d := range diagnostics {
		d.Summary, d.Detail = printable(d.Summary), printable(d.Detail)
		if len(d.Detail) > maxDetail {
			d.Detail = strings.ToValidUTF8(d.Detail[:maxDetail], "") + " … (cut)"
		}
	}
}

// printable replaces each character that a terminal carries out.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// fitAnswer makes the messages of an answer fit, where there is an answer.
func fitAnswer[A any](answer *A, err error, diagnostics func(*A) []*tfprotov6.Diagnostic) (*A, error) {
	if answer != nil {
		fit(diagnostics(answer))
	}
	return answer, err
}

func (s readableServer) ValidateProviderConfig(ctx context.Context, request *tfprotov6.ValidateProviderConfigRequest) (
	*tfprotov6.ValidateProviderConfigResponse, error) {
	answer, err := s.ProviderServer.ValidateProviderConfig(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ValidateProviderConfigResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ConfigureProvider(ctx context.Context, request *tfprotov6.ConfigureProviderRequest) (
	*tfprotov6.ConfigureProviderResponse, error) {
	answer, err := s.ProviderServer.ConfigureProvider(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ConfigureProviderResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ValidateResourceConfig(ctx context.Context, request *tfprotov6.ValidateResourceConfigRequest) (
	*tfprotov6.ValidateResourceConfigResponse, error) {
	answer, err := s.ProviderServer.ValidateResourceConfig(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ValidateResourceConfigResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) UpgradeResourceState(ctx context.Context, request *tfprotov6.UpgradeResourceStateRequest) (
	*tfprotov6.UpgradeResourceStateResponse, error) {
	answer, err := s.ProviderServer.UpgradeResourceState(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.UpgradeResourceStateResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ReadResource(ctx context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.ProviderServer.ReadResource(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ReadResourceResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) PlanResourceChange(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	answer, err := s.ProviderServer.PlanResourceChange(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.PlanResourceChangeResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ApplyResourceChange(ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest) (
	*tfprotov6.ApplyResourceChangeResponse, error) {
	answer, err := s.ProviderServer.ApplyResourceChange(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ApplyResourceChangeResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ImportResourceState(ctx context.Context, request *tfprotov6.ImportResourceStateRequest) (
	*tfprotov6.ImportResourceStateResponse, error) {
	answer, err := s.ProviderServer.ImportResourceState(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ImportResourceStateResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ReadDataSource(ctx context.Context, request *tfprotov6.ReadDataSourceRequest) (
	*tfprotov6.ReadDataSourceResponse, error) {
	answer, err := s.ProviderServer.ReadDataSource(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.ReadDataSourceResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) OpenEphemeralResource(ctx context.Context, request *tfprotov6.OpenEphemeralResourceRequest) (
	*tfprotov6.OpenEphemeralResourceResponse, error) {
	answer, err := s.ProviderServer.OpenEphemeralResource(ctx, request)
	return fitAnswer(answer, err, func(a *tfprotov6.OpenEphemeralResourceResponse) []*tfprotov6.Diagnostic { return a.Diagnostics })
}

func (s readableServer) ListResource(ctx context.Context, request *tfprotov6.ListResourceRequest) (
	*tfprotov6.ListResourceServerStream, error) {
	stream, err := s.ListResourceServer.ListResource(ctx, request)
	if stream != nil && stream.Results != nil {
		stream.Results = readableResults(stream.Results)
	}
	return stream, err
}

func readableResults(results iter.Seq[tfprotov6.ListResourceResult]) iter.Seq[tfprotov6.ListResourceResult] {
	return func(yield func(tfprotov6.ListResourceResult) bool) {
		for result := range results {
			fit(result.Diagnostics)
			result.DisplayName = printable(result.DisplayName)
			if !yield(result) {
				return
			}
		}
	}
}
