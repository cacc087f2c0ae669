package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
)

const (
	// flashTime is how long the lights shine when nobody looks.
	flashTime = 500 * time.Millisecond
	// bits is how many pictures tell 64 lights from each other: in picture k those
	// squares are lit whose number has bit k.
	bits = 6
	// pictures are all of them: everything lit first, nothing last.
	pictures = bits + 2
	allLit   = 0
	allDark  = pictures - 1
	// several is how many lights must be in other places for it to be one mistake.
	several = 8
)

// show shows a scene; the check of the lights says what is wrong if that fails.
func (d *doctor) show(sc *display.Scene) {
	if d.rig.Lights != nil && d.lightable() {
		_, _, _ = d.rig.Lights.Show(sc, d.clock.Now())
	}
}

// picture returns what is lit in one of the pictures.
func picture(k int) (lit engine.Bitboard) {
	switch k {
	case allLit:
		return ^engine.Bitboard(0)
	case allDark:
		return 0
	}
	for s := range engine.Square(engine.Squares) {
		lit |= engine.Bitboard(s>>(k-1)&1) << s
	}
	return lit
}

// question asks about one of the pictures.
func pictureQuestion(k int) *Question {
	what := [pictures]string{
		"Do all 64 lights shine?",
		"Do the files b, d, f and h shine, and nothing else?",
		"Do the files c, d, g and h shine, and nothing else?",
		"Do the files e to h shine, and nothing else?",
		"Do the ranks 2, 4, 6 and 8 shine, and nothing else?",
		"Do the ranks 3, 4, 7 and 8 shine, and nothing else?",
		"Do the ranks 5 to 8 shine, and nothing else?",
		"Are all lights dark?",
	}[k]
	return &Question{Topic: Shine, Text: what, Lit: picture(k)}
}

// checkLEDs lights the squares and asks what is to be seen.
func checkLEDs(ctx context.Context, d *doctor, c *Check) {
	if d.h.LEDs.Driver == configs.NoLEDs {
		c.skip("This board has no lights.")
		return
	}
	if d.without("leds", c) {
		return
	}
	for s := range d.squares {
		d.squares[s].LED = Untested
	}
	d.seen = true
	if l := d.h.LEDs; l.Driver == configs.HT16K33 && (d.deadBus(0, c) || d.missingModule(ctx, c)) {
		return
	}
	if err := d.light(ctx, picture(allLit), display.Flip); err != nil {
		c.foundf("The lights cannot be told anything: %s.", brief(err))
		c.blame(Problem{Part: "led", Where: "all lights", Cause: "unreachable", Found: c.Found, Next: d.mendLights()})
		return
	}
	if d.hands == nil {
		d.flash(ctx, c)
		return
	}
	d.askLights(ctx, c)
	if err := d.rig.Lights.Dark(); err != nil && ctx.Err() == nil {
		c.blame(Problem{Part: "led", Where: "all lights", Cause: "unreachable", Found: "The lights could not be switched off: " + brief(err) + ".", Next: d.mendLights()})
	}
}

// missingModule reports whether a module on the bus of the sensors does not
// answer.
func (d *doctor) missingModule(ctx context.Context, c *Check) bool {
	l := d.h.LEDs
	if d.buses[0].has(l.Address) {
		return false
	}
	e := chipWanted{0, l.Address, configs.HT16K33, false}
	p := d.missingChip(e, d.stray(ctx, e, d.strangers(0)))
	c.foundf("The module with the lights does not answer at 0x%02x.", l.Address)
	c.blame(p)
	return true
}

// strangers are addresses on a bus that answer without being named.
func (d *doctor) strangers(bus int) (all []uint16) {
	for _, addr := range d.buses[bus].present {
		if !slices.ContainsFunc(d.expected(), func(e chipWanted) bool { return e.bus == bus && e.addr == addr }) {
			all = append(all, addr)
		}
	}
	return all
}

// light shows one pattern on some squares.
func (d *doctor) light(ctx context.Context, lit engine.Bitboard, p display.Pattern) error {
	var sc display.Scene
	for s := range lit.All() {
		sc.Lights[s] = p
	}
	if _, _, err := d.rig.Lights.Show(&sc, d.clock.Now()); err != nil {
		return err
	}
	return ctx.Err()
}

