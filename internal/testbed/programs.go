package testbed

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	programStartTimeout = 60 * time.Second

	// frontProxyName is the name under which kube-apiserver presents itself to gardener-apiserver.
	frontProxyName = "front-proxy-client"
)

// startControlPlane starts etcd and kube-apiserver and makes the administrator.
func (g *Garden) startControlPlane(ctx context.Context) error {
	ports, err := local.FreePorts(2)
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
	path, err := g.watchdog.Wrap(filepath.Join(g.options.Binaries, "etcd"))
	if err != nil {
		return err
	}
	etcd := &envtest.Etcd{
		URL:          &url.URL{Scheme: "http", Host: local.Address(port)},
		Path:         path,
		DataDir:      filepath.Join(g.dir, "etcd"),
		StartTimeout: programStartTimeout,
		StopTimeout:  local.StopTimeout,
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
	path, err := g.watchdog.Wrap(filepath.Join(g.options.Binaries, "kube-apiserver"))
	if err != nil {
		return err
	}
	frontProxy, err := local.WriteClientCerts(filepath.Join(g.dir, "front-proxy"), frontProxyName)
	if err != nil {
		return err
	}
	server := &envtest.APIServer{
		EtcdURL:      g.plane.Etcd.URL,
		Path:         path,
		CertDir:      filepath.Join(g.dir, "kube-apiserver"),
		StartTimeout: programStartTimeout,
		StopTimeout:  local.StopTimeout,
		Out:          log,
		Err:          log,
	}
	if err := os.MkdirAll(server.CertDir, 0o700); err != nil {
		return err
	}
	server.SecureServing.ListenAddr = envtest.ListenAddr{Address: "127.0.0.1", Port: strconv.Itoa(port)}
	server.Configure().
		Set("requestheader-client-ca-file", frontProxy.CA).
		Set("requestheader-allowed-names", frontProxyName).
		Set("requestheader-username-headers", "X-Remote-User").
		Set("requestheader-group-headers", "X-Remote-Group").
		Set("requestheader-extra-headers-prefix", "X-Remote-Extra-").
		Set("proxy-client-cert-file", frontProxy.Cert).
		Set("proxy-client-key-file", frontProxy.Key)
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
		stopErr := g.watchdog.Stop()
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

func (g *Garden) programError(name string, err error) error {
	return local.ProgramError(name, g.logPath(name), err)
}
