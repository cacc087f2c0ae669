package doctor

import (
	"context"
	"fmt"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/configs"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/hardware/oled"
)

const (
	// drawTime is how long a picture may take, drawPause the time between two
	// parts of it.
	drawTime  = 5 * time.Second
	drawPause = 20 * time.Millisecond
	// pressTime is how long a button is watched that nobody presses.
	pressTime = 500 * time.Millisecond
	// bounceTime is how long a contact must be at rest.
	bounceTime = 30 * time.Millisecond
)

// checkDisplay draws a frame on the small display and asks whether it is whole.
func checkDisplay(ctx context.Context, d *doctor, c *Check) {
	o := d.h.OLED
	if o.Driver == configs.NoOLED {
		c.skip("This board has no display.")
		return
	}
	if d.deadBus(0, c) {
		return
	}
	if !d.buses[0].has(o.Address) {
		e := chipWanted{0, o.Address, o.Driver, false}
		p := d.missingChip(e, d.stray(ctx, e, d.strangers(0)))
		p.Part = "display"
		if p.Cause == "misplaced" {
			p.Next = fmt.Sprintf("Set hardware.oled.address to 0x%02x.", o.Address^1)
		} else {
			p.Next = "Look at its supply, ground, SDA and SCL; or set hardware.oled.driver to none."
		}
		c.foundf("The display does not answer at 0x%02x.", o.Address)
		c.blame(p)
		return
	}
	frame := framePicture()
	d.rig.OLED.Show(&frame)
	if err := d.draw(ctx); err != nil {
		c.foundf("The display fails while it is drawn on: %s.", brief(err))
		c.blame(Problem{
			Part: "display", Where: fmt.Sprintf("0x%02x", o.Address), Cause: "unstable", Found: c.Found,
			Next: "Make its wires shorter, and put 100 nF at it.",
		})
		return
	}
	c.foundf("The %s at 0x%02x takes pictures; nobody looked.", o.Driver, o.Address)
	if d.hands == nil {
		return
	}
	switch d.wait(ctx, &Question{Topic: Frame, Text: "Does the display show a frame, whole on all four sides?"}).Said {
	case Yes:
		c.foundf("The %s at 0x%02x shows pictures.", o.Driver, o.Address)
	case No, These:
		other := configs.SH1106
		if o.Driver == configs.SH1106 {
			other = configs.SSD1306
		}
		c.foundf("The display answers, but does not show what it should.")
		c.blame(Problem{
			Part: "display", Where: fmt.Sprintf("0x%02x", o.Address), Cause: "picture", Found: c.Found,
			Next: "If the picture is shifted to one side set hardware.oled.driver to " + other + "; if there is none change the display.",
		})
	case Nothing, Leave, Enough:
	}
}

// framePicture is a frame around the whole display.
func framePicture() (p [oled.Width]uint64) {
	for x := range p {
		p[x] = 1 | 1<<(oled.Height-1)
	}
	p[0], p[oled.Width-1] = ^uint64(0), ^uint64(0)
	return p
}

// draw sends the picture, part by part.
func (d *doctor) draw(ctx context.Context) error {
	for until := d.clock.Now() + drawTime; d.clock.Now() < until; {
		more, err := d.rig.OLED.Step(ctx, d.clock.Now())
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		if err := d.clock.Wait(ctx, drawPause); err != nil {
			return err
		}
	}
	return context.DeadlineExceeded
}

// checkButtons looks at the buttons, and asks for them to be pushed.
func checkButtons(ctx context.Context, d *doctor, c *Check) {
	if len(buttonPins(d.h)) == 0 {
		c.skip("This board has no buttons.")
		return
	}
	if d.without("buttons", c) {
		return
	}
	stuck := d.stuckButtons(ctx, c)
	works := 0
	for _, b := range d.rig.Buttons {
		if d.hands == nil || stuck[b.Name] || ctx.Err() != nil {
			continue
		}
		if d.push(ctx, b, stuck, c) {
			works++
		}
	}
	n := len(d.rig.Buttons)
	if d.hands == nil {
		c.foundf("%d of %s not pressed while nobody presses them; nobody tried them.", n-len(stuck), counted(n, "button is", "buttons are"))
		return
	}
	c.foundf("%d of %s.", works, counted(n, "button works", "buttons work"))
}

// down reports whether a button is pressed.
func down(b button.Button) bool {
	level, err := b.Input.Read()
	return err == nil && (level == gpio.High) == b.ActiveHigh
}

// pinOfButton names a button with its pin.
func (d *doctor) pinOfButton(name string) string {
	for _, b := range buttonPins(d.h) {
		if b.name == name {
			return fmt.Sprintf("%s (pin %d of the header)", b.pin, headerOf(b.pin))
		}
	}
	return "its pin"
}

