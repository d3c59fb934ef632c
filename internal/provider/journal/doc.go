// Package journal writes the log of the provider in parts with levels of their own: the Garden, the database, the pool.
package journal
