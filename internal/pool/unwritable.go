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

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const (
	// maxCredentialsReads bounds for how many accounts one read of the pool asks whether their credentials exist, and
	// credentialsReadTime how long that takes. atOnce is how many of them are asked for at the same time.
	maxCredentialsReads = 100
	credentialsReadTime = 10 * time.Second
	atOnce              = 8
)

// Unwritable says of accounts why a write on them is refused, by name: those that this run has met, and those whose credentials are not
// there, or not for the user of the connection, while others are. It reads some of them only, the free ones first, and ignores
// a read that fails: the report is optional. Nothing but metadata is asked for.
func (p *Pool) Unwritable(ctx context.Context, objects []account.Object) map[string]string {
	why := map[string]string{}
	p.cache.mu.Lock()
	for i := range objects {
		if err := p.cache.unwritable.Of(&objects[i].Account); err != nil {
			why[objects[i].Name] = fmt.Sprintf("this run has tried, and was refused: %v", err)
		}
	}
	p.cache.mu.Unlock()
	if !p.store.OwnsObjects() {
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, credentialsReadTime)
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
func references(objects []account.Object) (refs []account.CredentialsRef) {
	candidates := slices.DeleteFunc(slices.Clone(objects), func(o account.Object) bool {
		known := o.Credentials != nil && o.Credentials.Ref.Name != "" &&
			slices.Contains([]string{"Secret", "WorkloadIdentity"}, o.Credentials.Ref.Kind)
		return !known || !o.Typed || o.Terminating
	})
	slices.SortFunc(candidates, func(a, b account.Object) int {
		if free := a.Tenant == ""; free != (b.Tenant == "") {
			if free {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	seen := map[account.CredentialsRef]bool{}
	for i := range candidates {
		if ref := candidates[i].Credentials.Ref; !seen[ref] && len(refs) < maxCredentialsReads {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	return refs
}

// missingCredentials returns those of the references whose object is not there, or not for the user of the connection. A user who may read
// none of them does without, and is not asked any further.
func (p *Pool) missingCredentials(ctx context.Context, refs []account.CredentialsRef) map[account.CredentialsRef]error {
	var mu sync.Mutex
	missing, forbidden, found := map[account.CredentialsRef]error{}, map[account.CredentialsRef]error{}, 0
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
			_, err := p.store.FindCredentials(ctx, ref)
			var none *account.NoCredentialsError
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
