// Package history keeps every revision of the accounts and Shoots of a namespace and judges them by the invariants I1 to I8,
// which scenarios/CATALOGUE.md lists and [Violation] words.
//
// A test calls [Follow] before anything happens, adds to the history what the claimers heard ([History.Acknowledge],
// [History.Released]), and in the end calls [History.MustHold] with the log of the proxy, which says which client has written what.
package history
