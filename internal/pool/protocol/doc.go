// Package protocol takes and gives back accounts, as steps (ADR 013). An operation, such as [Releasing], knows what it has seen so far, and
// says what is to be done next: it has no context, no clock and no lock, and asks nothing itself. The engine, in package pool, does what
// it says, and lets it know what came back. So each operation is a table of "what is known" and "what is done then", and it reads the same
// whatever goes wrong on the way.
//
//   - The operations: [Claiming], [Updating], [Releasing] of a claim; [Adding], [Amending], [Removing] of the pool's owner.
//   - What they do: a [Step], after which they learn its [Answer].
//   - What they go by: [Facts], which are a [Snapshot] of all accounts, the time, and the [Placements] of this run.
package protocol
