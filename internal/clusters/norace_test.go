//go:build !race

package clusters_test

// raceDetector says that the race detector is on, which makes maps many times slower.
const raceDetector = false
