package configs

import (
	"crypto/tls"
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

// maxKey bounds a file with a certificate or a key in bytes.
const maxKey = 1 << 20

// Certificate reads the certificate of the page with those that lead to the root, and
// its key, both in PEM. Whether it has expired is for browsers to say: the clock of a
// small computer may be wrong when it starts.
func (w Web) Certificate() (tls.Certificate, error) {
	chain, err := w.chain()
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := w.key()
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the certificate: %w", err)
	}
	return pair, nil
}

func (w Web) chain() ([]byte, error) {
	text, err := readPEM(w.CertFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return text, nil
}

// key reads the key, which others must not be able to read.
func (w Web) key() ([]byte, error) {
	info, err := os.Stat(w.KeyFile)
	if err == nil && info.Mode().Perm()&0o007 != 0 {
		err = fmt.Errorf("others can read %s (mode %04o): chmod o= it", w.KeyFile, info.Mode().Perm())
	}
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	text, err := readPEM(w.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	return text, nil
}

// readPEM reads a file of a certificate or a key.
func readPEM(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // the caller says what it is for
	case !info.Mode().IsRegular() || info.Size() > maxKey:
		return nil, fmt.Errorf("%s is not a file of at most 1 MB", path)
	}
	return os.ReadFile(path) //nolint:gosec,wrapcheck // the user names the file
}

// checkCertificate finds certificates that cannot be used.
func (l *loader) checkCertificate(w *Web) {
	switch {
	case w.CertFile == "" && w.KeyFile == "":
	case w.CertFile == "":
		l.blame("a key without a certificate: set web.cert_file as well, or key_file to \"\"", "web.key_file")
	case w.KeyFile == "":
		l.blame("a certificate without its key: set web.key_file as well, or cert_file to \"\"", "web.cert_file")
	default:
		_, noChain := w.chain()
		_, noKey := w.key()
		_, noPair := w.Certificate()
		switch {
		case noChain != nil:
			l.blame(noChain.Error(), "web.cert_file")
		case noKey != nil:
			l.blame(noKey.Error(), "web.key_file")
		case noPair != nil:
			l.blame(noPair.Error(), "web.cert_file", "web.key_file")
		}
	}
}
