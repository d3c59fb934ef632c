//go:build race

package provider

// raceDetector reports whether the race detector watches.
const raceDetector = true
