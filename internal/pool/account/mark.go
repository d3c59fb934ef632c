package account

import (
	"encoding/json"
	"time"
)

// Mark is what a state leaves of itself in the record of its claim. The state that made or adopted the claim last has left the mark, and a
// release by another state meets it there. A record without a mark belongs to a state of an older version, or was imported.
type Mark struct {
	// Instance distinguishes the state from all others: a random text that it keeps for itself.
	Instance string `json:"instance,omitempty"`
	// Run distinguishes the run of Terraform that left the mark from others, on whatever machine; empty = not known.
	Run string    `json:"run,omitempty"`
	At  time.Time `json:"at,omitzero"` // when the mark was left, by the clock of its process
}

// sameAs compares two marks; the time only to the second, which is what a record keeps of times.
func (m Mark) sameAs(other Mark) bool {
	return m.Instance == other.Instance && m.Run == other.Run && m.At.Unix() == other.At.Unix()
}

// ForeignTo reports whether the mark is that of another state than the one that keeps an instance; empty = it keeps none, because it is
// older, was imported, or has lost it.
func (m Mark) ForeignTo(instance string) bool {
	return m.Instance != "" && instance != "" && m.Instance != instance
}

// Run is the run of Terraform that this process takes part in. Providers with an alias are processes of their own in one run.
type Run struct {
	ID    string    // the same in all processes of the run; empty = not known
	Began time.Time // when this process began
}

// Left reports whether another process of the run has left a mark: this process was running by then. A process that was started behind it
// belongs to a later run, whatever the ID says.
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
	Instance string // that of its [Mark]; empty = it keeps none
	// Lost says that the notes of this side are lost: a run of it was killed, and may have changed the owner.
	Lost bool
}

// Owns reports whether a record is the keeper's by its owner. While a change of the owner may not have come to the state that made it, that
// one goes by the former owner as well.
func (k Keeper) Owns(r Record) bool {
	if r.Owner == k.Owner {
		return true
	}
	changed := r.FormerOwner.Known && r.FormerOwner.Owner == k.Owner
	return changed && (k.Lost || k.Instance != "" && k.Instance == r.Mark.Instance)
}
