package web

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/chromedp/chromedp"
)

// Players whom nobody has named are called by their color, once.
func namesNobody(t *testing.T, show func(*table, screen) *tab) {
	tb := newTable(t, nil)
	tb.players = [2]string{"Black", "White"} // as the settings call them
	tb.play("f5")
	p := show(tb, phone())
	for player, want := range map[string]string{"player-black": "Black 4", "player-white": "White to move 1"} {
		if got := eval[string](p, `document.getElementById("`+player+`").innerText.replace(/\s+/g, " ").trim()`); got != want {
			t.Errorf("%s reads %q, want %q", player, got, want)
		}
	}
	p.run(chromedp.Click(chromedp.ID("new")))
	p.until(`document.getElementById("new-game").open`)
	// There is nothing to delete before a name can be typed.
	p.run(chromedp.Click(chromedp.ID("white")))
	p.press("Dana")
	if got := eval[string](p, `document.getElementById("black").value + "|" + document.getElementById("white").value`); got != "|Dana" {
		t.Errorf("the names are %q, want none and Dana", got)
	}
	p.quiet()
}

// The lights of a suggestion are dim on the board; on the screen they can be
// told from dark ones, and the best one from the others.
func showsDimLights(t *testing.T, show func(*table, screen) *tab) {
	var px [64]RGB
	// What a strip at a quarter of its brightness makes of a twelfth and of a
	// quarter of yellow.
	px[square(t, "f6")], px[square(t, "f3")] = RGB{23, 19, 7}, RGB{63, 59, 19}
	for name, s := range screens() {
		tb := newTable(t, nil)
		tb.play("")
		p := show(tb, s)
		tb.server.LEDs(px)
		p.until(`document.querySelectorAll(".cell.lit").length === 2`)
		picture, err := png.Decode(bytes.NewReader(p.Picture(false)))
		if err != nil {
			t.Fatal(err)
		}
		// c3 and c6 are as far from the middle, from where the board is lit.
		best, bestOff := p.luminance(picture, "f3"), p.luminance(picture, "c3")
		other, otherOff := p.luminance(picture, "f6"), p.luminance(picture, "c6")
		if other < otherOff+2 || best-bestOff < other-otherOff+2 {
			t.Errorf("%s: the best square shines with %.1f, dark %.1f; another with %.1f, dark %.1f",
				name, best, bestOff, other, otherOff)
		}
		p.quiet()
	}
}

// luminance returns how light a square is in a picture of the page, on average,
// 0 to 255 (the weights of ITU-R BT.709).
func (p *tab) luminance(picture image.Image, square string) float64 {
	p.t.Helper()
	r := eval[[4]float64](p, `(() => { const r = document.querySelector('[data-square="`+square+`"]').getBoundingClientRect();
		return [r.left, r.top, r.right, r.bottom]; })()`)
	sum, n := 0.0, 0.0
	for y := int(r[1]) + 1; y < int(r[3]); y++ {
		for x := int(r[0]) + 1; x < int(r[2]); x++ {
			red, green, blue, _ := picture.At(x, y).RGBA()
			sum += (0.2126*float64(red) + 0.7152*float64(green) + 0.0722*float64(blue)) / 257
			n++
		}
	}
	return sum / n
}
