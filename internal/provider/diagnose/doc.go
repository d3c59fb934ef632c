// Package diagnose turns what went wrong into diagnostics: a fixed summary, the attribute that caused it, what was tried,
// what came back, and what to do next.
package diagnose
