// Package pool decides which account of the Hyperscaler Account Pool a tenant gets, and takes and gives back accounts
// without ever handing one to two tenants. It is pure Go over two small interfaces: Store, the accounts, and Counter,
// the clusters on them.
package pool
