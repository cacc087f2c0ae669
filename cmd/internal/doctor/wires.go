package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/hardware"
)

// leaveTime is how long putting everything back may take after an interruption.
const leaveTime = 3 * time.Second

// wires opens the board's wires, the first time that they are needed, and reports
// whether they are there. If not the check is over: the first one says why.
func (d *doctor) wires(ctx context.Context, c *Check) bool {
	if !d.opened {
		d.opened = true
		d.open(ctx)
		if d.rig != nil {
			if d.rig.Supply() != nil {
				d.pause(ctx, railOn) // It may just have been switched on.
			}
			d.survey(ctx)
			d.keepRegisters(ctx)
		}
	}
	switch {
	case d.rig != nil:
		return true
	case d.refused != nil && !d.saidAlready(d.refused):
		c.Found = d.refused.Found
		c.blame(*d.refused)
		d.refused = nil
	default:
		c.skip("The board's wires cannot be had.")
	}
	return false
}

// saidAlready reports whether an earlier check has said why the wires cannot be
// had.
func (d *doctor) saidAlready(p *Problem) bool {
	for _, earlier := range d.report.Problems() {
		if earlier.Cause == p.Cause || earlier.Part == "device" {
			return true
		}
	}
	return false
}

// open opens the wires that the settings name, or, if some cannot be had, all
// others.
func (d *doctor) open(ctx context.Context) {
	if p := d.mustNot(ctx); p != nil {
		d.refused = p
		return
	}
	var err error
	if d.rig, err = d.openRig(d.h); err == nil {
		return
	}
	bare := *d.h
	for _, p := range looseParts() {
		p.drop(&bare)
	}
	if err := d.tryRig(&bare); err != nil {
		d.refused = d.refusal(err)
		return
	}
	// One part after the other, to find the one to blame.
	good := bare
	for _, p := range looseParts() {
		next := good
		p.take(&next, d.h)
		if err := d.tryRig(&next); err != nil {
			d.parts[p.name] = err
			continue
		}
		good = next
	}
	if d.rig, err = d.openRig(&good); err != nil {
		d.refused = d.refusal(err)
	}
}

// mustNot says why the wires must not even be tried, nil if they may. A running
// board is recognized by the lock on its data folder, and by its page; one with
// another folder and another page by the pins that it has.
func (d *doctor) mustNot(ctx context.Context) *Problem {
	if d.h.Simulation.Enabled {
		return nil
	}
	how := ""
	switch {
	case d.running:
		how = "its data folder " + d.dir + " is locked"
	case d.c.Web.Listen != "" && pageOfBoard(ctx, &d.c.Web):
		how = "its page answers at " + d.c.Web.URL(d.c.Web.Listen)
	}
	if how != "" {
		var without []string
		for _, k := range checks() {
			if !k.wires {
				without = append(without, k.name)
			}
		}
		return &Problem{
			Part: "wires", Where: "the board", Cause: "running",
			Found: "A running reversi-board has the board: " + how + ".",
			Next: "Stop it (sudo systemctl stop reversi-board) and ask again, or look at the rest only: --only " +
				strings.Join(without, ",") + ".",
		}
	}
	if _, ok := d.o.System.Model(); !ok {
		return &Problem{
			Part: "wires", Where: "this computer", Cause: "other_computer", Found: "This computer is not a Raspberry Pi.",
			Next: "Run this on the Raspberry Pi of the board; to try the settings here add --simulate.",
		}
	}
	return nil
}

const (
	// pageTime is how long a page may take to answer, maxEvent how much of its
	// answer is read.
	pageTime = 2 * time.Second
	maxEvent = 1 << 20
)

// pageOfBoard reports whether the page of a board that is not simulated answers
// where the settings have it: the first event of its stream says whose it is.
func pageOfBoard(ctx context.Context, page *configs.Web) bool {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page.URL(page.Listen)+"api/v1/stream", http.NoBody)
	if err != nil {
		return false
	}
	client, err := app.PageClient(page)
	if err != nil {
		return false
	}
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close() //nolint:errcheck // Nothing was written.
	lines := bufio.NewScanner(io.LimitReader(answer.Body, maxEvent))
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var event struct {
			Card *struct {
				Simulated bool `json:"simulated"`
			} `json:"card"`
		}
		return json.Unmarshal([]byte(data), &event) == nil && event.Card != nil && !event.Card.Simulated
	}
	return false
}