// stuckButtons finds buttons that are pressed although nobody presses them, or
// that do not come to rest.
func (d *doctor) stuckButtons(ctx context.Context, c *Check) map[string]bool {
	buttons := d.rig.Buttons
	looks, pressed, changes := 0, make([]int, len(buttons)), make([]int, len(buttons))
	last := make([]bool, len(buttons))
	for until := d.clock.Now() + pressTime; d.clock.Now() < until && d.pause(ctx, bounceTime); looks++ {
		for i, b := range buttons {
			now := down(b)
			if looks > 0 && now != last[i] {
				changes[i]++
			}
			if now {
				pressed[i]++
			}
			last[i] = now
		}
	}
	stuck := map[string]bool{}
	for i, b := range buttons {
		p := Problem{Part: "button", Where: b.Name}
		switch {
		case changes[i] > flaps:
			p.Cause, p.Found = "flapping", fmt.Sprintf("The button %s comes and goes by itself.", b.Name)
			p.Next = "Look at its wires and at the joints of " + d.pinOfButton(b.Name) + "."
		case looks > 0 && pressed[i] == looks:
			p.Cause, p.Found = "stuck", fmt.Sprintf("The button %s is pressed although nobody presses it.", b.Name)
			p.Next = "Look for a short of " + d.pinOfButton(b.Name) + " to ground, or change the button."
		default:
			continue
		}
		stuck[b.Name] = true
		c.blame(p)
	}
	return stuck
}

// push asks for one button and reports whether it works.
func (d *doctor) push(ctx context.Context, b button.Button, stuck map[string]bool, c *Check) bool {
	q := &Question{Topic: Push, Button: b.Name, Text: fmt.Sprintf("Push the button %s, and let it go.", b.Name)}
	since, closed := d.clock.Now(), false
	for d.pause(ctx, bounceTime/2) {
		now := d.clock.Now()
		switch at := down(b); {
		case at && !closed:
			closed, since = true, now
		case !at && closed && now-since >= bounceTime:
			return true
		case !at:
			closed = false
		}
		if other := d.otherButton(b, stuck); other != "" && !closed {
			c.blame(Problem{
				Part: "button", Where: b.Name, Cause: "exchanged",
				Found: fmt.Sprintf("The button %s is wired to the pin of %s.", b.Name, other),
				Next:  fmt.Sprintf("Exchange the two in the settings, or connect it to %s.", d.pinOfButton(b.Name)),
			})
			d.release(ctx, q, stuck)
			return false
		}
		r := d.hands.Answer(now, q)
		switch {
		case r.Said == Enough:
			d.hands = nil
			return false
		case r.Said == Leave:
			return false
		case r.Said != Nothing && !closed:
			c.blame(Problem{
				Part: "button", Where: b.Name, Cause: "dead",
				Found: fmt.Sprintf("Nothing is seen of the button %s.", b.Name),
				Next:  "Look at its wires to " + d.pinOfButton(b.Name) + " and to ground.",
			})
			return false
		}
	}
	return false
}

// otherButton returns another button that is pressed.
func (d *doctor) otherButton(b button.Button, stuck map[string]bool) string {
	for _, other := range d.rig.Buttons {
		if other.Name != b.Name && !stuck[other.Name] && down(other) {
			return other.Name
		}
	}
	return ""
}

// release waits until nobody presses anything, but not for ever. What is said
// meanwhile does not count.
func (d *doctor) release(ctx context.Context, q *Question, stuck map[string]bool) {
	for until := d.clock.Now() + patience; d.clock.Now() < until && d.pause(ctx, bounceTime); {
		_ = d.hands.Answer(d.clock.Now(), q)
		pressed := false
		for _, b := range d.rig.Buttons {
			pressed = pressed || !stuck[b.Name] && down(b)
		}
		if !pressed {
			return
		}
	}
}

// checkBuzzer sounds the buzzer and asks whether it was heard.
func checkBuzzer(ctx context.Context, d *doctor, c *Check) {
	if d.h.Buzzer == "" {
		c.skip("This board has no buzzer.")
		return
	}
	if d.without("buzzer", c) {
		return
	}
	if err := d.rig.Buzzer.Sound(ctx, buzzer.OK); err != nil {
		c.foundf("The buzzer's pin cannot be driven: %s.", brief(err))
		c.blame(Problem{Part: "buzzer", Where: d.h.Buzzer, Cause: "pin", Found: c.Found, Next: "End the program that has the pin, or choose another one with hardware.buzzer."})
		return
	}
	c.foundf("The buzzer was told to sound twice; nobody listened.")
	if d.hands == nil {
		return
	}
	switch d.wait(ctx, &Question{Topic: Sound, Text: "Did you hear the buzzer, twice?"}).Said {
	case Yes:
		c.foundf("The buzzer sounds.")
	case No, These:
		c.foundf("The buzzer was not heard.")
		c.blame(Problem{
			Part: "buzzer", Where: d.h.Buzzer, Cause: "silent", Found: c.Found,
			Next: fmt.Sprintf("Look at its transistor and at %s (pin %d of the header); it must be an active buzzer, one that sounds on 5 V alone.", d.h.Buzzer, headerOf(d.h.Buzzer)),
		})
	case Nothing, Leave, Enough:
	}
}
