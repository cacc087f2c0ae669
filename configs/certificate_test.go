package configs_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The certificate of the page and its key come together, fit each other, and the key is
// nobody else's to read.
func TestPageCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, mode os.FileMode, blocks ...*pem.Block) string {
		t.Helper()
		var text []byte
		for _, b := range blocks {
			text = append(text, pem.EncodeToMemory(b)...)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	pair := server.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate := &pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}
	cert, key := write("cert.pem", 0o644, certificate), write("key.pem", 0o640, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	web := func(cert, key string) string {
		return "web: {listen: \"0.0.0.0:8064\", cert_file: \"" + cert + "\", key_file: \"" + key + "\"}\n"
	}

	c := mustParse(t, web(cert, key))
	if got := c.Web.URL("192.0.2.7:8064"); !c.Web.Encrypted() || got != "https://192.0.2.7:8064/" {
		t.Errorf("the page is on %s", got)
	}
	if read, err := c.Web.Certificate(); err != nil || string(read.Certificate[0]) != string(pair.Certificate[0]) {
		t.Errorf("the certificate: %v", err)
	}
	if c := mustParse(t, web("", "")); c.Web.Encrypted() || c.Web.URL("192.0.2.7:8064") != "http://192.0.2.7:8064/" {
		t.Error("a page without a certificate is encrypted")
	}

	open, none, text := write("open.pem", 0o644, &pem.Block{Type: "PRIVATE KEY", Bytes: der}), filepath.Join(dir, "none"), write("text", 0o600)
	for name, test := range map[string]struct{ cert, key, want string }{
		"no key":         {cert, "", "web.cert_file: a certificate without its key: set web.key_file as well, or cert_file to \"\""},
		"no certificate": {"", key, "web.key_file: a key without a certificate: set web.cert_file as well, or key_file to \"\""},
		"no file":        {none, key, "web.cert_file: read the certificate: stat " + none + ": no such file or directory"},
		"a folder":       {dir, key, "web.cert_file: read the certificate: " + dir + " is not a file of at most 1 MB"},
		"open key":       {cert, open, "web.key_file: read the key: others can read " + open + " (mode 0644): chmod o= it"},
		"no key file":    {cert, none, "web.key_file: read the key: stat " + none + ": no such file or directory"},
		"empty file":     {text, key, "web.cert_file: read the certificate: tls: failed to find any PEM data in certificate input"},
		"the other way":  {key, cert, "web.key_file: read the key: others can read " + cert},
	} {
		_, err := parse(web(test.cert, test.key))
		if err == nil || !strings.HasPrefix(err.Error(), "my.yaml:1: "+test.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, test.want)
		}
	}
}
