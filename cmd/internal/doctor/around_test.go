package doctor_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/engine/referee"
	"reversi-board/hardware/pi"
	"reversi-board/mqtt/broker"
	"reversi-board/mqtt/brokertest"
	"reversi-board/sensing"
)

// headerDevice has the header's pins of computer.
const headerDevice = "/dev/gpiochip4"

// computer is a Raspberry Pi, or what is not one.
func computer(files map[string]string, devices map[string]error) pi.System {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	open := func(path string) error {
		if err := devices[path]; err != nil {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return nil
	}
	return pi.System{
		FS: m, Open: open,
		Chips: func() (chips []pi.Chip) {
			// The header of this one is not gpiochip0, as on kernels before 6.6.
			for device, label := range map[string]string{"/dev/gpiochip0": "gpio-brcmstb", headerDevice: "pinctrl-rp1"} {
				if err := open(device); !errors.Is(err, fs.ErrNotExist) {
					chips = append(chips, pi.Chip{Device: device, Label: label, Lines: 54, Err: err})
				}
			}
			return chips
		},
		User: func() (int, []int, error) { return 1000, []int{993, 994, 995}, nil },
	}
}

// pi5 are the files of a sound Raspberry Pi 5.
func pi5(more map[string]string) map[string]string {
	m := map[string]string{
		"proc/device-tree/model":      "Raspberry Pi 5 Model B Rev 1.0\x00",
		"proc/sys/kernel/osrelease":   "6.6.51+rpt-rpi-2712\n",
		"etc/group":                   "gpio:x:993:pi\nspi:x:994:pi\ni2c:x:995:pi\n",
		"sys/class/hwmon/hwmon0/name": "rpi_volt\n", "sys/class/hwmon/hwmon0/in0_lcrit_alarm": "0\n",
	}
	maps.Copy(m, more)
	return m
}

// soldered returns the settings of a board that is not simulated.
func soldered(t *testing.T, profile string) *configs.Config {
	t.Helper()
	c := settings(t, profile)
	c.Hardware.Simulation.Enabled = false
	c.Web.Listen = ""
	return c
}

// The computer under a real board.
func TestComputer(t *testing.T) {
	t.Parallel()
	denied := map[string]error{"/dev/i2c-1": syscall.EACCES}
	for _, tc := range []struct {
		name    string
		files   map[string]string
		devices map[string]error
		profile string
		want    string
		ok      bool
		next    []string
	}{
		{"a sound Pi", pi5(nil), nil, "hall-128", "", true, nil},
		{"a laptop", map[string]string{}, nil, "hall-128", "pi this computer other_computer", false, []string{"--simulate"}},
		{"an old kernel", pi5(map[string]string{"proc/sys/kernel/osrelease": "6.6.20+rpt"}), nil, "hall-128", "pi kernel old_kernel", true, []string{"6.6.31"}},
		{
			"an old kernel on a Pi 4", pi5(map[string]string{
				"proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\x00", "proc/sys/kernel/osrelease": "6.1.21-v8+",
			}), nil, "hall-128", "", true, nil,
		},
		{"no permission", pi5(nil), denied, "hall-128", "device /dev/i2c-1 no_permission", false, []string{"usermod -aG i2c"}},
		{"I2C not enabled", pi5(nil), map[string]error{"/dev/i2c-1": syscall.ENOENT}, "hall-128", "device /dev/i2c-1 not_enabled", false, []string{"dtparam=i2c_arm=on", "config.txt"}},
		{"SPI not enabled", pi5(nil), map[string]error{"/dev/spidev0.0": syscall.ENOENT}, "reed-64", "device /dev/spidev0.0 not_enabled", false, []string{"dtparam=spi=on"}},
		{"no second bus", pi5(nil), map[string]error{"/dev/i2c-3": syscall.ENOENT}, "hall-128-mcp23017", "device /dev/i2c-3 not_enabled", false, []string{"dtoverlay"}},
		{"no pins", pi5(nil), map[string]error{headerDevice: syscall.EACCES}, "reed-64", "device /dev/gpiochip4 no_permission", false, []string{"usermod -aG gpio"}},
		{"no header", pi5(nil), map[string]error{headerDevice: syscall.ENOENT}, "reed-64", "device /dev/gpiochip* not_enabled", false, []string{"pinctrl-"}},
		{"another chip is not needed", pi5(nil), map[string]error{"/dev/gpiochip0": syscall.EACCES}, "reed-64", "", true, nil},
		{"I2C is not needed", pi5(nil), denied, "reed-64", "", true, nil},
		{"low voltage", pi5(map[string]string{"sys/class/hwmon/hwmon0/in0_lcrit_alarm": "1\n"}), nil, "hall-128", "power supply low", false, []string{"5 V"}},
		{
			"low voltage before", pi5(map[string]string{"sys/devices/platform/soc/soc:firmware/get_throttled": "50000\n"}), nil,
			"hall-128", "power supply was_low", true,
			[]string{"5 V"},
		},
		{
			"hot", pi5(map[string]string{"sys/devices/platform/soc/soc:firmware/get_throttled": "80008\n"}), nil,
			"hall-128", "power processor throttled", true,
			[]string{"heat sink"},
		},
	} {
		r, err := doctor.Run(t.Context(), doctor.Options{
			Config: soldered(t, tc.profile), Source: "x", DataDir: t.TempDir(), Only: []string{"config", "pi", "access", "power", "clock"},
			System: computer(tc.files, tc.devices), Synced: func() bool { return true },
		})
		if err != nil || told(r) != tc.want || r.OK != tc.ok {
			t.Errorf("%s: %v, ok %v, %s; want %s", tc.name, err, r.OK, told(r), tc.want)
		}
		explained(t, r)
		for _, next := range tc.next {
			if p := r.Problems(); len(p) == 1 && !strings.Contains(p[0].Next, next) {
				t.Errorf("%s: %q does not mention %s", tc.name, p[0].Next, next)
			}
		}
	}
}

func TestRootIsWarned(t *testing.T) {
	t.Parallel()
	s := computer(pi5(nil), nil)
	s.User = func() (int, []int, error) { return 0, []int{0}, nil }
	r, err := doctor.Run(t.Context(), doctor.Options{Config: soldered(t, "hall-128"), DataDir: t.TempDir(), Only: []string{"pi", "access"}, System: s})
	if err != nil || told(r) != "pi user root" || !r.OK {
		t.Errorf("%v, %s", err, told(r))
	}
}

func TestClockIsAsked(t *testing.T) {
	t.Parallel()
	for synced, want := range map[bool]doctor.Status{true: doctor.OK, false: doctor.Warn} {
		r, err := doctor.Run(t.Context(), doctor.Options{
			Config: soldered(t, "hall-128"), DataDir: t.TempDir(), Only: []string{"clock"}, Synced: func() bool { return synced },
		})
		if err != nil || check(t, r, "clock").Status != want || !r.OK {
			t.Errorf("synced %v: %v, %+v", synced, err, r.Checks)
		}
	}
}

// A real board on a computer that is none is refused once, not by every check.
func TestNoRaspberryPi(t *testing.T) {
	t.Parallel()
	r, err := doctor.Run(t.Context(), doctor.Options{
		Config: soldered(t, "hall-128"), DataDir: t.TempDir(), System: computer(nil, nil),
		Only: []string{"bus", "chips", "cells", "leds"},
	})
	if err != nil || told(r) != "wires this computer other_computer" || r.OK {
		t.Errorf("%v, %s", err, told(r))
	}
	for _, c := range r.Checks[1:] {
		if c.Status != doctor.Skip {
			t.Errorf("%+v", c)
		}
	}
}

// A board that runs is left alone: what needs no wires is looked at, and who holds
// the wires is said.
func TestRunningBoard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	journal, _, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close() //nolint:errcheck // Nothing was written.
	c := soldered(t, "hall-128")
	r, err := doctor.Run(t.Context(), doctor.Options{
		Config: c, DataDir: dir, System: computer(pi5(nil), nil), Synced: func() bool { return true },
		Only: []string{"storage", "bus", "cells"},
	})
	if err != nil || told(r) != "wires the board running" || r.OK {
		t.Fatalf("%v, %s", err, told(r))
	}
	explained(t, r)
	if got := check(t, r, "storage"); got.Status != doctor.OK || !strings.Contains(got.Found, "running") {
		t.Errorf("%+v", got)
	}
	if p := r.Problems()[0]; !strings.Contains(p.Next, "systemctl stop") || !strings.Contains(p.Next, "--only") {
		t.Errorf("%q", p.Next)
	}
	// The journal is still the running board's, and unharmed.
	if err := journal.Append(journal.LastSeq()+1, []byte(`{"a":1}`)); err != nil {
		t.Error(err)
	}
}

