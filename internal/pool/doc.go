// Package pool takes accounts of the Hyperscaler Account Pool for Global Accounts, and gives them back, without ever handing one to two
// tenants. It is pure Go over two small interfaces: [Store], the accounts, and [Counter], the clusters on them. Package account
// judges, package protocol says the steps, and this package does them:
//
//   - Taking and giving back: [Pool.Claim], [Pool.Update] and [Pool.Release]; for the pool's owner [Pool.Add], [Pool.Amend] and
//     [Pool.Remove]. The engine does their steps. It alone has contexts, clocks and locks. Each write is one [account.Change] under
//     optimistic concurrency: its precondition is the object and version that was judged (ADR 007, 009, 010, 013).
//   - Reading: [Pool.Inspect], [Pool.Find], [Pool.Locate], [Pool.Preview], [Pool.MayHost], [Pool.Missing], [Pool.Claims], and
//     [Pool.Inventory], from which the package overview says who holds what.
//   - Counting: [Counting], by one or two sources (ADR 006, 012).
//
// A process keeps one immutable snapshot of list and count, which its claims share. Correctness never depends on it.
package pool
