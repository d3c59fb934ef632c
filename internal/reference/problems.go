package main

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
)

// causes says what is wrong, by the kind of a problem. The title in a report and the remedy are those of package overview.
var causes = map[overview.ProblemKind]string{
	overview.ProblemOccupied: "No Global Account holds the account, and clusters are on it. A claim passes over it; the broker gives it " +
		"to the next tenant.",
	overview.ProblemDirtyInUse: "Clusters are on an account that the clean-up job wipes: the mark is on it, or on another binding of its " +
		"credentials.",
	overview.ProblemSameCredentials: "Another object of the namespace, or a binding of another one, refers to the credentials of the " +
		"account, so both are one cloud account. Each account of the two has the problem.",
	overview.ProblemUnreadableRecord: "A record on the account cannot be read, so it is not known whose claim it is.",
	overview.ProblemForeignRows:      "A Global Account holds the account, and the broker's database has clusters of others on it.",
	overview.ProblemSharedHeld:       "The account has the label of shared accounts and that of a Global Account.",
	overview.ProblemInternalHeld:     "The account is kept for internal use, and a Global Account holds it.",
	overview.ProblemMisspelt: "The label `shared` or `internal` has a value other than `true` and `false`, such as `True` or `yes`. The " +
		"broker and the provider read it as no label: the account goes to one Global Account, though it may be meant for all, or for none.",
	overview.ProblemMissingPool: "A rule leads to a pool without any account. A plan on several hyperscalers needs a pool on each, " +
		"`euAccess=*` one with EU access and one without, the `*` of a region one of its pools.",
	overview.ProblemEmptyPool: "A rule leads to a pool in which no account is free, or can be used where it is shared. The problem " +
		"counts the accounts by their [class](words.md#classes).",
	overview.ProblemUnreachable: "A label hides the account from the broker, which goes by the absence of the key, or its hyperscaler " +
		"type is empty.",
	overview.ProblemMisplaced: "The clusters of the pool are of another provider type than the account.",
	overview.ProblemStray: "A label of the object has a key that looks like one of the pool's, the object lacks the label that makes an " +
		"account, or its annotation `hap-project.io/account-of-secret` names no Secret that another binding refers to. " +
		"Where a label under another key, an annotation, or a binding of another namespace leaves in doubt whose the account is, no claim " +
		"takes it (class `unclear`). No new cluster comes to an account that a Global Account holds and such a label gives to another one, " +
		"or to all, or calls dirty.",
	overview.ProblemFence: "The label `dirty=releasing` is on the account, or on another binding of its credentials. A release takes about " +
		"a minute; a run that was killed leaves the label behind.",
	overview.ProblemStranded: "The account is dirty, and no clean-up job wipes accounts of its kind.",
	overview.ProblemQuarantineLost: "The account was [quarantined](../resources/account.md#quarantine), and another party has marked it " +
		"for the clean-up job since.",
	overview.ProblemSeveral:       "The Global Account holds several accounts of a pool, is allowed one, and does not use this one.",
	overview.ProblemOverLimit:     "More places are taken on the account than its limit has.",
	overview.ProblemCountDiffers:  "Gardener and the broker's database count differently, and suspended clusters do not explain it.",
	overview.ProblemUnassigned:    "It is not known which account the cluster of each of these rows occupies.",
	overview.ProblemRecordedTwice: "A claim is recorded on several accounts: a write arrived after its process was killed.",
	overview.ProblemVoidClaim:     "A record on the account does not count: its Global Account does not hold the account, or all share it.",
	overview.ProblemExpired:       "A claim on the account is beyond its lease, by the clock of this machine.",
	overview.ProblemWaiting: "A claim with `cluster_name` keeps a place for a Shoot that has not come in time (`cluster_overdue_after`), " +
		"or is gone.",
	overview.ProblemUnwritable: "The server refuses writes on the account: Gardener demands that the writer can read its credentials. " +
		"Whether they are there is asked for 100 accounts at most, the free ones first, and where the user may get them.",
	overview.ProblemOldClaim: "A claim without a lease is on the account for 30 days or longer, and no cluster is. A lost state leaves " +
		"such a claim behind.",
	overview.ProblemUnusedPool:  "No rule of `rule_set` leads to the pool.",
	overview.ProblemIdle:        "A Global Account holds the account, without a cluster and without a claim.",
	overview.ProblemTerminating: "The object of the account has a deletion timestamp.",
	overview.ProblemDirty: "The account, or another binding of its credentials, is marked for the clean-up job, which wipes and frees " +
		"it.",
}

// problems has an entry for each kind of problem, the worst first.
func problems() group {
	g := group{
		title: "Problems of a pool",
		intro: "`problems` of `hap_pool_status`, its `report` and the metric `hap_problems` name each problem by its kind; the worst come " +
			"first. `command` of a problem is the `kubectl` command of the remedy, where that changes labels alone and leaves every account " +
			"with the Global Account that has it. It names the version of the account that was judged: the server refuses it once the account " +
			"has changed.",
	}
	for _, kind := range overview.ProblemKinds() {
		g.entries = append(g.entries, entry{
			title:  string(kind),
			cause:  fmt.Sprintf("In a report: %q. %s", kind.Title(), causes[kind]),
			remedy: markup(kind.Remedy()),
		})
	}
	return g
}
