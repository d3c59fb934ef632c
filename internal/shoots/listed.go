package shoots

import (
	"context"
	"sync"
	"time"
)

const (
	// fewReads is how many Shoots are read one by one before all are listed: a namespace may have thousands that are not asked for.
	fewReads = 3
	// listAge is how old a list may be that answers a read.
	listAge = 5 * time.Second
)

// listed is the list that many reads share.
type listed struct {
	mu    sync.Mutex // also held while the list is read: one reads it, and the others wait for it
	reads int
	at    time.Time // when the list was begun, or when it had failed; zero = there is none
	err   error     // why it failed: those that waited for it do not all try again
	all   map[string]Shoot
}

// Read reads a Shoot for a refresh. The first few are read by themselves; where there are more, one list answers all.
//
// Errors: those of [Shoots.Get].
func (s *Shoots) Read(ctx context.Context, name string) (Shoot, error) {
	if !s.listed.many() {
		return s.Get(ctx, name)
	}
	all, err := s.listed.recent(ctx, s.All)
	if err != nil {
		return Shoot{}, err
	}
	if shoot, found := all[name]; found {
		return shoot, nil
	}
	return s.Get(ctx, name) // it may be younger than the list
}

// recent returns a list that is not too old.
func (l *listed) recent(ctx context.Context, list func(context.Context) ([]Shoot, error)) (map[string]Shoot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.at) <= listAge {
		return l.all, l.err
	}
	begun := time.Now()
	all, err := list(ctx)
	if err != nil {
		if ctx.Err() == nil { // otherwise it is this reader's time that was too short
			l.at, l.err, l.all = time.Now(), err, nil
		}
		return nil, err
	}
	l.at, l.err, l.all = begun, nil, make(map[string]Shoot, len(all))
	for i := range all {
		l.all[all[i].Name] = all[i]
	}
	return l.all, nil
}

// many counts a read, and reports whether it is one of many.
func (l *listed) many() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	return l.reads > fewReads
}
