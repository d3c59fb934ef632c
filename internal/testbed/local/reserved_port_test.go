package local

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// A port that is reserved refuses connections while its owner does not listen, and no other server gets it meanwhile.
//
//nolint:paralleltest // a child that another test forks holds the reserved socket until it becomes another program
func TestReservedPort(t *testing.T) {
	port, err := ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		wantRefused(t, port)
		wantTaken(t, port)
		listener, err := port.Listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantTaken(t, port)
		client, err := net.Dial("tcp", port.String())
		if err != nil {
			t.Fatal(err)
		}
		server, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []interface{ Close() error }{client, server, listener} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	wantRefused(t, port)
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", port.String())
	if err != nil {
		t.Fatalf("the port was given up: %v", err)
	}
	_ = listener.Close()
}

// A child that is forked while a listener is open does not go on listening in its place: until it is another program, it
// would get connections that are to be refused, or that the next listener waits for.
func TestReservedPortEndsForForkedChildren(t *testing.T) {
	t.Parallel()
	port, err := ReservePort()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = port.Close() }()
	listener, err := port.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ending, ok := listener.(endingListener)
	if !ok {
		t.Fatalf("a %T, want one that ends for forked children", listener)
	}
	child, err := ending.File() // the same socket, as a forked child has it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Close() }()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, port)
}

func wantRefused(t *testing.T, port *ReservedPort) {
	t.Helper()
	if c, err := net.Dial("tcp", port.String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a client got %v (%v), want a refusal", c, err)
	}
}

func wantTaken(t *testing.T, port *ReservedPort) {
	t.Helper()
	if l, err := net.Listen("tcp", port.String()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("another server got %v (%v), want it to hear that the port is taken", l, err)
	}
}
