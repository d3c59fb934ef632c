// Package kebdb counts clusters in the database of the Kyma Environment Broker: the live rows of its table instances.
// [New] makes a [Database] of [Settings]; it implements the interface Counter of the package pool. It reads and never
// writes, in read-only transactions. Where a role may read the view that examples/rbac/database.sql makes, the view is read, and otherwise
// the table.
//
// Every call ends within the time that the settings allow, also with a server that never answers, and soon after its
// context is cancelled. No message shows a password. The errors say what kind of trouble it is: one is
// [NotConfiguredError], [SettingError], [UnreachableError], [UnauthorizedError], [ForbiddenError], [MissingError], [ViewError] or
// [RefusedError].
package kebdb
