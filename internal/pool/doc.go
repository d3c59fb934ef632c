// Package pool decides which account of the Hyperscaler Account Pool a tenant gets, and takes and gives back accounts
// without ever handing one to two tenants. It is pure Go over two small interfaces: [Store], the accounts, and [Counter],
// the clusters on them.
//
//   - What an account is: [Account], its [Record] of each claim, and its [Class] for a tenant, by [Classify] (ADR 004, 008, 011).
//   - Which one is chosen: [Select], by a [Policy] and the [Counts] of one or two sources ([Counting]; ADR 005, 006, 012).
//   - Taking and giving back: [Pool.Claim], [Pool.Update] and [Pool.Release]. Each write is one [Change] under optimistic
//     concurrency: its precondition is the object and version that was judged (ADR 007, 009, 010, 013).
//   - Reading: [Pool.Inspect], [Pool.Find], [Pool.Locate], [Pool.Preview], [Pool.Missing], [Pool.Claims], and
//     [Pool.Inventory], from which the package overview says who holds what.
//
// A process keeps one immutable snapshot of list and count, which its claims share. Correctness never depends on it.
package pool
