// Package postgres runs a real PostgreSQL server on this machine, with databases that have the broker's tables.
//
// Tests share one server per process ([Shared]) and take a database each ([Server.NewDatabase]). Programs use [Start] and
// the methods that return errors ([Server.MakeDatabase], [Database.InsertRows], ...).
//
// Nothing outlives the process that started a server, not even after SIGKILL: see guard.go.
package postgres
