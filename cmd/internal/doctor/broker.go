package doctor

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

const (
	// brokerTime is how long a broker may take for everything.
	brokerTime = 10 * time.Second
	// retainedTime is how long a retained message may take to come.
	retainedTime = time.Second
	// maxPacket bounds what is read from a broker at once.
	maxPacket = 64 << 10
)

// checkBroker looks whether the board will have a broker. It logs in, publishes nothing,
// and is gone. While a board runs here it only looks whether the broker can be reached.
func checkBroker(ctx context.Context, d *doctor, c *Check) {
	m := d.c.MQTT
	switch {
	case m.Embedded.Enabled:
		d.embedded(ctx, c)
	case m.Broker != "":
		d.external(ctx, c)
	default:
		c.skip("There is no broker in the settings.")
	}
}

// embedded tries the address of the broker inside of the program.
func (d *doctor) embedded(ctx context.Context, c *Check) {
	listen := d.c.MQTT.Embedded.Listen
	err := tryListen(ctx, listen)
	switch {
	case err == nil:
		c.foundf("The embedded broker can listen on %s.", listen)
	case errors.Is(err, syscall.EADDRINUSE) && d.running:
		c.foundf("A running reversi-board listens on %s.", listen)
	case errors.Is(err, syscall.EADDRINUSE):
		c.foundf("Another program listens on %s, so the embedded broker cannot.", listen)
		c.blame(Problem{
			Part: "broker", Where: listen, Cause: "in_use", Found: c.Found,
			Next: "Choose another address with mqtt.embedded.listen, or use that broker with mqtt.broker.",
		})
	default:
		c.foundf("The embedded broker cannot listen on %s: %s.", listen, brief(err))
		c.blame(Problem{Part: "broker", Where: listen, Cause: "cannot_listen", Found: c.Found, Next: "Choose another address with mqtt.embedded.listen."})
	}
}

func tryListen(ctx context.Context, listen string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	return l.Close()
}

// external logs in to a broker elsewhere.
func (d *doctor) external(ctx context.Context, c *Check) {
	m := d.c.MQTT
	ctx, cancel := context.WithTimeout(ctx, brokerTime)
	defer cancel()
	if d.running && m.Username != "" {
		d.reach(ctx, c)
		return
	}
	v, err := d.visit(ctx)
	user := "without a user name"
	if m.Username != "" {
		user = fmt.Sprintf("as user %q", m.Username)
	}
	if err != nil {
		c.foundf("The broker %s cannot be used %s: %s.", m.Broker, user, brief(err))
		c.blame(Problem{Part: "broker", Where: m.Broker, Cause: v.cause, Found: c.Found, Next: v.next})
		return
	}
	c.foundf("The broker %s lets the board in %s, in %s.", m.Broker, user, short(v.took))
	if v.online {
		c.Found += " A board of this name is online there."
	}
	for _, filter := range v.refused {
		p := Problem{
			Part: "broker", Where: m.Broker, Cause: "no_rights",
			Found: "The broker refuses the subscription to " + filter + ".",
			Next:  fmt.Sprintf("Give the user %q the right to read it.", m.Username),
		}
		if filter == haStatus {
			p.Status = Warn
		}
		c.blame(p)
	}
}

// reach looks whether a broker can be reached, without a login: a broker may take the
// name of the user for the client's id (Mosquitto: use_username_as_clientid), and then
// a login would throw the running board off.
func (d *doctor) reach(ctx context.Context, c *Check) {
	v := visit{cause: "unreachable", next: "Look at mqtt.broker, at the network, and whether the broker runs."}
	conn, err := d.dial(ctx)
	if err != nil {
		c.foundf("The broker %s cannot be reached: %s.", d.c.MQTT.Broker, brief(v.distrust(err)))
		c.blame(Problem{Part: "broker", Where: d.c.MQTT.Broker, Cause: v.cause, Found: c.Found, Next: v.next})
		return
	}
	_ = conn.Close() // nothing was said
	c.foundf("The broker %s can be reached. A running reversi-board uses it: its page says how the connection is. "+
		"Stop it to have the login tried.", d.c.MQTT.Broker)
}

// visit is what became of a login.
type visit struct {
	took    time.Duration
	refused []string
	online  bool
	// cause and next are about an error.
	cause, next string
}

const haStatus = "homeassistant/status"

// filters are what a board subscribes to (package mqtt).
func (d *doctor) filters() []string {
	own := "reversi/v1/" + d.c.Board.ID
	return []string{own + "/cmd/#", "reversi/v1/_all/cmd/#", own + "/availability", haStatus}
}

// visit connects, subscribes to what the board subscribes to, waits for a moment
// for what the broker says of the board, and leaves.
func (d *doctor) visit(ctx context.Context) (v visit, err error) {
	began := time.Now()
	v.cause, v.next = "unreachable", "Look at mqtt.broker, at the network, and whether the broker runs."
	conn, err := d.dial(ctx)
	if err != nil {
		return v, v.distrust(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		stop()
		_ = conn.Close() // What there was to say has been said.
	}()
	v.cause, v.next = "no_mqtt", "Look whether this is the address of an MQTT broker, and not encrypted where it should be or the other way round."
	r := bufio.NewReader(conn)
	code, err := d.login(conn, r)
	if err != nil {
		return v, v.distrust(err)
	}
	if code != 0 {
		v.cause, v.next = "refused", "Look at mqtt.username and mqtt.password_file, and at the user's rights at the broker."
		return v, errors.New(refusal(code))
	}
	v.took = time.Since(began)
	if v.refused, err = d.subscribe(conn, r); err != nil {
		return v, err
	}
	v.online = d.hear(conn, r)
	// A DISCONNECT, so that the broker's log has no lost connection in it.
	_ = packets.NewControlPacket(packets.Disconnect).Write(conn)
	return v, nil
}

// distrust notes what to do about an error, if one side does not trust the other's
// certificate, and returns the part of the error that says so.
func (v *visit) distrust(err error) error {
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		v.cause, v.next = "untrusted", "Set mqtt.ca_file to the certificate of the authority that signed the broker's."
		return unknown
	}
	if wrong, ok := errors.AsType[x509.HostnameError](err); ok {
		v.cause, v.next = "untrusted", "Call the broker by the name in its certificate, in mqtt.broker."
		return wrong
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		v.cause, v.next = "expired", "Look at the clock of this computer (timedatectl), and renew the broker's certificate if that is right."
		return invalid
	}
	// The broker says so with the first answer, and the library has no type for it.
	if text := err.Error(); strings.Contains(text, "certificate required") || strings.Contains(text, "bad certificate") ||
		strings.Contains(text, "unknown certificate authority") {
		v.cause, v.next = "untrusted", "The broker wants a certificate of the board: set mqtt.cert_file and mqtt.key_file to one that it trusts."
	}
	return err
}

