package journal

import "context"

// platformJournal is the log of what becomes of objects on the platform cluster.
var platformJournal = newJournal(logPlatform)

// LogRequest notes what was done with an object on the platform cluster.
func LogRequest(ctx context.Context, what, name string, err error) {
	platformJournal.tell(ctx, what, fields{"request": name}, err)
}

// TellRequest returns what notes each new phase of an object that is waited for, at level info.
func TellRequest(ctx context.Context, name string) func(phase string) {
	return func(phase string) { platformJournal.inform(ctx, "now "+phase, fields{"request": name}) }
}