// flash is all that can be done when nobody looks.
func (d *doctor) flash(ctx context.Context, c *Check) {
	d.pause(ctx, flashTime)
	err := d.rig.Lights.Dark()
	switch {
	case err != nil:
		c.foundf("The lights could not be switched off: %s.", brief(err))
		c.blame(Problem{Part: "led", Where: "all lights", Cause: "unreachable", Found: c.Found, Next: d.mendLights()})
		return
	case d.h.LEDs.Driver == configs.HT16K33:
		c.foundf("The module with the lights answers at 0x%02x; nobody looked whether they shine.", d.h.LEDs.Address)
	default:
		c.foundf("All lights were told to shine for a moment; they cannot answer, and nobody looked.")
	}
	c.Next = "If they stayed dark: " + lower(d.mendLights())
}

// mendLights says what to look at when no light shines: the pins of the
// settings first.
func (d *doctor) mendLights() string {
	if d.h.LEDs.Driver == configs.HT16K33 {
		return fmt.Sprintf("Look at the module's supply, and at SDA and SCL; its address must be 0x%02x.", d.h.LEDs.Address)
	}
	var wires []string
	for _, p := range lightPins(d.h) {
		wires = append(wires, fmt.Sprintf("%s (pin %d of the header) is %s", p.Pin, p.Header, p.Use))
	}
	text := "Look whether the wires are where the settings say"
	if len(wires) > 0 {
		text += ": " + list(wires)
	}
	text += ". Then look at their 5 V, at a common ground, and whether the data goes in at the end marked DI or DIN"
	switch d.h.LEDs.Driver {
	case configs.WS2812, configs.APA102:
		return text + "; and whether hardware.leds.driver is right (two wires, data and clock: apa102; one wire: ws2812)."
	default:
		return text + "."
	}
}

