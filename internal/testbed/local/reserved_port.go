package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// ReservedPort is a port of 127.0.0.1 that no other program gets while it is reserved, also while no server listens on it:
// connections are refused then. A port that is merely free may belong to another test's server a moment later, and a client
// that is to be refused reaches that one.
type ReservedPort struct {
	socket  int // bound, and never listening
	address string
}

// ReservePort reserves a port that the kernel chooses. The caller closes it.
func ReservePort() (*ReservedPort, error) {
	syscall.ForkLock.RLock() // a program that is started meanwhile must not inherit the socket
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("reserving a port: %w", err)
	}
	address, err := bind(socket)
	if err != nil {
		return nil, fmt.Errorf("reserving a port: %w", errors.Join(err, unix.Close(socket)))
	}
	return &ReservedPort{socket, address}, nil
}

func bind(socket int) (address string, err error) {
	if err := share(socket); err != nil {
		return "", err
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return "", err
	}
	bound, err := unix.Getsockname(socket)
	if err != nil {
		return "", err
	}
	inet, ok := bound.(*unix.SockaddrInet4)
	if !ok {
		return "", fmt.Errorf("it was bound to a %T", bound)
	}
	return Address(inet.Port), nil
}

// share lets the sockets that ask for it bind the same port. Other programs' sockets do not ask.
func share(socket int) error {
	return unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
}

// String is the address of the port.
func (p *ReservedPort) String() string { return p.address }

// Listen listens on the port. When the listener is closed, connections are refused again.
func (p *ReservedPort) Listen(ctx context.Context) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) error {
		var err error
		return errors.Join(socket.Control(func(fd uintptr) { err = share(int(fd)) }), err)
	}}
	return config.Listen(ctx, "tcp", p.address)
}

// Close gives the port up.
func (p *ReservedPort) Close() error { return unix.Close(p.socket) }
