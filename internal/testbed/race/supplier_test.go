package race

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// supplying begins the User-Agents of suppliers.
const supplying = agent + "/supply"

// isSupplier recognises the pool's owner.
func isSupplier(client string) bool { return strings.HasPrefix(client, supplying) }

// supplier is a pipeline of the pool's owner: it changes flags and labels of the accounts that others claim and release, and
// puts accounts into the pool and takes them out again.
type supplier struct {
	*round
	number int
	rng    *rand.Rand
	pool   *pool.Pool
	// written are the values that the supplier knows it has written last on its own label, by account.
	written map[string]label
	// spare are the UIDs of its own accounts, by name.
	spare map[string]string
	tally supply
}

// label is what a supplier has written on an account, until another object has its name.
type label struct{ uid, value string }

// broken reports whether an account says otherwise than the supplier heard.
func (l label) broken(a account.Account, key string) bool {
	return a.UID == l.uid && a.Labels[key] != l.value
}

// supply counts what a supplier heard.
type supply struct{ changed, refused, made, removed, failed int }

func (s supply) String() string {
	return fmt.Sprintf("%d changed, %d refused, %d made, %d removed, %d failed", s.changed, s.refused, s.made, s.removed, s.failed)
}

// run works until the race is over.
func (s *supplier) run(ctx context.Context, t *testing.T) {
	t.Helper()
	for n := 0; ctx.Err() == nil; n++ {
		pause(ctx, time.Duration(s.rng.IntN(60))*time.Millisecond)
		name := fmt.Sprintf("spare-%d-%d", s.number, s.rng.IntN(3))
		switch s.rng.IntN(6) {
		case 0:
			s.add(t, name)
		case 1:
			s.remove(t, name)
		default:
			s.change(t, fmt.Sprintf("aws-%02d", s.rng.IntN(s.accounts)), n)
		}
	}
}

// change changes an account as it is: the supplier's own label, and often the pool that the account is in. One that is in
// another pool comes back first: a shared one by way of out and in again. That no account changes its pool under a tenant is
// judged by the history: what the supplier hears may be younger than its write.
func (s *supplier) change(t *testing.T, name string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	now, err := s.pool.Supplied(ctx, name, "")
	if err != nil {
		s.count(t, err, &s.tally.changed)
		return
	}
	a, key := now.Account, fmt.Sprintf("supplier-%d", s.number)
	if written, known := s.written[name]; known && written.broken(a, key) {
		t.Errorf("%s: label %s is %q, and the supplier was answered that it is %q", name, key, a.Labels[key], written.value)
	}
	if a.Shared {
		s.renew(t, a)
		return
	}
	want := account.Supply{Name: name, Target: a.Target(), Internal: a.Internal, Labels: map[string]string{key: fmt.Sprint(n)}}
	switch choice := s.rng.IntN(4); {
	case a.EUAccess:
		want.EUAccess = false
	case choice == 0:
		want.Shared = true
	case choice == 1:
		want.EUAccess = true
	}
	_, err = s.pool.Amend(ctx, protocol.AmendRequest{Supply: want, UID: a.UID})
	switch {
	case err == nil:
		s.written[name] = label{a.UID, fmt.Sprint(n)}
	case !errors.As(err, new(*account.SupplyError)):
		delete(s.written, name) // it may have been written
	}
	s.count(t, err, &s.tally.changed)
}

// renew takes a shared account out and puts it in again as one for a single tenant.
func (s *supplier) renew(t *testing.T, a account.Account) {
	t.Helper()
	s.spare[a.Name] = a.UID
	delete(s.written, a.Name)
	s.remove(t, a.Name)
	if s.spare[a.Name] == "" {
		s.add(t, a.Name)
	}
	if !strings.HasPrefix(a.Name, "spare-") {
		delete(s.spare, a.Name)
	}
}

func (s *supplier) add(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	ref := account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: s.Name, Name: name}
	made, err := s.pool.Add(ctx, account.Supply{
		Name: name, Target: account.Target{HyperscalerType: "aws"}, Credentials: account.Credentials{ProviderType: "aws", Ref: ref},
	})
	if err == nil {
		if s.spare[name] != "" {
			t.Errorf("%s was made twice", name)
		}
		s.spare[name] = made.Account.UID
	} else if errors.As(err, new(*account.ExistsError)) && s.spare[name] == "" { // of a call whose outcome was unknown: import it
		if there, err := s.pool.Supplied(ctx, name, ""); err == nil {
			s.spare[name] = there.Account.UID
		}
	}
	s.count(t, err, &s.tally.made)
}

func (s *supplier) remove(t *testing.T, name string) {
	t.Helper()
	uid := s.spare[name]
	if uid == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	err := s.pool.Remove(ctx, protocol.RemoveRequest{Name: name, UID: uid})
	if err == nil || errors.As(err, new(*account.NotFoundError)) {
		delete(s.spare, name)
		err = nil
	}
	s.count(t, err, &s.tally.removed)
}

// count counts what came of a call.
func (s *supplier) count(t *testing.T, err error, done *int) {
	t.Helper()
	switch {
	case err == nil:
		*done++
	case errors.As(err, new(*account.SupplyError)), errors.As(err, new(*account.ExistsError)),
		s.doubled && errors.As(err, new(*account.SameCredentialsError)): // the doubler has a binding to the same Secret just then
		s.tally.refused++
	case s.faults == 0 && !errors.As(err, new(*account.NotFoundError)):
		t.Errorf("without any fault: %v", err)
	default:
		s.tally.failed++
	}
}

// judge compares what the supplier heard with the account.
func (s *supplier) judge(t *testing.T) {
	t.Helper()
	key := fmt.Sprintf("supplier-%d", s.number)
	for _, a := range s.ListAccounts(t) {
		if written, known := s.written[a.Name]; known && written.uid == string(a.UID) && a.Labels[key] != written.value {
			t.Errorf("%s: label %s is %q in the end, and the supplier was answered that it is %q", a.Name, key, a.Labels[key], written.value)
		}
	}
	t.Logf("supplier %d: %s", s.number, s.tally)
}