// A board that runs with another data folder is known by its page; a simulated one
// has no wires and is in nobody's way.
func TestRunningBoardByItsPage(t *testing.T) {
	t.Parallel()
	for simulated, want := range map[bool]string{false: "wires the board running", true: "wires this computer other_computer"} {
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/stream" {
				_, _ = fmt.Fprintf(w, "retry: 1000\n\nid: 1\nevent: snapshot\ndata: {\"v\":1,\"card\":{\"board\":\"b\",\"simulated\":%v}}\n\n", simulated)
			}
		}))
		c := soldered(t, "hall-128")
		c.Web.Listen = page.Listener.Addr().String()
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), System: computer(nil, nil), Only: []string{"bus"}})
		if err != nil || told(r) != want {
			t.Errorf("simulated %v: %v, %s", simulated, err, told(r))
		}
		page.Close()
	}
}

// Writing leaves nothing behind, neither files nor folders.
func TestStorage(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "a", "b")
	run := func(dir string) (*doctor.Report, *doctor.Check) {
		r, err := doctor.Run(t.Context(), doctor.Options{Config: soldered(t, "hall-128"), DataDir: dir, Only: []string{"storage"}})
		if err != nil {
			t.Fatal(err)
		}
		return r, check(t, r, "storage")
	}
	r, c := run(dir)
	if !r.OK || !strings.Contains(c.Found, "99 of 100") {
		t.Errorf("%+v", c)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run(dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ = run(filepath.Join(file, "data"))
	if r.OK || told(r) != "storage "+filepath.Join(file, "data")+" unwritable" || !strings.Contains(r.Problems()[0].Next, "data.dir") {
		t.Errorf("%s: %+v", told(r), r.Problems())
	}
	explained(t, r)
}

// freePort returns an address at which nobody listens, and somebody may.
func freePort(t *testing.T) string {
	t.Helper()
	return brokertest.Address(brokertest.FreePort(t))
}

func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// The addresses of the embedded broker and of the page.
func TestAddresses(t *testing.T) {
	t.Parallel()
	taken := listen(t, "127.0.0.1:0").Addr().String()
	for _, tc := range []struct {
		broker, page, want string
	}{
		{freePort(t), freePort(t), ""},
		{taken, freePort(t), "broker " + taken + " in_use"},
		{freePort(t), taken, "page " + taken + " in_use"},
		{"192.0.2.1:1883", freePort(t), "broker 192.0.2.1:1883 cannot_listen"},
	} {
		c := settings(t, "default")
		c.MQTT.Embedded.Listen, c.Web.Listen = tc.broker, tc.page
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), Only: []string{"broker", "page"}})
		if err != nil || told(r) != tc.want || r.OK != (tc.want == "") {
			t.Errorf("%s %s: %v, %s; want %s", tc.broker, tc.page, err, told(r), tc.want)
		}
		explained(t, r)
	}
}

