// Package adrrequest is what a request says beyond its name where it is decided on by purposes, traits and prefixes (ADR 015), as users
// write it in a configuration. All objects that take such a request share it.
package adrrequest
