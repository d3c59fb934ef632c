// Package overview surveys a whole pool: who holds what, what is free, what runs full, and what its owner should attend
// to. It is pure and never writes: the same accounts and counts give the same [Overview]. The package report writes it out.
//
// A new kind of problems is a constant and a row of the table in problem.go: what finds it, its title and its remedy.
package overview
