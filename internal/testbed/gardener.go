package testbed

import (
	"context"
	"crypto/tls"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// gardenerAPIServer is the running gardener-apiserver.
type gardenerAPIServer struct {
	*Program
	port  int
	certs local.CertFiles
}

func (s *gardenerAPIServer) url() string { return "https://" + local.Address(s.port) }

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
	program, err := g.StartProgram(name, nil,
		"--bind-address=127.0.0.1",
		"--secure-port="+strconv.Itoa(ports[0]),
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
	if err != nil {
		return err
	}
	g.gardener = &gardenerAPIServer{program, ports[0], certs}
	return g.gardener.waitUntilHealthy(ctx)
}

func (s *gardenerAPIServer) waitUntilHealthy(ctx context.Context) error {
	pool, err := s.certs.Pool()
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	return s.WaitUntilHealthy(ctx, &http.Client{Transport: transport, Timeout: 5 * time.Second}, s.url()+"/healthz")
}
