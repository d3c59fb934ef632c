package testbed

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// gardenerAPIServer is the running gardener-apiserver.
type gardenerAPIServer struct {
	port  int
	certs local.CertFiles
	ended chan struct{} // closed once the program is gone
}

func (s *gardenerAPIServer) url() string { return "https://" + local.Address(s.port) }

func (s *gardenerAPIServer) wait() error {
	select {
	case <-s.ended:
		return nil
	case <-time.After(local.StopTimeout):
		return errors.New("gardener-apiserver did not end")
	}
}

// referenceChecks is the plug-in behind Options.ReferenceChecks.
const referenceChecks = "ResourceReferenceManager"

// disabledAdmission lists the plug-ins that want seeds, extensions and DNS domains behind a Shoot.
// The rest is on, as in production.
func disabledAdmission(options Options) string {
	plugins := []string{
		"ExtensionValidator", "ShootDNS", "ShootQuotaValidator", "ShootTolerationRestriction",
	}
	if !options.ReferenceChecks {
		plugins = append(plugins, referenceChecks)
	}
	return strings.Join(plugins, ",")
}

// startGardener starts gardener-apiserver on the same etcd and waits until it is healthy.
func (g *Garden) startGardener(ctx context.Context) error {
	const name = "gardener-apiserver"
	ports, err := local.FreePorts(1)
	if err != nil {
		return err
	}
	folder := filepath.Join(g.dir, name)
	certs, err := local.WriteServingCerts(folder, "localhost", "127.0.0.1", gardenerService+"."+gardenNamespace+".svc")
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := g.WriteKubeconfig(kubeconfig, ""); err != nil {
		return err
	}
	path, err := g.watchdog.Wrap(filepath.Join(g.options.Binaries, name))
	if err != nil {
		return err
	}
	log, err := g.openLog(name)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()

	server := &gardenerAPIServer{port: ports[0], certs: certs, ended: make(chan struct{})}
	cmd := exec.Command(path,
		"--bind-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(server.port),
		"--tls-cert-file="+certs.Cert,
		"--tls-private-key-file="+certs.Key,
		"--etcd-servers="+g.plane.Etcd.URL.String(),
		"--cluster-identity=hap-testbed",
		"--kubeconfig="+kubeconfig,
		"--authentication-kubeconfig="+kubeconfig,
		"--authorization-kubeconfig="+kubeconfig,
		"--authorization-always-allow-paths=/healthz",
		// A test that takes a right away must not wait for the default of ten seconds.
		"--authorization-webhook-cache-authorized-ttl=1s",
		"--authorization-webhook-cache-unauthorized-ttl=1s",
		"--disable-admission-plugins="+disabledAdmission(g.options),
	)
	cmd.Dir = folder
	cmd.Stdout, cmd.Stderr = log, log
	// Its own process group, as envtest does it: Ctrl-C is for us to handle.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return g.programError(name, err)
	}
	g.gardener = server
	go func() {
		defer close(server.ended)
		_ = cmd.Wait()
	}()
	if err := server.waitUntilHealthy(ctx); err != nil {
		return g.programError(name, err)
	}
	return nil
}

func (s *gardenerAPIServer) waitUntilHealthy(ctx context.Context) error {
	pool, err := s.certs.Pool()
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	httpClient := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	return local.Poll(ctx, programStartTimeout, func(ctx context.Context) error {
		select {
		case <-s.ended:
			return local.StopPolling(errors.New("it ended by itself"))
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/healthz", nil)
		if err != nil {
			return local.StopPolling(err)
		}
		response, err := httpClient.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("/healthz answers %s", response.Status)
		}
		return nil
	})
}
