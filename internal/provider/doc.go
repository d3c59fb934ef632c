// Package provider is the Terraform side of hap: what the user writes, what a plan shows, what ends up in state, and how
// errors read. It decides nothing about accounts itself: rules say which pool, pool says which account.
//
// This folder has the provider block and its settings, and the tests of several families at once: each object before a hostile
// server, each example, an object that is declared twice in one plan. Each family of objects has a folder with its schema, model, plan and
// operations, and with its tests. Those in an external test package, such as claim_test, ask the whole provider, most of them on a
// local Garden; what they share is in internal/testbed/acceptance.
//
//	account, claim, credentials, ruleset, selection, status      accounts of the pool
//	shoot                                                        clusters in Gardener
//	cluster, clusteraccess, clusterprofile, clusterrequest       clusters through openMCP
//	functions                                                    the functions
//
// What the families share:
//
//	family      what a family registers, and what the resources of all families do alike
//	backend     what the objects of one provider block share: the next three
//	connection  the ways to the Garden and to the platform cluster, and the reads that a plan can do without
//	ledger      what a plan does with which object, and the warnings of a run
//	settings    what the provider block says
//	request     a cluster request and a rule set, as attributes
//	adrrequest  a request by purposes, traits and prefixes, as attributes
//	diagnose    the table of errors
//	tfvalue     null and unknown, durations, labels
//	journal     the log
package provider
