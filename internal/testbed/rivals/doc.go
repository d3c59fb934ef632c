// Package rivals has the other parties that work on a pool: the Kyma Environment Broker ([Broker]) and the Subscription
// Cleanup Job ([CleanupJob]), each with the mistakes of the original.
package rivals
