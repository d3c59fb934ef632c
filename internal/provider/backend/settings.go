package backend

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Settings are what the provider block says.
type Settings struct {
	Kubernetes kube.Settings    // how to reach the Garden
	Kind       garden.Kind      // what the accounts are
	Keys       garden.LabelKeys // the keys of their labels
	Counting   Counting         // how clusters are counted
	Policy     pool.Policy      // which Global Accounts may hold several accounts of a pool, and the limits
	Grace      time.Duration    // how long the fence of a release stays before the last count, see [pool.ReleaseRequest]
	// CleanUpTypes are the provider types whose dirty accounts a clean-up job wipes, see [Settings.Strands].
	CleanUpTypes []string

	// Run is the run of Terraform that this process takes part in; the zero value where it serves several.
	Run pool.Run

	// Unknown names the attributes without whose values the pool cannot be opened: they are known only after an apply.
	Unknown []string
	// PolicyUnknown says that multi_account is known only after an apply: accounts can be read, but none selected.
	PolicyUnknown bool
	// CleanUpUnknown says that the clean-up types are known only after an apply.
	CleanUpUnknown bool
	// KeysUnknown says that the keys of the labels are known only after an apply.
	KeysUnknown bool

	// Platform is the second connection, to the platform cluster of openMCP.
	Platform PlatformSettings

	Getenv func(string) string // reads the environment
	Agent  string              // the user agent of requests to the Garden
}
