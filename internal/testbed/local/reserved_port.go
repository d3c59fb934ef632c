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
		return onSocket(socket, share)
	}}
	listener, err := config.Listen(ctx, "tcp", p.address)
	if err != nil {
		return nil, err
	}
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return nil, errors.Join(fmt.Errorf("listening on %s gave a %T", p.address, listener), listener.Close())
	}
	return endingListener{tcp}, nil
}

// endingListener ends for the children of this process, too. A child that is forked while a listener is open holds it until
// the child becomes another program. The kernel hands it connections until then, also in place of the port's next listener.
type endingListener struct{ *net.TCPListener }

// Close ends the listening, whichever process holds the socket, and closes it.
func (l endingListener) Close() error {
	var ended error
	socket, err := l.SyscallConn()
	if err == nil {
		ended = onSocket(socket, func(fd int) error { return unix.Shutdown(fd, unix.SHUT_RDWR) })
	}
	return errors.Join(err, ended, l.TCPListener.Close())
}

func onSocket(socket syscall.RawConn, do func(fd int) error) error {
	var done error
	if err := socket.Control(func(fd uintptr) { done = do(int(fd)) }); err != nil {
		return err
	}
	return done
}

// Close gives the port up.
func (p *ReservedPort) Close() error { return unix.Close(p.socket) }
