// Package takeover writes the configuration that takes over a pool as it is: an import block and a resource block for each
// account and each claim, and the list of what a person has to decide. It is pure text: the same overview gives the same text.
package takeover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The types of the resources.
const (
	accountType = "hap_account"
	claimType   = "hap_credentials_binding_claim"
)

// Terms say by which rules a configuration is written, and how it names them.
type Terms struct {
	// Rules are those that the claims go by, as they were compiled from Source; nil = they are made of the claims.
	Rules  *rules.Set
	Source rules.Source
	// RuleSet is the expression by which blocks name the rules; empty = a local value, which comes with the text.
	RuleSet string
	// Ruled says which accounts name the rules, too: a plan warns then where none leads to their pool. Needs Rules.
	Ruled Ruled
	// Recorded has the claims that are recorded written, too. A configuration has made them, and has them unless its state is lost: imported
	// into a second state they are refused to the first.
	Recorded bool
}

// Ruled is a choice of accounts.
type Ruled string

// The choices.
const (
	RuledNone Ruled = "none"
	RuledEU   Ruled = "eu_access"
	RuledAll  Ruled = "all"
)

// RuledChoices returns the choices, the default first.
func RuledChoices() []string { return []string{string(RuledNone), string(RuledEU), string(RuledAll)} }

// localRuleSet is the local value with the rules.
const localRuleSet = "local.hap_import_rule_set"

// Config writes the configuration that takes over what an overview shows: each account, and a claim on each that a Global Account holds
// without one. With a filter on expired claims it has these alone. What cannot be taken over is named in a comment, and what a person has
// to decide about an account above its block; the decisions have the choices.
func Config(o overview.Overview, by Terms) (string, []Decision) {
	w := writer{by: by, used: map[string]names{accountType: {}, claimType: {}}, written: map[string][]string{}}
	claims, kept := claimsOf(o), []claim(nil)
	if !by.Recorded && !o.Of.ExpiredClaims {
		claims, kept = unrecorded(claims)
	}
	if by.RuleSet == "" {
		w.by.RuleSet = localRuleSet
	}
	if w.by.Rules == nil && len(claims) > 0 {
		w.by.Rules, w.by.Source = made(claims)
	}
	if !o.Of.ExpiredClaims {
		w.accounts(o)
		w.others(o)
	}
	if w.by.RuleSet == localRuleSet && (len(claims) > 0 || w.ruled) {
		w.rules()
	}
	for _, c := range claims {
		w.claim(c)
	}
	for _, c := range kept {
		comment(&w.text, "\n", "Claim %s is left out: it is recorded%s, so a configuration has made it. Where that has lost its state, "+
			"import_options = { recorded_claims = true } has the claim.", c.id(), c.byOwner())
	}
	return w.text.String(), w.decisions(o)
}

// writer is a configuration in the making.
type writer struct {
	by      Terms
	text    strings.Builder
	used    map[string]names    // of the resources of a type
	written map[string][]string // the addresses of the resources of an account
	ruled   bool                // an account names the rules
	left    []Decision          // about what the text leaves out, or writes with a warning to come
}

// rules writes the local value with the rules.
func (w *writer) rules() {
	var inner strings.Builder
	sourceText(w.by.Source).write(&inner)
	w.text.WriteString("# The rules that the blocks below go by: a hap_rule_set can take their place.\nlocals {\n")
	for line := range strings.Lines(strings.TrimSpace(inner.String())) {
		w.text.WriteString("  " + line)
	}
	w.text.WriteString("\n}\n\n")
}

// leave notes a decision about what the text is about to leave out, or writes with a warning to come.
func (w *writer) leave(kind Kind, account, format string, args ...any) {
	w.left = append(w.left, Decision{Account: account, Kind: kind, Found: fmt.Sprintf(format, args...)})
}

