package takeover

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// claim is a claim that is taken over.
type claim struct {
	account, globalAccount, name string
	label                        string // of its resource, after that of the account
	target                       account.Target
	request                      rules.Request // as recorded; the zero value where it is not
	details                      account.Details
	onDestroy                    account.Mode
	obstacle                     string // why it cannot be taken over; empty = it can
	recorded                     bool
	doubtful                     bool // it has the name of its account, and not the on_destroy that a take-over writes
}

// id is the import ID of the claim.
func (c claim) id() string { return c.globalAccount + "/" + c.account + "/" + c.name }

// byOwner names the recorded owner; empty = none is recorded.
func (c claim) byOwner() string {
	if c.details.Owner == "" {
		return ""
	}
	return " for owner " + shown(c.details.Owner)
}

// unrecorded returns the claims that no configuration is known to have, and those that one can be expected to have. A claim that bears the
// name of its account was made by a take-over: it is written again, so that a text in the place of the last one loses none.
func unrecorded(all []claim) (claims, kept []claim) {
	for _, c := range all {
		if c.recorded && c.obstacle == "" && c.name != c.account {
			kept = append(kept, c)
		} else {
			claims = append(claims, c)
		}
	}
	return claims, kept
}

// held is the label of a claim that a take-over makes, after the name of the account. The claim itself has the account's name.
const held = "held"

// claimsOf returns the claims on the accounts, by account and name. An account that a Global Account holds without a claim has one
// of the account's own name.
func claimsOf(o overview.Overview) (claims []claim) {
	seen := map[string]bool{}
	add := func(a *overview.Account, key string, c claim) {
		c.account, c.globalAccount, c.target = a.Name, a.Tenant, a.Target()
		if seen[key] {
			c.obstacle = "another account bears the same claim"
		}
		seen[key] = true
		claims = append(claims, c)
	}
	for i := range o.Accounts {
		a := &o.Accounts[i]
		if a.Shared || a.Tenant == "" || o.Of.GlobalAccount != "" && a.Tenant != o.Of.GlobalAccount {
			continue
		}
		for _, r := range a.ValidRecords {
			mode := account.Keep
			if o.Of.ExpiredClaims && r.ReleaseMode != account.Keep {
				mode = account.MarkDirty // an imported claim cannot vouch for an account that goes back without a clean-up
			}
			key, obstacle := r.Identity(o.Namespace).Key(), ""
			if wrong := account.CheckClaimName(r.Name); wrong != "" {
				obstacle = "hap_credentials_binding_claim does not take its name, " + wrong
			}
			if _, own := a.Holds(key); !own { // an import searches for the key
				key, obstacle = a.Name+"/"+r.Name, "its record lies under a key that is not its own"
			}
			label := r.Name
			if r.Name == a.Name { // as a take-over has named it
				label = held
			}
			request := rules.Request{
				Plan: r.Request.Plan, PlatformRegion: r.Request.PlatformRegion, HyperscalerRegion: r.Request.HyperscalerRegion,
				Hyperscaler: r.Request.Hyperscaler,
			}
			add(a, key, claim{
				name: r.Name, label: label, details: r.Details, onDestroy: mode, obstacle: obstacle, recorded: true, request: request,
				doubtful: !o.Of.ExpiredClaims && r.Name == a.Name && r.ReleaseMode != account.Keep,
			})
		}
		if takesOver(a.Class) && len(a.ValidRecords) == 0 {
			id := account.Identity{Namespace: o.Namespace, GlobalAccount: a.Tenant, Pool: a.Target().String(), Name: a.Name}
			add(a, id.Key(), claim{name: a.Name, label: held, onDestroy: account.Keep, obstacle: obstacleOn(a)})
		}
	}
	return claims
}

// takesOver reports whether a claim is written for an account of a class that a Global Account holds and no claim is on.
func takesOver(class account.Class) bool {
	return slices.Contains([]account.Class{account.ClassHeld, account.ClassQuarantined, account.ClassUnclear}, class)
}

// obstacleOn says why the account of a Global Account cannot be taken over; "" = it can.
func obstacleOn(a *overview.Account) string {
	if len(a.Unreadable) > 0 {
		return "its account bears a claim record that cannot be read"
	}
	if trouble := a.TwinTrouble(a.Tenant); trouble != "" {
		return trouble
	}
	if a.Class == account.ClassUnclear {
		return a.Class.Describe()
	}
	return ""
}

// usable leaves out of the details of a claim what hap_credentials_binding_claim does not take, and says so in a comment.
func (w *writer) usable(d account.Details, id string) account.Details {
	const goes = "An import finds it, and the next apply takes it off the record, or writes what is put in its place."
	if d.Lease != "" && !d.Lease.Usable() {
		comment(&w.text, "", "The recorded lease of claim %s is left out: %s is no duration from 1s to 87600h, such as 720h. %s", id,
			shown(string(d.Lease)), goes)
		d.Lease = ""
	}
	if len(d.Owner) > account.MaxOwner {
		comment(&w.text, "", "The recorded owner of claim %s is left out: it has more than %d bytes. %s", id, account.MaxOwner, goes)
		d.Owner = ""
	}
	return d
}

// claim writes the import and the resource of a claim. One that no rule leads to stays where it is, with the request that an import
// finds: the recorded one, or an empty one.
func (w *writer) claim(c claim) {
	name := w.used[claimType].of(c.account, c.label)
	id := c.id()
	if c.obstacle != "" {
		comment(&w.text, "\n", "Claim %s is left out: %s.", id, c.obstacle)
		w.leave(KindLeftOut, c.account, "Claim %s of %s is left out: %s.", c.name, c.globalAccount, c.obstacle)
		return
	}
	if c.doubtful && !w.by.Recorded {
		comment(&w.text, "\n", "Claim %s is recorded%s, with another on_destroy than a take-over writes. Where another configuration has it, "+
			"take its two blocks out: that one could not end it any more.", id, c.byOwner())
	}
	r := c.request
	if r.Plan == "" {
		r, _ = w.by.Rules.RequestFor(c.target)
	}
	switch m, err := w.by.Rules.Match(r); {
	case err != nil:
		comment(&w.text, "\n", "No rule leads the request of claim %s to a pool: each plan warns of it, and the claim stays where it is.", id)
		if !slices.ContainsFunc(w.left, func(d Decision) bool { return d.Kind == KindNoRule && d.Account == c.account }) {
			w.leave(KindNoRule, c.account, "No rule leads the request of claim %s of %s to a pool. Each plan warns, and the claim stays.", c.name,
				c.globalAccount)
		}
	case m.Target() != c.target:
		w.leave(KindOtherPool, c.account, "The rules lead the request of claim %s of %s to pool %s, and its account is in pool %s. Each plan "+
			"warns, and the claim stays.", c.name, c.globalAccount, m.Target(), c.target)
	}
	c.details = w.usable(c.details, id)
	w.imported(claimType, name, id, c.account)
	b := block{header: fmt.Sprintf("resource %q %q", claimType, name)}
	b.text("global_account", c.globalAccount)
	b.text("name", c.name)
	b.set("rule_set", w.by.RuleSet)
	b.set("plan", quoted(r.Plan))
	b.text("platform_region", r.PlatformRegion)
	b.text("hyperscaler_region", r.HyperscalerRegion)
	b.text("hyperscaler", r.Hyperscaler)
	b.text("cluster_name", c.details.ClusterName)
	b.text("owner", c.details.Owner)
	b.text("lease", string(c.details.Lease))
	b.text("on_destroy", string(c.onDestroy))
	b.write(&w.text)
}
