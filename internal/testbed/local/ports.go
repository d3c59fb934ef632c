package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Below the range from which the kernel takes the ports of outgoing connections.
const firstPort, lastPort = 20000, 32000

// startAttempts bounds how often a program is started after [ErrPortTaken].
const startAttempts = 3

// ErrPortTaken marks a start that failed only because a port was taken in the meantime: a free port is known to be free
// only until another program takes it.
var ErrPortTaken = errors.New("a port was taken by another program")

// Address is a port of 127.0.0.1.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// FreePorts finds ports of 127.0.0.1 on which no program listens.
func FreePorts(count int) ([]int, error) {
	var ports []int
	var listeners []net.Listener
	defer func() {
		for _, listener := range listeners {
			_ = listener.Close()
		}
	}()
	for try := 0; try < 1000 && len(ports) < count; try++ {
		port := firstPort + rand.IntN(lastPort-firstPort)
		listener, err := net.Listen("tcp", Address(port))
		if err != nil {
			continue
		}
		listeners = append(listeners, listener) // open until all are found, so that none is found twice
		ports = append(ports, port)
	}
	if len(ports) < count {
		return nil, fmt.Errorf("no free port on 127.0.0.1 between %d and %d", firstPort, lastPort)
	}
	return ports, nil
}

// Start calls start, and again where a port was taken by another program in the meantime ([ErrPortTaken]), three times in all.
func Start[T any](ctx context.Context, start func(context.Context) (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		started, err := start(ctx)
		if err == nil || !errors.Is(err, ErrPortTaken) || attempt == startAttempts || ctx.Err() != nil {
			return started, err
		}
	}
}
