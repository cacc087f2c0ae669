package app

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"reversi-board/mqtt"
	"reversi-board/sensing"
)

const (
	// lookPeriod is how often the nurse looks after the board, vitalsPeriod how
	// often after the computer.
	lookPeriod   = time.Second
	vitalsPeriod = 5 * time.Second
	// healthPeriod is the shortest time between two messages on sensor/health,
	// diagPeriod the time between two on diag.
	healthPeriod = time.Minute
	diagPeriod   = time.Minute
	// lowFor is how long the supply must have been right for the alert to end.
	lowFor = 30 * time.Second
	// fullMB is how little of the disk may be left.
	fullMB = 100
	// unsetAfter is how long the wall clock may take to be set after the start.
	unsetAfter = 2 * time.Minute
	// marginStep is how much a margin has to change to be worth a message.
	marginStep = 5
)

// nurse looks after the health of the board and of the computer in a running
// program, on a goroutine of its own: asking for it waits for scans and reads
// files, and the loop waits for neither. It publishes sensor/health, sensor/raw
// and diag, and keeps what the loop needs for alerts and the page for its health
// view.
type nurse struct {
	app *App
	// out is where to publish, nil for nowhere.
	out teller
	// files are the computer's, nil for all that there are; free says how many
	// bytes are left on the disk of a folder, flush has the disks written.
	files fs.FS
	free  func(dir string) (bytes int64, ok bool)
	flush func()
	wake  chan struct{}

	mu sync.Mutex
	// rawUntil is when sensor/raw ends, asked says that diag is wanted at once.
	rawUntil time.Duration
	asked    bool
	seen     observed
	// board is what the goroutine that scans has seen last, at visited.
	board   Health
	visited time.Duration
	// jammed are the buttons that do not come up again.
	jammed map[string]bool

	// The rest belongs to keep. said is what sensor/health said last, at saidAt.
	said          mqtt.CellHealth
	saidAt        time.Duration
	everSaid      bool
	looked, diag  time.Duration
	measured, raw time.Duration
	// scans were counted at counted.
	scans   uint64
	counted time.Duration
	// line judges the interrupt line.
	line lineWatch
	// lowAt is when the supply was last too low, if ever.
	lowAt   time.Duration
	everLow bool
}

// teller publishes. *mqtt.Adapter is one.
type teller interface {
	Show(t mqtt.Topic, payload []byte)
	Status() mqtt.Status
}

// observed is what the nurse has seen last.
type observed struct {
	health Health
	vitals vitals
	// rate is the number of scans a second.
	rate  float64
	facts facts
}

// facts are what alerts follow from; two equal ones need no alert to change.
type facts struct {
	low, unset bool
	// freeMB is what is left of a disk that is nearly full, -1 otherwise.
	freeMB int64
	// silent says which chips or buses do not answer, gone which device files and
	// pins have gone.
	silent, gone string
	// line is how the interrupt line is.
	line lineState
}

func newNurse(a *App) *nurse {
	return &nurse{app: a, free: diskFree, flush: flushDisks, wake: make(chan struct{}, 1), seen: observed{facts: facts{freeMB: -1}}}
}

// facts returns what alerts follow from. It may be called from any goroutine.
func (n *nurse) facts() facts { return n.look().facts }

// look returns what has been seen last. It may be called from any goroutine.
func (n *nurse) look() observed {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen
}

// order does what the command diag asks for. It may be called from any
// goroutine.
func (n *nurse) order(d mqtt.DiagArgs) {
	n.mu.Lock()
	n.asked = true
	if d.Set {
		n.rawUntil = 0
		if d.Raw {
			n.rawUntil = n.app.now() + d.For
		}
	}
	n.mu.Unlock()
	nudge(n.wake)
}

// orders returns until when sensor/raw is wanted and, once, whether diag is.
func (n *nurse) orders() (rawUntil time.Duration, asked bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	asked, n.asked = n.asked, false
	return n.rawUntil, asked
}

// keep runs until ctx ends.
func (n *nurse) keep(ctx context.Context) {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.wake:
		case <-next.C:
		}
		next.Reset(n.round())
	}
}

