package account

import "testing"

// While a label under another key may say that a Global Account holds the account, its owner changes nothing but its quarantine, and does
// not take it out of the pool. What others may have written there is neither written nor taken away.
func TestSupply_labelsUnderOtherKeys(t *testing.T) {
	t.Parallel()
	held := anAccount("a", misread(ClassHeld))
	held.HyperscalerType, held.Labels = "aws", map[string]string{"other": "x", "team": "a"}
	twin := anAccount("a", twinned(anAccount("b", misread(ClassDirty))))
	supply := func(change func(*Supply)) Supply {
		s := Supply{Name: "a", Target: Target{HyperscalerType: "aws"}}
		change(&s)
		return s
	}
	refusal := func(a Account, s Supply) error {
		change, part := s.Change(a, []string{"other", "team"})
		return s.Refusal(a, change, part)
	}
	for name, err := range map[string]error{
		"other labels":       refusal(held, supply(func(s *Supply) { s.Labels = map[string]string{"other": "y", "team": "b"} })),
		"another type":       refusal(held, supply(func(s *Supply) { s.HyperscalerType = "gcp" })),
		"internal":           refusal(held, supply(func(s *Supply) { s.Internal = true })),
		"shared, in doubt":   refusal(anAccount("a", misread(ClassDirty)), supply(func(s *Supply) { s.Shared = true })),
		"out of the pool":    held.KeptBy(),
		"by another binding": twin.KeptByTwin(PartType),
	} {
		parallel(t, name, func(t *testing.T) {
			refused := as[*SupplyError](t, err)
			equal(t, "obstacle", refused.Obstacle, ObstacleUnclear)
			equal(t, "doubts", len(refused.Doubts), 1)
		})
	}
	aside := supply(func(s *Supply) { s.Quarantine, s.Labels = "why", map[string]string{"team": "a"} })
	equal(t, "a quarantine", refusal(held, aside), nil)
	change, _ := supply(func(s *Supply) { s.Labels = map[string]string{"other": "y"} }).Change(held, []string{"other"})
	equal(t, "labels that are written", len(change.Labels), 0)
	equal(t, "labels of the owner", held.OwnerLabels(), map[string]string{"team": "a"})
	marked := anAccount("a", misread(ClassHeld), dirty(Dirtied))
	equal(t, "a marked account is kept", marked.KeptBy() != nil, false)
}

func sibling(a *Account) { a.Sibling = true }

// What no claim takes is named, with the label that leaves it in doubt.
func TestSelectNamesAccountsInDoubt(t *testing.T) {
	t.Parallel()
	accounts := []Account{anAccount("a", misread(ClassHeld)), anAccount("b", twinned(anAccount("SecretBinding c", misread(ClassShared), sibling)))}
	_, err := Select(pointers(accounts), Places{}, queryOf(), Policy{})
	equal(t, "in doubt", as[*ExhaustedError](t, err).InDoubt, []string{"a (other=x)", "b (other=x of SecretBinding c)"})
	_, err = Select(pointers(accounts), Places{}, queryOf(func(q *Query) { q.Pin = "a" }), Policy{})
	equal(t, "pinned", as[*PinError](t, err).Why, ClassUnclear.Describe()+" (other=x)")
}

// No new cluster comes to an account that a label under another key gives to another Global Account than its holder.
func TestSelect_heldInDoubt(t *testing.T) {
	t.Parallel()
	contested := anAccount("a", misread(ClassHeld), heldBy("ga-1"), bearing("ga-1", "first"))
	d, err := Select(pointers([]Account{contested, anAccount("b")}), Places{}, queryOf(), Policy{})
	equal(t, "error", err, nil)
	equal(t, "chosen", d.Account.Name, "b")
	equal(t, "of the one in doubt", d.Candidates[0].Why, ClassUnclear.Describe()+" (other=x)")
	_, err = Select(pointers([]Account{contested}), Places{}, queryOf(func(q *Query) { q.Pin = "a" }), Policy{})
	equal(t, "pinned", as[*PinError](t, err).Why, ClassUnclear.Describe()+" (other=x)")
	ofAnother := queryOf(func(q *Query) { q.GlobalAccount = "ga-2" })
	other, _ := Select(pointers([]Account{contested, anAccount("b")}), Places{}, ofAnother, Policy{})
	equal(t, "another's", Classify(&contested, Usage{}, "ga-2"), ClassTaken)
	equal(t, "chosen for another", other.Account.Name, "b")
	refused, _ := HostRequest{Account: "a", Cluster: "c", Tenant: "ga-1"}.Refusal(&contested)
	equal(t, "a cluster", refused.Reason, HostUnclear)
	equal(t, "in words", refused.Error(), ClassUnclear.DescribeAccount("a")+" (other=x)")
	equal(t, "drift", DriftOf(&contested, "ga-1", contested.Target()), DriftUnclear)
}
