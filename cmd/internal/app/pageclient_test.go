package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
)

// certified writes a certificate with its key and returns the settings.
func certified(t *testing.T, certificate []byte, key any) *configs.Web {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &configs.Web{CertFile: filepath.Join(dir, "page.pem"), KeyFile: filepath.Join(dir, "page-key.pem")}
	for path, block := range map[string]*pem.Block{
		c.CertFile: {Type: "CERTIFICATE", Bytes: certificate}, c.KeyFile: {Type: "PRIVATE KEY", Bytes: der},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A token goes to the page with the certificate of the settings, although nobody has
// signed that, and to no other.
func TestPageClient(t *testing.T) {
	t.Parallel()
	came := 0
	page := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came++ }))
	t.Cleanup(page.Close)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	as := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour)}
	other, err := x509.CreateCertificate(rand.Reader, as, as, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(c *configs.Web) error {
		t.Helper()
		client, err := PageClient(c)
		if err != nil {
			t.Fatal(err)
		}
		defer client.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err == nil {
			err = answer.Body.Close()
		}
		return err //nolint:wrapcheck // a test
	}
	if err := ask(certified(t, page.Certificate().Raw, page.TLS.Certificates[0].PrivateKey)); err != nil || came != 1 {
		t.Errorf("the board's own page: %v, %d requests", err, came)
	}
	if err := ask(certified(t, other, key)); err == nil || !strings.Contains(err.Error(), "another certificate") || came != 1 {
		t.Errorf("another page: %v, %d requests", err, came)
	}
	if err := ask(&configs.Web{}); err == nil || came != 1 {
		t.Errorf("without a certificate in the settings: %v, %d requests", err, came)
	}
	if _, err := PageClient(&configs.Web{CertFile: "/nowhere/page.pem"}); err == nil {
		t.Error("there is a client although there is no file")
	}
}
