package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// certificate is that of all servers of this process: for example.com, and its own authority. Signing with the key of httptest, an RSA one,
// would be half of the processor time of a test.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // cannot happen: the system has random numbers
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{"Hostile"}}, DNSNames: []string{"example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	content, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err) // cannot happen: the template is complete
	}
	return tls.Certificate{Certificate: [][]byte{content}, PrivateKey: key}
})

// startTLS starts a server with the certificate, as [httptest.Server.StartTLS] does with one of its own.
func startTLS(server *httptest.Server) {
	server.Listener = tls.NewListener(server.Listener, &tls.Config{
		Certificates: []tls.Certificate{certificate()}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	})
	server.Start()
	server.URL = strings.Replace(server.URL, "http:", "https:", 1)
}

// Authority returns what the certificate of the server is checked by, in PEM.
func (s *Server) Authority() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate().Certificate[0]}))
}
