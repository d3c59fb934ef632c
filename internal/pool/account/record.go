package account

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
	Namespace     string // that of the Gardener project
	GlobalAccount string // the tenant
	Pool          string // [Target.String] of the pool
	Name          string // the claim's own name, unique per Global Account and pool
}

// Key returns the annotation key under which the claim's record is written on its account.
func (id Identity) Key() string {
	sum := digest(id.Namespace, id.GlobalAccount, id.Pool, id.Name)
	return AnnotationPrefix + hex.EncodeToString(sum[:20])
}

// digest is the SHA-256 of texts that are written with their lengths, so that no two lists of them run into the same bytes.
func digest(parts ...string) [sha256.Size]byte {
	text := make([]byte, 0, 128)
	for _, part := range parts {
		text = append(strconv.AppendInt(text, int64(len(part)), 10), ':')
		text = append(append(text, part...), ',')
	}
	return sha256.Sum256(text)
}

// String names the claim in messages.
func (id Identity) String() string {
	return fmt.Sprintf("claim %q of Global Account %s on pool %s", id.Name, id.GlobalAccount, id.Pool)
}

// Record is what a claim writes on its account, as JSON in an annotation (ADR 008).
type Record struct {
	Name string `json:"name"` // the claim's own name
	// GlobalAccount is the tenant the claim was made for; the record counts only while that tenant holds the account.
	GlobalAccount string `json:"globalAccount"`
	Pool          string `json:"pool"` // [Target.String] of the pool
	Details
	// ClaimedAt is when the claim was made, by the clock of its process: information, and with a count by the database alone
	// the begin of its reservation.
	ClaimedAt time.Time `json:"claimedAt"`
	Version   int       `json:"version"` // the format, see [RecordVersion]
	// NewlyClaimed says that this claim took the account from the pool: only then may it go back without a clean-up.
	NewlyClaimed bool `json:"newlyClaimed,omitempty"`
	// ReleasingSince is when a release put up its fence, by the clock of its process; information only, and only while the
	// account is [Releasing].
	ReleasingSince time.Time `json:"releasingSince,omitzero"`
	// FormerOwner is the owner that an update has changed last. The state may know that one alone, where the update was killed.
	FormerOwner FormerOwner `json:"formerOwner,omitzero"`
	Mark        Mark        `json:"mark,omitzero"` // of the state that has the claim
}

// Details are what the user says of a claim beside its identity. A claim records them, an update changes them in place, and an
// import finds them again.
type Details struct {
	ClusterName string  `json:"clusterName,omitempty"` // the Shoot to reserve a place for until it exists; empty = none
	Owner       string  `json:"owner,omitempty"`       // free text that says who keeps the claim
	Request     Request `json:"request,omitzero"`      // the cluster request that the claim was made with
	ReleaseMode Mode    `json:"onDestroy,omitempty"`   // how the claim is to be released
	Lease       Lease   `json:"lease,omitempty"`       // how long the claim is meant to live; empty = without end
}

// What a configuration may say of a claim. The record of another party may say anything.
const (
	MaxClaimName = 253  // bytes of a name
	MaxOwner     = 1024 // bytes of an owner

	MinLease = time.Second               // ClaimedAt is kept to the second
	MaxLease = 10 * 365 * 24 * time.Hour // ten years
)

// CheckClaimName says what is wrong with the name of a claim; empty = nothing. The name is part of an ID.
func CheckClaimName(name string) string {
	switch {
	case name == "" || len(name) > MaxClaimName:
		return fmt.Sprintf("a name has 1 to %d bytes", MaxClaimName)
	case strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r < ' ' || r == 0x7f }):
		return "a name has no slash and no control character"
	}
	return ""
}

// Lease is how long a claim is meant to live, as the user wrote it: a duration such as "720h".
type Lease string

// Usable reports whether a configuration may say the lease.
func (l Lease) Usable() bool {
	d, err := time.ParseDuration(string(l))
	return err == nil && d >= MinLease && d <= MaxLease
}

// UnmarshalJSON takes what is no text for no lease: a record must not become unreadable where a later format says more.
func (l *Lease) UnmarshalJSON(value []byte) error {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = ""
	}
	*l = Lease(text)
	return nil
}

// Mode says what becomes of the account when its last claim ends.
type Mode string

// The modes of a release.
const (
	MarkDirty Mode = "mark_dirty" // the account keeps its tenant and is marked dirty; the clean-up job wipes and frees it
	// ReturnToPool: the account is free at once; only for one that this claim itself took from the pool and that was not seen
	// used since.
	ReturnToPool Mode = "return_to_pool"
	Keep         Mode = "keep" // the account stays with the tenant; only the claim's own record goes
)

// Request is the cluster request behind a claim, as the user wrote it.
type Request struct {
	Plan              string `json:"plan,omitempty"`
	PlatformRegion    string `json:"platformRegion,omitempty"`
	HyperscalerRegion string `json:"hyperscalerRegion,omitempty"`
	Hyperscaler       string `json:"hyperscaler,omitempty"`
}

// ExpiresAt returns when the claim is meant to have ended; zero = never, or its lease cannot be read. Nothing ends by itself,
// and nothing is decided by it: the clocks of two processes may differ.
func (r Record) ExpiresAt() time.Time {
	lease, err := time.ParseDuration(string(r.Lease))
	if err != nil || lease <= 0 || r.ClaimedAt.IsZero() {
		return time.Time{}
	}
	return r.ClaimedAt.Add(lease)
}

// SameAs compares two records; times only to the second, which is what the annotation keeps.
func (r Record) SameAs(other Record) bool {
	same := r.ClaimedAt.Unix() == other.ClaimedAt.Unix() && r.ReleasingSince.Unix() == other.ReleasingSince.Unix() && r.Mark.sameAs(other.Mark)
	r.ClaimedAt, r.ReleasingSince, r.Mark = other.ClaimedAt, other.ReleasingSince, other.Mark
	return same && r == other
}

