package account

import (
	"fmt"
	"strings"
)

// Class says what an account of a pool is to a Global Account that needs one. Each account is in exactly one class.
// Selection, tally, problems, report and metrics all go by it.
type Class string

// The classes.
const (
	ClassShared Class = "shared" // serves all tenants
	ClassHeld   Class = "held"   // the Global Account holds it; where none is asked for, some Global Account does
	ClassTaken  Class = "taken"  // another Global Account holds it
	// ClassFree: unclaimed, with nothing known against it. A claim can take it now.
	ClassFree Class = "free"
	// ClassCooling: free, and it came back a shorter time ago than [Policy.MinFreeTime]; see [Policy.Classify]. A claim does not take it yet.
	ClassCooling  Class = "cooling"
	ClassOccupied Class = "occupied" // unclaimed, with living clusters on it that may be another tenant's
	// ClassUnreachable: unclaimed, and hidden from the broker by a label. A claim does not take it: the broker would not
	// find it for its tenant and would claim a second account.
	ClassUnreachable Class = "unreachable"
	// ClassUnclear: unclaimed by the labels that are read. One under another key, or an annotation that cannot be read, may say that the
	// account is another Global Account's, shared, dirty or internal; so may the annotation of another binding, see [Account.MayJoin]. Or a
	// binding of another namespace refers to its credentials, and may bring clusters that are not counted. See [Account.Doubts]. A claim
	// does not take it. Or a Global Account holds it, and a label under another key says that another one does, that it is shared, or dirty:
	// see [Account.Contests]. No new cluster comes to it.
	ClassUnclear Class = "unclear"
	// ClassInternal: kept for internal use. One that the Global Account holds already is [ClassHeld].
	ClassInternal    Class = "internal"
	ClassDirty       Class = "dirty"       // waits for the clean-up job
	ClassQuarantined Class = "quarantined" // put aside by the pool's owner
	ClassReleasing   Class = "releasing"   // the fence of a release is on it
	// ClassDuplicate: unclaimed, and another account of the pool has the same credentials: that one is the cloud account.
	ClassDuplicate Class = "duplicate"
	ClassDeleting  Class = "deleting" // the object has a deletion timestamp
)

// Classes returns all classes, in the order in which messages list them.
func Classes() []Class {
	return []Class{
		ClassFree, ClassCooling, ClassHeld, ClassTaken, ClassShared, ClassDirty, ClassQuarantined, ClassReleasing, ClassInternal, ClassDeleting,
		ClassOccupied, ClassUnreachable, ClassUnclear, ClassDuplicate,
	}
}

// Classify returns the class of an account for a tenant, given what is counted on it. An empty tenant asks for no Global
// Account in particular: none is [ClassTaken] then. The account is judged with the other bindings of its
// credentials ([Account.Twins]): it is one cloud account by whichever it is reached.
func Classify(a *Account, usage Usage, tenant string) Class {
	dirt, _ := a.dirt()
	holder, _ := a.Holder()
	others := ClassTaken
	if tenant == "" {
		others = ClassHeld
	}
	switch {
	case a.Terminating:
		return ClassDeleting
	case a.Dirty == Clean && a.duplicate() != nil:
		return ClassDuplicate
	case dirt == Releasing:
		return ClassReleasing
	case dirt == Quarantined:
		return ClassQuarantined
	case dirt != Clean:
		return ClassDirty
	case a.IntruderFor(holder) != nil:
		return others
	case a.Shared && a.InternalBy() != nil:
		return ClassInternal
	case a.Shared:
		return ClassShared
	case holder != "":
		return a.classOfHeld(holder, tenant)
	case a.InternalBy() != nil:
		return ClassInternal
	case usage.living() > 0:
		return ClassOccupied
	case len(a.doubtsFor(tenant)) > 0:
		return ClassUnclear
	case len(a.Unseen) > 0:
		return ClassUnreachable
	}
	return ClassFree
}

// classOfHeld is the class of an account that a Global Account holds, and that nothing else is known of.
func (a *Account) classOfHeld(holder, tenant string) Class {
	switch {
	case tenant != "" && holder != tenant:
		return ClassTaken
	case len(a.contested(holder)) > 0:
		return ClassUnclear
	}
	return ClassHeld
}

// Unusable says why no cluster may be put on the account, for a tenant that has it or is about to have it back; "" = one
// may. What is counted on the account, and whether the broker finds it, is another question; so is a label under another key, which takes
// the account from no claim that has it.
func (a *Account) Unusable(tenant string) Class {
	switch class := Classify(a, Usage{}, tenant); class {
	case ClassTaken:
		if a.Tenant != "" && a.Tenant != tenant { // its own label says so, which is another question
			return ""
		}
		return class
	case ClassUnclear:
		if holder, _ := a.Holder(); holder != "" {
			return ""
		}
		return class
	case ClassShared, ClassHeld, ClassFree, ClassUnreachable:
		return ""
	default:
		return class
	}
}

