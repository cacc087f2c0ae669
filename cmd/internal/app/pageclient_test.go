package app

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reversi-board/configs"
	"reversi-board/mqtt/brokertest"
)

// A token goes to the page with the certificate of the settings, although nobody has
// signed that, and to no other.
func TestPageClient(t *testing.T) {
	t.Parallel()
	ca := brokertest.NewAuthority(t)
	cert, key := ca.IssueNow(t, "board-7.local")
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	came := 0
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came++ }))
	page.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	page.StartTLS()
	t.Cleanup(page.Close)
	ask := func(certFile, keyFile string) error {
		t.Helper()
		client, err := PageClient(&configs.Web{CertFile: certFile, KeyFile: keyFile})
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
	if err := ask(cert, key); err != nil || came != 1 {
		t.Errorf("the board's own page: %v, %d requests", err, came)
	}
	// Another one for the same name, by the same authority.
	if err := ask(ca.IssueNow(t, "board-7.local")); err == nil || !strings.Contains(err.Error(), "another certificate") || came != 1 {
		t.Errorf("another page: %v, %d requests", err, came)
	}
	if err := ask("", ""); err == nil || came != 1 {
		t.Errorf("without a certificate in the settings: %v, %d requests", err, came)
	}
	if _, err := PageClient(&configs.Web{CertFile: "/nowhere/page.pem"}); err == nil {
		t.Error("there is a client although there is no file")
	}
}
