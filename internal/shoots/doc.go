// Package shoots makes Shoots out of templates, keeps them as their template says, waits for them and deletes them (ADR 020). It knows the
// Gardener API and nothing of accounts: which account a Shoot may use is judged by the package pool.
package shoots
