package local

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// A port that is reserved refuses connections while its owner does not listen, and no other server gets it meanwhile.
func TestReservedPort(t *testing.T) {
	t.Parallel()
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
