// Package explore visits the schedules of a protocol: several parties work on one world in virtual time, and the explorer decides at each
// of their calls to the world who goes on and what becomes of it. It goes through all schedules of a [Bound], depth first, by repeating
// lists of decisions. The same list repeats a run exactly, and is what a failure prints, with its story.
//
// A world stops a party at each call ([Actor.Call]) and does the call by the [Fate] that comes back. Each run is a bubble of
// testing/synctest. Nothing of the code under test may be left to chance: a run that has other choices than the one that made its schedule
// fails. Where a world sums up its state ([Stage.World], [Actor.Learns]), no schedule goes on from a state that was met before.
package explore