// round does what is due and returns after what time to come again.
func (n *nurse) round() (again time.Duration) {
	now := n.app.now()
	c := n.app.eyes.Checkup()
	if n.looked == 0 || now-n.looked >= lookPeriod {
		n.looked = max(now, 1)
		n.observe(now)
		n.publishHealth(now, &c)
	}
	raw, asked := n.orders()
	if asked || n.diag == 0 || now-n.diag >= diagPeriod {
		n.diag = max(now, 1)
		n.publishDiag()
	}
	again = n.looked + lookPeriod - now
	if now < raw {
		if now-n.raw >= checkupPeriod {
			n.raw = now
			n.publishRaw(&c)
		}
		again = min(again, n.raw+checkupPeriod-now)
	}
	return max(again, time.Millisecond)
}

// visit looks at the board. It is called by the goroutine that scans, between
// two scans: another one would have to wait for the end of one, which is long
// when a bus hangs.
func (n *nurse) visit(now time.Duration) {
	if n.visited > 0 && now-n.visited < lookPeriod {
		return
	}
	n.app.rig.CheckPins()
	h := n.app.rig.Health()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.board, n.visited = h, max(now, 1)
}

// observe looks at what has been seen of the board, and at the computer.
func (n *nurse) observe(now time.Duration) {
	seen := n.look()
	before := seen.facts
	n.mu.Lock()
	seen.health = n.board
	visited := n.visited
	n.mu.Unlock()
	switch {
	case visited > n.counted:
		seen.rate = float64(seen.health.Scans.Scans-n.scans) / (visited - n.counted).Seconds()
		n.scans, n.counted = seen.health.Scans.Scans, visited
	case now-visited > 3*lookPeriod:
		seen.rate = 0
	}
	if n.measured == 0 || now-n.measured >= vitalsPeriod {
		n.measured = max(now, 1)
		seen.vitals = readVitals(n.files)
		if free, ok := n.free(n.app.dir); ok {
			mb := free >> 20
			seen.vitals.freeMB = &mb
		}
	}
	seen.facts = n.conclude(now, &seen)
	n.mu.Lock()
	n.seen = seen
	n.mu.Unlock()
	if seen.facts == before {
		return
	}
	if seen.facts.low && !before.low {
		n.app.log.Warn("the supply of the computer is too low: the LEDs are dimmed and the disk is written")
		n.flush()
	}
	nudge(n.app.touched)
}

// conclude says what alerts follow from.
func (n *nurse) conclude(now time.Duration, seen *observed) facts {
	f := facts{freeMB: -1, silent: silentParts(&seen.health), gone: strings.Join(seen.health.Gone, ", "), unset: now >= unsetAfter && !n.app.synced()}
	if low := seen.vitals.low; low != nil && *low {
		n.lowAt, n.everLow = now, true
	}
	f.low = n.everLow && now-n.lowAt < lowFor
	f.line = n.line.judge(now, seen.health.Interrupts)
	if free := seen.vitals.freeMB; free != nil && *free < fullMB {
		f.freeMB = *free
	}
	return f
}

// silentParts names the buses and the chips of the cells that do not answer.
func silentParts(h *Health) string {
	var parts []string
	for _, b := range h.Buses {
		switch {
		case b.Gone:
			parts = append(parts, fmt.Sprintf("the adapter of the bus %s has gone", b.Name))
		case b.Dead:
			parts = append(parts, fmt.Sprintf("nothing on the bus %s answers", b.Name))
		}
	}
	for _, c := range h.Chips {
		if c.State == "absent" && !deadBus(h, c.Bus) {
			parts = append(parts, fmt.Sprintf("the %s at 0x%02X does not answer", c.Kind, c.Addr))
		}
	}
	return strings.Join(parts, ", ")
}

func deadBus(h *Health, bus int) bool { return bus < len(h.Buses) && h.Buses[bus].Dead }

// stampNow is the stamp of a payload of MQTT.
func (n *nurse) stampNow() mqtt.Stamp {
	s := n.app.stamp()
	return mqtt.Stamp{TS: s.TS, TSOK: s.TSOK, Boot: s.Boot, Mono: s.Mono}
}

