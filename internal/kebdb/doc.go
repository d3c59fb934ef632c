// Package kebdb counts clusters in the database of the Kyma Environment Broker: the live rows of its table instances.
// It implements the interface Counter of the package pool. It reads and never writes, in read-only transactions and as
// a role that may read a handful of columns (examples/rbac/database.sql).
//
// Every call ends within the time that the settings allow, whatever the server does or fails to do, and soon after its
// context is cancelled. No message shows a password.
package kebdb
