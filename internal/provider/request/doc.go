// Package request is a cluster request and the rule set that answers it, as users write them in a configuration. All
// objects that take the two share it.
package request
