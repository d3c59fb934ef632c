// Package takeover writes the configuration that takes over a pool as it is: an import block and a resource block for each
// account and each claim. It is pure text: the same overview gives the same text.
package takeover
