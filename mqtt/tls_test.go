package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"reversi-board/mqtt/brokertest"
)

// hallTLS is a Mosquitto that takes encrypted connections as well, with a certificate
// for 127.0.0.1 by an authority of the hall.
type hallTLS struct {
	*spawned
	*brokertest.Authority
	secure string
}

// newHallTLS starts it; clients are told apart by their certificates if the lines say so.
func newHallTLS(t *testing.T, from, until time.Time, more ...string) *hallTLS {
	t.Helper()
	h := &hallTLS{Authority: brokertest.NewAuthority(t), secure: freeAddr(t)}
	cert, key := h.Issue(t, "127.0.0.1", from, until)
	_, port, _ := strings.Cut(h.secure, ":")
	h.spawned = newMosquitto(t, append([]string{
		"listener " + port + " 127.0.0.1", "cafile " + h.File, "certfile " + cert, "keyfile " + key,
	}, more...)...)
	return h
}

// trusting trusts an authority.
func trusting(a *brokertest.Authority) *tls.Config {
	c := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	c.RootCAs.AddCert(a.Certificate)
	return c
}

// encrypted are the options of a board at an encrypted broker.
func (h *hallTLS) encrypted(j *journal) Options {
	o := secret(options(h.secure, j))
	o.URL, o.TLS = "mqtts://"+h.secure, trusting(h.Authority)
	return o
}

// Events reach an encrypted broker as they reach any other, with a password or with a
// certificate that names the board, and after the broker was away.
func TestEncryptedBroker(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, test := range map[string]struct {
		lines   []string
		certify bool
	}{
		"password":    {nil, false},
		"certificate": {[]string{"require_certificate true", "use_identity_as_username true"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHallTLS(t, now.Add(-time.Hour), now.Add(time.Hour), test.lines...)
			w := watch(t, h.address(), base+"event")
			j := newJournal(0)
			o := h.encrypted(j)
			if test.certify {
				o.Password = ""
				pair, err := tls.LoadX509KeyPair(h.IssueNow(t, board))
				if err != nil {
					t.Fatal(err)
				}
				o.TLS.Certificates = []tls.Certificate{pair}
			}
			a := start(t, o)
			online(t, a)
			play(a, j, 3)
			eventually(t, "three events", func() bool { return len(w.on(base+"event")) == 3 })
			w.stop()
			h.down(t)
			eventually(t, "the board notices", func() bool { return !a.Status().Online })
			play(a, j, 2)
			h.up(t)
			online(t, a)
			eventually(t, "all is told", func() bool { return j.Acked() == 5 })
		})
	}
}

// What is wrong with a connection that is to be encrypted is said, and nothing of the
// game is told to who cannot be trusted.
func TestBrokerThatCannotBeTrusted(t *testing.T) {
	t.Parallel()
	now := time.Now()
	day := 24 * time.Hour
	good := newHallTLS(t, now.Add(-day), now.Add(day))
	strict := newHallTLS(t, now.Add(-day), now.Add(day), "require_certificate true", "use_identity_as_username true")
	old := newHallTLS(t, now.Add(-2*day), now.Add(-day))
	soon := newHallTLS(t, now.Add(day), now.Add(2*day))
	for name, test := range map[string]struct {
		hall   *hallTLS
		change func(o *Options)
		want   string
	}{
		"another authority": {good, func(o *Options) { o.TLS = trusting(old.Authority) }, "signed by unknown authority"},
		"another name":      {good, func(o *Options) { o.URL = strings.Replace(o.URL, "127.0.0.1", "localhost", 1) }, "localhost"},
		"not encrypted":     {good, func(o *Options) { o.URL = "mqtts://" + good.address() }, "tls: "},
		"no certificate":    {strict, nil, "certificate required"},
		"expired":           {old, nil, "expired"},
		"clock not set": {soon, func(o *Options) {
			o.Stamp = func() Stamp { return Stamp{TS: now, TSOK: false, Boot: 3} }
		}, "the clock of this computer is not set yet"},
		"clock set": {soon, nil, "not yet valid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(0)
			o := test.hall.encrypted(j)
			if test.change != nil {
				test.change(&o)
			}
			a := start(t, o)
			play(a, j, 1)
			eventually(t, "it is said: "+test.want, func() bool { return strings.Contains(a.Status().Problem, test.want) })
			if st := a.Status(); st.Online || j.Acked() != 0 {
				t.Errorf("something was told: %+v", st)
			}
		})
	}
}

// A clock that is set in the end makes a certificate good that was not yet.
func TestClockIsSetLate(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := newHallTLS(t, now.Add(-time.Hour), now.Add(time.Hour))
	j := newJournal(0)
	o := h.encrypted(j)
	set := make(chan struct{})
	isSet := func() bool {
		select {
		case <-set:
			return true
		default:
			return false
		}
	}
	o.Stamp = func() Stamp { return Stamp{TS: time.Now(), TSOK: isSet(), Boot: 3} }
	o.TLS.Time = func() time.Time {
		if isSet() {
			return time.Now()
		}
		return time.Unix(0, 0)
	}
	a := start(t, o)
	play(a, j, 2)
	eventually(t, "the clock is said to be it", func() bool { return strings.Contains(a.Status().Problem, "clock") })
	close(set)
	online(t, a)
	eventually(t, "all is told", func() bool { return j.Acked() == 2 })
}
