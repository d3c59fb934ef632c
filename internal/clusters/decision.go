package clusters

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Action is what a scheduler does with a request. The values are part of the provider's interface.
type Action string

const (
	// Reuse gives a Cluster that exists.
	Reuse Action = "reuse"
	// Create makes a new Cluster.
	Create Action = "create"
	// Deny refuses the request; Reason and Message say why.
	Deny Action = "deny"
)

// Reason says in one word why a decision came out as it did, for the status of a request. The values are part of the
// provider's interface.
type Reason string

const (
	// ReasonGranted says that the request holds a grant already and keeps it.
	ReasonGranted Reason = "AlreadyGranted"
	// ReasonShared says that a shared Cluster that exists fits.
	ReasonShared Reason = "SharedClusterFits"
	// ReasonNew says that a new Cluster is made, dedicated or for sharing.
	ReasonNew Reason = "NewCluster"
	// ReasonUnknownPurpose denies a request with a purpose that is not defined.
	ReasonUnknownPurpose Reason = "UnknownPurpose"
	// ReasonNoProfile denies because no profile is deployed at all.
	ReasonNoProfile Reason = "NoProfile"
	// ReasonUnsupportedTrait denies because no deployed profile meets a required trait.
	ReasonUnsupportedTrait Reason = "UnsupportedTrait"
	// ReasonUnsupportedVersion denies because no deployed profile offers the version.
	ReasonUnsupportedVersion Reason = "UnsupportedVersion"
	// ReasonNoProfileMeetsAll denies because some profile meets each requirement, and none meets them together.
	ReasonNoProfileMeetsAll Reason = "NoProfileMeetsAll"
)

// Decision is the answer to a request.
type Decision struct {
	Action Action
	Reason Reason
	// Message says in one or two sentences why. That of a denial names what no profile meets.
	Message string
	// Cluster is the Cluster that exists; zero unless the action is Reuse. The scheduler names a new one.
	Cluster Ref
	// Profile and Version are those of the Cluster, existing or new. Version is empty where the provider is to choose.
	Profile, Version string
	// Dedicated says that the Cluster is for this request alone.
	Dedicated bool
	// Prefix is the prefix of the grant. It is empty where PrefixRule is PrefixRandom: the scheduler draws it when it writes the
	// grant, with [DrawPrefix], against what is granted at that moment.
	Prefix     string
	PrefixRule PrefixRule
	// Wanted is what request and purposes ask for together; zero where a grant stands and where a purpose is unknown.
	Wanted Aggregated
	// Unmet are the requirements that no deployed profile meets together; empty unless the request is denied for them.
	Unmet []Requirement
	// Candidates are the Clusters by namespace and name, then the profiles by name, each with why it was taken or not. A request that
	// holds a grant has that Cluster alone, and one with an unknown purpose has none: nothing else was looked at.
	Candidates []Candidate
	// Warnings are what a person should know although the decision stands; of one kind 20 at most, and then how many more.
	Warnings []string
}

// CandidateKind says what a candidate is. The values are part of the provider's interface.
type CandidateKind string

const (
	// CandidateCluster is a Cluster that exists.
	CandidateCluster CandidateKind = "cluster"
	// CandidateProfile is a profile from which a new Cluster could be made.
	CandidateProfile CandidateKind = "profile"
)

// Candidate is a Cluster or a profile that was looked at.
type Candidate struct {
	Kind CandidateKind
	// Ref names it; a profile has no namespace.
	Ref Ref
	// Chosen is true for one candidate at most.
	Chosen bool
	// Reason says why it was taken or not, in a few words.
	Reason string
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