// Describe says of an account what its class is, to continue a sentence. Each text about the state of an account takes it from here: why it
// is not selected ([Verdict]), takes no cluster ([HostReason]), must not change ([Obstacle]), or is another one than was claimed ([Drift]).
func (c Class) Describe() string { return c.describe("it") }

// DescribeAccount is Describe with the name of the account.
func (c Class) DescribeAccount(name string) string { return c.describe("account " + name) }

func (c Class) describe(it string) string { return strings.ReplaceAll(descriptions[c], "{it}", it) }

var descriptions = map[Class]string{
	ClassFree:        "no Global Account holds {it}",
	ClassCooling:     "no Global Account holds {it}, and it cools down after its last claim",
	ClassHeld:        "a Global Account holds {it}",
	ClassShared:      "all Global Accounts share {it}",
	ClassDeleting:    "{it} is being deleted",
	ClassReleasing:   "{it} is being released",
	ClassQuarantined: "{it} is quarantined by the pool's owner",
	ClassDirty:       "{it} is dirty and waits for the clean-up job",
	ClassInternal:    "{it} is kept for internal use",
	ClassOccupied:    "no Global Account holds {it}, and clusters are on it that may be another tenant's",
	ClassUnreachable: "a label hides {it} from the broker, which would claim a second account for the tenant",
	ClassUnclear: "a label under another key, an annotation that cannot be read, or a binding of another namespace leaves in doubt " +
		"whose {it} is",
	ClassTaken:     "{it} is another Global Account's, or all share it",
	ClassDuplicate: "another account of the pool has the same credentials, and is the cloud account",
}

// Tally counts accounts by their class.
type Tally map[Class]int

// Total returns the number of accounts.
func (t Tally) Total() (total int) {
	for _, n := range t {
		total += n
	}
	return total
}

// Held returns how many accounts a Global Account holds and can use.
func (t Tally) Held() int { return t[ClassHeld] + t[ClassTaken] }

// Dirty returns how many accounts the label dirty keeps from new clusters, whatever its value.
func (t Tally) Dirty() int { return t[ClassDirty] + t[ClassQuarantined] + t[ClassReleasing] }

// String lists the counts: "free 0, held 3, dirty 1, internal 0". Of the other classes it lists those that there are.
func (t Tally) String() string {
	parts := []string{
		fmt.Sprintf("free %d", t[ClassFree]), fmt.Sprintf("held %d", t.Held()), fmt.Sprintf("dirty %d", t[ClassDirty]),
		fmt.Sprintf("internal %d", t[ClassInternal]),
	}
	for _, class := range Classes() {
		switch class {
		case ClassFree, ClassHeld, ClassTaken, ClassDirty, ClassInternal:
			continue
		}
		if n := t[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", class, n))
		}
	}
	return strings.Join(parts, ", ")
}

// Drift says how the account of a claim differs from what the claim left there. It has a word of its own where a claim asks more than the
// [Class] says: whether the object is still the same, in the same pool, and the tenant's.
type Drift string

// What can have happened to a claimed account, the worst first.
const (
	DriftNone        Drift = ""          // nothing; the claim is valid
	DriftGone        Drift = "gone"      // the account does not exist any more
	DriftRecreated   Drift = "recreated" // another account has its name
	DriftForeign     Drift = "foreign"   // another tenant holds it
	DriftShared      Drift = "shared"    // it has become a shared account
	DriftFree        Drift = "free"      // no tenant holds it
	DriftTerminating Drift = "deleting"  // it is being deleted
	DriftReleasing   Drift = "releasing" // a release has begun and not ended
	DriftDirty       Drift = "dirty"     // it waits for the clean-up job
	DriftMoved       Drift = "moved"     // it belongs to another pool now
	// DriftTwin: another binding of its credentials is another Global Account's, shared, or marked; [Account.TwinTrouble] says which.
	DriftTwin Drift = "another binding"
	// DriftUnclear: a label under another key may keep clusters away from it, or a release: see [Account.Contests].
	DriftUnclear Drift = "unclear"
)

// DriftOf names the worst difference. For a claim on a shared account only its end and its pool matter: it holds nothing.
func DriftOf(a *Account, globalAccount string, target Target) Drift {
	switch {
	case !target.Shared && a.Tenant != "" && a.Tenant != globalAccount:
		return DriftForeign
	case !target.Shared && a.Shared:
		return DriftShared
	case !target.Shared && a.Tenant == "":
		return DriftFree
	case a.Terminating:
		return DriftTerminating
	case a.Dirty == Releasing:
		return DriftReleasing
	case a.Dirty != Clean:
		return DriftDirty
	case a.Target() != target:
		return DriftMoved
	case a.TwinTrouble(globalAccount) != "":
		return DriftTwin
	case !target.Shared && len(a.Contests("", ClassHeld, ClassShared, ClassDirty, ClassInternal)) > 0:
		return DriftUnclear
	}
	return DriftNone
}
