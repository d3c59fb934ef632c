// Package fault is in front of a local Garden or a platform cluster of openMCP ([Proxy]), or a database ([DatabaseProxy]), notes all
// that passes, and spoils what its rules name.
//
// A [Rule] picks requests, for example the second patch of an account, and names the [Fault] that becomes of them, for
// example [CutAfter]. A [Block] holds a request until the test has done something. Each request is an [Exchange] of the
// proxy's log, which package history judges.
package fault