// The certificate of the page, as a browser will see it.
func TestPageCertificate(t *testing.T) {
	t.Parallel()
	ca := brokertest.NewAuthority(t)
	const day = 24 * time.Hour
	for title, tc := range map[string]struct {
		from, until time.Duration
		name        string
		want        string
	}{
		"good":     {-day, day, "board-7.local", ""},
		"expired":  {-2 * day, -day, "board-7.local", "expired"},
		"too soon": {day, 2 * day, "board-7.local", "not_yet"},
		"nameless": {-day, day, "", "no_name"},
	} {
		until := time.Now().Add(tc.until)
		c := settings(t, "default")
		c.Web.Listen = freePort(t)
		c.Web.CertFile, c.Web.KeyFile = ca.Issue(t, tc.name, time.Now().Add(tc.from), until)
		want := ""
		if tc.want != "" {
			want = "page " + c.Web.CertFile + " " + tc.want
		}
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), Only: []string{"page"}})
		if err != nil || told(r) != want || r.OK != (want == "") {
			t.Errorf("%s: %v, %q; want %q", title, err, told(r), want)
		}
		good := "The page can be on https://" + c.Web.Listen + "/. Its certificate is for board-7.local, until " +
			until.UTC().Format(time.DateOnly) + "."
		if found := check(t, r, "page").Found; tc.want == "" && found != good {
			t.Errorf("%s: %s", title, found)
		}
		explained(t, r)
	}
}

