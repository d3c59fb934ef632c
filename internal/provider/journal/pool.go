package journal

import (
	"context"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// poolJournal is the log of what is decided about accounts.
var poolJournal = newJournal(logPool)

// loggedStore logs what is read and written of accounts: between a decision and its outcome lie the writes that
// were lost to another writer.
type loggedStore struct{ pool.Store }

// LogStore puts the log before a store.
func LogStore(s pool.Store) pool.Store { return loggedStore{s} }

// List lists, and notes how many accounts there are.
func (s loggedStore) List(ctx context.Context) ([]account.Account, error) {
	accounts, err := s.Store.List(ctx)
	siblings := 0
	for i := range accounts {
		if accounts[i].Sibling {
			siblings++
		}
	}
	poolJournal.tell(ctx, "list of the accounts", fields{"accounts": len(accounts) - siblings}, err)
	return accounts, err
}

// Write writes, and notes what was to change and whether it did. Records are logged by their keys: what they say is for
// people who may read the account.
func (s loggedStore) Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error) {
	f := fields{"account": judged.Name, "version": judged.Version}
	if change.Tenant != nil {
		f["tenant"] = *change.Tenant
	}
	if change.Dirty != nil {
		f["dirty"] = string(*change.Dirty)
	}
	for key, record := range change.Records {
		what := "records_set"
		if record == nil {
			what = "records_removed"
		}
		keys, _ := f[what].(string)
		f[what] = strings.TrimSpace(keys + " " + key)
	}
	if change.HyperscalerType != nil {
		f["hyperscaler_type"] = *change.HyperscalerType
	}
	for flag, on := range change.Flags {
		f[string(flag)] = on
	}
	for key, value := range change.Labels {
		f["label_"+key] = nil
		if value != nil {
			f["label_"+key] = *value
		}
	}
	began := time.Now()
	after, err := s.Store.Write(ctx, judged, change)
	poolJournal.tell(ctx, "write on an account", f, err)
	noteSlow(ctx, judged.Name, time.Since(began))
	return after, err
}

// Create makes an account, and notes that it did.
func (s loggedStore) Create(ctx context.Context, supply account.Supply) (account.Account, error) {
	began := time.Now()
	account, err := s.Store.Create(ctx, supply)
	poolJournal.tell(ctx, "making of an account", fields{"account": supply.Name, "pool": supply.Target.String()}, err)
	noteSlow(ctx, supply.Name, time.Since(began))
	return account, err
}

// slowWrite is how long a write takes that a user wonders about.
const slowWrite = 2 * time.Second

// noteSlow notes at level info, with what a user waits for, that a write took long.
func noteSlow(ctx context.Context, account string, took time.Duration) {
	if took >= slowWrite {
		poolJournal.inform(ctx, "the Garden took long for a write: gardener-apiserver may limit its own requests, to a write every 0.4 seconds",
			fields{"account": account, "took": took.Round(time.Millisecond).String()})
	}
}

// Delete deletes an account, and notes that it did.
func (s loggedStore) Delete(ctx context.Context, judged account.Account) error {
	err := s.Store.Delete(ctx, judged)
	poolJournal.tell(ctx, "deletion of an account", fields{"account": judged.Name, "version": judged.Version}, err)
	return err
}

// LogSupply notes what the pool's owner has done with an account.
func LogSupply(ctx context.Context, what, account string, err error) {
	poolJournal.tell(ctx, what, fields{"account": account}, err)
}

// LogDecision notes which account a preview leads to, and how each account was judged.
func LogDecision(ctx context.Context, target account.Target, globalAccount string, d account.Decision, err error) {
	if silenced {
		return
	}
	for _, c := range d.Candidates {
		poolJournal.trace(ctx, "judgement of an account", fields{
			"account": c.Name, "verdict": string(c.Verdict), "why": c.Why, "clusters": c.Clusters, "reserved": c.Reserved, "limit": c.Limit,
		})
	}
	poolJournal.tell(ctx, "selection of an account", fields{
		"pool": target.String(), "global_account": globalAccount, "action": string(d.Action), "account": d.Account.Name, "reason": d.Reason,
	}, err)
}

// TellWait returns what notes each pause of an operation that waits for others. Terraform shows of an operation how long it
// goes on; what it waits for is in the log, at level info.
func TellWait(ctx context.Context) func(protocol.Progress) {
	return func(p protocol.Progress) {
		message := "waiting for " + p.For
		if p.Failed != nil {
			message += "; the last read failed: " + p.Failed.Error()
		}
		poolJournal.inform(ctx, message, fields{
			"waited": p.Waited.Round(time.Second).String(), "next_look": p.Pause.Round(time.Second).String(),
			"at_most": p.Left.Round(time.Second).String(),
		})
	}
}

// LogClaim notes which account a claim has, and why.
func LogClaim(ctx context.Context, req protocol.ClaimRequest, c protocol.Claim, err error) {
	poolJournal.tell(ctx, "claim of an account", fields{
		"claim": req.Name, "pool": req.Target.String(), "global_account": req.GlobalAccount, "account": c.Account.Name,
		"newly_claimed": c.Record.NewlyClaimed, "adopted": c.Adopted, "clusters": c.Clusters, "reserved": c.Reserved, "limit": c.Limit,
		"reason": c.Reason,
	}, err)
}

// LogRelease notes how a claim ended.
func LogRelease(ctx context.Context, req protocol.ReleaseRequest, outcome protocol.Outcome, err error) {
	poolJournal.tell(ctx, "release of an account", fields{
		"claim": req.Identity.Name, "pool": req.Identity.Pool, "global_account": req.Identity.GlobalAccount, "account": req.Account,
		"mode": string(req.Mode), "outcome": string(outcome),
	}, err)
}