func (d *doctor) dial(ctx context.Context) (net.Conn, error) {
	u, err := url.Parse(d.c.MQTT.Broker)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: brokerTime}
	if u.Scheme != "mqtts" {
		return dialer.DialContext(ctx, "tcp", u.Host)
	}
	config, err := d.c.MQTT.TLS()
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the setting
	}
	config.ServerName = u.Hostname()
	return (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, "tcp", u.Host)
}

// login sends CONNECT, without a will and with a client id of its own: that of
// the board would throw a running one out. It returns the broker's code.
func (d *doctor) login(w io.Writer, r *bufio.Reader) (code byte, err error) {
	password, err := d.c.MQTT.Password()
	if err != nil {
		return 0, err
	}
	p, ok := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	if !ok {
		return 0, errPacket
	}
	p.ProtocolName, p.ProtocolVersion = "MQTT", 4
	p.CleanSession, p.Keepalive = true, 30
	p.ClientIdentifier = "doctor-" + strings.ToLower(rand.Text()[:8])
	if password != "" {
		p.UsernameFlag, p.PasswordFlag = true, true
		p.Username, p.Password = d.c.MQTT.Username, []byte(password)
	}
	if err := p.Write(w); err != nil {
		return 0, err
	}
	kind, body, err := readPacket(r)
	if err != nil {
		return 0, err
	}
	if kind>>4 != packets.Connack || len(body) != 2 {
		return 0, errPacket
	}
	return body[1], nil
}

// errPacket is returned for what is no MQTT 3.1.1.
var errPacket = errors.New("it does not answer in MQTT 3.1.1")

// refusal says what a code of CONNACK means (MQTT 3.1.1, table 3.1).
func refusal(code byte) string {
	switch code {
	case 1:
		return "the broker does not speak MQTT 3.1.1"
	case 2:
		return "the broker refuses the client id"
	case 3:
		return "the broker is not available now"
	case 4:
		return "user name or password is wrong"
	case 5:
		return "the broker does not let this user in"
	}
	return fmt.Sprintf("the broker refuses with code %d", code)
}

// subscribe returns the filters that the broker refuses.
func (d *doctor) subscribe(w io.Writer, r *bufio.Reader) (refused []string, err error) {
	p, ok := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
	if !ok {
		return nil, errPacket
	}
	p.MessageID, p.Topics = 1, d.filters()
	p.Qoss = make([]byte, len(p.Topics))
	if err := p.Write(w); err != nil {
		return nil, err
	}
	for {
		kind, body, err := readPacket(r)
		switch {
		case err != nil:
			return nil, err
		case kind>>4 == packets.Publish:
			continue // A retained one that was faster.
		case kind>>4 != packets.Suback || len(body) != 2+len(p.Topics):
			return nil, errPacket
		}
		for i, code := range body[2:] {
			if code > 2 {
				refused = append(refused, p.Topics[i])
			}
		}
		return refused, nil
	}
}

// hear reports whether the broker says that a board of this name is online.
func (d *doctor) hear(conn net.Conn, r *bufio.Reader) bool {
	if conn.SetReadDeadline(time.Now().Add(retainedTime)) != nil {
		return false
	}
	for {
		kind, body, err := readPacket(r)
		if err != nil {
			return false
		}
		topic, payload, ok := message(kind, body)
		if !ok || !strings.HasSuffix(topic, "/availability") {
			continue
		}
		var said struct {
			State string `json:"state"`
		}
		return json.Unmarshal(payload, &said) == nil && said.State == "online"
	}
}

// message takes a PUBLISH of QoS 0 apart.
func message(kind byte, body []byte) (topic string, payload []byte, ok bool) {
	if kind>>4 != packets.Publish || kind&0x06 != 0 || len(body) < 2 {
		return "", nil, false
	}
	n := int(body[0])<<8 | int(body[1])
	if len(body) < 2+n {
		return "", nil, false
	}
	return string(body[2 : 2+n]), body[2+n:], true
}

// readPacket reads a packet: its first byte, and what follows its length (MQTT
// 3.1.1, section 2.2). One that is longer than maxPacket is an error.
func readPacket(r *bufio.Reader) (kind byte, body []byte, err error) {
	if kind, err = r.ReadByte(); err != nil {
		return 0, nil, err
	}
	size := 0
	for shift := 0; ; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		size |= int(b&0x7F) << shift
		if size > maxPacket || shift > 21 {
			return 0, nil, errPacket
		}
		if b&0x80 == 0 {
			break
		}
	}
	body = make([]byte, size)
	_, err = io.ReadFull(r, body)
	return kind, body, err
}
