// Package garden keeps the accounts of a pool as CredentialsBindings of the Gardener API, or on older landscapes as
// SecretBindings or Secrets, and counts the clusters on them as Shoots. It implements the interfaces Store and Counter of
// the package pool. Of the accounts only metadata is listed; a binding is read whole only where an answer carries it
// anyway or a single account is asked for. What is in a Secret comes only by the method Secret, which nothing else here
// calls.
package garden
