package acceptance

import "testing"

// WholeVariable has the matrices tried whole.
const WholeVariable = "HAP_WHOLE"

// OneByOne leaves a test to the run of make unit without the race detector: it tries very many inputs on the same code, each with a
// provider of its own that is asked for one thing after the other.
func OneByOne(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("one thing after the other: without the race detector")
	}
}