// secret writes a password file.
func secret(t *testing.T, password string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(name, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A broker elsewhere is logged in to as the board would, and what the board could
// not do there is said.
func TestBrokerElsewhere(t *testing.T) {
	t.Parallel()
	poor := broker.BoardUser("hall-1", "right")
	poor.Name, poor.Read = "poor", []string{"reversi/v1/hall-1/availability", "homeassistant/status"}
	b, err := broker.Start(t.Context(), broker.Options{
		Listen: "127.0.0.1:0", Users: []broker.User{broker.BoardUser("hall-1", "right"), poor},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	where := "mqtt://" + b.Addr()
	for _, tc := range []struct {
		url, user, password, want, found string
	}{
		{where, "hall-1", "right", "", "lets the board in"},
		{where, "hall-1", "wrong", "broker " + where + " refused", "does not let"},
		{where, "", "", "broker " + where + " refused", "does not let"},
		{where, "poor", "right", want("broker "+where+" no_rights", "broker "+where+" no_rights"), "lets the board in"},
		{"mqtt://127.0.0.1:1", "", "", "broker mqtt://127.0.0.1:1 unreachable", "refused"},
	} {
		c := soldered(t, "hall-128")
		c.MQTT = configs.MQTT{Broker: tc.url, Username: tc.user}
		if tc.password != "" {
			c.MQTT.PasswordFile = secret(t, tc.password)
		}
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), Only: []string{"broker"}})
		if err != nil || told(r) != tc.want || r.OK != (tc.want == "") {
			t.Errorf("%s %s: %v, %s; want %s", tc.user, tc.password, err, told(r), tc.want)
		}
		if got := check(t, r, "broker").Found; !strings.Contains(got, tc.found) {
			t.Errorf("%s %s: %q does not mention %q", tc.user, tc.password, got, tc.found)
		}
		explained(t, r)
	}
}

// encrypted leads from an encrypted port to a broker, for clients with a certificate by
// the authority.
func encrypted(t *testing.T, ca *brokertest.Authority, certFile, keyFile, plain string) (addr string) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(ca.Certificate)
	l := tls.NewListener(listen(t, "127.0.0.1:0"), &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS12,
	})
	var copying sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); copying.Wait() })
	copying.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", plain) //nolint:noctx // it is on this computer
			if err != nil {
				t.Error(err)
				return
			}
			for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
				copying.Go(func() {
					_, _ = io.Copy(way[0], way[1]) // until one of them goes
					_, _ = from.Close(), to.Close()
				})
			}
		}
	})
	return l.Addr().String()
}

// An encrypted broker is trusted by its certificate, and trusts the board by that of
// the board; which of them is amiss is said, and what to do about it.
func TestEncryptedBroker(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Options{Listen: "127.0.0.1:0", Users: []broker.User{broker.BoardUser("hall-1", "right")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	ca, stranger := brokertest.NewAuthority(t), brokertest.NewAuthority(t)
	serverCert, serverKey := ca.IssueNow(t, "127.0.0.1")
	oldCert, oldKey := ca.Issue(t, "127.0.0.1", time.Now().AddDate(0, 0, -2), time.Now().AddDate(0, 0, -1))
	where, old := encrypted(t, ca, serverCert, serverKey, b.Addr()), encrypted(t, ca, oldCert, oldKey, b.Addr())
	cert, key := ca.IssueNow(t, "hall-1")
	foreign, foreignKey := stranger.IssueNow(t, "hall-1")
	for name, tc := range map[string]struct {
		at, ca, cert, key, cause, next string
	}{
		"good":              {where, ca.File, cert, key, "", ""},
		"unknown authority": {where, stranger.File, cert, key, "untrusted", "mqtt.ca_file"},
		"wrong name":        {strings.Replace(where, "127.0.0.1", "localhost", 1), ca.File, cert, key, "untrusted", "name in its certificate"},
		"expired":           {old, ca.File, cert, key, "expired", "timedatectl"},
		"no certificate":    {where, ca.File, "", "", "untrusted", "mqtt.cert_file"},
		"another's":         {where, ca.File, foreign, foreignKey, "untrusted", "mqtt.cert_file"},
	} {
		c := soldered(t, "hall-128")
		c.MQTT = configs.MQTT{
			Broker: "mqtts://" + tc.at, Username: "hall-1", PasswordFile: secret(t, "right"), CAFile: tc.ca, CertFile: tc.cert, KeyFile: tc.key,
		}
		want := ""
		if tc.cause != "" {
			want = "broker mqtts://" + tc.at + " " + tc.cause
		}
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), Only: []string{"broker"}})
		if err != nil || told(r) != want || r.OK != (want == "") {
			t.Errorf("%s: %v, %s; want %s", name, err, told(r), want)
		}
		if p := r.Problems(); want != "" && (len(p) != 1 || !strings.Contains(p[0].Next, tc.next)) {
			t.Errorf("%s: %+v", name, p)
		}
		explained(t, r)
	}
}

