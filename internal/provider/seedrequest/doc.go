// Package seedrequest is what a request of seed 004 says beyond its name, as users write it in a configuration. All objects that take
// such a request share it.
package seedrequest
