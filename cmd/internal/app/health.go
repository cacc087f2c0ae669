package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/hardware"
	"reversi-board/hardware/hall128"
)

// Health is what is known of the parts of a board at one moment, as plain data
// for whoever reports it. Counters only grow from the start of the program on;
// parts that the board does not have are missing. Texts of errors are complete
// sentences for people, and stay when the trouble is over: what is wrong now is
// said by the fields of type bool.
type Health struct {
	Scans ScanHealth `json:"scans"`
	// Interrupts is nil when no line says that cells have changed.
	Interrupts *InterruptHealth `json:"interrupts,omitempty"`
	Buses      []BusHealth      `json:"buses,omitempty"`
	// Gone names the device files and pins whose device has gone: its driver was
	// unbound, its overlay removed or its adapter pulled.
	Gone []string `json:"gone,omitempty"`
	// Chips are the expanders or converters that read the cells, in the order of
	// the settings.
	Chips []ChipHealth `json:"chips,omitempty"`
	// Contacts is nil unless the cells are contacts in a matrix.
	Contacts *ContactHealth `json:"contacts,omitempty"`
	LEDs     *PartHealth    `json:"leds,omitempty"`
	OLED     *PartHealth    `json:"oled,omitempty"`
}

// ScanHealth is what is known of the scanning.
type ScanHealth struct {
	// Scans counts them, Failed those in which nothing could be read.
	Scans  uint64 `json:"scans"`
	Failed uint64 `json:"failed"`
	// Last and Longest are how long they took, in milliseconds.
	Last    float64 `json:"last_ms"`
	Longest float64 `json:"longest_ms"`
	// Bits is how many bits the last one took on the buses.
	Bits uint64 `json:"bits"`
	// Lost are the cells that could not be known in the last one, bit n for cell
	// n (a1 = 0).
	Lost uint64 `json:"lost"`
	// Error is what the last failed one ended with.
	Error string `json:"error,omitempty"`
}

// InterruptHealth is what is known of the interrupt line of the expanders.
type InterruptHealth struct {
	// Heard counts scans that the line asked for, Needless those of them that
	// found nothing new.
	Heard    uint64 `json:"heard"`
	Needless uint64 `json:"needless"`
	// Changes counts scans that found something new, Missed those of them that
	// the line did not tell of.
	Changes uint64 `json:"changes"`
	Missed  uint64 `json:"missed"`
}

// BusHealth is what is known of an I2C bus.
type BusHealth struct {
	Name string `json:"name"`
	// Dead says that nothing on it answers now; Deaths counts how often that
	// happened. Gone says that it is dead because its adapter has gone.
	Dead   bool   `json:"dead"`
	Deaths uint64 `json:"deaths"`
	Gone   bool   `json:"gone,omitempty"`
	// Recoveries counts attempts to free it, Unfreed those that failed.
	Recoveries uint64         `json:"recoveries"`
	Unfreed    uint64         `json:"unfreed"`
	Error      string         `json:"error,omitempty"`
	Devices    []DeviceHealth `json:"devices,omitempty"`
}

// DeviceHealth is what is known of one address.
type DeviceHealth struct {
	Addr uint16 `json:"addr"`
	// Silent says that the chip does not answer and is asked now and then only;
	// Silences counts how often that happened.
	Silent   bool   `json:"silent"`
	Silences uint64 `json:"silences"`
	// These count transfers by how they ended.
	OK          uint64 `json:"ok"`
	NACK        uint64 `json:"nack"`
	Timeout     uint64 `json:"timeout"`
	Arbitration uint64 `json:"arbitration"`
	IO          uint64 `json:"io"`
	Other       uint64 `json:"other"`
	// Retries counts transfers that repeated a failed one, Refused those that
	// were not even tried.
	Retries uint64 `json:"retries"`
	Refused uint64 `json:"refused"`
	Error   string `json:"error,omitempty"`
}

// Failed returns how many transfers went wrong.
func (d *DeviceHealth) Failed() uint64 {
	return d.NACK + d.Timeout + d.Arbitration + d.IO + d.Other
}