// Whatever else listens where a broker should be is no reason to hang or to fall.
func TestNoBrokerThere(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"web server": "HTTP/1.1 400 Bad Request\r\n\r\n", "nothing": "", "zeros": strings.Repeat("\x00", 100),
		"endless length": "\x20\xFF\xFF\xFF\xFF\xFF", "another answer": "\x90\x03\x00\x01\x00", "old broker": "\x20\x02\x00\x01",
		"short": "\x20\x02\x00",
	} {
		l := listen(t, "127.0.0.1:0")
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 100))
			_, _ = conn.Write([]byte(says))
			_ = conn.Close()
		}()
		c := soldered(t, "hall-128")
		c.MQTT = configs.MQTT{Broker: "mqtt://" + l.Addr().String()}
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), Only: []string{"broker"}})
		if err != nil || r.OK || len(r.Problems()) != 1 {
			t.Errorf("%s: %v, %s", name, err, told(r))
		}
		explained(t, r)
	}
}

// A board that is online at the broker stays so: the doctor has a client id of its
// own, and says that it has seen it.
func TestRunningBoardAtTheBroker(t *testing.T) {
	t.Parallel()
	b, err := broker.Start(t.Context(), broker.Options{Listen: "127.0.0.1:0", Users: []broker.User{broker.BoardUser("hall-1", "right")}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	board := dialAsBoard(t, b.Addr())
	c := soldered(t, "hall-128")
	c.MQTT = configs.MQTT{Broker: "mqtt://" + b.Addr(), Username: "hall-1", PasswordFile: secret(t, "right")}
	r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: t.TempDir(), Only: []string{"broker"}})
	if err != nil || !r.OK || !strings.Contains(check(t, r, "broker").Found, "is online there") {
		t.Errorf("%v, %+v", err, r.Checks)
	}
	if !board.IsConnectionOpen() {
		t.Error("the running board was thrown out")
	}
	board.Disconnect(100)
}

