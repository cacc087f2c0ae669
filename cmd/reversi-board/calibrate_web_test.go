package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reversi-board/sensing"
)

// shown is a condition: an element is there to be seen.
func shown(selector string) string {
	return fmt.Sprintf(`!document.querySelector(%q).hidden`, selector)
}

// The board is calibrated on its page: ended before the end nothing is stored;
// carried through it is, the board uses it at once, and after the next start.
func TestCalibrateOnThePage(t *testing.T) {
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	p := b.start()
	file := filepath.Join(b.dir, "calibration-simulated.json")
	page := open(chromium(t), t, p.url+"/calibrate")
	page.until(patience, shown("#begin"))
	if got := eval[string](page, textOf("#stored")); got != "This board has not been calibrated." {
		t.Errorf("it says %q", got)
	}

	page.click("#single")
	page.until(patience, shown("#going"))
	page.click("#abort")
	page.until(patience, shown("#finished"))
	if got := eval[string](page, textOf("#sentence")); got != "Ended. Nothing was stored." {
		t.Errorf("it says %q", got)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Fatalf("something was stored: %v", err)
	}
	page.click("#forget")
	page.until(patience, shown("#begin"))

	page.click("#quick")
	page.until(patience, shown("#helping"))
	page.click("#robot")
	page.until(3*time.Minute, shown("#deciding"))
	if got := eval[string](page, textOf("#sentence")); got != "All 64 squares are good." {
		t.Errorf("it says %q", got)
	}
	if got := eval[string](page, `document.getElementById("picture").href.slice(0, 18)`); got != "data:image/svg+xml" {
		t.Errorf("the picture is %q", got)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Fatalf("something was stored before the end was confirmed: %v", err)
	}
	page.click("#store")
	page.until(patience, shown("#finished"))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := sensing.DecodeCalibration(text); err != nil || c.Kind != "simulated hall-128" || c.Masked != 0 {
		t.Errorf("%v %+v", err, c)
	}
	page.click("#forget")
	page.until(patience, `document.getElementById("stored").textContent.startsWith("Calibrated on ")`)

	// The board plays on, and with it after the next start.
	w := p.watch()
	p.hand(act{Op: "reset"})
	w.phase("playing")
	p.play(w, theFinal(t).plies(t, 1)[0])
	page.quiet()
	p.kill()
	again := b.start()
	if !strings.Contains(again.stderr.String(), "calibrated") {
		t.Errorf("nothing about the calibration in the log: %s", again.stderr)
	}
}
