package acceptance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Warnings counts the warnings with a summary that have these words.
func (e *Ear) Warnings(summary, words string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.heard {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning && d.Summary == summary && strings.Contains(d.Detail, words) {
			n++
		}
	}
	return n
}

// listener is the provider with an ear at its answers: the program shows where a diagnostic belongs by a line of the
// configuration, and only the answer itself names the attribute.
type listener struct {
	tfprotov6.ProviderServer
	ear *Ear
}

// Ear keeps what the provider has reported in one test.
type Ear struct {
	getenv func(string) string

	mu    sync.Mutex
	heard []*tfprotov6.Diagnostic
}

// NewEar listens to a provider that sees these environment variables and no others.
func NewEar(variables map[string]string) *Ear { return &Ear{getenv: Environment(variables)} }

// Factories start a provider whose answers are heard.
func (e *Ear) Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"hap": func() (tfprotov6.ProviderServer, error) {
		return &listener{newServer(e.getenv), e}, nil
	}}
}

// hear keeps the diagnostics of an answer, where there is one, and passes the error on.
func (e *Ear) hear(err error, of func() []*tfprotov6.Diagnostic) error {
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = append(e.heard, of()...)
	return nil
}

// Summaries returns the summaries that were reported, sorted, each once.
func (e *Ear) Summaries(severity tfprotov6.DiagnosticSeverity) []string {
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

// Details returns the details that were reported, in their order.
func (e *Ear) Details(severity tfprotov6.DiagnosticSeverity) (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.heard {
		if d.Severity == severity {
			all = append(all, d.Detail)
		}
	}
	return all
}

// DetailsOf returns the details that were reported under a summary, in their order.
func (e *Ear) DetailsOf(summary string) (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.heard {
		if d.Summary == summary {
			all = append(all, d.Detail)
		}
	}
	return all
}

// Want finds a diagnostic with exactly this summary at exactly this attribute (empty = at none), whose detail has these
// words in this order.
func (e *Ear) Want(t *testing.T, severity tfprotov6.DiagnosticSeverity, summary, attribute string, words ...string) {
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

// Forget forgets what was said up to now.
func (e *Ear) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard = nil
}

// Silent checks that nothing was said with a summary.
func (e *Ear) Silent(summary string) error {
	if slices.Contains(e.Summaries(tfprotov6.DiagnosticSeverityWarning), summary) {
		return fmt.Errorf("%q was said", summary)
	}
	return nil
}

// Environment is one of these variables and no others.
func Environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}