// publishHealth publishes sensor/health when the cells are otherwise than it
// says, once a minute at most.
func (n *nurse) publishHealth(now time.Duration, c *Checkup) {
	if n.out == nil || c.At == 0 || n.everSaid && now-n.saidAt < healthPeriod {
		return
	}
	next := cellHealth(c)
	next.CalibratedAt = n.app.eyes.Calibrated()
	if n.everSaid && !worthSaying(&n.said, &next) {
		return
	}
	n.said, n.saidAt, n.everSaid = next, now, true
	n.out.Show(mqtt.Health, mqtt.EncodeHealth(n.stampNow(), &next))
}

func cellHealth(c *Checkup) (h mqtt.CellHealth) {
	h.Classes = c.Cells.Classes()
	for i, cell := range c.Cells {
		h.Margin[i], h.Flaps[i] = cell.Margin, cell.Flaps
	}
	return h
}

// worthSaying reports whether two reports differ in more than noise.
func worthSaying(a, b *mqtt.CellHealth) bool {
	if a.Classes != b.Classes || !a.CalibratedAt.Equal(b.CalibratedAt) {
		return true
	}
	for i := range a.Margin {
		if d := int(a.Margin[i]) - int(b.Margin[i]); d >= marginStep || d <= -marginStep {
			return true
		}
	}
	return false
}

// publishRaw publishes what the cells read.
func (n *nurse) publishRaw(c *Checkup) {
	if n.out == nil || c.At == 0 {
		return
	}
	var counts [mqtt.Cells]*uint16
	for i := range counts {
		if c.Lost>>i&1 == 0 {
			counts[i] = &c.Counts[i]
		}
	}
	n.out.Show(mqtt.Raw, mqtt.EncodeRaw(n.stampNow(), &counts))
}

// publishDiag publishes diag.
func (n *nurse) publishDiag() {
	if n.out == nil {
		return
	}
	seen := n.look()
	d := diagnosis(&seen)
	d.ClockSynced = n.app.synced()
	s := n.out.Status()
	d.Outbox, d.Drops, d.Reconnects = s.Outbox, s.Drops, max(0, s.Connections-1)
	if s.RTT > 0 {
		d.RTTMS = milliseconds(s.RTT)
	}
	if p99, ok := n.app.disks.p99(); ok {
		d.FsyncP99MS = milliseconds(p99)
	}
	n.out.Show(mqtt.Diag, mqtt.EncodeDiag(n.stampNow(), &d))
}

func milliseconds(d time.Duration) *float64 {
	ms := float64(d) / float64(time.Millisecond)
	return &ms
}

// diagnosis is what diag says of the board and the computer.
func diagnosis(seen *observed) mqtt.Diagnosis {
	h, v := &seen.health, &seen.vitals
	d := mqtt.Diagnosis{
		CPUC: v.celsius, Throttled: v.slowed, Undervoltage: v.low, DiskFreeMB: v.freeMB, UptimeS: v.uptime, RSSMB: v.residentMB,
		Scans: mqtt.DiagScans{
			Total: h.Scans.Scans, Failed: h.Scans.Failed, PerSecond: seen.rate, Bits: h.Scans.Bits,
			LastMS: h.Scans.Last, LongestMS: h.Scans.Longest,
		},
	}
	if h.Interrupts != nil {
		d.LostInterrupts = &h.Interrupts.Missed
	}
	for i := range h.Buses {
		b := &h.Buses[i]
		out := mqtt.DiagBus{Name: b.Name, Dead: b.Dead, Recoveries: b.Recoveries}
		for _, dev := range b.Devices {
			out.OK += dev.OK
			out.NACK += dev.NACK
			out.Timeout += dev.Timeout
			out.Arbitration += dev.Arbitration
			out.IO += dev.IO
			out.Other += dev.Other
			out.Retries += dev.Retries
			out.Refused += dev.Refused
			if dev.Silent {
				out.Silent = append(out.Silent, dev.Addr)
			}
		}
		slices.Sort(out.Silent)
		d.Buses = append(d.Buses, out)
	}
	return d
}

// counts returns how many cells are of each class.
func counts(r *sensing.Report) map[sensing.Class]int {
	n := make(map[sensing.Class]int)
	for _, c := range r {
		n[c.Class]++
	}
	return n
}
