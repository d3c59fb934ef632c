package testbed

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// frontProxyName is the name under which kube-apiserver presents itself to gardener-apiserver.
const frontProxyName = "front-proxy-client"

// certFiles are the paths of a certificate, its key and the authority that signed it.
type certFiles struct{ ca, cert, key string }

func (f certFiles) pool() (*x509.CertPool, error) {
	content, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s holds no certificate", f.ca)
	}
	return pool, nil
}

// writeServingCerts makes a certificate of its own authority for the given DNS names and addresses.
func writeServingCerts(folder string, hosts ...string) (certFiles, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: hosts[0]},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return writeCerts(folder, template)
}

// writeFrontProxyCerts makes what kube-apiserver needs to forward a request in a user's name.
func writeFrontProxyCerts(folder string) (certFiles, error) {
	return writeCerts(folder, &x509.Certificate{
		Subject:     pkix.Name{CommonName: frontProxyName},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func writeCerts(folder string, leaf *x509.Certificate) (certFiles, error) {
	files := certFiles{
		ca:   filepath.Join(folder, "ca.crt"),
		cert: filepath.Join(folder, "tls.crt"),
		key:  filepath.Join(folder, "tls.key"),
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return files, err
	}
	authority := &x509.Certificate{
		Subject:               pkix.Name{CommonName: leaf.Subject.CommonName + " authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	caKey, err := newKey(authority)
	if err != nil {
		return files, err
	}
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leafKey, err := newKey(leaf)
	if err != nil {
		return files, err
	}
	caDER, err := x509.CreateCertificate(rand.Reader, authority, authority, caKey.Public(), caKey)
	if err != nil {
		return files, err
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, authority, leafKey.Public(), caKey)
	if err != nil {
		return files, err
	}
	keyDER, err := x509.MarshalECPrivateKey(leafKey)
	if err != nil {
		return files, err
	}
	for path, block := range map[string]*pem.Block{
		files.ca:   {Type: "CERTIFICATE", Bytes: caDER},
		files.cert: {Type: "CERTIFICATE", Bytes: leafDER},
		files.key:  {Type: "EC PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return files, err
		}
	}
	return files, nil
}

// newKey makes a key and fills in what every certificate of a short-lived Garden has in common.
func newKey(certificate *x509.Certificate) (*ecdsa.PrivateKey, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	certificate.SerialNumber = serial
	certificate.NotBefore = time.Now().Add(-time.Hour)
	certificate.NotAfter = time.Now().Add(7 * 24 * time.Hour)
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}
