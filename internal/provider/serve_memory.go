package provider

// room is how much garbage may be kept before it is collected, beside as much as is in use.
const room = 64 << 20

// makeRoom keeps the garbage of a short-lived process, for as long as the caller keeps what it returns alive. The collector
// begins when as much garbage as memory in use has come up, which is a few megabytes here, and took a sixth of the processor
// time. What it returns counts as memory in use and is none: nothing is ever written there, so the system gives no memory for it;
// but the collector begins that much later. A memory limit would do the same for a small landscape, and in one that does not fit
// into it have the collector run without end. The variables of the Go runtime, GOGC and GOMEMLIMIT, decide where they are set.
func makeRoom(getenv func(string) string) []byte {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, room)
}
