package account

import (
	"testing"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	living, suspended := Usage{Clusters: 1, Shoots: 1}, Usage{Clusters: 2, Instances: 2, Suspended: 2}
	for name, test := range map[string]struct {
		changes []func(*Account)
		usage   Usage
		want    Class
	}{
		"nothing known against it":               {nil, Usage{}, ClassFree},
		"with a record of the tenant":            {[]func(*Account){bearing("ga-1", "first")}, Usage{}, ClassFree},
		"with suspended clusters alone":          {nil, suspended, ClassFree},
		"with a living cluster":                  {nil, living, ClassOccupied},
		"with one, and a record of the tenant":   {[]func(*Account){bearing("ga-1", "first")}, living, ClassOccupied},
		"hidden from the broker":                 {[]func(*Account){unseen("dirty=false")}, Usage{}, ClassUnreachable},
		"hidden from the broker, and held":       {[]func(*Account){unseen("dirty=false"), heldBy("ga-1")}, Usage{}, ClassHeld},
		"hidden from the broker, with a cluster": {[]func(*Account){unseen("dirty=false")}, living, ClassOccupied},
		"labelled as held under another key":     {[]func(*Account){misread(ClassHeld)}, Usage{}, ClassUnclear},
		"in doubt, and hidden from the broker":   {[]func(*Account){misread(ClassDirty), unseen("dirty=false")}, Usage{}, ClassUnclear},
		"in doubt, with a cluster":               {[]func(*Account){misread(ClassShared)}, living, ClassOccupied},
		"held, and under another key by another": {[]func(*Account){misread(ClassHeld), heldBy("ga-1")}, Usage{}, ClassUnclear},
		"held, and shared under another key":     {[]func(*Account){misread(ClassShared), heldBy("ga-1")}, Usage{}, ClassUnclear},
		"held, and dirty under another key":      {[]func(*Account){misread(ClassDirty), heldBy("ga-1")}, Usage{}, ClassUnclear},
		"held, and internal under another key":   {[]func(*Account){misread(ClassInternal), heldBy("ga-1")}, Usage{}, ClassHeld},
		"held, and in doubt by another binding": {
			[]func(*Account){heldBy("ga-1"), twinned(anAccount("b", misread(ClassHeld)))}, Usage{}, ClassUnclear},
		"held, and by another binding, its key another": {
			[]func(*Account){heldBy("ga-1"), twinned(anAccount("b", func(a *Account) {
				a.Misread = []Misread{{Key: "other", Value: "ga-1", Says: ClassHeld}}
			}))}, Usage{}, ClassHeld},
		"in doubt by another binding":       {[]func(*Account){twinned(anAccount("b", misread(ClassHeld)))}, Usage{}, ClassUnclear},
		"another key that says nothing new": {[]func(*Account){misread("")}, Usage{}, ClassFree},
		"held":                              {[]func(*Account){heldBy("ga-1")}, living, ClassHeld},
		"held, and internal":                {[]func(*Account){heldBy("ga-1"), internal}, Usage{}, ClassHeld},
		"of another tenant":                 {[]func(*Account){heldBy("ga-2")}, living, ClassTaken},
		"of another tenant, and internal":   {[]func(*Account){heldBy("ga-2"), internal}, Usage{}, ClassTaken},
		"internal":                          {[]func(*Account){internal}, living, ClassInternal},
		"shared":                            {[]func(*Account){shared}, living, ClassShared},
		"shared, with a stray tenant":       {[]func(*Account){shared, heldBy("ga-1")}, Usage{}, ClassShared},
		"shared, and internal":              {[]func(*Account){shared, internal}, Usage{}, ClassInternal},
		"dirty":                             {[]func(*Account){dirty(Dirtied)}, living, ClassDirty},
		"dirty, and held":                   {[]func(*Account){dirty(Dirtied), heldBy("ga-1")}, Usage{}, ClassDirty},
		"dirty, and shared":                 {[]func(*Account){dirty(Dirtied), shared}, Usage{}, ClassDirty},
		"dirty in words":                    {[]func(*Account){dirty("maybe")}, Usage{}, ClassDirty},
		"quarantined":                       {[]func(*Account){dirty(Quarantined), heldBy("ga-1")}, Usage{}, ClassQuarantined},
		"being released":                    {[]func(*Account){dirty(Releasing), heldBy("ga-2")}, Usage{}, ClassReleasing},
		"being deleted, whatever else it is": {[]func(*Account){terminating, dirty(Dirtied), internal, heldBy("ga-1")}, living,
			ClassDeleting},
		"of no tenant, asked for by no tenant":    {nil, Usage{}, ClassFree},
		"being released, and of no tenant at all": {[]func(*Account){dirty(Releasing)}, Usage{}, ClassReleasing},
	} {
		parallel(t, name, func(t *testing.T) {
			a := anAccount("a", test.changes...)
			equal(t, "class", Classify(&a, test.usage, "ga-1"), test.want)
			without := Classify(&a, test.usage, "")
			if test.want == ClassTaken {
				equal(t, "class for no tenant", without, ClassHeld)
			} else {
				equal(t, "class for no tenant", without, test.want)
			}
		})
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	tally := Tally{ClassFree: 2, ClassHeld: 1, ClassTaken: 3, ClassDirty: 2, ClassReleasing: 1, ClassQuarantined: 1, ClassDeleting: 1}
	equal(t, "total, held, dirty", []int{tally.Total(), tally.Held(), tally.Dirty()}, []int{11, 4, 4})
	equal(t, "text", tally.String(), "free 2, held 4, dirty 2, internal 0, quarantined 1, releasing 1, deleting 1")
	equal(t, "empty", Tally{}.String(), "free 0, held 0, dirty 0, internal 0")
	equal(t, "classes", len(Classes()), 14)
}
