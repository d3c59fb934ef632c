package local

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

// CertFiles are the paths of a certificate, its key and the authority that signed it.
type CertFiles struct{ CA, Cert, Key string }

// Pool holds the authority.
func (f CertFiles) Pool() (*x509.CertPool, error) {
	content, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(content) {
		return nil, fmt.Errorf("%s holds no certificate", f.CA)
	}
	return pool, nil
}

// WriteServingCerts makes a certificate of its own authority for the given DNS names and addresses.
func WriteServingCerts(folder string, hosts ...string) (CertFiles, error) {
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

// WriteClientCerts makes a certificate of its own authority for a client of this name.
func WriteClientCerts(folder, name string) (CertFiles, error) {
	return writeCerts(folder, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func writeCerts(folder string, leaf *x509.Certificate) (CertFiles, error) {
	files := CertFiles{
		CA:   filepath.Join(folder, "ca.crt"),
		Cert: filepath.Join(folder, "tls.crt"),
		Key:  filepath.Join(folder, "tls.key"),
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
		files.CA:   {Type: "CERTIFICATE", Bytes: caDER},
		files.Cert: {Type: "CERTIFICATE", Bytes: leafDER},
		files.Key:  {Type: "EC PRIVATE KEY", Bytes: keyDER},
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