// Identity returns the identity that the record was written for.
func (r Record) Identity(namespace string) Identity {
	return Identity{Namespace: namespace, GlobalAccount: r.GlobalAccount, Pool: r.Pool, Name: r.Name}
}

// errNoTenant says that a record names no Global Account: it cannot be said whose claim it is.
var errNoTenant = errors.New("it names no Global Account")

// ReadRecord reads a claim record as it is written in an annotation. Fields that this version does not know are passed over. A record that
// names no Global Account is none: only by that it is known whether it counts.
func ReadRecord(text string) (Record, error) {
	var record Record
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return Record{}, err
	}
	if record.GlobalAccount == "" {
		return Record{}, errNoTenant
	}
	return record, nil
}

// Mark is what a state leaves of itself in the record of its claim. The state that made or adopted the claim last has left the mark, and a
// release by another state meets it there. A record without a mark belongs to a state of an older version, or was imported.
type Mark struct {
	// Instance distinguishes the state from all others: a random text that it keeps for itself.
	Instance string `json:"instance,omitempty"`
	// Run distinguishes the run of Terraform that left the mark from others, on whatever machine; empty = not known.
	Run string    `json:"run,omitempty"`
	At  time.Time `json:"at,omitzero"` // when the mark was left, by the clock of its process
	// Sources are those of the states that had the claim, for a state that has lost what it knew. A release from before they were kept takes
	// them away with its next write.
	Sources Sources `json:"sources,omitzero"`
}

// Sources say where clusters are counted beside Gardener.
type Sources struct {
	Database bool `json:"database,omitempty"` // the broker's
	Platform bool `json:"platform,omitempty"` // the platform cluster of openMCP: Clusters that have no Shoot yet are known there alone
}

// And adds other sources.
func (s Sources) And(others Sources) Sources {
	return Sources{s.Database || others.Database, s.Platform || others.Platform}
}

// sameAs compares two marks; the time only to the second, which is what a record keeps of times.
func (m Mark) sameAs(other Mark) bool {
	return m.Instance == other.Instance && m.Run == other.Run && m.At.Unix() == other.At.Unix()
}

// Run is the run of Terraform that this process takes part in. Providers with an alias are processes of their own in one run.
type Run struct {
	ID string // the same in all processes of the run; empty = not known
	// Began is when this process began, where a later run may have the same ID; zero = none has.
	Began time.Time
}

// Sure is the ID where no later run can have the same; empty = none is known.
func (r Run) Sure() string {
	if !r.Began.IsZero() {
		return ""
	}
	return r.ID
}

// Left reports whether another process of the run has left a mark. Where a later run may have the same ID, a process that was started
// after the mark counts as part of that one.
func (r Run) Left(m Mark) bool {
	return r.ID != "" && r.ID == m.Run && !m.At.Before(r.Began.Truncate(time.Second))
}

// FormerOwner is the owner of a claim before the last change of it. That may be the empty one; the zero value says that there was none.
type FormerOwner struct {
	Owner string
	Known bool
}

// IsZero leaves it out of a record.
func (f FormerOwner) IsZero() bool { return !f.Known }

// MarshalJSON writes the owner alone.
func (f FormerOwner) MarshalJSON() ([]byte, error) { return json.Marshal(f.Owner) }

// UnmarshalJSON takes what is no text for no owner, see [Lease].
func (f *FormerOwner) UnmarshalJSON(value []byte) error {
	*f = FormerOwner{}
	f.Known = string(value) != "null" && json.Unmarshal(value, &f.Owner) == nil
	return nil
}

// Keeper is the side of a claim that asks for something: what its state knows of itself.
type Keeper struct {
	Owner    string // the owner as this side knows it
	Instance string // that of its [Mark]; empty = it keeps none, because it is older, was imported, or has lost it
	// Imported is set for a claim that was imported and has no Instance yet. Nil = it was not imported, or by an older version.
	Imported *Imported
	// Lost says that the notes of this side are lost: a run of it was killed, and may have changed the owner.
	Lost bool
}

// Imported says which marks do not show another state to one that has imported a claim.
type Imported struct {
	// Met is the instance of the mark that the import has met, and At its time; empty = there was none. The mark has another time where its
	// state has changed the claim since.
	Met string    `json:"met,omitempty"`
	At  time.Time `json:"at,omitzero"`
	// Next is the instance of the first change of the import. A change whose state is lost is known by it.
	Next string `json:"next"`
}

// Meet is what an import knows that meets a mark, where its first change leaves one of this instance.
func Meet(m Mark, next string) *Imported { return &Imported{m.Instance, m.At, next} }

// IsForeign reports whether a mark is that of another state than the keeper's.
func (k Keeper) IsForeign(m Mark) bool {
	switch {
	case m.Instance == "":
		return false
	case k.Instance != "":
		return m.Instance != k.Instance
	}
	met := k.Imported
	return met != nil && m.Instance != met.Next && (m.Instance != met.Met || m.At.Unix() != met.At.Unix())
}

// Owns reports whether a record is the keeper's by its owner. While a change of the owner may not have come to the state that made it, that
// one goes by the former owner as well.
func (k Keeper) Owns(r Record) bool {
	if r.Owner == k.Owner {
		return true
	}
	changed := r.FormerOwner.Known && r.FormerOwner.Owner == k.Owner
	mark := k.Instance
	if mark == "" && k.Imported != nil {
		mark = k.Imported.Next
	}
	return changed && (k.Lost || mark != "" && mark == r.Mark.Instance)
}
