package configs_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/mqtt/brokertest"
)

// The certificate of the page and its key come together, fit each other, and the key is
// nobody else's to read.
func TestPageCertificate(t *testing.T) {
	t.Parallel()
	dir, ca := t.TempDir(), brokertest.NewAuthority(t)
	// issue returns a pair whose key has the mode.
	issue := func(mode os.FileMode) (cert, key string) {
		t.Helper()
		cert, key = ca.IssueNow(t, "board-7.local")
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		return cert, key
	}
	cert, key := issue(0o640)
	web := func(cert, key string) string {
		return "web: {listen: \"0.0.0.0:8064\", cert_file: \"" + cert + "\", key_file: \"" + key + "\"}\n"
	}

	c := mustParse(t, web(cert, key))
	if got := c.Web.URL("192.0.2.7:8064"); !c.Web.Encrypted() || got != "https://192.0.2.7:8064/" {
		t.Errorf("the page is on %s", got)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := c.Web.Certificate(); err != nil || string(read.Certificate[0]) != string(pair.Certificate[0]) {
		t.Errorf("the certificate: %v", err)
	}
	if c := mustParse(t, web("", "")); c.Web.Encrypted() || c.Web.URL("192.0.2.7:8064") != "http://192.0.2.7:8064/" {
		t.Error("a page without a certificate is encrypted")
	}

	open, openKey := issue(0o644)
	other, _ := issue(0o600)
	none, empty := filepath.Join(dir, "none"), filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ cert, key, want string }{
		"no key":         {cert, "", "web.cert_file: a certificate without its key: set web.key_file as well, or cert_file to \"\""},
		"no certificate": {"", key, "web.key_file: a key without a certificate: set web.cert_file as well, or key_file to \"\""},
		"no file":        {none, key, "web.cert_file: read the certificate: stat " + none + ": no such file or directory"},
		"a folder":       {dir, key, "web.cert_file: read the certificate: " + dir + " is not a file of at most 1 MB"},
		"open key":       {open, openKey, "web.key_file: read the key: others can read " + openKey + " (mode 0644): chmod o= it"},
		"no key file":    {cert, none, "web.key_file: read the key: stat " + none + ": no such file or directory"},
		"empty file":     {empty, key, "web.cert_file: read the certificate: tls: failed to find any PEM data in certificate input"},
		"of another key": {other, key, "web.cert_file: read the certificate: tls: private key does not match public key"},
		"the other way":  {key, cert, "web.cert_file: read the certificate: tls: failed to find certificate PEM data in certificate input, but did find a private key"},
	} {
		_, err := parse(web(test.cert, test.key))
		if err == nil || !strings.HasPrefix(err.Error(), "my.yaml:1: "+test.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, test.want)
		}
	}
}

// A board shows its certificate to the broker, the one of now: it may be renewed.
func TestBrokerCertificate(t *testing.T) {
	t.Parallel()
	ca := brokertest.NewAuthority(t)
	cert, key := ca.IssueNow(t, "reversi-1")
	text := func(broker, cert, key string) string {
		return "mqtt: {embedded: {enabled: false}, broker: \"" + broker + "\", ca_file: \"" + ca.File + "\", cert_file: \"" + cert + "\", key_file: \"" + key + "\"}\n"
	}
	c := mustParse(t, text("mqtts://hub:8883", cert, key))
	config, err := c.MQTT.TLS()
	if err != nil || config.MinVersion != tls.VersionTLS12 {
		t.Fatalf("%+v, %v", config, err)
	}
	named := func() string {
		t.Helper()
		shown, err := config.GetClientCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shown.Leaf.Verify(x509.VerifyOptions{Roots: config.RootCAs, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
			t.Error(err)
		}
		return shown.Leaf.SerialNumber.String()
	}
	first := named()
	fresh, freshKey := ca.IssueNow(t, "reversi-1")
	for from, to := range map[string]string{fresh: cert, freshKey: key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	if second := named(); second == first {
		t.Errorf("the certificate is number %s still", second)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if _, err := config.GetClientCertificate(nil); err == nil || !strings.Contains(err.Error(), key) {
		t.Errorf("a key that is gone: %v", err)
	}
	cert, key = ca.IssueNow(t, "reversi-1")
	for broker, want := range map[string]string{
		"mqtt://hub:1883":  "mqtt.ca_file: certificates are for an encrypted connection",
		"mqtts://hub:8883": "",
	} {
		if _, err := parse(text(broker, cert, key)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", broker, err)
		}
	}
	if _, err := parse(text("mqtts://hub:8883", cert, "")); err == nil || !strings.Contains(err.Error(), "mqtt.cert_file: a certificate without its key: set mqtt.key_file as well") {
		t.Errorf("no key: %v", err)
	}
}
