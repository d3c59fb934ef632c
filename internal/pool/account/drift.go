package account

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
	}
	return DriftNone
}
