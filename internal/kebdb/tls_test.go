package kebdb

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// encrypted is a database on a server of its own that offers TLS, with the server's certificate, which is for 127.0.0.1.
func encrypted(t *testing.T) (db *postgres.Database, certificate []byte) {
	t.Helper()
	_ = broker(t) // skips
	server, err := postgres.Start(t.Context(), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	certificate, key := selfSigned(t)
	db = server.NewDatabase(t)
	for file, content := range map[string][]byte{"server.crt": certificate, "server.key": key} {
		db.Exec(t, fmt.Sprintf("copy (select '%s') to program 'umask 077; base64 -d > %s'", base64.StdEncoding.EncodeToString(content), file))
	}
	db.Exec(t, "alter system set ssl = on")
	db.Exec(t, "select pg_reload_conf()")
	db.Insert(t, on("a"))
	return db, certificate
}

func selfSigned(t *testing.T) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "broker"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// TLS is asked for in libpq's terms, and what it promises is held: with verify-full, no other server can answer.
func TestTLS(t *testing.T) {
	t.Parallel()
	db, certificate := encrypted(t)
	other, _ := selfSigned(t)
	folder := t.TempDir()
	for name, content := range map[string][]byte{"right.crt": certificate, "other.crt": other} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	right, wrong := "&sslrootcert="+filepath.Join(folder, "right.crt"), "&sslrootcert="+filepath.Join(folder, "other.crt")
	tests := []struct {
		host, options string
		fails         string // what the error says; empty = it works
	}{
		{"127.0.0.1", "sslmode=verify-full" + right, ""},
		{"127.0.0.1", "sslmode=verify-full" + wrong, "certificate"},
		{"localhost", "sslmode=verify-full" + right, "certificate"},
		{"localhost", "sslmode=verify-ca" + right, ""},
		{"localhost", "sslmode=verify-ca" + wrong, "certificate"},
		{"127.0.0.1", "sslmode=require&channel_binding=require", ""},
		{"127.0.0.1", "sslmode=prefer", ""},
		{"127.0.0.1", "sslmode=disable", ""},
		{"127.0.0.1", "sslmode=disable&channel_binding=require", "channel binding"},
	}
	for _, test := range tests {
		url := strings.Replace(strings.Replace(db.ReaderURL(), "sslmode=disable", test.options, 1), "127.0.0.1", test.host, 1)
		counts, err := open(t, Settings{URL: url}).Count(t.Context())
		switch {
		case test.fails == "" && err != nil:
			t.Errorf("%s %s: %v", test.host, test.options, err)
		case test.fails == "":
			equal(t, test.options, counts.Clusters("a"), 1)
		default:
			if failed := as[*UnreachableError](t, err); !strings.Contains(failed.Error(), test.fails) {
				t.Errorf("%s %s: the error does not name the %s: %v", test.host, test.options, test.fails, failed)
			}
		}
	}
}
