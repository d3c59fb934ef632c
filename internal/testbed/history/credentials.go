package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// bindingState is what an object that refers to credentials says, and since when. Objects with the same credentials are one cloud account.
type bindingState struct {
	credentials, tenant, dirty string
	shared                     bool
	since                      time.Time            // since when it says all this
	shoots                     map[string]time.Time // that name it, and since when
}

// noteBinding follows what an object says.
func (c *checker) noteBinding(s *step) {
	if s.event == Deleted {
		delete(c.bindings, s.name)
		return
	}
	b := c.bindings[s.name]
	if b == nil {
		b = &bindingState{credentials: s.credentials, since: s.at, shoots: map[string]time.Time{}}
		c.bindings[s.name] = b
	}
	for _, e := range s.labels {
		switch e.key {
		case testbed.LabelTenant:
			b.tenant, b.since = e.after(), s.at
		case testbed.LabelDirty:
			b.dirty, b.since = e.after(), s.at
		case testbed.LabelShared:
			b.shared, b.since = e.after() == testbed.LabelTrue, s.at
		}
	}
}

// comeToBinding notes that a Shoot names a binding.
func (c *checker) comeToBinding(s *step) {
	if b := c.bindings[s.account]; b != nil {
		b.shoots[s.name] = s.at
	}
}

func (c *checker) leaveBinding(binding, shoot string) {
	if b := c.bindings[binding]; b != nil {
		delete(b.shoots, shoot)
	}
}

// judgeCredentials finds accounts that are taken, marked or freed although another binding of their credentials forbids it: I8. What
// has come to be so after the list was begun that the write went by cannot be held against it.
func (c *checker) judgeCredentials(w *write) {
	takes := w.oldTenant == "" && w.tenant != ""
	marks := w.oldDirty != testbed.LabelTrue && w.dirty == testbed.LabelTrue
	frees := w.oldTenant != "" && w.tenant == ""
	if w.request == nil || w.event != Modified || !takes && !marks && !frees {
		return
	}
	tenant := w.oldTenant
	if takes {
		tenant = w.tenant
	}
	for _, name := range slices.Sorted(maps.Keys(c.bindings)) {
		b := c.bindings[name]
		if own := c.bindings[w.name]; name == w.name || own == nil || own.credentials == "" || b.credentials != own.credentials {
			continue
		}
		if why, since := b.forbids(tenant, takes); why != "" {
			if age, known := ListAge(c.log, *w.request); known && !age.Spoilt && since.Before(age.Began) {
				c.violates(w, I8, "tenant %q -> %q, dirty %q -> %q, and %s, which has the same credentials, %s",
					w.oldTenant, w.tenant, w.oldDirty, w.dirty, name, why)
			}
		}
	}
}

// forbids says why the cloud account must not be taken for a tenant, or given back by it; "" = nothing does.
func (b *bindingState) forbids(tenant string, takes bool) (why string, since time.Time) {
	switch {
	case b.tenant != "" && b.tenant != tenant:
		return "is held by " + b.tenant, b.since
	case b.shared:
		return "is shared", b.since
	case takes && b.dirty != "" && b.dirty != "false":
		return "is dirty=" + b.dirty, b.since
	case takes && b.tenant == tenant: // its clusters are the tenant's
		return "", time.Time{}
	}
	for _, came := range b.shoots {
		if why == "" || came.Before(since) {
			why, since = fmt.Sprintf("is named by %s", strings.Join(slices.Sorted(maps.Keys(b.shoots)), ", ")), came
		}
	}
	return why, since
}
