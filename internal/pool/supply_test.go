package pool

import (
	"context"
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// supplyOf is what the owner says of the account a of pool aws, with changes.
func supplyOf(changes ...func(*account.Supply)) account.Supply {
	s := account.Supply{
		Name: "a", Target: aws,
		Credentials: account.Credentials{ProviderType: "aws", Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-a"}},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func asShared(s *account.Supply) { s.Shared = true }

func asEU(s *account.Supply) { s.EUAccess = true }

func asInternal(s *account.Supply) { s.Internal = true }

func ofGCP(s *account.Supply) { s.HyperscalerType = "gcp" }

func aside(s *account.Supply) { s.Quarantine = "why" }

func labelled(labels ...string) func(*account.Supply) {
	return func(s *account.Supply) {
		s.Labels = map[string]string{}
		for i := 0; i+1 < len(labels); i += 2 {
			s.Labels[labels[i]] = labels[i+1]
		}
	}
}

// quarantined is an account that its owner has put aside, and whose label says this by now.
func quarantined(d account.Dirt) func(*account.Account) {
	return func(a *account.Account) { a.Dirty, a.Quarantine = d, "why" }
}

func saying(labels ...string) func(*account.Account) {
	return func(a *account.Account) {
		a.Labels = map[string]string{}
		for i := 0; i+1 < len(labels); i += 2 {
			a.Labels[labels[i]] = labels[i+1]
		}
	}
}

func sayingNo(flags ...account.Flag) func(*account.Account) {
	return func(a *account.Account) { a.FalseFlags = flags }
}

func (w *world) amend(p *Pool, supply account.Supply, written ...string) error {
	_, err := p.Amend(context.Background(), protocol.AmendRequest{Supply: supply, UID: w.at("a").UID, Labels: written})
	return err
}

// What is written of a change, and what refuses it: the plan says the same and writes nothing. What hides an unclaimed account from the
// broker is not taken away while clusters are on it: they may be another tenant's.
func TestAmend(t *testing.T) {
	t.Parallel()
	tenant := account.SupplyError{Obstacle: account.ObstacleTenant, Tenant: "ga-1"}
	internalTenant := account.SupplyError{Obstacle: account.ObstacleTenant, Tenant: "ga-1", Internal: true}
	against := func(o account.Obstacle) account.SupplyError { return account.SupplyError{Obstacle: o} }
	at := func(e account.SupplyError, part account.Part) *account.SupplyError {
		e.Account, e.Part = "a", part
		return &e
	}
	for name, test := range map[string]struct {
		account []func(*account.Account)
		supply  account.Supply
		written []string // labels that the owner has written before
		users   int
		writes  string
		refusal *account.SupplyError
	}{
		"nothing":                         {nil, supplyOf(), nil, 0, "", nil},
		"nothing, held and used":          {[]func(*account.Account){heldBy("ga-1")}, supplyOf(), nil, 3, "", nil},
		"a flag":                          {nil, supplyOf(asEU), nil, 0, "a euAccess", nil},
		"all flags":                       {nil, supplyOf(asEU, asShared, asInternal), nil, 0, "a euAccess internal shared", nil},
		"a flag less":                     {[]func(*account.Account){internal}, supplyOf(), nil, 0, "a -internal", nil},
		"shared no more":                  {[]func(*account.Account){shared}, supplyOf(), nil, 0, "", at(against(account.ObstacleBroker), account.PartShared)},
		"shared no more, and aside":       {[]func(*account.Account){shared}, supplyOf(aside), nil, 0, "", at(against(account.ObstacleBroker), account.PartShared)},
		"shared no more, held":            {[]func(*account.Account){shared, heldBy("ga-1")}, supplyOf(), nil, 0, "", at(tenant, account.PartShared)},
		"a type":                          {nil, supplyOf(ofGCP), nil, 0, "a type=gcp", nil},
		"labels":                          {[]func(*account.Account){saying("b", "1", "c", "2", "x", "y")}, supplyOf(labelled("a", "1", "b", "2")), []string{"b", "c", "d"}, 0, "a a=1 b=2 -c", nil},
		"labels of others":                {[]func(*account.Account){saying("x", "y")}, supplyOf(), nil, 0, "", nil},
		"a label that is there":           {[]func(*account.Account){saying("a", "1")}, supplyOf(labelled("a", "1")), nil, 0, "", nil},
		"flags that say no":               {[]func(*account.Account){sayingNo(account.FlagEUAccess, account.FlagShared)}, supplyOf(), nil, 0, "a -euAccess -shared", nil},
		"flags that say no, held":         {[]func(*account.Account){heldBy("ga-1"), sayingNo(account.FlagEUAccess)}, supplyOf(), nil, 2, "a -euAccess", nil},
		"flags that say no, used":         {[]func(*account.Account){sayingNo(account.FlagEUAccess)}, supplyOf(), nil, 1, "", at(against(account.ObstacleClusters), account.PartEUAccess)},
		"back, used":                      {[]func(*account.Account){quarantined(account.Quarantined)}, supplyOf(), nil, 1, "", at(against(account.ObstacleClusters), account.PartQuarantine)},
		"flags that say no, to be set":    {[]func(*account.Account){sayingNo(account.FlagEUAccess)}, supplyOf(asEU), nil, 0, "a euAccess", nil},
		"aside":                           {nil, supplyOf(aside), nil, 0, "a dirty=quarantine quarantine=why", nil},
		"aside, held and used":            {[]func(*account.Account){heldBy("ga-1")}, supplyOf(aside), nil, 2, "a dirty=quarantine quarantine=why", nil},
		"aside by hand before":            {[]func(*account.Account){dirty(account.Quarantined)}, supplyOf(aside), nil, 0, "a quarantine=why", nil},
		"aside, label gone":               {[]func(*account.Account){quarantined(account.Clean)}, supplyOf(aside), nil, 0, "a dirty=quarantine", nil},
		"aside, dirty since":              {[]func(*account.Account){quarantined(account.Dirtied)}, supplyOf(aside), nil, 0, "", nil},
		"back":                            {[]func(*account.Account){quarantined(account.Quarantined)}, supplyOf(), nil, 0, "a dirty=clean quarantine=", nil},
		"back, held":                      {[]func(*account.Account){heldBy("ga-1"), quarantined(account.Quarantined)}, supplyOf(), nil, 1, "a dirty=clean quarantine=", nil},
		"back, dirty since":               {[]func(*account.Account){quarantined(account.Dirtied)}, supplyOf(), nil, 0, "a quarantine=", nil},
		"back, releasing since":           {[]func(*account.Account){heldBy("ga-1"), quarantined(account.Releasing)}, supplyOf(), nil, 0, "a quarantine=", nil},
		"back, put aside by hand":         {[]func(*account.Account){dirty(account.Quarantined)}, supplyOf(), nil, 0, "", nil},
		"back and shared":                 {[]func(*account.Account){quarantined(account.Quarantined)}, supplyOf(asShared), nil, 0, "a dirty=clean shared quarantine=", nil},
		"label, used":                     {nil, supplyOf(labelled("a", "1")), nil, 2, "a a=1", nil},
		"internal, used":                  {nil, supplyOf(asInternal), nil, 2, "a internal", nil},
		"label, dirty":                    {[]func(*account.Account){dirty(account.Dirtied)}, supplyOf(labelled("a", "1")), nil, 0, "a a=1", nil},
		"shared, held":                    {[]func(*account.Account){heldBy("ga-1")}, supplyOf(asShared), nil, 0, "", at(tenant, account.PartShared)},
		"EU access, held":                 {[]func(*account.Account){heldBy("ga-1")}, supplyOf(asEU), nil, 0, "", at(tenant, account.PartEUAccess)},
		"internal no more, held":          {[]func(*account.Account){heldBy("ga-1"), internal}, supplyOf(), nil, 0, "", at(internalTenant, account.PartInternal)},
		"internal, held":                  {[]func(*account.Account){heldBy("ga-1")}, supplyOf(asInternal), nil, 0, "", at(tenant, account.PartInternal)},
		"label, held":                     {[]func(*account.Account){heldBy("ga-1")}, supplyOf(labelled("a", "1")), nil, 0, "", at(tenant, account.PartLabels)},
		"type, held":                      {[]func(*account.Account){heldBy("ga-1")}, supplyOf(ofGCP), nil, 0, "", at(tenant, account.PartType)},
		"aside and labelled, held":        {[]func(*account.Account){heldBy("ga-1")}, supplyOf(aside, labelled("a", "1")), nil, 0, "", at(tenant, account.PartLabels)},
		"aside, dirty":                    {[]func(*account.Account){dirty(account.Dirtied)}, supplyOf(aside), nil, 0, "", at(against(account.ObstacleDirty), account.PartQuarantine)},
		"aside, dirty in words":           {[]func(*account.Account){dirty("maybe")}, supplyOf(aside), nil, 0, "", at(against(account.ObstacleDirty), account.PartQuarantine)},
		"aside, releasing":                {[]func(*account.Account){dirty(account.Releasing)}, supplyOf(aside), nil, 0, "", at(against(account.ObstacleReleasing), account.PartQuarantine)},
		"aside, shared":                   {[]func(*account.Account){shared}, supplyOf(aside, asShared), nil, 0, "", at(against(account.ObstacleShared), account.PartQuarantine)},
		"aside for another reason, dirty": {[]func(*account.Account){quarantined(account.Dirtied)}, supplyOf(func(s *account.Supply) { s.Quarantine = "other" }), nil, 0, "", at(against(account.ObstacleDirty), account.PartQuarantine)},
		"shared, dirty":                   {[]func(*account.Account){dirty(account.Dirtied)}, supplyOf(asShared), nil, 0, "", at(against(account.ObstacleDirty), account.PartShared)},
		"shared, releasing":               {[]func(*account.Account){dirty(account.Releasing)}, supplyOf(asShared), nil, 0, "", at(against(account.ObstacleReleasing), account.PartShared)},
		"shared, put aside by hand":       {[]func(*account.Account){dirty(account.Quarantined)}, supplyOf(asShared), nil, 0, "", at(against(account.ObstacleDirty), account.PartShared)},
		"shared, used":                    {nil, supplyOf(asShared), nil, 1, "", at(against(account.ObstacleClusters), account.PartShared)},
		"shared no more, used":            {[]func(*account.Account){shared}, supplyOf(), nil, 1, "", at(against(account.ObstacleBroker), account.PartShared)},
		"shared, with a void record":      {[]func(*account.Account){bearing("ga-1", "first")}, supplyOf(asShared), nil, 0, "", &account.SupplyError{Account: "a", Part: account.PartShared, Obstacle: account.ObstacleRecords, Claims: []string{"first of ga-1"}}},
		"EU access, with a void record":   {[]func(*account.Account){bearing("ga-1", "first")}, supplyOf(asEU), nil, 0, "a euAccess", nil},
		"type, used":                      {nil, supplyOf(ofGCP), nil, 1, "", at(against(account.ObstacleClusters), account.PartType)},
		"label, being deleted":            {[]func(*account.Account){terminating}, supplyOf(labelled("a", "1")), nil, 0, "", at(against(account.ObstacleDeleting), account.PartLabels)},
		"nothing, being deleted":          {[]func(*account.Account){terminating}, supplyOf(), nil, 0, "", nil},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account...))
			w.counter.fill("a", test.users)
			req := protocol.AmendRequest{Supply: test.supply, UID: w.at("a").UID, Labels: test.written}
			planned := w.pool().MayAmend(t.Context(), req)
			w.wantWrites(t)
			_, err := w.pool().Amend(t.Context(), req)
			for what, err := range map[string]error{"plan": planned, "apply": err} {
				if test.refusal == nil {
					equal(t, what, err, nil)
					continue
				}
				got := as[*account.SupplyError](t, err)
				got.Users = nil
				equal(t, what, got, test.refusal)
			}
			if test.writes == "" {
				w.wantWrites(t)
				return
			}
			w.wantWrites(t, test.writes)
			equal(t, "once more", w.amend(w.pool(), test.supply, test.written...), nil)
			w.wantWrites(t, test.writes)
		})
	}
}

