package configs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Encrypted reports whether the page is spoken to with TLS.
func (w Web) Encrypted() bool { return w.CertFile != "" }

// URL is the address of the page when it can be had at host:port, with a slash at its
// end.
func (w Web) URL(at string) string {
	if w.Encrypted() {
		return "https://" + at + "/"
	}
	return "http://" + at + "/"
}

// Certificate reads the certificate of the page with those that lead to the root, and
// its key, both in PEM. Whether it has expired is for browsers to say: the clock of a
// small computer may be wrong when it starts.
func (w Web) Certificate() (tls.Certificate, error) { return readPair(w.CertFile, w.KeyFile) }

// TLS returns how to connect to a broker whose URL begins with mqtts://: whom to trust,
// nil roots for whom the system trusts, and the board's own certificate, which is read
// anew for each connection, so that it may be renewed.
func (m MQTT) TLS() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.CAFile != "" {
		text, err := readPEM("the certificates", m.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("read the certificates: %s holds no PEM certificate", m.CAFile)
		}
	}
	if m.CertFile != "" {
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			own, err := readPair(m.CertFile, m.KeyFile)
			return &own, err
		}
	}
	return c, nil
}

// maxPEM bounds a file with certificates or a key in bytes.
const maxPEM = 1 << 20

// readPair reads a certificate and its key.
func readPair(certFile, keyFile string) (tls.Certificate, error) {
	chain, err := readPEM(theCertificate, certFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readKey(keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the certificate: %w", err)
	}
	return pair, nil
}

// readKey reads a key, which others must not be able to read.
func readKey(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf("read the key: others can read %s (mode %04o): chmod o= it", path, info.Mode().Perm())
	}
	return readPEM("the key", path)
}

// theCertificate is what the first file of a pair holds, for messages.
const theCertificate = "the certificate"

// readPEM reads a file of what is named: certificates or a key.
func readPEM(what, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxPEM) {
		err = fmt.Errorf("%s is not a file of at most 1 MB", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the user names the file
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return text, nil
}

// checkPair finds certificates of a section that cannot be used.
func (l *loader) checkPair(section, certFile, keyFile string) {
	cert, key := section+".cert_file", section+".key_file"
	switch {
	case certFile == "" && keyFile == "":
		return
	case certFile == "":
		l.blame("a key without a certificate: set "+cert+" as well, or key_file to \"\"", key)
		return
	case keyFile == "":
		l.blame("a certificate without its key: set "+key+" as well, or cert_file to \"\"", cert)
		return
	}
	if _, err := readPEM(theCertificate, certFile); err != nil {
		l.blame(err.Error(), cert)
	} else if _, err := readKey(keyFile); err != nil {
		l.blame(err.Error(), key)
	} else if _, err := readPair(certFile, keyFile); err != nil {
		l.blame(err.Error(), cert, key)
	}
}
