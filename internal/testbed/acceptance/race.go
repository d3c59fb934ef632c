//go:build race

package acceptance

// raceDetector reports whether the race detector watches.
const raceDetector = true