// ChipHealth is what is known of an expander or a converter.
type ChipHealth struct {
	// Kind is tca9555, pca9555, mcp23017 or ads1115, Bus the number of its bus.
	Kind string `json:"kind"`
	Bus  int    `json:"bus"`
	Addr uint16 `json:"addr"`
	// Cells are those that it reads, bit n for cell n.
	Cells uint64 `json:"cells"`
	// State is absent, proving or live.
	State string `json:"state"`
	// Good counts reads that counted, Failed those that failed, Inits
	// initialisations, Resets how often the chip had lost its registers.
	Good   uint64 `json:"good"`
	Failed uint64 `json:"failed"`
	Inits  uint64 `json:"inits"`
	Resets uint64 `json:"resets"`
	// Corrupt counts reads that were contradicted or that no sound chip can have
	// given, Slow conversions that did not end in time.
	Corrupt uint64 `json:"corrupt"`
	Slow    uint64 `json:"slow"`
	Error   string `json:"error,omitempty"`
}

// ContactHealth is what is known of a matrix of contacts; sets have bit n for
// cell n.
type ContactHealth struct {
	// Failed counts scans in which a line could not be driven or read.
	Failed uint64 `json:"failed"`
	// Refused seem to hold a disc and cannot be believed, the diodes of Shorted
	// seem to be shorted, and Held are on columns that are low all the time.
	Refused uint64 `json:"refused"`
	Shorted uint64 `json:"shorted"`
	Held    uint64 `json:"held"`
	Error   string `json:"error,omitempty"`
}

// PartHealth is what is known of the LEDs or of the display.
type PartHealth struct {
	// Failing says that it does not take what it is sent.
	Failing bool `json:"failing"`
	// Frames counts pictures, or parts of one, that it took, Failed attempts that
	// failed, Resets how often it had lost its registers, as far as it can be
	// asked.
	Frames uint64 `json:"frames"`
	Failed uint64 `json:"failed"`
	Resets uint64 `json:"resets"`
	Error  string `json:"error,omitempty"`
}

// Health returns what is known of the board now. It may be called from any
// goroutine, while the board runs; it waits for a scan at most.
func (r *Rig) Health() Health {
	h := Health{Scans: r.scans.health()}
	for _, d := range r.wires.devices {
		if d.Gone() != nil {
			h.Gone = append(h.Gone, d.Name())
		}
	}
	for _, b := range r.Buses {
		h.Buses = append(h.Buses, busHealth(b))
	}
	switch {
	case r.Hall128 != nil:
		s := r.Hall128.Stats()
		for i := range s.Banks {
			h.Chips = append(h.Chips, bankHealth(&s.Banks[i]))
		}
		if r.interrupts {
			h.Interrupts = &InterruptHealth{Heard: s.Announced, Needless: s.Needless, Changes: s.Changes, Missed: s.Unannounced}
		}
	case r.Analog != nil:
		for _, a := range r.Analog.Stats() {
			h.Chips = append(h.Chips, ChipHealth{
				Kind: "ads1115", Addr: a.Addr, Cells: a.Cells, State: a.State.String(),
				Good: a.Good, Failed: a.Failed, Inits: a.Inits, Resets: a.Resets, Corrupt: a.Unequal, Slow: a.Slow, Error: textOf(a.Err),
			})
		}
	case r.Reed != nil:
		s := r.Reed.Stats()
		h.Contacts = &ContactHealth{Failed: s.Failed, Refused: s.Refused, Shorted: s.Shorted, Held: s.Held, Error: textOf(s.Err)}
	}
	if l, ok := r.Lights.(*watchedLights); ok {
		h.LEDs = l.health()
	}
	if r.OLED != nil {
		s := r.OLED.Stats()
		h.OLED = &PartHealth{
			Failing: !s.Present && s.Failed > 0, Frames: s.Slices, Failed: s.Failed, Resets: s.Resets, Error: textOf(s.Err),
		}
	}
	return h
}

