package adr

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// The reasons of this scheduler, beside those of the package clusters.
const (
	// ReasonNoProfile denies because no profile is deployed at all.
	ReasonNoProfile clusters.Reason = "NoProfile"
	// ReasonUnsupportedTrait denies because no deployed profile meets a required trait.
	ReasonUnsupportedTrait clusters.Reason = "UnsupportedTrait"
	// ReasonUnsupportedVersion denies because no deployed profile offers the version.
	ReasonUnsupportedVersion clusters.Reason = "UnsupportedVersion"
	// ReasonNoProfileMeetsAll denies because some profile meets each requirement, and none meets them together.
	ReasonNoProfileMeetsAll clusters.Reason = "NoProfileMeetsAll"
	// ReasonNoAccount denies because no profile that meets what is required leads to an account that takes a new Cluster.
	ReasonNoAccount clusters.Reason = "NoAccount"
)

// Decision is the answer to a request.
type Decision struct {
	Action clusters.Action
	Reason clusters.Reason
	// Message says in one or two sentences why. That of a denial names what no profile meets.
	Message string
	// Cluster is the Cluster that exists; zero unless the action is Reuse. The scheduler names a new one.
	Cluster clusters.Ref
	// Profile and Version are those of the Cluster, existing or new. Version is empty where the provider is to choose.
	Profile, Version string
	// Account is the account of the profile where a new Cluster is made; nil: it has none, or accounts are not regarded.
	Account *Account
	// Fitting are the profiles of which a new Cluster could be made, by name.
	Fitting []string
	// Dedicated says that the Cluster is for this request alone.
	Dedicated bool
	// Prefix is the prefix of the grant. It is empty where PrefixRule is PrefixRandom: the scheduler draws it when it writes the
	// grant, with [DrawPrefix], against what is granted at that moment.
	Prefix     string
	PrefixRule PrefixRule
	// Wanted is what request and purposes ask for together; zero where a grant exists and where a purpose is unknown.
	Wanted Aggregated
	// Unmet are the requirements that no deployed profile meets together; empty unless the request is denied for them.
	Unmet []Requirement
	// Candidates are the Clusters by namespace and name, then the profiles by name, each with why it was taken or not. A request that
	// holds a grant has that Cluster alone, and one with an unknown purpose has none: nothing else was compared.
	Candidates []clusters.Candidate
	// Warnings are what a person should know beside the decision; of one kind 20 at most, and then how many more.
	Warnings []string
}

// maxListed bounds how many things of one kind a message or the warnings name.
const maxListed = 20

// bounded returns the first warnings, and in place of the others how many they are.
func bounded(warnings []string) []string {
	more := len(warnings) - maxListed
	if more <= 0 {
		return slices.Clone(warnings)
	}
	return append(slices.Clone(warnings[:maxListed]), fmt.Sprintf("And %d more like the one before.", more))
}

// listed joins names as [words.List] does: the first, and how many more there are.
func listed(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		names = append(slices.Clone(names[:maxListed]), fmt.Sprintf("%d more", more))
	}
	return words.List(names)
}
