package fault

import (
	"fmt"
	"slices"
	"strconv"
)

// versionSlack is how many more writes are read, as the log is in the order of asking, not of committing.
const versionSlack = 64

// Stale answers a list with what there was at an earlier resourceVersion (see [testbed.Namespace.Version]): the Garden itself is
// asked for exactly that version, so the answer comes in any encoding, and the pages that follow are of it as well. The
// server forgets versions after five to ten minutes; then it answers 410.
func Stale(version string) Fault {
	return Fault{name: "Stale(" + version + ")", verbs: []string{"list"}, serve: func(f *flight) { f.forwardAsOf(version) }}
}

// StaleBy answers a list with what there was before the last writes of the resource that came through this proxy: as many of
// them as the number says. If there were fewer the list is as of now.
func StaleBy(writes int) Fault {
	return Fault{name: fmt.Sprintf("StaleBy(%d)", writes), verbs: []string{"list"}, serve: func(f *flight) {
		f.forwardAsOf(f.proxy.versionBefore(writes, f.seen()))
	}}
}

// forwardAsOf asks for a list of an earlier version; "" = of now.
func (f *flight) forwardAsOf(version string) {
	if version != "" {
		query := f.r.URL.Query()
		query.Set("resourceVersion", version)
		query.Set("resourceVersionMatch", "Exact")
		f.r.URL.RawQuery = query.Encode()
	}
	f.forward()
}

// versionBefore is the resourceVersion just before the last committed writes of a resource in a namespace; "" = unknown.
func (p *Proxy) versionBefore(writes int, list Exchange) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var versions []uint64
	for _, x := range slices.Backward(p.log) {
		if len(versions) > writes+versionSlack {
			break
		}
		if x.Resource != list.Resource || x.Namespace != list.Namespace || !x.Committed() {
			continue
		}
		if version, err := strconv.ParseUint(x.Result, 10, 64); err == nil {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	if len(versions) < writes || writes < 1 {
		return ""
	}
	// The version just before a write is one less: versions are numbered through over the whole store.
	return strconv.FormatUint(versions[len(versions)-writes]-1, 10)
}