// accounts writes the accounts themselves.
func (w *writer) accounts(o overview.Overview) {
	for i := range o.Accounts {
		a := &o.Accounts[i]
		if kinds := open(a); len(kinds) > 0 {
			comment(&w.text, "", "To decide about %s: %s.", a.Name, strings.Join(kinds, ", "))
		}
		if why := unconfigurable(a); why != "" {
			comment(&w.text, "\n", "Account %s %s.", a.Name, why)
			w.leave(KindLeftOut, a.Name, "It %s.", why)
			continue
		}
		// A Secret does not say its provider type, nor does an old SecretBinding. The one that is written for it makes nothing anew.
		providerType := cmp.Or(a.Credentials.ProviderType, a.Target().Hyperscaler())
		ref := a.Credentials.Ref
		ruled := w.rulesFor(a)
		name := w.imported(accountType, w.used[accountType].of(a.Name), a.Name, a.Name)
		b := block{header: fmt.Sprintf("resource %q %q", accountType, name)}
		b.text("name", a.Name)
		b.text("provider_type", providerType)
		b.text("hyperscaler_type", a.HyperscalerType)
		b.set("credentials_ref", fmt.Sprintf("{ kind = %s, namespace = %s, name = %s }",
			quoted(ref.Kind), quoted(ref.Namespace), quoted(ref.Name)))
		if quotas := a.Credentials.Quotas; len(quotas) > 0 {
			b.set("quotas", quotaList(quotas))
		}
		b.flag("shared", a.Shared)
		b.flag("eu_access", a.EUAccess)
		b.flag("internal", a.Internal)
		if a.Dirty != account.Clean {
			b.text("quarantine", a.Quarantine)
		}
		if labels := a.OwnerLabels(); len(labels) > 0 {
			for key, value := range labels {
				labels[key] = quoted(value)
			}
			b.set("labels", object(labels))
		}
		if ruled {
			b.set("rule_set", w.by.RuleSet)
		}
		b.write(&w.text)
	}
}

// rulesFor reports whether the block of an account names the rules. With rules that do not lead to its pool each plan would warn.
func (w *writer) rulesFor(a *overview.Account) bool {
	asked := w.by.Rules != nil && (w.by.Ruled == RuledAll || w.by.Ruled == RuledEU && a.EUAccess)
	if !asked {
		return false
	}
	if !w.by.Rules.LeadsTo(a.Target()) {
		comment(&w.text, "", "No rule leads to pool %s: the block has no rule_set, with which each plan would warn.", a.Target())
		w.leave(KindNoRule, a.Name, "No rule leads to its pool, %s.", a.Target())
		return false
	}
	w.ruled = true
	return true
}

// others names what looks like an account, and is none of this pool.
func (w *writer) others(o overview.Overview) {
	for _, p := range o.Problems {
		if p.Kind == overview.ProblemStray && !slices.ContainsFunc(o.Accounts, func(a overview.Account) bool { return a.Name == p.Account }) {
			comment(&w.text, "\n", "%s is left out. %s", p.Account, p.Text)
		}
	}
	for _, a := range o.OtherKinds {
		if a.Represented() { // the account has the decision: same_credentials
			comment(&w.text, "\n", "%s is left out: it has the credentials of an account above, and is the same cloud account.", a.Name)
			continue
		}
		comment(&w.text, "\n", "%s is left out: it is an account of another kind.", a.Name)
		w.leave(KindOtherKind, a.Name, "%s", otherKind(a))
	}
}

// otherKind says what a binding of another kind is.
func otherKind(a *account.Account) string {
	text := fmt.Sprintf("It has the hyperscaler type %s, and pool.kind of the provider is another kind: no claim and no plan sees it as an "+
		"account.", a.HyperscalerType)
	if a.Tenant != "" {
		text += fmt.Sprintf(" Global Account %s holds it.", a.Tenant)
	}
	return text
}

// unconfigurable says why an account cannot be taken over; "" = it can. What hap_account rejects is never written.
func unconfigurable(a *overview.Account) string {
	switch {
	case a.Terminating:
		return "is being deleted"
	case a.Shared && a.Quarantine != "":
		return "is shared and quarantined, which cannot be configured together"
	case a.HyperscalerType == "":
		return "has no hyperscaler type"
	case a.Credentials == nil:
		return "has changed while it was read"
	case !slices.Contains(account.CredentialsKinds(), a.Credentials.Ref.Kind):
		return fmt.Sprintf("has credentials of kind %s, which hap_account does not take", a.Credentials.Ref.Kind)
	case a.Dirty != account.Clean && len(a.Quarantine) > account.MaxReason:
		return fmt.Sprintf("is quarantined for a reason of more than %d bytes, which hap_account does not take", account.MaxReason)
	}
	return ""
}

// quotaList writes the quotas of an account, in the order of their names.
func quotaList(quotas []account.QuotaRef) string {
	var all []string
	byText := func(a, b account.QuotaRef) int { return cmp.Compare(a.String(), b.String()) }
	for _, q := range slices.SortedFunc(slices.Values(quotas), byText) {
		all = append(all, fmt.Sprintf("{ namespace = %s, name = %s }", quoted(q.Namespace), quoted(q.Name)))
	}
	return "[" + strings.Join(slices.Compact(all), ", ") + "]"
}

// imported writes the import block of a resource and returns its name.
func (w *writer) imported(resource, name, id, account string) string {
	b := block{header: "import"}
	b.set("to", resource+"."+name)
	b.text("id", id)
	b.write(&w.text)
	w.written[account] = append(w.written[account], resource+"."+name)
	return name
}

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
