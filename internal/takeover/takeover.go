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

// Config writes the configuration that takes over what an overview shows: each account, and each claim on one. With a filter on
// expired claims it has these alone. The rules are those that the claims go by; without a set they are made of the claims.
// What cannot be taken over is named in a comment.
func Config(o overview.Overview, set *rules.Set, source rules.Source) string {
	var text strings.Builder
	if !o.Of.ExpiredClaims {
		accounts(&text, o)
	}
	claims := claimsOf(o)
	if len(claims) == 0 {
		return text.String()
	}
	if set == nil {
		set, source = made(claims)
	}
	var inner strings.Builder
	sourceText(source).write(&inner)
	text.WriteString("# The rules that the claims below go by: a hap_rule_set can take their place.\nlocals {\n")
	for line := range strings.Lines(strings.TrimSpace(inner.String())) {
		text.WriteString("  " + line)
	}
	text.WriteString("\n}\n\n")
	used := names{}
	for _, c := range claims {
		c.write(&text, set, used.of(c.account, c.label))
	}
	return text.String()
}

// accounts writes the accounts themselves.
func accounts(text *strings.Builder, o overview.Overview) {
	used := names{}
	for i := range o.Accounts {
		a := &o.Accounts[i]
		if why := unconfigurable(a); why != "" {
			comment(text, "Account %s %s.", a.Name, why)
			continue
		}
		// A Secret does not say its provider type, nor does an old SecretBinding. The one that is written for it makes nothing anew.
		providerType := cmp.Or(a.Credentials.ProviderType, a.Target().Hyperscaler())
		ref := a.Credentials.Ref
		name := used.of(a.Name)
		imported(text, accountType, name, a.Name)
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
		if len(a.Labels) > 0 {
			labels := map[string]string{}
			for key, value := range a.Labels {
				labels[key] = quoted(value)
			}
			b.set("labels", object(labels))
		}
		b.write(text)
	}
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

// imported writes the import block of a resource.
func imported(text *strings.Builder, resource, name, id string) {
	b := block{header: "import"}
	b.set("to", resource+"."+name)
	b.text("id", id)
	b.write(text)
}

// claim is a claim that is taken over.
type claim struct {
	account, globalAccount, name string
	label                        string // of its resource, behind that of the account
	target                       account.Target
	request                      rules.Request // as recorded; the zero value where it is not
	details                      account.Details
	onDestroy                    account.Mode
	obstacle                     string // why it cannot be taken over; empty = it can
}

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
			if _, own := a.Holds(key); !own { // an import searches for the key
				key, obstacle = a.Name+"/"+r.Name, "its record lies under a key that is not its own"
			}
			add(a, key, claim{name: r.Name, label: r.Name, details: r.Details, onDestroy: mode, obstacle: obstacle, request: rules.Request{
				Plan: r.Request.Plan, PlatformRegion: r.Request.PlatformRegion, HyperscalerRegion: r.Request.HyperscalerRegion,
				Hyperscaler: r.Request.Hyperscaler,
			}})
		}
		if held := a.Class == account.ClassHeld || a.Class == account.ClassQuarantined; held && len(a.ValidRecords) == 0 {
			id := account.Identity{Namespace: o.Namespace, GlobalAccount: a.Tenant, Pool: a.Target().String(), Name: a.Name}
			obstacle := ""
			if len(a.Unreadable) > 0 {
				obstacle = "its account bears a claim record that cannot be read"
			}
			add(a, id.Key(), claim{name: a.Name, label: "held", onDestroy: account.Keep, obstacle: obstacle})
		}
	}
	return claims
}

// write writes the import and the resource of a claim. One that no rule leads to stays where it is, with the request that an import
// finds: the recorded one, or an empty one.
func (c claim) write(text *strings.Builder, set *rules.Set, name string) {
	id := c.globalAccount + "/" + c.account + "/" + c.name
	if c.obstacle != "" {
		comment(text, "Claim %s is left out: %s.", id, c.obstacle)
		return
	}
	r := c.request
	if r.Plan == "" {
		r, _ = set.RequestFor(c.target)
	}
	if _, err := set.Match(r); err != nil {
		comment(text, "No rule leads the request of claim %s to a pool: each plan warns of it, and the claim stays where it is.", id)
	}
	imported(text, claimType, name, id)
	b := block{header: fmt.Sprintf("resource %q %q", claimType, name)}
	b.text("global_account", c.globalAccount)
	b.text("name", c.name)
	b.set("rule_set", "local.hap_import_rule_set")
	b.set("plan", quoted(r.Plan))
	b.text("platform_region", r.PlatformRegion)
	b.text("hyperscaler_region", r.HyperscalerRegion)
	b.text("hyperscaler", r.Hyperscaler)
	b.text("cluster_name", c.details.ClusterName)
	b.text("owner", c.details.Owner)
	b.text("lease", string(c.details.Lease))
	b.text("on_destroy", string(c.onDestroy))
	b.write(text)
}