// An account of another UID is not the owner's, and where the users cannot be counted nothing is moved.
func TestAmendIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"))
	_, err := w.pool().Amend(t.Context(), protocol.AmendRequest{Supply: supplyOf(asEU), UID: "uid-0"})
	wantError[*account.NotFoundError](t, err)
	wantError[*account.NotFoundError](t, w.amend(w.pool(), supplyOf(asEU, func(s *account.Supply) { s.Name = "b" })))
	down := &account.UnreachableError{Verb: "list", Resource: "shoots", Err: errCut}
	w.counter.at("count", 4, fault{answer: down}) // each call begins with a count, and this one counts the clusters once more
	equal(t, "error", as[*account.UnreachableError](t, w.amend(w.pool(), supplyOf(asEU))), down)
	w.wantWrites(t)
}

func TestAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := w.pool().Add(t.Context(), supplyOf(asEU, labelled("a", "1"), aside))
	equal(t, "error", err, nil)
	equal(t, "class", []any{s.Class, s.Clusters}, []any{account.ClassQuarantined, 0})
	equal(t, "account", s.Account, w.at("a"))
	w.wantWrites(t, "a made")

	for name, test := range map[string]struct {
		supply account.Supply
		same   bool
	}{"the same": {supplyOf(asEU, labelled("a", "1"), aside), true}, "another": {supplyOf(), false}} {
		for what, err := range map[string]error{
			"plan": w.pool().MayAdd(t.Context(), test.supply, ""), "apply": errorOf(w.pool().Add(t.Context(), test.supply)),
		} {
			equal(t, name+", "+what, as[*account.ExistsError](t, err), &account.ExistsError{Account: "a", Same: test.same})
		}
	}
	equal(t, "to be replaced", w.pool().MayAdd(t.Context(), supplyOf(), w.at("a").UID), nil)
	w.labelled = true
	equal(t, "an object of the user's, to be replaced", w.pool().MayAdd(t.Context(), supplyOf(), w.at("a").UID), nil)
	w.labelled = false
	equal(t, "shared and aside", as[*account.SupplyError](t, errorOf(w.pool().Add(t.Context(), supplyOf(asShared, aside)))).Obstacle, account.ObstacleShared)
	w.wantWrites(t, "a made")
}

