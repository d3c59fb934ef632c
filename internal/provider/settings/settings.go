// Package settings is what a provider block says, and what is wrong with it.
package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Settings are what the provider block says.
type Settings struct {
	Kubernetes kube.Settings    // how to reach the Garden
	Kind       garden.Kind      // what the accounts are
	Keys       garden.LabelKeys // the keys of their labels
	Counting   Counting         // how clusters are counted
	Policy     account.Policy   // which Global Accounts may hold several accounts of a pool, the limits, and which free account is taken
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

// HasDatabase reports whether the broker's database is configured, by the block or the environment.
func (s *Settings) HasDatabase() bool { return s.Counting.Settings(s.Getenv) != nil }

// Sources say where clusters are counted beside Gardener. They are kept with an object, and never taken back: a run that lacks one of them
// does not see all clusters of its account. A state from before they were kept has none.
type Sources struct{ account.Sources }

// With adds the sources that the provider has. A platform cluster that is known only after an apply may turn out to be none.
func (s Sources) With(now *Settings) Sources {
	return Sources{s.And(account.Sources{Database: now.HasDatabase(), Platform: now.Platform.Given && len(now.Platform.Unknown) == 0})}
}

// Lacking returns an error where the provider lacks a source by which the clusters on the account of an object were counted.
//
// Errors: [*ChangedError].
func (s Sources) Lacking(object string, now *Settings) error {
	switch {
	case s.Database && !now.HasDatabase():
		return Same(object, "database", "the broker's database", none)
	case s.Platform && !now.Platform.Given:
		return Same(object, "platform", "a platform cluster", none)
	}
	return nil
}

// ChangedError says that the provider leads elsewhere than to where an object was made: there "not found" does not mean "gone".
type ChangedError struct {
	Object   string // which object, such as "the claim"
	What     string // the setting that differs: an attribute of the provider block, or the API server
	Was, Now string // the setting that the object was made or last seen with, and the provider's
}

// BindingKind is the setting, as [ChangedError.What], of a live cluster that names a binding of a newer kind than the pool has.
const BindingKind = "kind of binding"

// none is the setting of a source of clusters that the provider lacks.
const none = "none"

// Error names both settings.
func (e *ChangedError) Error() string {
	if e.Now == none {
		return fmt.Sprintf("the clusters of %s were counted with %s, and the provider has none", e.Object, e.Was)
	}
	return fmt.Sprintf("the %s of %s is %s, and the provider's is %s", e.What, e.Object, e.Was, e.Now)
}

// Same returns an error where an object was made or last seen with another setting than the provider has. An empty setting is not known,
// and differs from none.
//
// Errors: [*ChangedError].
func Same(object, what, was, now string) error {
	if was == "" || now == "" || was == now {
		return nil
	}
	return &ChangedError{Object: object, What: what, Was: was, Now: now}
}

// SameKeys is [Same] for the keys of the labels.
func SameKeys(object string, was, now garden.LabelKeys) error {
	if was == (garden.LabelKeys{}) {
		return nil
	}
	return Same(object, "pool.label_keys", strings.Join(was.All(), ", "), strings.Join(now.All(), ", "))
}

// DatabaseVariable names the database where the attribute does not.
const DatabaseVariable = "HAP_DATABASE_URL"

// Counting is how clusters are to be counted.
type Counting struct {
	Source         account.Source       // where the numbers come from; empty = both where a database is configured, else Gardener
	OnDisagreement account.Disagreement // what happens where two sources differ; empty = the higher number counts
	Database       *kebdb.Settings      // the database of the provider block; nil = there is none
}

// Settings returns the settings of the database as the block and the environment have them; nil = there is none.
func (c Counting) Settings(getenv func(string) string) *kebdb.Settings {
	wanted := c.Database != nil || c.Source == account.SourceDatabase || c.Source == account.SourceBoth || getenv(DatabaseVariable) != ""
	if !wanted {
		return nil
	}
	var s kebdb.Settings
	if c.Database != nil {
		s = *c.Database
	}
	s.URL, s.Getenv = cmp.Or(s.URL, getenv(DatabaseVariable)), getenv
	return &s
}

// By says which source counts, with these settings of a database.
func (c Counting) By(settings *kebdb.Settings) account.Source {
	if settings == nil {
		return account.SourceGardener
	}
	return cmp.Or(c.Source, account.SourceBoth)
}

// LimitKeys lists the keys of multi_account.limits that are known beforehand: "default" and the hyperscalers of the built-in
// plans.
func LimitKeys() []string {
	return append([]string{account.DefaultLimit}, hyperscalersOf(rules.DefaultPlans())...)
}

// hyperscalersOf lists the hyperscalers that plans run on, sorted.
func hyperscalersOf(plans rules.Plans) []string {
	all := slices.Concat(slices.Collect(maps.Values(plans))...)
	slices.Sort(all)
	return slices.Compact(all)
}

// MeantLimit returns the known key that a key was probably meant to be: it has a typing error, or names a pool where limits go
// by hyperscaler. Empty for a known key, and for one that may be a hyperscaler of a rule set's own plans. Such a one is often a
// variant of a known one (openstack-eu), which would pass for a typing error.
func MeantLimit(key string, known []string) string {
	if slices.Contains(known, key) {
		return ""
	}
	if hyperscaler, _, isPool := strings.Cut(key, "_"); isPool && slices.Contains(known, hyperscaler) {
		return hyperscaler
	}
	variant := func(known string) bool { return strings.HasPrefix(key, known+"-") && key != known+"-" }
	if slices.ContainsFunc(known, variant) {
		return ""
	}
	return rules.Mistyped(key, known)
}

// StrayLimits lists the limits of accounts that apply to nothing, sorted: neither do these plans run on the hyperscaler, nor is it among
// those that accounts have.
func (s *Settings) StrayLimits(plans rules.Plans, present []string) []string {
	if s.PolicyUnknown || len(s.Policy.AllowedGlobalAccounts) == 0 {
		return nil
	}
	known := slices.Concat(LimitKeys(), hyperscalersOf(plans), present)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Policy.Limits)), func(key string) bool { return slices.Contains(known, key) })
}
