package scenarios

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mute returns the address of a server that takes connections and never says a word: it hangs the TLS handshake.
func mute(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String() // the kernel takes the connections, and no program does
}

// blackHole returns the address of a port whose packets are dropped: its queue of connections is full, and no program takes
// one from it.
func blackHole(t *testing.T) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	inet, ok := bound.(*syscall.SockaddrInet4)
	if !ok {
		t.Fatalf("bound to %T", bound)
	}
	address := fmt.Sprintf("127.0.0.1:%d", inet.Port)
	for range 16 {
		taken, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			return address // full
		}
		t.Cleanup(func() { _ = taken.Close() })
	}
	t.Fatalf("%s still takes connections", address)
	return ""
}

// kubeconfigTo writes the kubeconfig of the stage's user with another address, and returns its path.
func (s stage) kubeconfigTo(t *testing.T, address string) string {
	t.Helper()
	content, err := os.ReadFile(s.proxy.Kubeconfig(t, s.user))
	if err != nil {
		t.Fatal(err)
	}
	config := s.user.Config()
	s.proxy.Through(config)
	moved := strings.ReplaceAll(string(content), config.Host, "https://"+address)
	if moved == string(content) {
		t.Fatalf("the kubeconfig does not name %s:\n%s", config.Host, content)
	}
	path := t.TempDir() + "/kubeconfig"
	if err := os.WriteFile(path, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
