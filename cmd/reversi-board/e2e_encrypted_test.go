package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"reversi-board/display/web/browsertest"
)

// encrypt gives the page of a bench a certificate, which it returns. It is for
// example.com and 127.0.0.1.
func (b *bench) encrypt() *x509.Certificate {
	b.t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		b.t.Fatal(err)
	}
	dir := b.t.TempDir()
	for name, block := range map[string]*pem.Block{
		"page.pem":     {Type: "CERTIFICATE", Bytes: server.Certificate().Raw},
		"page-key.pem": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	b.set("web: {", fmt.Sprintf("web: {cert_file: %q, key_file: %q, ", filepath.Join(dir, "page.pem"), filepath.Join(dir, "page-key.pem")))
	b.scheme = "https"
	return server.Certificate()
}

// TestEncryptedBoard: a page with a certificate works as any other: an arbiter logs in,
// plays a move and sees it, and the commands that ask a running board know it by its
// certificate.
func TestEncryptedBoard(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	b.guard("")
	certificate := b.encrypt()
	p := b.start()
	tab := open(browsertest.Start(t, certificate), t, p.url)
	tab.until(patience, `document.body.dataset.role === "viewer" && document.body.dataset.phase === "playing"`)
	tab.push("account")
	tab.set("token", arbiterToken)
	eval[bool](tab, `(document.querySelector('#login-form [type="submit"]').click(), true)`)
	tab.until(patience, `document.body.dataset.role === "arbiter" && !document.getElementById("login").open`)
	tab.click(cell("f5"))
	tab.click(cell("e5"))
	tab.until(patience, lines(1))
	// The cookie has come back with the reload, and the stream is as live as before.
	tab.reload()
	tab.until(patience, lines(1)+` && document.body.dataset.role === "arbiter"`)

	b.report(filepath.Join(t.TempDir(), "running.zip"), "made by the board, which is running")
}
