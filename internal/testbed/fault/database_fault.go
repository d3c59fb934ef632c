package fault

import (
	"fmt"
	"strings"
)

// DatabaseFault is what a [DatabaseProxy] does to connections; the zero DatabaseFault lets them pass.
type DatabaseFault struct {
	name string
	kind databaseFaultKind
	// number is bytes, or bytes per second.
	number int
	// text must occur in a query for the fault to hit it.
	text string
}

type databaseFaultKind int

const (
	passConnections databaseFaultKind = iota
	refuseConnect
	blackholeAtConnect
	blackholeInQuery
	blackholeInRow
	resetInQuery
	slow
)

// RefuseConnect is a server that is not there: connections are refused, and open ones are cut.
func RefuseConnect() DatabaseFault {
	return DatabaseFault{name: "RefuseConnect", kind: refuseConnect}
}

// BlackholeAtConnect accepts connections and never says a word. Connections that are open already pass.
func BlackholeAtConnect() DatabaseFault {
	return DatabaseFault{name: "BlackholeAtConnect", kind: blackholeAtConnect}
}

// BlackholeInQuery lets the log-in pass, and swallows a connection from its first query on, in both directions.
func BlackholeInQuery() DatabaseFault {
	return DatabaseFault{name: "BlackholeInQuery", kind: blackholeInQuery}
}

// BlackholeInRow lets some bytes of the rows of a query pass, and swallows all that follows. Each row has a head of 7 bytes, and its
// columns have heads of 4: 3 bytes end within the first head.
func BlackholeInRow(after int) DatabaseFault {
	return DatabaseFault{name: fmt.Sprintf("BlackholeInRow(%d)", after), kind: blackholeInRow, number: after}
}

// ResetInQuery hands a query to the server and then resets the connection (RST).
func ResetInQuery() DatabaseFault {
	return DatabaseFault{name: "ResetInQuery", kind: resetInQuery}
}

// Slow lets so many bytes per second pass in each direction of each connection.
func Slow(bytesPerSecond int) DatabaseFault {
	return DatabaseFault{name: fmt.Sprintf("Slow(%d)", bytesPerSecond), kind: slow, number: max(1, bytesPerSecond)}
}

// In limits a fault of queries to those that contain a text, for example the name of the table, so that BEGIN passes.
func (f DatabaseFault) In(text string) DatabaseFault {
	f.text = text
	return f
}

// String is the name of the fault.
func (f DatabaseFault) String() string {
	switch {
	case f.kind == passConnections:
		return "none"
	case f.text != "":
		return fmt.Sprintf("%s.In(%q)", f.name, f.text)
	}
	return f.name
}

// hits reports whether the fault is for a query.
func (f DatabaseFault) hits(query string) bool { return strings.Contains(query, f.text) }

// swallows reports whether the fault is a network that loses everything: attempts to cancel a query are lost as well.
func (f DatabaseFault) swallows() bool {
	return f.kind == blackholeAtConnect || f.kind == blackholeInQuery || f.kind == blackholeInRow
}
