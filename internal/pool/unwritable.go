package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// maxRefusals is how many accounts one claim passes over because a write on them is refused. A user who may write none of a large pool
// must not try them all.
const maxRefusals = 20

// writeVerb is the verb in the errors of [Store.Write].
const writeVerb = "patch"

const (
	// maxCredentialsLooks bounds for how many accounts one read of the pool asks whether their credentials exist, and
	// credentialsLookTime how long that takes. atOnce is how many of them are asked for at the same time.
	maxCredentialsLooks = 100
	credentialsLookTime = 10 * time.Second
	atOnce              = 8
)

// PassedOver is an account that a claim would have taken, had the server not refused the write on it.
type PassedOver struct {
	Account string
	Err     error // the answer
}

// refusals are the accounts on which the server has refused a write, by name.
type refusals map[string]refusal

// refusal is the answer to the write on the object of a UID.
type refusal struct {
	uid string
	err error // with what was tried
}

// refusesAccount returns the answer by which the server has refused a write for what the account is, and will again; nil = it was another
// one. An admission does so, as Gardener's, which demands that the user may read the credentials. Where an earlier write may still arrive
// the account cannot be left.
func refusesAccount(err error) error {
	if errors.As(err, new(*UnknownOutcomeError)) {
		return nil
	}
	if forbidden, ok := errors.AsType[*ForbiddenError](err); ok && forbidden.Verb == writeVerb {
		return forbidden
	}
	if rejected, ok := errors.AsType[*RejectedError](err); ok && rejected.Verb == writeVerb {
		return rejected
	}
	return nil
}

// note notes that a write on an account was refused.
func (r *refusals) note(a *Account, err error) {
	if *r == nil {
		*r = refusals{}
	}
	(*r)[a.Name] = refusal{a.UID, err}
}

// of returns why an account cannot be written; nil = nothing is known against it.
func (r refusals) of(a *Account) error {
	if refused, ok := r[a.Name]; ok && refused.uid == a.UID {
		return refused.err
	}
	return nil
}

// without leaves out the accounts on which a write was refused.
func (r refusals) without(accounts []*Account) []*Account {
	if len(r) == 0 {
		return accounts
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(a *Account) bool { return r.of(a) != nil })
}

// passOver reports whether the claim goes on to another account after a write was refused: never from an account that it names, nor from
// the only one that its Global Account may hold.
func (c *claiming) passOver(d Decision, err error) bool {
	answer := refusesAccount(err)
	if answer == nil || c.Pin != "" || d.Action != ActionClaim && !d.MultiAccount {
		return false
	}
	c.refusals.note(&d.Account, err)
	c.passed = append(c.passed, PassedOver{d.Account.Name, answer})
	return len(c.passed) < maxRefusals
}

// orRefused returns the last refusal where a claim finds no account but those that it has passed over, and else the error.
func (c *claiming) orRefused(err error) error {
	if n := len(c.passed); n > 0 && errors.As(err, new(*ExhaustedError)) {
		return c.refusals[c.passed[n-1].Account].err
	}
	return err
}

// noteUnwritable keeps a refusal for [Pool.Unwritable]: another claim may write what this one may not.
func (c *cache) noteUnwritable(a *Account, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unwritable.note(a, err)
}

// Unwritable says of accounts why a write on them is refused, by name: those that this run has met, and those whose credentials are not
// there, or not for the user of the connection, while others are. It reads some of them only, the free ones first, and a read that fails
// says nothing: it is a courtesy. Nothing but metadata is asked for.
func (p *Pool) Unwritable(ctx context.Context, objects []Object) map[string]string {
	why := map[string]string{}
	p.cache.mu.Lock()
	for i := range objects {
		if err := p.cache.unwritable.of(&objects[i].Account); err != nil {
			why[objects[i].Name] = fmt.Sprintf("this run has tried, and was refused: %v", err)
		}
	}
	p.cache.mu.Unlock()
	if !p.store.OwnsObjects() {
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, credentialsLookTime)
	defer cancel()
	for ref, err := range p.missingCredentials(ctx, references(objects)) {
		for i := range objects {
			if o := &objects[i]; o.Credentials != nil && o.Credentials.Ref == ref && why[o.Name] == "" {
				why[o.Name] = fmt.Sprintf("%v, and Gardener demands its credentials for each write", err)
			}
		}
	}
	return why
}

// references are the credentials that are read, each once, those of free accounts first.
func references(objects []Object) (refs []CredentialsRef) {
	looked := slices.DeleteFunc(slices.Clone(objects), func(o Object) bool {
		known := o.Credentials != nil && o.Credentials.Ref.Name != "" &&
			slices.Contains([]string{"Secret", "WorkloadIdentity"}, o.Credentials.Ref.Kind)
		return !known || !o.Typed || o.Terminating
	})
	slices.SortFunc(looked, func(a, b Object) int {
		if free := a.Tenant == ""; free != (b.Tenant == "") {
			if free {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	seen := map[CredentialsRef]bool{}
	for i := range looked {
		if ref := looked[i].Credentials.Ref; !seen[ref] && len(refs) < maxCredentialsLooks {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	return refs
}

// missingCredentials returns those of the references whose object is not there, or not for the user of the connection. A user who may read
// none of them does without, and is not asked any further.
func (p *Pool) missingCredentials(ctx context.Context, refs []CredentialsRef) map[CredentialsRef]error {
	var mu sync.Mutex
	missing, forbidden, found := map[CredentialsRef]error{}, map[CredentialsRef]error{}, 0
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, ref := range refs {
		group.Go(func() error {
			mu.Lock()
			vain := found == 0 && len(forbidden) >= atOnce
			mu.Unlock()
			if vain {
				return nil
			}
			err := p.store.FindCredentials(ctx, ref)
			var none *NoCredentialsError
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				found++
			case errors.As(err, &none) && none.Err == nil:
				missing[ref] = none
			case errors.As(err, &none):
				forbidden[ref] = none
			}
			return nil
		})
	}
	_ = group.Wait() // none of them returns an error
	if found > 0 {
		for ref, err := range forbidden {
			missing[ref] = err
		}
	}
	return missing
}
