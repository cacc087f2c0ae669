package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/display/web/browsertest"
	"reversi-board/mqtt/brokertest"
)

// encrypt gives the page of a bench a certificate, which it returns.
func (b *bench) encrypt() *x509.Certificate {
	b.t.Helper()
	cert, key := brokertest.NewAuthority(b.t).IssueNow(b.t, "127.0.0.1")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		b.t.Fatal(err)
	}
	b.set("web: {", fmt.Sprintf("web: {cert_file: %q, key_file: %q, ", cert, key))
	b.scheme = "https"
	return pair.Leaf
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
	tab.login("Ana")
	tab.until(patience, `document.body.dataset.role === "arbiter" && !document.getElementById("login").open`)
	tab.click(cell("f5"))
	tab.click(cell("e5"))
	tab.until(patience, lines(1))
	// The cookie has come back with the reload, and the stream is as live as before.
	tab.reload()
	tab.until(patience, lines(1)+` && document.body.dataset.role === "arbiter"`)

	b.report(filepath.Join(t.TempDir(), "running.zip"), "made by the board, which is running")
}

// TestBoardAtAnEncryptedBroker: a broker that knows its boards by their certificates
// lets this one in, and a game on it is told there.
func TestBoardAtAnEncryptedBroker(t *testing.T) {
	t.Parallel()
	ca, secure := brokertest.NewAuthority(t), freePort(t)
	cert, key := ca.IssueNow(t, "127.0.0.1")
	own, ownKey := ca.IssueNow(t, "reversi-1")
	b := newBench(t, fmt.Sprintf("{embedded: {enabled: false}, broker: \"mqtts://%s\", ca_file: %q, cert_file: %q, key_file: %q}",
		address(secure), ca.File, own, ownKey), quick)
	newMosquitto(t, b.broker, fmt.Sprintf("listener %d 127.0.0.1", secure), "cafile "+ca.File, "certfile "+cert, "keyfile "+key,
		"require_certificate true", "use_identity_as_username true")
	p := b.start()
	w := p.watch()
	w.phase("playing")
	sub := subscribe(t, b.broker, "")
	sub.availability(0, patience, "online")
	m := theFinal(t).plies(t, 1)[0]
	p.play(w, m)
	sub.wait(0, patience, "the move", func(got message) bool {
		return strings.HasSuffix(got.topic, "/event") && decode[struct{ Type string }](t, got.payload).Type == "move"
	})
}
