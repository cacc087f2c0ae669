package brokertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates that only who knows it trusts.
type Authority struct {
	// File is its own certificate in PEM.
	File string
	// Certificate is the same.
	Certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

// NewAuthority makes an authority.
func NewAuthority(t *testing.T) *Authority {
	t.Helper()
	a := &Authority{key: newKey(t)}
	as := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hall"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, as, as, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.Certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.File = filepath.Join(t.TempDir(), "ca.pem")
	write(t, a.File, "CERTIFICATE", der)
	return a
}

// Issue writes a certificate for a name or a number, or for none if name is empty, good
// for servers and clients from a time on and until another, and its key, and returns
// the two files.
func (a *Authority) Issue(t *testing.T, name string, from, until time.Time) (certFile, keyFile string) {
	t.Helper()
	a.serial++
	as := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.serial), Subject: pkix.Name{CommonName: name},
		NotBefore: from, NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		as.IPAddresses = []net.IP{ip}
	} else if name != "" {
		as.DNSNames = []string{name}
	}
	key := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, as, a.Certificate, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certFile, "CERTIFICATE", der)
	write(t, keyFile, "PRIVATE KEY", private)
	return certFile, keyFile
}

// IssueNow writes a certificate that is good for a day.
func (a *Authority) IssueNow(t *testing.T, name string) (certFile, keyFile string) {
	t.Helper()
	return a.Issue(t, name, time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour))
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func write(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