// textOf returns what err says, and nothing for none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func busHealth(b *hardware.Bus) BusHealth {
	s := b.Stats()
	h := BusHealth{
		Name: b.String(), Dead: s.Open, Deaths: s.Opens, Recoveries: s.Recoveries, Unfreed: s.Unfreed, Error: textOf(s.Cause),
		Gone: hardware.Gone(s.Cause),
	}
	if s.RecoveryErr != nil && !h.Gone {
		h.Error = s.RecoveryErr.Error()
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		h.Devices = append(h.Devices, DeviceHealth{
			Addr: d.Addr, Silent: d.Open, Silences: d.Opens,
			OK: d.Count(hardware.OK), NACK: d.Count(hardware.NACK), Timeout: d.Count(hardware.Timeout),
			Arbitration: d.Count(hardware.ArbLost), IO: d.Count(hardware.IO) + d.Count(hardware.Vanished),
			Other:   d.Count(hardware.Other) + d.Count(hardware.Unsupported),
			Retries: d.Retries, Refused: d.FailedFast, Error: textOf(d.Last),
		})
	}
	return h
}

func bankHealth(b *hall128.BankStats) ChipHealth {
	kind := map[hall128.Kind]string{
		hall128.TCA9555: configs.TCA9555, hall128.PCA9555: configs.PCA9555, hall128.MCP23017: configs.MCP23017,
	}[b.Kind]
	return ChipHealth{
		Kind: kind, Bus: b.Bus, Addr: b.Addr, Cells: b.Cells, State: b.State.String(),
		Good: b.Good, Failed: b.Failed, Inits: b.Inits, Resets: b.Resets, Corrupt: b.Unequal + b.Implausible,
		Error: textOf(b.Err),
	}
}

// watchedMatrix counts the scans of a board.
type watchedMatrix struct {
	matrix Matrix
	// clock may be nil. wire counts the bits on the buses.
	clock func() time.Duration
	wire  *atomic.Uint64

	mu            sync.Mutex
	scans, failed uint64
	bits          uint64
	last, longest time.Duration
	lost          uint64
	err           error
}

// Scan implements Matrix.
func (m *watchedMatrix) Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error {
	began, wire := m.time(), m.wire.Load()
	err := m.matrix.Scan(ctx, now, f)
	took, bits := m.time()-began, m.wire.Load()-wire
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scans++
	m.last, m.longest, m.bits = took, max(m.longest, took), bits
	m.lost = f.Lost
	if err != nil {
		m.failed++
		m.err = err
	}
	return err
}

func (m *watchedMatrix) time() time.Duration {
	if m.clock == nil {
		return 0
	}
	return m.clock()
}

func (m *watchedMatrix) health() ScanHealth {
	m.mu.Lock()
	defer m.mu.Unlock()
	const millisecond = float64(time.Millisecond)
	return ScanHealth{
		Scans: m.scans, Failed: m.failed, Bits: m.bits, Lost: m.lost, Error: textOf(m.err),
		Last: float64(m.last) / millisecond, Longest: float64(m.longest) / millisecond,
	}
}

// watchedLights counts what LEDs are sent.
type watchedLights struct {
	Lights
	// lost returns how often the LEDs had lost their registers; it is nil when
	// they cannot be asked. It is called by the goroutine that shows.
	lost func() uint64

	mu   sync.Mutex
	what PartHealth // Without Error.
	err  error      // The last failure.
}

// Show implements Lights.
func (l *watchedLights) Show(scene *display.Scene, now time.Duration) (sent bool, again time.Duration, err error) {
	sent, again, err = l.Lights.Show(scene, now)
	l.mu.Lock()
	defer l.mu.Unlock()
	if sent {
		l.what.Frames++
	}
	if err != nil {
		l.what.Failed++
		l.err = err
	}
	l.what.Failing = err != nil
	if l.lost != nil {
		l.what.Resets = l.lost()
	}
	return sent, again, err
}

func (l *watchedLights) health() *PartHealth {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.what
	h.Error = textOf(l.err)
	return &h
}
