// Package expect holds what tests of several packages of the testbed expect of an error, a value or a moment.
package expect