func errorOf(_ Supplied, err error) error { return err }

// An account that clusters name is not made: it would be free under them. A count that is older than their end does not hold it up.
func TestAdd_underClusters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.counter.fill("a", 1)
	p := w.pool()
	for what, err := range map[string]error{
		"plan": p.MayAdd(t.Context(), supplyOf(), ""), "apply": errorOf(p.Add(t.Context(), supplyOf())),
	} {
		want := &account.SupplyError{Account: "a", Obstacle: account.ObstacleNamed, Users: []account.User{{Kind: "Shoot", Name: "a-001"}}}
		equal(t, what, as[*account.SupplyError](t, err), want)
	}
	w.wantWrites(t)
	w.counter.clear("a")
	equal(t, "error", errorOf(p.Add(t.Context(), supplyOf())), nil)
	w.wantWrites(t, "a made")
}

// userSecret is an object of the user's that is no account yet.
func userSecret(changes ...func(*account.Account)) account.Account {
	return anAccount("a", append([]func(*account.Account){func(a *account.Account) { a.HyperscalerType = "" }}, changes...)...)
}

// Where accounts are objects of the user's, labels make one an account, and are taken off it in the end.
func TestAddAndRemoveLabelsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, userSecret(saying("x", "y"), sayingNo(account.FlagEUAccess)))
	w.labelled = true
	equal(t, "plan", w.pool().MayAdd(t.Context(), supplyOf(labelled("a", "1"), aside), ""), nil)
	_, err := w.pool().Add(t.Context(), supplyOf(labelled("a", "1"), aside))
	equal(t, "error", err, nil)
	err = w.pool().Remove(t.Context(), protocol.RemoveRequest{Name: "a", UID: w.at("a").UID, Labels: []string{"a"}})
	equal(t, "error", err, nil)
	w.wantWrites(t, "a dirty=quarantine type=aws -euAccess a=1 quarantine=why", "a dirty=clean type= -a quarantine=")
	equal(t, "labels", w.at("a").Labels, map[string]string{"x": "y"})
	equal(t, "once more", w.pool().Remove(t.Context(), protocol.RemoveRequest{Name: "a", UID: w.at("a").UID, Labels: []string{"a"}}), nil)

	for name, test := range map[string]struct {
		secret []account.Account
		users  int
		error  func(t *testing.T, err error)
	}{
		"missing":     {nil, 0, wantError[*account.NoCredentialsError]},
		"an account":  {[]account.Account{anAccount("a")}, 0, wantError[*account.ExistsError]},
		"going":       {[]account.Account{anAccount("a", terminating)}, 0, wantError[*account.ExistsError]},
		"with tenant": {[]account.Account{userSecret(heldBy("ga-1"))}, 0, wantError[*account.SupplyError]},
		"used":        {[]account.Account{userSecret()}, 1, wantError[*account.SupplyError]},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.secret...)
			w.labelled = true
			w.counter.fill("a", test.users)
			test.error(t, w.pool().MayAdd(t.Context(), supplyOf(), ""))
			test.error(t, errorOf(w.pool().Add(t.Context(), supplyOf())))
			w.wantWrites(t)
		})
	}
}

func TestSupplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1")), anAccount("b", func(a *account.Account) { a.HyperscalerType = "gcp" }), anAccount("c"))
	w.counter.fill("a", 2)
	p := w.pool()
	s, err := p.Supplied(t.Context(), "a", w.at("a").UID)
	equal(t, "a", []any{s.Class, s.Clusters, s.Account.Tenant, err}, []any{account.ClassHeld, 2, "ga-1", nil})
	for _, name := range []string{"b", "c"} {
		_, err = p.Supplied(t.Context(), name, w.at(name).UID)
		equal(t, name, err, nil)
	}
	equal(t, "calls", fmt.Sprint(w.called("list"), w.called("get")), "1 0")
	s, err = p.Supplied(t.Context(), "a", "")
	equal(t, "read anew", []any{s.Account, err}, []any{w.at("a"), nil})
	for name, uid := range map[string]string{"a": "uid-0", "d": "uid-1", "e": ""} {
		_, err := p.Supplied(t.Context(), name, uid)
		wantError[*account.NotFoundError](t, err)
	}
	for hyperscalerType, want := range map[string]string{"": "[a b c]", "gcp": "[b]", "azure": "[]"} {
		accounts, err := p.Accounts(t.Context(), hyperscalerType)
		all := []string{}
		for _, a := range accounts {
			all = append(all, a.Name)
		}
		equal(t, hyperscalerType, []any{fmt.Sprint(all), err}, []any{want, nil})
	}
}

