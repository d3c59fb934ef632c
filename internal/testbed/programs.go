package testbed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	programStartTimeout = 60 * time.Second
	programStopTimeout  = 10 * time.Second
	logTailBytes        = 3000

	// Below the range from which the kernel takes the ports of outgoing connections.
	firstPort, lastPort = 20000, 32000
)

// errPortTaken marks a start that failed only because a port was taken in the meantime.
var errPortTaken = errors.New("a port was taken by another program")

// startControlPlane starts etcd and kube-apiserver and makes the administrator.
func (g *Garden) startControlPlane(ctx context.Context) error {
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	if err := g.startEtcd(ctx, ports[0]); err != nil {
		return err
	}
	if err := g.startKubeAPIServer(ctx, ports[1]); err != nil {
		return err
	}
	return g.makeAdmin()
}

func (g *Garden) startEtcd(ctx context.Context, port int) error {
	log, err := g.openLog("etcd")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	path, err := g.watchdog.wrap(filepath.Join(g.options.Binaries, "etcd"))
	if err != nil {
		return err
	}
	etcd := &envtest.Etcd{
		URL:          &url.URL{Scheme: "http", Host: localAddress(port)},
		Path:         path,
		DataDir:      filepath.Join(g.dir, "etcd"),
		StartTimeout: programStartTimeout,
		StopTimeout:  programStopTimeout,
		Out:          log,
		Err:          log,
	}
	etcd.Configure().
		Set("listen-peer-urls", "http://127.0.0.1:0").
		Set("log-level", "warn")
	g.plane = &envtest.ControlPlane{Etcd: etcd}
	return g.run(ctx, "etcd", etcd.Start)
}

func (g *Garden) startKubeAPIServer(ctx context.Context, port int) error {
	log, err := g.openLog("kube-apiserver")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	path, err := g.watchdog.wrap(filepath.Join(g.options.Binaries, "kube-apiserver"))
	if err != nil {
		return err
	}
	frontProxy, err := writeFrontProxyCerts(filepath.Join(g.dir, "front-proxy"))
	if err != nil {
		return err
	}
	server := &envtest.APIServer{
		EtcdURL:      g.plane.Etcd.URL,
		Path:         path,
		CertDir:      filepath.Join(g.dir, "kube-apiserver"),
		StartTimeout: programStartTimeout,
		StopTimeout:  programStopTimeout,
		Out:          log,
		Err:          log,
	}
	if err := os.MkdirAll(server.CertDir, 0o700); err != nil {
		return err
	}
	server.SecureServing.ListenAddr = envtest.ListenAddr{Address: "127.0.0.1", Port: strconv.Itoa(port)}
	server.Configure().
		Set("requestheader-client-ca-file", frontProxy.ca).
		Set("requestheader-allowed-names", frontProxyName).
		Set("requestheader-username-headers", "X-Remote-User").
		Set("requestheader-group-headers", "X-Remote-Group").
		Set("requestheader-extra-headers-prefix", "X-Remote-Extra-").
		Set("proxy-client-cert-file", frontProxy.cert).
		Set("proxy-client-key-file", frontProxy.key)
	g.plane.APIServer = server
	return g.run(ctx, "kube-apiserver", server.Start)
}

// run calls a start of envtest, which knows no context: when ours ends first, the programs are
// killed, which ends the call.
func (g *Garden) run(ctx context.Context, name string, start func() error) error {
	var startErr error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		startErr = start()
	}()
	select {
	case <-ended:
		if startErr != nil {
			return g.programError(name, startErr)
		}
		return nil
	case <-ctx.Done():
		err := g.programError(name, ctx.Err())
		stopErr := g.watchdog.stop()
		<-ended
		return errors.Join(err, stopErr)
	}
}

// openLog opens the file that takes the output of a program. The program writes to it directly:
// a pipe through this process would break when this process is killed.
func (g *Garden) openLog(name string) (*os.File, error) {
	return os.OpenFile(g.logPath(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

func (g *Garden) logPath(name string) string { return filepath.Join(g.dir, name+".log") }

// programError adds the end of the program's log to what went wrong.
func (g *Garden) programError(name string, err error) error {
	content, _ := os.ReadFile(g.logPath(name))
	if strings.Contains(string(content), "address already in use") {
		err = errors.Join(errPortTaken, err)
	}
	tail := strings.TrimSpace(string(content[max(0, len(content)-logTailBytes):]))
	if tail == "" {
		tail = "(empty)"
	}
	return fmt.Errorf("%s did not start: %w\nend of its log:\n%s", name, err, tail)
}

func localAddress(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePorts finds ports of 127.0.0.1 nobody listens on.
func freePorts(count int) ([]int, error) {
	var ports []int
	var listeners []net.Listener
	defer func() {
		for _, listener := range listeners {
			_ = listener.Close()
		}
	}()
	for try := 0; try < 1000 && len(ports) < count; try++ {
		port := firstPort + rand.IntN(lastPort-firstPort)
		listener, err := net.Listen("tcp", localAddress(port))
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
