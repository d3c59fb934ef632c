package pool

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What the pool's owner promises of each write.

// supplies reports whether the commit is one of the pool's owner: a claim makes and deletes nothing, and writes no labels of
// the owner's.
func (c commit) supplies() bool {
	d := c.change
	return c.before.UID == "" || c.deletes() || d.HyperscalerType != nil || len(d.Flags)+len(d.Labels) > 0 || d.Quarantine != nil ||
		d.Dirty != nil && (*d.Dirty == account.Quarantined || c.before.Dirty == account.Quarantined)
}

// deletes reports whether the commit deletes the account, or begins to.
func (c commit) deletes() bool {
	return c.after.UID == "" || c.after.Terminating && !c.before.Terminating
}

func (c commit) brokenByOwner() (promises []string) {
	promise := func(kept bool, text string) {
		if !kept {
			promises = append(promises, text)
		}
	}
	before, after := c.before, c.after
	promise(c.change.Tenant == nil && len(c.change.Records) == 0, "the owner writes neither a tenant nor a record")
	if c.deletes() {
		promise(before.Dirty != account.Releasing, "an account is not deleted while a release is under way")
		promise(before.Tenant == "" || before.Dirty == account.Dirtied, "an account is not deleted under its tenant")
		promise(len(before.Claims()) == 0, "an account is not deleted under a claim")
		promise(c.users == 0, "an account is not deleted under clusters")
		return promises
	}
	if before.UID == "" {
		promise(after.Tenant == "" && (after.Dirty == account.Clean || after.Dirty == account.Quarantined), "a new account is neither held nor dirty")
		return promises
	}
	moved := before.HyperscalerType != after.HyperscalerType || before.Shared != after.Shared || before.EUAccess != after.EUAccess
	promise(!moved || before.Tenant == "", "a held account is not moved to another pool")
	promise(!moved || c.users == 0, "an account is not moved to another pool under clusters")
	promise(before.Internal == after.Internal || before.Tenant == "", "a held account keeps its flags")
	promise(len(c.change.Labels) == 0 || before.Tenant == "", "a held account keeps its labels")
	promise(!after.Shared || after.Tenant == "" || before.Shared, "no account becomes shared beside its tenant")
	promise(!after.Shared || after.Dirty == account.Clean || before.Shared, "no dirty account becomes shared")
	promise(len(after.FalseFlags) == 0 || !slices.Equal(before.FalseFlags, after.FalseFlags), "a flag that says no is no label")
	if before.Dirty != after.Dirty {
		promise(before.Dirty == account.Clean && after.Dirty == account.Quarantined || before.Dirty == account.Quarantined && after.Dirty == account.Clean,
			"the owner puts an account aside and gives it back, and changes nothing else of dirty")
	}
	return promises
}
