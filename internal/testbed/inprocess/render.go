package inprocess

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// place is what a message is about.
type place struct {
	address string
	body    *hclsyntax.Body
}

// said keeps the errors of a provider as a CLI prints them, and says whether there are any.
func (w *walk) said(at place, diagnostics []*tfprotov6.Diagnostic) (failed bool) {
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			failed = true
			w.errors = append(w.errors, w.rendered(at, d.Attribute, d.Summary, d.Detail))
		}
	}
	return failed
}

// failed keeps an error that no provider has explained.
func (w *walk) failed(at place, err error) bool {
	if err != nil {
		w.errors = append(w.errors, w.rendered(at, nil, err.Error(), ""))
	}
	return err != nil
}

// rendered is an error as a CLI prints it: with the address, and the line of the attribute.
func (w *walk) rendered(at place, attribute *tftypes.AttributePath, summary, detail string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Error: %s\n\n", summary)
	fmt.Fprintf(&text, "  with %s,\n", at.address)
	if at.body != nil {
		where := lineOf(at.body, attribute)
		fmt.Fprintf(&text, "  on %s line %d:\n", fileName, where.Start.Line)
		for number := where.Start.Line; attribute != nil && number <= where.End.Line; number++ {
			fmt.Fprintf(&text, "%4d: %s\n", number, strings.Split(string(w.source), "\n")[number-1])
		}
	}
	fmt.Fprintf(&text, "\n%s\n", detail)
	return text.String()
}

// lineOf is where a body has an attribute, as far as the body writes it in parts; else the body.
func lineOf(body *hclsyntax.Body, attribute *tftypes.AttributePath) hcl.Range {
	where := body.MissingItemRange()
	var expression hclsyntax.Expression
	for i, step := range attribute.Steps() {
		name := stepName(step)
		if a := body.Attributes[name]; i == 0 && a != nil {
			where, expression = hcl.Range{Start: a.SrcRange.Start, End: a.NameRange.End}, a.Expr
			continue
		}
		object, isObject := expression.(*hclsyntax.ObjectConsExpr)
		if !isObject {
			break
		}
		for _, item := range object.Items {
			if key, diags := item.KeyExpr.Value(nil); !diags.HasErrors() && key.AsString() == name {
				where, expression = item.KeyExpr.Range(), item.ValueExpr
			}
		}
	}
	return where
}

func stepName(step tftypes.AttributePathStep) string {
	switch step := step.(type) {
	case tftypes.AttributeName:
		return string(step)
	case tftypes.ElementKeyString:
		return string(step)
	}
	return ""
}
