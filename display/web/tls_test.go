package web

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// certificate makes one for board.test.
func certificate(t *testing.T, serial int64) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	as := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"board.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, as, as, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// encrypted serves a page whose certificate and clock can be changed.
func encrypted(t *testing.T, s *Server, read func() (tls.Certificate, error), now func() time.Duration, log io.Writer) (address string) {
	t.Helper()
	plain, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := Encrypt(plain, read, now, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(serveOn(t, s, ln))
	return ln.Addr().String()
}

// visited is what a visitor of an encrypted page has seen.
type visited struct {
	serial  int64 // of the certificate
	status  int
	major   int // of HTTP
	cookies []*http.Cookie
	body    string
}

// visit comes to a page, by TLS from one version to another.
func visit(t *testing.T, url string, least, most uint16, method, body string) (seen visited, err error) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: least, MaxVersion: most, ServerName: "board.test",
		InsecureSkipVerify: true, //nolint:gosec // the test compares the numbers
		VerifyConnection: func(state tls.ConnectionState) error {
			seen.serial = state.PeerCertificates[0].SerialNumber.Int64()
			return state.PeerCertificates[0].VerifyHostname("board.test") //nolint:wrapcheck // a test
		},
	}}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return seen, err //nolint:wrapcheck // a test
	}
	text, err := io.ReadAll(answer.Body)
	seen.status, seen.major, seen.cookies, seen.body = answer.StatusCode, answer.ProtoMajor, answer.Cookies(), string(text)
	return seen, errors.Join(err, answer.Body.Close())
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(text []byte) (int, error) { return f(text) }

// A page with a certificate speaks TLS 1.2 and 1.3, nothing older and nothing plain, and
// its cookie is for encrypted pages only.
func TestEncryptedPage(t *testing.T) {
	t.Parallel()
	pair := certificate(t, 7)
	address := encrypted(t, plain(t, guarded), func() (tls.Certificate, error) { return pair, nil }, func() time.Duration { return 0 }, io.Discard)
	state := "https://" + address + "/api/v1/state"
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		seen, err := visit(t, state, version, version, http.MethodGet, "")
		if err != nil || seen.status != http.StatusOK || seen.serial != 7 || seen.major != 1 {
			t.Errorf("%s: %+v, %v", tls.VersionName(version), seen, err)
		}
	}
	if _, err := visit(t, state, tls.VersionTLS10, tls.VersionTLS11, http.MethodGet, ""); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	seen, err := visit(t, "http://"+address+"/", 0, 0, http.MethodGet, "")
	if err != nil || seen.status != http.StatusBadRequest || !strings.Contains(seen.body, "HTTPS") {
		t.Errorf("who comes without encryption: %+v, %v", seen, err)
	}
	seen, err = visit(t, "https://"+address+"/api/v1/login", tls.VersionTLS12, 0, http.MethodPost, `{"token":"`+forArbiter+`"}`)
	if err != nil || len(seen.cookies) != 2 || !seen.cookies[0].Secure {
		t.Errorf("who logs in: %+v, %v", seen, err)
	}
}

// A renewed certificate is taken within a minute, without a restart; one that cannot be
// read leaves the page with the last, and is tried again.
func TestCertificateIsRenewed(t *testing.T) {
	t.Parallel()
	old, renewed := certificate(t, 1), certificate(t, 2)
	var now, stage atomic.Int64
	read := func() (tls.Certificate, error) {
		switch stage.Load() {
		case 0:
			return old, nil
		case 1:
			return tls.Certificate{}, errors.New("half a file")
		default:
			return renewed, nil
		}
	}
	var complaints atomic.Int64
	log := writerFunc(func(text []byte) (int, error) {
		if bytes.Contains(text, []byte("half a file")) {
			complaints.Add(1)
		}
		return len(text), nil
	})
	address := encrypted(t, plain(t, nil), read, func() time.Duration { return time.Duration(now.Load()) }, log)
	for _, step := range []struct {
		at    time.Duration
		stage int64
		want  int64
	}{
		{0, 0, 1},
		{59 * time.Second, 1, 1},
		{61 * time.Second, 1, 1}, // it cannot be read
		{90 * time.Second, 2, 1},
		{2*time.Minute + 2*time.Second, 2, 2},
	} {
		now.Store(int64(step.at))
		stage.Store(step.stage)
		seen, err := visit(t, "https://"+address+"/api/v1/state", tls.VersionTLS12, 0, http.MethodGet, "")
		if err != nil || seen.serial != step.want {
			t.Errorf("at %v the certificate is number %d, %v, want %d", step.at, seen.serial, err, step.want)
		}
	}
	if n := complaints.Load(); n != 1 {
		t.Errorf("%d complaints", n)
	}
	if _, err := Encrypt(nil, func() (tls.Certificate, error) { return tls.Certificate{}, errors.New("none") }, nil, nil); err == nil {
		t.Error("a page without a certificate begins")
	}
}
