package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// listener is the provider with an ear at its answers: the program shows where a diagnostic belongs by a line of the
// configuration, and only the answer itself names the attribute.
type listener struct {
	tfprotov6.ProviderServer
	ear *ear
}

// ear keeps what the provider has told in one test.
type ear struct {
	getenv func(string) string

	mu    sync.Mutex
	heard []*tfprotov6.Diagnostic
}

// newEar listens to a provider that sees these environment variables and no others.
func newEar(variables map[string]string) *ear { return &ear{getenv: environment(variables)} }

func (e *ear) factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"hap": func() (tfprotov6.ProviderServer, error) {
		server, err := providerserver.NewProtocol6WithError(&hapProvider{version: "test", getenv: e.getenv})()
		return &listener{server, e}, err
	}}
}

// hear keeps the diagnostics of an answer, where there is one, and passes the error on.
func (e *ear) hear(err error, of func() []*tfprotov6.Diagnostic) error {
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, of()...)
	return nil
}

// summaries returns the summaries that were told, sorted, each once.
func (e *ear) summaries(severity tfprotov6.DiagnosticSeverity) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, d := range e.heard {
		if d.Severity == severity {
			all = append(all, d.Summary)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// want finds a diagnostic with exactly this summary at exactly this attribute (empty = at none), whose detail has these
// words in this order.
func (e *ear) want(t *testing.T, severity tfprotov6.DiagnosticSeverity, summary, attribute string, words ...string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	var told []string
	for _, d := range e.heard {
		if d.Severity == severity && d.Summary == summary && attributePath(d.Attribute) == attribute && inOrder(d.Detail, words) {
			return
		}
		told = append(told, fmt.Sprintf("%s %q at %q:\n%s", d.Severity, d.Summary, attributePath(d.Attribute), d.Detail))
	}
	t.Errorf("no message said %s %q at %q with the words %q; said was:\n\n%s", severity, summary, attribute, words, strings.Join(told, "\n\n"))
}

func inOrder(text string, words []string) bool {
	for _, w := range words {
		_, rest, found := strings.Cut(text, w)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// attributePath writes a path as a configuration would, such as multi_account.limits["aws"].
func attributePath(p *tftypes.AttributePath) string {
	var text strings.Builder
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if text.Len() > 0 {
				text.WriteString(".")
			}
			text.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&text, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&text, "[%d]", int64(step))
		case tftypes.ElementKeyValue:
			var element string
			if err := tftypes.Value(step).As(&element); err != nil {
				element = err.Error()
			}
			fmt.Fprintf(&text, "{%q}", element)
		}
	}
	return text.String()
}

func (l *listener) ValidateProviderConfig(ctx context.Context,
	req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	resp, err := l.ProviderServer.ValidateProviderConfig(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) ConfigureProvider(ctx context.Context,
	req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	resp, err := l.ProviderServer.ConfigureProvider(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) ValidateResourceConfig(ctx context.Context,
	req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := l.ProviderServer.ValidateResourceConfig(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) PlanResourceChange(ctx context.Context,
	req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := l.ProviderServer.PlanResourceChange(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) ApplyResourceChange(ctx context.Context,
	req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := l.ProviderServer.ApplyResourceChange(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) ImportResourceState(ctx context.Context,
	req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	resp, err := l.ProviderServer.ImportResourceState(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := l.ProviderServer.ReadResource(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}

func (l *listener) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, err := l.ProviderServer.ReadDataSource(ctx, req)
	return resp, l.ear.hear(err, func() []*tfprotov6.Diagnostic { return resp.Diagnostics })
}
