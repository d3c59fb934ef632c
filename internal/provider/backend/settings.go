package backend

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Settings are what the provider block says.
type Settings struct {
	// Kubernetes says how to reach the Garden.
	Kubernetes kube.Settings
	// Kind is what the accounts are, and Keys the keys of their labels.
	Kind garden.Kind
	Keys garden.LabelKeys
	// Counting is how clusters are counted.
	Counting Counting
	// Policy says which Global Accounts may hold several accounts of a pool, and the limits.
	Policy pool.Policy
	// Grace is how long the fence of a release stands before the last look, see [pool.ReleaseRequest].
	Grace time.Duration
	// CleanUpTypes are the provider types whose dirty accounts a clean-up job wipes, see [Settings.Strands].
	CleanUpTypes []string

	// Unknown names the attributes without whose values the pool cannot be opened: they are known only after an apply.
	Unknown []string
	// PolicyUnknown says that multi_account is known only after an apply: accounts can be read, but none selected.
	PolicyUnknown bool
	// CleanUpUnknown says that the clean-up types are known only after an apply.
	CleanUpUnknown bool
	// KeysUnknown says that the keys of the labels are known only after an apply.
	KeysUnknown bool

	// Getenv reads the environment.
	Getenv func(string) string
	// Agent is the user agent of requests to the Garden.
	Agent string
}
