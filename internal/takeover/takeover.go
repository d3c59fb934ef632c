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
