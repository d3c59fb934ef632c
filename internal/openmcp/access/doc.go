// Package access has AccessRequests and the Secrets behind them: they are made, changed, waited for and withdrawn. [Accesses.Read] alone
// reads a Secret.
package access
