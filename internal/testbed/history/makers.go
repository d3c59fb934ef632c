package history

import "github.com/hap-project/terraform-provider-hap/internal/testbed/fault"

// byHand is the client of revisions that no exchange has made.
const byHand = "by hand"

// makers knows which request has made which revision of an account.
type makers struct {
	answered map[uint64][]*fault.Exchange  // by the version they made
	open     map[claimAt][]*fault.Exchange // by the version they replace: their answer never came
	deletes  map[string][]*fault.Exchange  // by account
	made     map[*fault.Exchange]*step     // what each has made
}

func newMakers(namespace string, log []fault.Exchange) *makers {
	m := &makers{
		answered: map[uint64][]*fault.Exchange{}, open: map[claimAt][]*fault.Exchange{}, deletes: map[string][]*fault.Exchange{},
		made: map[*fault.Exchange]*step{},
	}
	for i := range log {
		e := &log[i]
		if !e.Writes() || e.Resource != "credentialsbindings" || e.Namespace != namespace {
			continue
		}
		switch {
		case e.Result != "" && e.Committed():
			m.answered[number(e.Result)] = append(m.answered[number(e.Result)], e)
		case e.Verb == "delete" && (e.Committed() || e.Code == 0):
			m.deletes[e.Name] = append(m.deletes[e.Name], e)
		case e.Committed() || e.Code == 0:
			at := claimAt{e.Name, number(e.Version)}
			m.open[at] = append(m.open[at], e)
		}
	}
	return m
}

// of returns the request that has made a step, nil for none. before is the version that the step replaces.
func (m *makers) of(s *step, before uint64) *fault.Exchange {
	e := m.find(s, before)
	if e != nil {
		m.made[e] = s
	}
	delete(m.answered, s.version) // what is left in the end has no revision
	return e
}

func (m *makers) find(s *step, before uint64) *fault.Exchange {
	var found *fault.Exchange
	for _, e := range m.answered[s.version] {
		// A write that changes nothing is answered with a version that another write has made.
		if e.Name != "" && e.Name != s.name || e.Version == e.Result {
			continue
		}
		if found == nil || number(e.Version) == before && number(found.Version) != before {
			found = e
		}
	}
	if found != nil {
		return found
	}
	if s.event == Deleted {
		return m.deletion(s, before)
	}
	for _, e := range m.open[claimAt{s.name, before}] {
		if explains(e.Verb, e.Labels, s.labels) && explains(e.Verb, e.Annotations, s.annotations) {
			return e
		}
	}
	return nil
}

// deletion returns the request that has deleted an account: best one for that version, for a name may be given again and
// again, and of each object several deletes may have been sent.
func (m *makers) deletion(s *step, before uint64) (found *fault.Exchange) {
	for _, e := range m.deletes[s.name] {
		switch {
		case m.made[e] != nil || e.UID != "" && e.UID != s.uid:
		case number(e.Version) == before:
			return e
		case found == nil:
			found = e
		}
	}
	return found
}

// explains reports whether a body asks for all that was changed.
func explains(verb string, asked map[string]*string, edits []edit) bool {
	for _, e := range edits {
		value, named := asked[e.key]
		switch {
		case e.new != nil && (value == nil || *value != *e.new):
			return false
		case e.new == nil && value != nil:
			return false
		case e.new == nil && !named && verb != "update":
			return false
		}
	}
	return true
}
