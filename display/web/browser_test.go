package web

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"reversi-board/display/web/browsertest"
)

// chromium is a browser that opens tabs.
type chromium struct{ *browsertest.Browser }

// browser starts Chromium until the test ends.
func browser(t *testing.T) chromium {
	t.Helper()
	return chromium{browsertest.Start(t)}
}

// serve puts a server on a loopback port until the test ends.
func serve(t *testing.T, s *Server) (url string) {
	t.Helper()
	url, stop := serveUntil(t, s, "127.0.0.1:0")
	t.Cleanup(stop)
	return url
}

// serveUntil puts a server on an address until stop is called.
func serveUntil(t *testing.T, s *Server, address string) (url string, stop func()) {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + ln.Addr().String(), serveOn(t, s, ln)
}

// serveOn puts a server on a listener until stop is called.
func serveOn(t *testing.T, s *Server, ln net.Listener) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	}
}

type screen = browsertest.Screen

// tab is one page in the browser.
type tab struct {
	*browsertest.Tab
	t *testing.T
}

// open shows url on a screen.
func (b chromium) open(t *testing.T, url string, s screen) *tab {
	t.Helper()
	return &tab{b.Open(t, url, s), t}
}

func (p *tab) quiet() { p.t.Helper(); p.Quiet() }

func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) { p.t.Helper(); p.Run(actions...) }

// until waits for a condition in the page.
func (p *tab) until(condition string) { p.t.Helper(); p.Until(15*time.Second, condition) }

// call runs a command of the browser's protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return browsertest.Call(p.Tab, command, params)
}

// eval returns the value of an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	return browsertest.Eval[T](p.Tab, expression)
}

// fits fails the test if the page can be scrolled sideways.
func (p *tab) fits() {
	p.t.Helper()
	wide := eval[string](p, `(() => {
		const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return "";
		return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > width + 0.5)
			.map((e) => e.tagName + "." + e.className + "#" + e.id).join(" ") || "the page itself";
	})()`)
	if wide != "" {
		p.t.Errorf("wider than the screen: %s", wide)
	}
	// Nothing invisible makes the page longer than what is on it.
	if rest := eval[float64](p, `document.documentElement.scrollHeight - Math.max(innerHeight, document.querySelector(".foot").getBoundingClientRect().bottom + scrollY)`); rest > 1 {
		p.t.Errorf("%v empty pixels below the page", rest)
	}
}

// shoot saves a picture of the page where REVERSI_SHOTS says, for people.
func (p *tab) shoot(name string) {
	p.t.Helper()
	dir := os.Getenv("REVERSI_SHOTS")
	if dir == "" {
		return
	}
	png := p.Picture(os.Getenv("REVERSI_SHOTS_FULL") != "")
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func TestPageFitsEveryScreen(t *testing.T) {
	b := browser(t)
	states := []struct {
		name string
		make func(tb *table)
	}{
		{"setup", func(*table) {}},
		{"to-move", func(tb *table) { tb.play("f5d6c3d3c4") }},
		{"flips", func(tb *table) {
			tb.play("f5d6c3d3c4f4f6")
			if err := tb.Do(t.Context(), Act{Op: OpPlace, Square: square(t, "b4"), Color: 1}); err != nil {
				t.Error(err)
			}
		}},
		{"error", func(tb *table) {
			tb.play("f5d6c3d3c4f4f6")
			for _, a := range []Act{{Op: OpPlace, Square: square(t, "a1"), Color: 1}, {Op: OpFail, Square: square(t, "g7"), Fault: "dead"}} {
				if err := tb.Do(t.Context(), a); err != nil {
					t.Error(err)
				}
			}
		}},
		{"over", func(tb *table) {
			tb.players = [2]string{"Aigerim", "Bartholomew Featherstonehaugh"}
			tb.finish()
		}},
	}
	screens := []struct {
		name string
		screen
	}{
		{"laptop", screen{Width: 1280, Height: 800}},
		{"laptop-dark", screen{Width: 1280, Height: 800, Dark: true}},
		{"phone", screen{Width: 360, Height: 740}},
		{"phone-dark", screen{Width: 360, Height: 740, Dark: true}},
		{"tablet", screen{Width: 820, Height: 1180}},
		{"tv", screen{Width: 1920, Height: 1080, Dark: true}},
	}
	for _, st := range states {
		t.Run(st.name, func(t *testing.T) {
			tb := newTable(t, nil)
			url := serve(t, tb.server)
			st.make(tb)
			for _, sc := range screens {
				p := b.open(t, url, sc.screen)
				p.t = t
				p.fits()
				p.shoot(st.name + "-" + sc.name)
				p.quiet()
			}
		})
	}
}