// An account that another one puts into the pool at the same moment is not taken for ours, and one of ours whose answer was lost is.
func TestAddMeetsTrouble(t *testing.T) {
	t.Parallel()
	made := []string{"a made"}
	for name, test := range map[string]struct {
		arrange func(w *world, cancel func())
		want    func(t *testing.T, err error) // nil = there is none
		writes  []string
		next    bool // the next run finds the account, and says that it is the same
	}{
		"busy": {func(w *world, _ func()) {
			w.on("create", 1, fault{answer: &account.BusyError{Account: "a", Err: errCut}})
		}, nil, made, true},
		"another is quicker": {func(w *world, _ func()) {
			w.on("create", 1, fault{before: func() { w.create(anAccount("a", internal)) }})
		},
			wantError[*account.ExistsError], nil, false},
		"its answer is lost, and a claim has it already": {func(w *world, _ func()) {
			w.on("create", 1, fault{lost: lostAfter, after: func() { w.edit("a", heldBy("ga-1")) }})
		}, nil, made, true},
		"it arrives after a read": {func(w *world, _ func()) {
			w.on("create", 1, fault{lost: lostOnTheWay})
			w.on("create", 2, fault{before: w.deliver})
		}, nil, made, true},
		"nothing is answered any more": {func(w *world, _ func()) {
			w.on("create", 1, fault{lost: lostAfter})
			w.on("get", 2, fault{answer: &account.UnreachableError{Verb: "get", Tries: 8, Err: errCut}})
		}, wantError[*MaybeAddedError], made, true},
		"interrupted after the server has it": {func(w *world, cancel func()) { w.on("create", 1, fault{after: cancel}) }, nil, made, true},
		"interrupted before":                  {func(w *world, cancel func()) { w.on("get", 1, fault{after: cancel, deaf: true}) }, wantError[*TimeoutError], nil, false},
		"forbidden": {func(w *world, _ func()) {
			w.on("create", 1, fault{answer: &account.ForbiddenError{Verb: "create", Err: errCut}})
		},
			wantError[*account.ForbiddenError], nil, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t)
			p := w.pool()
			_, err := p.Accounts(t.Context(), "")
			equal(t, "list", err, nil)
			ctx, cancel := context.WithCancel(t.Context())
			test.arrange(w, cancel)
			if err := errorOf(p.Add(ctx, supplyOf())); test.want == nil {
				equal(t, "error", err, nil)
			} else {
				test.want(t, err)
			}
			w.wantWrites(t, test.writes...)
			if test.next {
				equal(t, "next run", as[*account.ExistsError](t, errorOf(w.pool().Add(t.Context(), supplyOf()))).Same, true)
			}
		})
	}
}

