package adr

// Choice is a place where the proposal is silent, open or at odds with itself, and what this package does there (ADR 015). The
// documentation prints it as a choice.
type Choice struct {
	// About is the subject: "aggregation", "traits", "versions", "scheduling" or "prefixes".
	About string
	// Text says what is done, in one or two sentences.
	Text string
}

// Choices returns the choices about these subjects, or all.
func Choices(about ...string) []Choice {
	if len(about) == 0 {
		return choices
	}
	var chosen []Choice
	for _, subject := range about {
		for _, c := range choices {
			if c.About == subject {
				chosen = append(chosen, c)
			}
		}
	}
	return chosen
}

var choices = []Choice{
	{"aggregation", "The values of `dedicated` are \"ANDed, meaning\" dedicated \"if at least one of the purposes\" is: the meaning " +
		"counts, not the word."},
	{"aggregation", "A request cannot weaken the requirement of a purpose: one source that requires a trait makes it required."},
	{"aggregation", "Where sources disagree about `negated`, `optional` is ANDed over both meanings, as written, with a warning."},
	{"aggregation", "A purpose that is listed twice counts once. No purpose can be named `request`: that is the request as a source."},
	{"aggregation", "Of the purposes, those that the request lists are read; a definition that it does not list may contradict itself."},
	{"traits", "Groups of equivalent traits that share a name are one group. Its first name by the alphabet is the name of all."},
	{"aggregation", "`any_of` belongs into requests alone, `optional` and `negated` to the group. A negated group is a negated trait for " +
		"each of its traits: none may be there, and an optional group counts as so many optional traits."},
	{"aggregation", "One source that asks for a trait and negates it is an error, also under two names of one meaning, and also where it " +
		"negates each trait of an `any_of`. A trait without a name, or with a control character in it, is an error."},
	{"traits", "A Cluster whose profile is not deployed is not shared: its traits are not known."},
	{"versions", "Without a version, a new Cluster gets the newest released one that is not deprecated. A profile that lists no versions " +
		"leaves the choice to its provider, and is taken only where no version is asked for."},
	{"versions", "A version has one to three numbers, with or without a `v` in front. What follows a `+` does not count unless the " +
		"request has it. A pre-release is taken only where the request names it, for a new Cluster as for a shared one. What a profile " +
		"offers and is no version is passed over, with a warning."},
	{"versions", "A new Cluster gets a deprecated version only where the request writes all three numbers, with a warning. `deprecated` " +
		"does not concern a Cluster that exists: a shared one that runs a deprecated version is taken, also for a part of that version or " +
		"for none, with a warning."},
	{"versions", "A shared Cluster whose version is not known, or cannot be read, is taken only where the request asks for no version."},
	{"scheduling", "A request that holds a grant keeps it for life, whatever it asks for now: the scheduler judges its name and the " +
		"Clusters alone. Two grants of that request are an error."},
	{"scheduling", "A request that holds a grant, and asks for something else by now, keeps its Cluster where that serves it: a shared one " +
		"with all of its purposes, or a dedicated one, that meets the required traits and has the version. Else it is another request."},
	{"scheduling", "Each profile has a name of its own, also among those of several providers; else it is an error."},
	{"scheduling", "The purposes of a shared Cluster contain those of the request."},
	{"scheduling", "A dedicated request always gets a new Cluster, and a dedicated Cluster is never given to a second request, even " +
		"when it is free: something may be left on it."},
	{"scheduling", "A shared Cluster comes before a new one. Of several: the most optional traits met, the fewest grants, namespace " +
		"and name. Of several profiles: the most optional traits met, a version that is not deprecated, the newest, the fullest account " +
		"with room, the name."},
	{"scheduling", "A Cluster of another namespace is shared only in the scope `cluster`, and one with a request of another scheduler never."},
	{"scheduling", "`tenancy_count` of a purpose, as the released operator calls it, is the most requests of a shared Cluster. Of several " +
		"purposes the smallest counts, for the Clusters that the request may be given. A Cluster that has that many is passed over, and a new " +
		"one is made. It moves no request that holds a grant. A purpose that is dedicated has none, also where a request says that it is not."},
	{"prefixes", "A proposal needs four characters at least, and 62 at most. It has no dot, because it has to begin names of " +
		"namespaces too. A proposal that cannot begin a name is an error, also where the Cluster is dedicated and the proposal is not used."},
	{"prefixes", "A shared Cluster with a grant that has no prefix takes no further request: no prefix is safe beside it."},
}
