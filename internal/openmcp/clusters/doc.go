// Package clusters has the Clusters that a configuration makes itself. None is deleted, or loses a purpose, that a request holds.
package clusters
