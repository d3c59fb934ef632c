// Package backend is what the provider hands to the families of its objects: the connection to the pool, which is built at
// the first use, and the ledger of what this run declares and has said.
package backend
