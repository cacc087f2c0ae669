package web

import (
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"
)

// renewPeriod is how often a certificate is read anew, when somebody comes.
const renewPeriod = time.Minute

// Encrypt returns a listener for Serve that speaks TLS 1.2 or later with the certificate
// that read returns, by the monotonic clock now. A certificate that has been renewed is
// taken within a minute; one that cannot be read any more does not end the page, which
// goes on with the last. An error is that of the first reading.
func Encrypt(ln net.Listener, read func() (tls.Certificate, error), now func() time.Duration, log *slog.Logger) (net.Listener, error) {
	first, err := read()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	last, readAt := &first, now()
	return tls.NewListener(ln, &tls.Config{
		MinVersion: tls.VersionTLS12,
		// Not HTTP/2: a page needs one stream and a few requests.
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			mu.Lock()
			defer mu.Unlock()
			if now()-readAt < renewPeriod {
				return last, nil
			}
			readAt = now()
			if c, err := read(); err != nil {
				log.Warn("the page goes on with the certificate that it has", "error", err)
			} else {
				last = &c
			}
			return last, nil
		},
	}), nil
}
