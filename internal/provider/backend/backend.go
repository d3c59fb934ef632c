package backend

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kubeconn"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// readTimeout bounds what only reads, where the configuration does not say.
const ReadTimeout = 2 * time.Minute

// previewTimeout bounds a look that is a courtesy.
const PreviewTimeout = 10 * time.Second

// backend is the way from the provider block to the pool. It is built at the first use, so that what needs no cluster
// works without one, and shared by all resources, so that they share one view of the pool.
type Backend struct {
	Settings kubeconn.Settings
	Getenv   func(string) string
	Policy   pool.Policy
	Agent    string
	AccountSettings
	Counting Counting
	// unknown names the provider attributes whose values are known only after an apply.
	Unknown []string
	// policyUnknown says that multi_account is known only after an apply: accounts can be read, but none selected.
	PolicyUnknown bool
	// releases collects what the deletes of this run warn of.
	Releases *releaseWarnings
	// grace is how long the fence of a release stands before the last look, see pool.ReleaseRequest.
	Grace time.Duration

	mu     sync.Mutex
	opened *pool.Pool
	client *garden.Garden
	// counts is who counts the clusters, once the pool is opened.
	counts pool.Source
	// host is the API server, once the pool is opened.
	host string
	// source says where the connection came from, and which variables were set in vain.
	source string
	// blind is set when a best-effort look at the pool has failed: the others need not try.
	blind  bool
	limits limitsSeen
	// declared are the claims that were planned so far. Terraform configures the provider anew for each plan and apply.
	declared map[pool.Identity]bool
	// told is what was said once and need not be said again.
	told map[string]bool
	// refreshed are the IDs of the rule sets that this run has read.
	refreshed map[string]bool
	// kept and ended are the claims that stand and of which the plan keeps or destroys an object of the state.
	kept, ended map[pool.Identity]bool
}

// keep notes that a claim is kept; true = an object of it is being destroyed, too.
func (b *Backend) Keep(id pool.Identity) (clash bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note(&b.kept, id)
	return b.ended[id]
}

// end notes that a claim is destroyed; true = an object of it is being kept, too.
func (b *Backend) End(id pool.Identity) (clash bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note(&b.ended, id)
	return b.kept[id]
}

func note[K comparable](set *map[K]bool, key K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[key] = true
}

// noteRefreshed notes that this run has read a rule set of the state.
func (b *Backend) NoteRefreshed(ruleSet string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note(&b.refreshed, ruleSet)
}

// wasRefreshed reports whether this run has read a rule set of the state. The plan that follows is made by the same
// process; an apply has another one.
func (b *Backend) WasRefreshed(ruleSet string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refreshed[ruleSet]
}

// declare notes a claim of the configuration; false = it was there already.
func (b *Backend) Declare(id pool.Identity) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.declared[id] {
		return false
	}
	note(&b.declared, id)
	return true
}

// tellOnce reports whether something is to be said now: what many resources would say alike is said by the first.
func (b *Backend) TellOnce(what ...string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.Join(what, "\x00")
	if b.told[key] {
		return false
	}
	if b.told == nil {
		b.told = map[string]bool{}
	}
	b.told[key] = true
	return true
}

// unknownSettingsError says that a setting cannot be known yet.
type UnknownSettingsError struct{ Attributes []string }

func (e *UnknownSettingsError) Error() string {
	return "the provider's " + strings.Join(e.Attributes, ", ") + " will be known only after apply"
}

// pool returns the pool that the provider block leads to. It does not dial.
func (b *Backend) Pool() (*pool.Pool, error) {
	if len(b.Unknown) > 0 {
		return nil, &UnknownSettingsError{b.Unknown}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened != nil {
		return b.opened, nil
	}
	settings, err := kubeconn.FromEnvironment(b.Getenv, b.Settings)
	if err != nil {
		return nil, err
	}
	connection, err := kubeconn.Resolve(settings, b.Agent)
	if err != nil {
		return nil, err
	}
	journal.LogRequests(connection)
	b.host = connection.Config.Host
	g, err := garden.NewOf(b.Kind, connection.Config, connection.Namespace, b.Keys)
	if err != nil {
		return nil, err
	}
	b.source = connection.Source
	if vain := settings.NotRead(); len(vain) > 0 {
		b.source += "; not read: " + strings.Join(vain, ", ")
	}
	counter, source, err := b.Counting.Open(g, b.Getenv)
	if err != nil {
		return nil, err
	}
	b.counts = source
	b.client = g
	b.opened = pool.New(connection.Namespace, journal.LogStore(g), counter, b.Policy)
	return b.opened, nil
}

// garden returns the connection behind the pool, for what is no business of the pool's.
func (b *Backend) Garden() (*garden.Garden, error) {
	if _, err := b.Pool(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.client, nil
}

// selecting returns the pool for somebody who is going to select an account.
func (b *Backend) Selecting() (*pool.Pool, error) {
	if b.PolicyUnknown {
		return nil, &UnknownSettingsError{[]string{"multi_account"}}
	}
	return b.Pool()
}

// where names the namespace and the connection in messages, as far as they are known.
func (b *Backend) Where() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened == nil {
		return ""
	}
	return fmt.Sprintf(" in namespace %s (connection from %s)", b.opened.Namespace(), b.source)
}

// preview asks for a decision as a courtesy at plan time: after the first failure nobody waits again.
func (b *Backend) Preview(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	b.mu.Lock()
	blind := b.blind
	b.mu.Unlock()
	if blind {
		return pool.Decision{}, errBlind
	}
	d, err := b.Decide(ctx, target, globalAccount)
	if err != nil && !Refused(err) {
		b.mu.Lock()
		b.blind = true
		b.mu.Unlock()
	}
	return d, err
}

func (b *Backend) Decide(ctx context.Context, target pool.Target, globalAccount string) (pool.Decision, error) {
	p, err := b.Selecting()
	if err != nil {
		return pool.Decision{}, err
	}
	d, err := p.Preview(ctx, target, globalAccount)
	journal.LogDecision(ctx, target, globalAccount, d, err)
	return d, b.LookAround(ctx, err)
}

// errBlind stands for a best-effort look that was not taken, because an earlier one had failed.
var errBlind = errors.New("the pool was not looked at")

// isRefusal reports whether the pool answered, with a no.
func Refused(err error) bool {
	var exhausted *pool.ExhaustedError
	var guard *pool.GuardError
	return errors.As(err, &exhausted) || errors.As(err, &guard)
}

// willFail reports whether an apply would meet the same error as the plan: not where the plan merely had no time, or
// where settings will be known by then.
func WillFail(err error) bool {
	return err != nil && !Refused(err) && !errors.Is(err, errBlind) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) &&
		!errors.As(err, new(*UnknownSettingsError))
}

// accountSettings say what the accounts are and how they are labelled.
type AccountSettings struct {
	Kind garden.Kind
	Keys garden.LabelKeys
	// keysUnknown says that the keys are known only after an apply.
	KeysUnknown bool
}

// backendFrom takes the backend that Configure has handed on; nil before Configure has run.
func From(data any) (*Backend, error) {
	if data == nil {
		return nil, nil //nolint:nilnil // the framework configures twice, the first time with nothing
	}
	b, ok := data.(*Backend)
	if !ok {
		return nil, fmt.Errorf("expected *backend, got %T. Please report this issue to the provider developers", data)
	}
	return b, nil
}
