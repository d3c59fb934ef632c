// Package settings is what a provider block says, and what is wrong with it.
package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Settings are what the provider block says.
type Settings struct {
	Kubernetes kube.Settings    // how to reach the Garden
	Kind       garden.Kind      // what the accounts are
	Keys       garden.LabelKeys // the keys of their labels
	Counting   Counting         // how clusters are counted
	Policy     account.Policy   // which Global Accounts may hold several accounts of a pool, and the limits
	Grace      time.Duration    // how long the fence of a release stays before the last count, see [protocol.ReleaseRequest]
	// CleanUpTypes are the provider types whose dirty accounts a clean-up job wipes, see [Settings.Strands].
	CleanUpTypes []string

	// Run is the run of Terraform that this process takes part in; the zero value where it serves several.
	Run account.Run

	// Unknown names the attributes without whose values the pool cannot be opened: they are known only after an apply.
	Unknown []string
	// PolicyUnknown says that multi_account is known only after an apply: accounts can be read, but none selected.
	PolicyUnknown bool
	// CleanUpUnknown says that the clean-up types are known only after an apply.
	CleanUpUnknown bool
	// KeysUnknown says that the keys of the labels are known only after an apply.
	KeysUnknown bool

	// Platform is the second connection, to the platform cluster of openMCP.
	Platform Platform

	Getenv func(string) string // reads the environment
	Agent  string              // the user agent of requests to the Garden
}

// Who grants the requests.
const (
	SchedulerOperator = "operator" // the openmcp-operator
	SchedulerBuiltin  = "builtin"  // the scheduler in the provider, by purposes, traits and prefixes (ADR 015)
)

// Among which Clusters the built-in scheduler looks for a shared one, as the operator has it.
const (
	ScopeNamespaced = "namespaced" // those in the namespace of the request
	ScopeCluster    = "cluster"    // those of all namespaces
)

// Platform is what the provider block says of the platform cluster of openMCP.
type Platform struct {
	Given      bool          // there is a block
	Kubernetes kube.Settings // how to reach it
	Scheduler  string        // which scheduler grants requests: one of SchedulerOperator and SchedulerBuiltin
	Scope      string        // among which Clusters the built-in scheduler looks: one of ScopeNamespaced and ScopeCluster
	Unknown    []string      // the attributes without whose values it cannot be reached: they are known only after an apply
}

// UnknownError says that settings of the provider block are not known yet.
type UnknownError struct{ Attributes []string }

func (e *UnknownError) Error() string {
	return "the provider's " + strings.Join(e.Attributes, ", ") + " will be known only after apply"
}

// DefaultCleanUpTypes returns the provider types whose accounts the usual clean-up job of a landscape wipes.
func DefaultCleanUpTypes() []string { return []string{"alicloud", "aws", "azure", "gcp"} }

// Strands reports whether an account with these credentials stays dirty for ever once it is marked: they are no Secret, and the job
// reads Secrets alone, or no job wipes the provider type, by clean_up_types. What is not known of them ("") strands nothing, nor does a
// setting that is not known.
func (s *Settings) Strands(c account.Credentials) bool {
	cleaned := c.ProviderType == "" || s.CleanUpUnknown || slices.Contains(s.CleanUpTypes, c.ProviderType)
	return !cleaned || !c.Ref.IsSecret()
}
