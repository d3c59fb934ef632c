package pool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// AnnotationPrefix is what every claim record's annotation key starts with; the rest is the hash of the claim's
// identity.
const AnnotationPrefix = "hap-project.io/claim-"

// RecordVersion is the format that this package writes into [Record.Version]. Records of a newer format are read as
// far as their fields are known.
const RecordVersion = 1

// Identity is what makes a claim this claim and no other. It is known before the first call, so that a claim which was
// made and then lost (a crash, a cut connection) is found again.
type Identity struct {
	// Namespace is that of the Gardener project.
	Namespace string
	// GlobalAccount is the tenant.
	GlobalAccount string
	// Pool is [Target.String] of the pool.
	Pool string
	// Name is the claim's own name, unique per Global Account and pool.
	Name string
}

// Key returns the annotation key under which the claim's record stands on its account.
func (id Identity) Key() string {
	// The parts are written with their lengths, so that no two identities run into the same text.
	h := sha256.New()
	for _, part := range []string{id.Namespace, id.GlobalAccount, id.Pool, id.Name} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	return AnnotationPrefix + hex.EncodeToString(h.Sum(nil)[:20])
}

// String names the claim in messages.
func (id Identity) String() string {
	return fmt.Sprintf("claim %q of Global Account %s on pool %s", id.Name, id.GlobalAccount, id.Pool)
}

// Record is what a claim writes on its account. It travels as JSON in an annotation.
type Record struct {
	// Name is the claim's own name.
	Name string `json:"name"`
	// GlobalAccount is the tenant the claim was made for; the record counts only while that tenant holds the account.
	GlobalAccount string `json:"globalAccount"`
	// Pool is [Target.String] of the pool.
	Pool string `json:"pool"`
	// ClusterName is the Shoot that the claim reserves a place for until it exists; may be empty.
	ClusterName string `json:"clusterName,omitempty"`
	// Owner is free text that says who keeps the claim.
	Owner string `json:"owner,omitempty"`
	// ClaimedAt is when the claim was made, by the clock of who made it: information only, nothing is decided by it.
	ClaimedAt time.Time `json:"claimedAt"`
	// Version is the format, see [RecordVersion].
	Version int `json:"version"`
	// NewlyClaimed says that this claim took the account from the pool: only then may it go back without a clean-up.
	NewlyClaimed bool `json:"newlyClaimed,omitempty"`
	// Request is the cluster request the claim was made with, so that an import finds it again.
	Request Request `json:"request,omitzero"`
	// OnDestroy is what the claim's configuration wants at its end; for an import, and for people who read the account.
	OnDestroy Mode `json:"onDestroy,omitempty"`
	// ReleasingSince is when a release put up its fence, by the clock of who did; information only, and only while the
	// account is [Releasing].
	ReleasingSince time.Time `json:"releasingSince,omitzero"`
}

// Request is the cluster request behind a claim, as the user wrote it.
type Request struct {
	Plan              string `json:"plan,omitempty"`
	PlatformRegion    string `json:"platformRegion,omitempty"`
	HyperscalerRegion string `json:"hyperscalerRegion,omitempty"`
	Hyperscaler       string `json:"hyperscaler,omitempty"`
}

// Identity returns the identity that the record was written for.
func (r Record) Identity(namespace string) Identity {
	return Identity{Namespace: namespace, GlobalAccount: r.GlobalAccount, Pool: r.Pool, Name: r.Name}
}
