// Package account says what an account of the pool is, and judges it: which accounts there are to a Global Account, and which of them a
// claim takes. It reads and writes nothing, and has no clock: each function answers by what it is given, times included.
//
//   - What an account is: [Account], its [Record] of each claim, its [Credentials], and the [Change] of a write (ADR 004, 008, 011).
//   - What it is to a Global Account: [Class], by [Classify] and in words by [Class.Describe]; [Drift], since it was claimed;
//     [HostRequest], for a new cluster; [Supply] and [Obstacle], for the pool's owner.
//   - Which one is chosen: [Select], by a [Policy], the [Counts] of one or two sources and the [Places] that are taken
//     (ADR 005, 006, 012).
//   - What a store answers when it fails, as typed errors: [NotFoundError], [ConflictError], [UnknownOutcomeError] and others.
package account