// A quarantine only hides the account. It is set while clusters cannot be counted, and given up when they are.
func TestQuarantineNeedsNoCount(t *testing.T) {
	t.Parallel()
	down := &account.UnreachableError{Verb: "list", Resource: "shoots", Err: errCut}
	w := newWorld(t, anAccount("a"))
	w.counter.storm = func(string) fault { return fault{answer: down} }
	p, req := w.pool(), protocol.AmendRequest{Supply: supplyOf(aside), UID: w.at("a").UID}
	s, err := p.Supplied(t.Context(), "a", req.UID)
	equal(t, "refresh", []any{s.Class, s.Uncounted, err}, []any{account.ClassFree, error(down), nil})
	equal(t, "plan", p.MayAmend(t.Context(), req), nil)
	s, err = p.Amend(t.Context(), req)
	equal(t, "apply", []any{s.Class, s.Uncounted, err}, []any{account.ClassQuarantined, error(down), nil})
	w.wantWrites(t, "a dirty=quarantine quarantine=why")

	req.Supply = supplyOf()
	_, err = p.Amend(t.Context(), req)
	equal(t, "given up", as[*account.UnreachableError](t, err), down)
	req.Supply = supplyOf(aside, asEU)
	_, err = p.Amend(t.Context(), req)
	equal(t, "moved too", as[*account.UnreachableError](t, err), down)
	w.wantWrites(t, "a dirty=quarantine quarantine=why")
	w.counter.storm = nil
	req.Supply = supplyOf()
	equal(t, "counted", errorOf(p.Amend(t.Context(), req)), nil)
}

// The error never asks to import an object that is being deleted, nor says that one which was made anew is gone.
func TestObjectsThatGoAndComeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", terminating))
	for what, err := range map[string]error{
		"plan": w.pool().MayAdd(t.Context(), supplyOf(), ""), "apply": errorOf(w.pool().Add(t.Context(), supplyOf())),
	} {
		equal(t, what, as[*account.ExistsError](t, err).Deleting, true)
	}
	old := w.at("a").UID
	w.remove("a")
	w.create(anAccount("a"))
	anew := &account.NotFoundError{Account: "a", Anew: w.at("a").UID}
	_, err := w.pool().Supplied(t.Context(), "a", old)
	equal(t, "refresh", as[*account.NotFoundError](t, err), anew)
	equal(t, "change", as[*account.NotFoundError](t, errorOf(w.pool().Amend(t.Context(), protocol.AmendRequest{Supply: supplyOf(asEU), UID: old}))), anew)
	equal(t, "removal", as[*account.NotFoundError](t, w.pool().Remove(t.Context(), protocol.RemoveRequest{Name: "a", UID: old})), anew)
	w.wantWrites(t)
}
