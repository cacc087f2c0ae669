package app

import (
	"bytes"
	"crypto/tls"
	"errors"
	"net/http"

	"reversi-board/configs"
)

// PageClient returns a client for the page of the board on this very computer. The
// certificate of an encrypted page is for names by which others know the board, and may
// be of the user's own making: here it is known by being the one of the settings. The
// caller closes the client's idle connections.
func PageClient(c *configs.Web) (*http.Client, error) {
	transport := &http.Transport{}
	if c.Encrypted() {
		own, err := c.Certificate()
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the file
		}
		transport.TLSClientConfig = &tls.Config{
			MinVersion:         tls.VersionTLS12,
			InsecureSkipVerify: true, //nolint:gosec // VerifyConnection compares the whole certificate instead
			VerifyConnection: func(state tls.ConnectionState) error {
				if len(state.PeerCertificates) == 0 || !bytes.Equal(state.PeerCertificates[0].Raw, own.Certificate[0]) {
					return errors.New("the page has another certificate than that of web.cert_file")
				}
				return nil
			},
		}
	}
	return &http.Client{Transport: transport}, nil
}