// refusal says why the wires cannot be had.
func (d *doctor) refusal(err error) *Problem {
	p := &Problem{Part: "wires", Where: "the board", Cause: "unusable", Found: sentence(err.Error()), Next: "See to that, and ask again."}
	if errors.Is(err, syscall.EBUSY) {
		p.Cause = "busy"
		p.Found = "Another program has a pin of the board: " + err.Error() + "."
		p.Next = "End that program (a reversi-board with other settings, or an overlay in config.txt that takes the pin), and ask again."
	}
	return p
}

// loosePart is a part of the board without which the others can be looked at.
type loosePart struct {
	name string
	drop func(h *configs.Hardware)
	take func(h, from *configs.Hardware)
}

func looseParts() []loosePart {
	return []loosePart{
		{
			"recovery",
			func(h *configs.Hardware) { h.Recovery = configs.Recovery{} },
			func(h, from *configs.Hardware) { h.Recovery = from.Recovery },
		},
		{
			"interrupt",
			func(h *configs.Hardware) { h.Interrupt = "" },
			func(h, from *configs.Hardware) { h.Interrupt = from.Interrupt },
		},
		{
			"leds",
			func(h *configs.Hardware) { h.LEDs.Driver = configs.NoLEDs },
			func(h, from *configs.Hardware) { h.LEDs.Driver = from.LEDs.Driver },
		},
		{
			"buttons",
			func(h *configs.Hardware) { h.Buttons = configs.Buttons{} },
			func(h, from *configs.Hardware) { h.Buttons = from.Buttons },
		},
		{
			"buzzer",
			func(h *configs.Hardware) { h.Buzzer = "" },
			func(h, from *configs.Hardware) { h.Buzzer = from.Buzzer },
		},
	}
}

func (d *doctor) openRig(h *configs.Hardware) (*app.Rig, error) {
	o := app.RigOptions{Sim: d.o.Sim, Now: d.clock.Now, Inline: d.clock.Virtual}
	if d.clock.Virtual {
		o.Sleep = d.clock.Sleep
	}
	return d.o.Open(h, o)
}

func (d *doctor) tryRig(h *configs.Hardware) error {
	rig, err := d.openRig(h)
	if err != nil {
		return err
	}
	return rig.Close()
}

// without ends a check whose part cannot be had, and reports whether it did.
func (d *doctor) without(part string, c *Check) bool {
	err := d.parts[part]
	if err == nil {
		return false
	}
	p := d.refusal(err)
	c.foundf("The wires of this part cannot be had.")
	p.Part, p.Where = "wires", part
	c.blame(*p)
	return true
}

// on does something on a bus, without retries.
func (d *doctor) on(ctx context.Context, bus int, f func(tx i2c.Bus) error) error {
	return d.rig.Buses[bus].Do(ctx, hardware.PrioCanary, func(tx i2c.Bus) error { return f(hardware.Once(tx)) })
}

// leave puts everything back: lights and display dark, registers as they were,
// wires given back. It does so after an interruption as well.
func (d *doctor) leave(ctx context.Context) {
	if d.rig == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	left := func(what string, err error) {
		if err != nil {
			d.report.Left = append(d.report.Left, fmt.Sprintf("%s: %s.", what, brief(err)))
		}
	}
	if d.rig.Lights != nil && d.lightable() {
		left("The lights may still shine", d.rig.Lights.Dark())
	}
	if d.rig.OLED != nil {
		left("The display may still show something", d.rig.OLED.Off(ctx))
	}
	for i := range d.saved {
		s := &d.saved[i]
		// A chip that has gone meanwhile has been blamed for that.
		if err := s.putBack(ctx, d); err != nil && hardware.Classify(err) != hardware.NACK {
			left("The registers of the chip at "+placeName(d.h, s.bus, s.addr)+" may not be as they were", err)
		}
	}
	left("The wires could not be given back", d.rig.Close())
}

// lightable reports whether there is anything that could be told to be dark: a
// module that never answered is dark, or out of reach.
func (d *doctor) lightable() bool {
	if d.h.LEDs.Driver != configs.HT16K33 {
		return true
	}
	return len(d.buses) > 0 && d.buses[0].has(d.h.LEDs.Address)
}
