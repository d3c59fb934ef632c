// Package scenarios plays what goes wrong around a shared pool. CATALOGUE.md is the key: what happens in F1 to F36 and to
// clusters, what must come out, which files show it, and what the invariants I1 to I7 say.
//
// The provider is the real program under the real OpenTofu (or Terraform), as the service account with the documented Role,
// before a real Gardener API; between them is a proxy of package fault, and after each scenario package history checks
// the recorded revisions of the pool against the invariants.
package scenarios