// While a board runs here nobody logs in under its name: a broker that takes the name
// for the client's id would throw the board off. The broker is only looked for.
func TestNoLoginBesideARunningBoard(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan []byte, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			close(said)
			return
		}
		text, _ := io.ReadAll(conn)
		_ = conn.Close()
		said <- text
	}()
	dir := t.TempDir()
	running, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = running.Close() }() // it was only read
	if err := syscall.Flock(int(running.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	c := soldered(t, "hall-128")
	c.MQTT = configs.MQTT{Broker: "mqtt://" + l.Addr().String(), Username: "hall-1", PasswordFile: secret(t, "right")}
	look := func() *doctor.Report {
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: dir, Only: []string{"broker"}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := look(); !r.OK || !strings.Contains(check(t, r, "broker").Found, "can be reached. A running reversi-board uses it") {
		t.Errorf("%+v", r.Checks)
	}
	if text := <-said; len(text) > 0 {
		t.Errorf("the doctor said %q to the broker", text)
	}
	_ = l.Close()
	r := look()
	if want := "broker " + c.MQTT.Broker + " unreachable"; told(r) != want {
		t.Errorf("without the broker: %s, want %s", told(r), want)
	}
	explained(t, r)
}

// The calibration: none, one of this board, one of another, one that cannot be
// read.
func TestCalibration(t *testing.T) {
	t.Parallel()
	analog, digital := settings(t, "hall-analog"), settings(t, "hall-128")
	run := func(c *configs.Config, dir string) (*doctor.Report, *doctor.Check) {
		r, err := doctor.Run(t.Context(), doctor.Options{Config: c, DataDir: dir, Only: []string{"calibration"}})
		if err != nil {
			t.Fatal(err)
		}
		explained(t, r)
		return r, check(t, r, "calibration")
	}
	if r, c := run(digital, t.TempDir()); !r.OK || c.Status != doctor.Skip {
		t.Errorf("none: %+v", c)
	}
	if r, c := run(analog, t.TempDir()); !r.OK || c.Status != doctor.Warn || !strings.Contains(c.Next, "calibrate") {
		t.Errorf("none on a board that measures: %+v", c)
	}
	dir := t.TempDir()
	cal := sensing.Identity(app.WiringOf(&digital.Hardware))
	cal.Made = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	if err := app.SaveCalibration(dir, &cal); err != nil {
		t.Fatal(err)
	}
	if r, c := run(digital, dir); !r.OK || c.Status != doctor.OK || !strings.Contains(c.Found, "30 November 2026") {
		t.Errorf("there: %+v", c)
	}
	if r, _ := run(analog, dir); r.OK || told(r) != "calibration calibration-simulated.json other_board" {
		t.Errorf("of another board: %s", told(r))
	}
	cal.Masked = 1 << 9
	if err := app.SaveCalibration(dir, &cal); err != nil {
		t.Fatal(err)
	}
	if r, _ := run(digital, dir); !r.OK || told(r) != "calibration b2 masked" {
		t.Errorf("with a square left out: %s", told(r))
	}
	if err := os.WriteFile(app.CalibrationPath(dir, &digital.Hardware), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := run(digital, dir); r.OK || told(r) != "calibration calibration-simulated.json unusable" {
		t.Errorf("broken: %s", told(r))
	}
}

// What a calibration puts right is no fault of the cells any more.
func TestCalibratedFaults(t *testing.T) {
	t.Parallel()
	c := settings(t, "hall-128")
	faults, err := doctor.ParseFaults("reversed:c3,exchanged:a1-b1,dead:h8")
	if err != nil {
		t.Fatal(err)
	}
	b, err := doctor.Simulate(&c.Hardware, faults)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cal := sensing.Identity(app.WiringOf(&c.Hardware))
	cal.Made = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	cal.Cells[0], cal.Cells[1] = 1, 0
	cal.Reversed = 1 << 18
	if err := app.SaveCalibration(dir, &cal); err != nil {
		t.Fatal(err)
	}
	r, err := doctor.Run(t.Context(), doctor.Options{
		Config: c, DataDir: dir, Sim: b.Sim, Clock: b.Clock(), Hands: b.Person, Only: []string{"cells"},
	})
	if err != nil || told(r) != "cell h8 dead" {
		t.Errorf("%v: %s", err, told(r))
	}
}

// An interruption ends the examination soon, with everything dark and put back.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, during := range []string{"cells", "leds"} {
		ctx, cancel := context.WithCancel(t.Context())
		x := examine(t, setup{profile: "hall-128", ctx: ctx, hands: func(b *doctor.Bench) doctor.Hands {
			return &scripted{
				Hands: b.Person,
				say: func(*doctor.Question) doctor.Reply {
					if during == "leds" {
						cancel()
					}
					return doctor.Reply{}
				},
				follow: func(*calibrateView) doctor.Reply {
					if during == "cells" && b.Now() > 30*time.Second {
						cancel()
					}
					return doctor.Reply{}
				},
			}
		}})
		if !errors.Is(x.err, context.Canceled) || !strings.Contains(x.err.Error(), during) {
			t.Errorf("%s: %v", during, x.err)
		}
		cancel()
	}
}

// A program that is to play is looked for as a service will.
func TestOpponent(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "player")
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a program is to be run
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, c := range []struct{ kind, command, want string }{
		{"gtp", own, ""},
		{"gtp", "gtp-rhino", ""}, // in /usr/games
		{"nboard", "player", "opponent " + own + " not_on_the_path"},
		{"nboard", "ntest", "opponent ntest not_found"},
		{"builtin", "", ""},
	} {
		settings := configs.Default()
		settings.Opponent.Kind = referee.OpponentKind(c.kind)
		settings.Opponent.Command = []string{c.command}
		r, err := doctor.Run(t.Context(), doctor.Options{Config: settings, DataDir: t.TempDir(), Only: []string{"opponent"}})
		if err != nil || told(r) != c.want {
			t.Errorf("%s %s: %v, %q, want %q", c.kind, c.command, err, told(r), c.want)
		}
	}
}
