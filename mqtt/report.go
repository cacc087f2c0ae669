package mqtt

import (
	"math"
	"time"
)

// Cells is the number of cells of a board; they are listed from a1, b1 … to h8.
const Cells = 64

// CellHealth is what sensor/health says of all cells.
type CellHealth struct {
	// Classes are 64 letters: "." good, n noisy, s stuck, f flapping, g ghost,
	// m masked, "?" no data.
	Classes string
	// Margin is what separates each cell from being misread, 0 to 100.
	Margin [Cells]uint8
	// Flaps is how often the outputs of each cell change a second.
	Flaps [Cells]float32
	// CalibratedAt is when the board was calibrated, zero for never.
	CalibratedAt time.Time
}

// EncodeHealth returns the payload of sensor/health.
func EncodeHealth(at Stamp, c *CellHealth) []byte {
	v := struct {
		stamp
		Cells  string        `json:"cells"`
		Margin [Cells]uint16 `json:"margin"` // bytes would become base64
		Flaps  [Cells]number `json:"flaps"`
		CalAt  *string       `json:"cal_at"`
	}{stamp: stampOf(at), Cells: c.Classes}
	for i := range Cells {
		v.Margin[i], v.Flaps[i] = uint16(c.Margin[i]), rounded(float64(c.Flaps[i]))
	}
	if !c.CalibratedAt.IsZero() {
		text := timestamp(c.CalibratedAt)
		v.CalAt = &text
	}
	return encode(v)
}

// EncodeRaw returns the payload of sensor/raw: what the cells read, nil for one
// that cannot be read. Boards that measure read counts of their converter,
// others which outputs are active: 1 north, 2 south, 3 both.
func EncodeRaw(at Stamp, counts *[Cells]*uint16) []byte {
	return encode(struct {
		V      int             `json:"v"`
		Boot   int             `json:"boot"`
		MonoMS int64           `json:"mono_ms"`
		Counts *[Cells]*uint16 `json:"counts"`
	}{1, at.Boot, at.Mono.Milliseconds(), counts})
}

// HintMove is a move of which is said how it is expected to end: with so many
// discs more for the player to move.
type HintMove struct {
	Move  string  `json:"move"`
	Score float64 `json:"score"`
}

// EncodeHint returns the payload of hint: moves in the position after event seq,
// the best first.
func EncodeHint(seq uint64, moves []HintMove) []byte {
	list := make([]HintMove, 0, len(moves))
	for _, m := range moves {
		m.Score = float64(rounded(m.Score))
		list = append(list, m)
	}
	return encode(struct {
		V     int        `json:"v"`
		Seq   uint64     `json:"seq"`
		Moves []HintMove `json:"moves"`
	}{1, seq, list})
}

// Diagnosis is what diag says of the computer, the connection and the board.
// What is nil is not known here.
type Diagnosis struct {
	// CPUC is the temperature of the processor in degrees Celsius.
	CPUC *float64 `json:"cpu_c"`
	// Throttled says that the processor is slowed down, Undervoltage that the
	// supply is too low.
	Throttled    *bool `json:"throttled"`
	Undervoltage *bool `json:"undervoltage"`
	// DiskFreeMB is what is left where the journal is.
	DiskFreeMB *int64 `json:"disk_free_mb"`
	// Outbox is how many events wait for the broker, Reconnects how often the
	// connection had to be made anew, Drops how many messages were thrown away,
	// RTTMS how long the last acknowledgement took.
	Outbox     uint64   `json:"outbox"`
	Reconnects int      `json:"reconnects"`
	Drops      int      `json:"drops"`
	RTTMS      *float64 `json:"rtt_ms"`
	// FsyncP99MS is how long the disk took for all but one in a hundred writes.
	FsyncP99MS *float64 `json:"fsync_p99_ms"`
	// ClockSynced says that the wall clock has been set from the network.
	ClockSynced bool `json:"clock_synced"`
	// UptimeS is since the computer was started; the stamp says since when the
	// program runs.
	UptimeS *int64   `json:"uptime_s"`
	RSSMB   *float64 `json:"rss_mb"`

	Scans DiagScans `json:"scans"`
	// LostInterrupts counts changes of cells that the interrupt line did not tell
	// of; nil without such a line.
	LostInterrupts *uint64   `json:"lost_interrupts"`
	Buses          []DiagBus `json:"buses"`
}

// DiagScans is what diag says of the scanning.
type DiagScans struct {
	Total  uint64 `json:"total"`
	Failed uint64 `json:"failed"`
	// PerSecond is the present rate, Bits how many bits the last scan took on the
	// buses of the cells.
	PerSecond float64 `json:"per_second"`
	Bits      uint64  `json:"bits"`
	LastMS    float64 `json:"last_ms"`
	LongestMS float64 `json:"longest_ms"`
}

// DiagBus is what diag says of a bus.
type DiagBus struct {
	Name string `json:"name"`
	// Dead says that nothing on it answers now; Recoveries counts attempts to free
	// it.
	Dead       bool   `json:"dead"`
	Recoveries uint64 `json:"recoveries"`
	// These count transfers by how they ended, Retries those that repeated a
	// failed one, Refused those that were not tried.
	OK          uint64 `json:"ok"`
	NACK        uint64 `json:"nack"`
	Timeout     uint64 `json:"timeout"`
	Arbitration uint64 `json:"arbitration"`
	IO          uint64 `json:"io"`
	Other       uint64 `json:"other"`
	Retries     uint64 `json:"retries"`
	Refused     uint64 `json:"refused"`
	// Silent are the addresses that do not answer now.
	Silent []uint16 `json:"silent"`
}

// EncodeDiag returns the payload of diag.
func EncodeDiag(at Stamp, d *Diagnosis) []byte {
	out := *d
	for _, x := range []**float64{&out.CPUC, &out.RTTMS, &out.FsyncP99MS, &out.RSSMB} {
		if *x != nil {
			tenths := float64(rounded(**x))
			*x = &tenths
		}
	}
	for _, x := range []*float64{&out.Scans.PerSecond, &out.Scans.LastMS, &out.Scans.LongestMS} {
		*x = float64(rounded(*x))
	}
	out.Buses = append([]DiagBus{}, d.Buses...)
	for i := range out.Buses {
		out.Buses[i].Silent = append([]uint16{}, out.Buses[i].Silent...)
	}
	return encode(struct {
		stamp
		Diagnosis
	}{stampOf(at), out})
}

// stamp begins a payload.
type stamp struct {
	V      int    `json:"v"`
	TS     string `json:"ts"`
	TSOK   bool   `json:"ts_ok"`
	Boot   int    `json:"boot"`
	MonoMS int64  `json:"mono_ms"`
}

func stampOf(at Stamp) stamp {
	return stamp{V: 1, TS: timestamp(at.TS), TSOK: at.TSOK, Boot: at.Boot, MonoMS: at.Mono.Milliseconds()}
}

// number is a float64 that JSON can hold.
type number float64

// rounded rounds to a tenth; what is no number, or too large, is 0.
func rounded(x float64) number {
	tenths := math.Round(10 * x)
	if math.IsNaN(tenths) || math.IsInf(tenths, 0) {
		return 0
	}
	return number(tenths / 10)
}