func lower(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// askLights shows the pictures one after the other.
func (d *doctor) askLights(ctx context.Context, c *Check) {
	var g glances
	for k := range pictures {
		if err := d.light(ctx, picture(k), display.Flip); err != nil {
			c.foundf("The lights failed: %s.", brief(err))
			c.blame(Problem{Part: "led", Where: "all lights", Cause: "unreachable", Found: c.Found, Next: d.mendLights()})
			return
		}
		r := d.wait(ctx, pictureQuestion(k))
		if ctx.Err() != nil || r.Said == Enough {
			break
		}
		g.note(k, r)
		if k == allLit && g.none() {
			break
		}
	}
	d.sayLights(&g, c)
	if c.Status == OK && g.asked[allLit] {
		d.askColors(ctx, c)
	}
}

// wait puts a question until it is answered.
func (d *doctor) wait(ctx context.Context, q *Question) Reply {
	if d.hands == nil {
		return Reply{Said: Leave}
	}
	for d.pause(ctx, d.look()) {
		r := d.hands.Answer(d.clock.Now(), q)
		if r.Said == Enough {
			d.hands = nil
		}
		if r.Said != Nothing {
			return r
		}
	}
	return Reply{Said: Enough}
}

// glances are what was seen of the pictures.
type glances struct {
	asked [pictures]bool
	// lit are the squares that shone.
	lit [pictures]engine.Bitboard
}

// note takes an answer.
func (g *glances) note(k int, r Reply) {
	want := picture(k)
	switch r.Said {
	case Yes:
		g.lit[k] = want
	case No: // Nothing of what should shine does; or, where all should be dark, all shine.
		g.lit[k] = 0
		if k == allDark {
			g.lit[k] = ^engine.Bitboard(0)
		}
	case These:
		g.lit[k] = want ^ r.Squares
	case Nothing, Leave, Enough:
		return
	}
	g.asked[k] = true
}

// none reports whether no light shines at all.
func (g *glances) none() bool { return g.asked[allLit] && g.lit[allLit] == 0 }

// judge returns what each light does, and, where it is that of another square,
// which square's it is.
func (g *glances) judge() (states [engine.Squares]State, of [engine.Squares]engine.Square) {
	whole := !slices.Contains(g.asked[:], false)
	for s := range engine.Square(engine.Squares) {
		states[s], of[s] = g.light(s, whole)
	}
	return states, of
}

func (g *glances) light(s engine.Square, whole bool) (State, engine.Square) {
	ever, odd, number := false, false, engine.Square(0)
	for k := range pictures {
		if !g.asked[k] {
			continue
		}
		lit := g.lit[k].Has(s)
		ever = ever || lit
		odd = odd || lit != picture(k).Has(s)
		if k > allLit && k < allDark && lit {
			number |= 1 << (k - 1)
		}
	}
	switch {
	case !g.asked[allLit]:
		return Untested, s
	case g.asked[allDark] && g.lit[allDark].Has(s):
		return Stuck, s
	case !odd:
		return Fine, s
	case !ever:
		return Dead, s
	case whole && g.lit[allLit].Has(s):
		return Elsewhere, number
	}
	return Suspect, s
}

// sayLights says what the answers mean.
func (d *doctor) sayLights(g *glances, c *Check) {
	if g.none() {
		for s := range d.squares {
			d.squares[s].LED = Dead
		}
		c.foundf("No light shines.")
		c.blame(Problem{Part: "led", Where: "all lights", Cause: "dark", Found: "No light shines.", Next: d.mendLights()})
		return
	}
	states, of := g.judge()
	var dead, elsewhere engine.Bitboard
	fine := 0
	for s, state := range states {
		d.squares[s].LED = state
		switch state {
		case Fine:
			fine++
		case Dead:
			dead |= engine.Square(s).Bit()
		case Elsewhere:
			elsewhere |= engine.Square(s).Bit()
		case Stuck, Suspect:
			d.blameLight(engine.Square(s), state, c)
		case Untested, Quiet, Occupied, Lost, Reversed, Both, Flapping, Weak, Noisy, Implausible, Open, Shorted:
		}
	}
	d.deadLights(dead, c)
	d.otherLights(elsewhere, dead, &of, c)
	if !g.asked[allLit] {
		c.skip("Nobody said whether the lights shine.")
		return
	}
	c.foundf("%d of 64 lights shine where they should.", fine)
}

func (d *doctor) blameLight(s engine.Square, state State, c *Check) {
	p := Problem{Part: "led", Where: s.String(), Cause: string(state)}
	if state == Stuck {
		p.Found, p.Next = fmt.Sprintf("The light of %v never goes out.", s), "Change it, and look at the joints before and behind it."
	} else {
		p.Found, p.Next = fmt.Sprintf("The light of %v does not always do what it should.", s), "Look at its joints, and ask for this check again."
	}
	c.blame(p)
}

// deadLights reports lights that stay dark: one by one, or as a chain that ends
// somewhere.
func (d *doctor) deadLights(dead engine.Bitboard, c *Check) {
	chain := d.h.LEDs.Driver == configs.APA102 || d.h.LEDs.Driver == configs.WS2812
	if last := engine.Squares - dead.Count(); chain && dead.Count() >= 2 && last > 0 && d.endsAt(dead, last) {
		first, before := d.lightNumber(last), d.lightNumber(last-1)
		c.blame(Problem{
			Part: "led", Where: first.String(), Cause: "chain_ends",
			Found: fmt.Sprintf("All lights from %v on are dark, %d of them: the chain ends there.", first, dead.Count()),
			Next:  fmt.Sprintf("Look at the joints between the lights of %v and %v, then change the one of %v, then the one of %v.", before, first, first, before),
		})
		return
	}
	for s := range dead.All() {
		c.blame(Problem{
			Part: "led", Where: s.String(), Cause: "dead",
			Found: fmt.Sprintf("The light of %v stays dark.", s),
			Next:  fmt.Sprintf("Look at the joints of the light of %v (number %d), then change it.", s, d.h.LEDs.Order[s]),
		})
	}
}

// endsAt reports whether the dark lights are all from some number on.
func (d *doctor) endsAt(dead engine.Bitboard, first int) bool {
	for s := range dead.All() {
		if d.h.LEDs.Order[s] < first {
			return false
		}
	}
	return true
}

// lightNumber returns the square of a light, by its number along the chain.
func (d *doctor) lightNumber(n int) engine.Square {
	return engine.Square(max(0, slices.Index(d.h.LEDs.Order[:], n)))
}

// otherLights reports lights that are those of other squares: one by one, or as
// another order of all.
func (d *doctor) otherLights(elsewhere, dead engine.Bitboard, of *[engine.Squares]engine.Square, c *Check) {
	if elsewhere.Count() >= several {
		c.blame(Problem{
			Part: "board", Where: "hardware.leds.order", Cause: "led_order",
			Found: fmt.Sprintf("%d lights are those of other squares: they are in another order than the settings say.", elsewhere.Count()),
			Next:  "Set hardware.leds.order to " + d.orderOf(dead, of) + ".",
		})
		return
	}
	for s := range elsewhere.All() {
		c.blame(Problem{
			Part: "led", Where: s.String(), Cause: "elsewhere",
			Found: fmt.Sprintf("Beside %v is the light of %v.", s, of[s]),
			Next:  fmt.Sprintf("Give %v the number %d in hardware.leds.order.", s, d.h.LEDs.Order[of[s]]),
		})
	}
}

// orderOf returns what to put into the settings. Dark lights fit whatever is
// left.
func (d *doctor) orderOf(dead engine.Bitboard, of *[engine.Squares]engine.Square) string {
	var order [engine.Squares]int
	for s := range order {
		order[s] = d.h.LEDs.Order[of[s]]
	}
	for _, known := range [...]struct {
		name string
		at   func(s int) int
	}{
		{"rows", func(s int) int { return s }},
		{"serpentine", func(s int) int {
			if s/8%2 == 1 {
				return s/8*8 + 7 - s%8
			}
			return s
		}},
	} {
		fits := true
		for s, n := range order {
			fits = fits && (n == known.at(s) || dead.Has(engine.Square(s)))
		}
		if fits {
			return known.name
		}
	}
	if dead != 0 {
		return "the order in which they are; mend the dark ones first, then this check can say it"
	}
	return strings.Join(strings.Fields(fmt.Sprint(order)), ", ")
}

// askColors asks for the colors of lights that have some.
func (d *doctor) askColors(ctx context.Context, c *Check) {
	type tint struct {
		pattern display.Pattern
		color   string
	}
	var tints []tint
	switch d.h.LEDs.Driver {
	case configs.APA102, configs.WS2812:
		tints = []tint{{display.Flip, "sky blue"}}
	case configs.HT16K33:
		tints = []tint{{display.Flip, "green"}, {display.Wrong, "red, blinking"}}
	}
	for _, t := range tints {
		if d.light(ctx, picture(allLit), t.pattern) != nil {
			return
		}
		r := d.tinted(ctx, t.pattern, &Question{
			Topic: Color, Text: "Are all lights " + t.color + "?", Lit: picture(allLit), Color: t.color,
		})
		if r.Said != No && r.Said != These {
			continue
		}
		c.blame(Problem{
			Part: "led", Where: colored(r), Cause: "color",
			Found: colored(r) + " should be " + t.color + " and is not.", Next: d.mendColors(r),
		})
		return
	}
}

// tinted waits for the answer while the lights blink.
func (d *doctor) tinted(ctx context.Context, p display.Pattern, q *Question) Reply {
	for d.hands != nil && d.pause(ctx, d.look()) {
		if d.light(ctx, q.Lit, p) != nil {
			break
		}
		r := d.hands.Answer(d.clock.Now(), q)
		if r.Said == Enough {
			d.hands = nil
		}
		if r.Said != Nothing {
			return r
		}
	}
	return Reply{Said: Leave}
}

func colored(r Reply) string {
	if r.Said == These {
		return names(r.Squares)
	}
	return "all lights"
}

func (d *doctor) mendColors(r Reply) string {
	switch {
	case r.Said == These:
		return "Change those lights: one of their colors is broken."
	case d.h.LEDs.Driver == configs.HT16K33:
		return "The module's red and green are the other way round: exchange ROW0 to ROW7 with ROW8 to ROW15."
	default:
		return "Look whether hardware.leds.driver is right; lights that want their colors in another order (RGB instead of GRB or BGR) are not supported."
	}
}
