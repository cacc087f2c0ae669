package web

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is a browser that opens tabs. chromedp keeps browsers and tabs in
// contexts.
type chromium struct {
	ctx context.Context //nolint:containedctx // see above
}

// browser starts Chromium until the test ends.
func browser(t *testing.T) chromium {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not installed: these tests look at the page in it (apt-get install chromium)")
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		// A name that browsers do not trust as they trust localhost.
		chromedp.Flag("host-resolver-rules", "MAP board.test 127.0.0.1"),
	)...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return chromium{ctx}
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
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	return "http://" + ln.Addr().String(), func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	}
}

// screen is what a visitor looks at.
type screen struct {
	width, height int64
	dark, calm    bool
}

// tab is one page in the browser.
type tab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // this is what chromedp calls a tab

	mu       sync.Mutex
	problems []string
}

// open shows url on a screen.
func (b chromium) open(t *testing.T, url string, s screen) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 60*time.Second)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	scheme, motion := "light", "no-preference"
	if s.dark {
		scheme = "dark"
	}
	if s.calm {
		motion = "reduce"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}}
	call(p, log.Enable, cdp.Empty{})
	call(p, runtime.Enable, cdp.Empty{})
	call(p, emulation.SetEmulatedMedia, media)
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.width < 500,
	})
	p.run(chromedp.Navigate(url))
	p.until(`document.body.classList.contains("ready")`)
	return p
}

// listen collects what a visitor should never cause: errors, exceptions and
// reports of the content security policy.
func (p *tab) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError || ev.Entry.Source == log.EntrySourceSecurity {
			p.problems = append(p.problems, ev.Entry.Text+" "+ev.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, exception(ev.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeWarning {
			p.problems = append(p.problems, fmt.Sprint(ev.Type, " on the console"))
		}
	}
}

// quiet fails the test if the browser complained.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.problems) > 0 {
		p.t.Errorf("the browser complained:\n%s", strings.Join(p.problems, "\n"))
	}
}

// exception returns what went wrong in a script.
func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

func (p *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// call runs a command of the browser's protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// eval returns the value of an expression in the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.quiet()
		p.t.Fatalf("%v in %s", err, expression)
	}
	return v
}

// until waits for a condition in the page, also while the page gives way to
// another one.
func (p *tab) until(condition string) {
	p.t.Helper()
	look := chromedp.Evaluate[string](`new Promise((resolve) => {
		const end = performance.now() + 15000;
		const look = () => {
			let is = false, why = "";
			try { is = (`+condition+`); } catch (e) { why = String(e); }
			if (is) resolve("");
			else if (performance.now() > end) resolve("never became true: " + why);
			else setTimeout(look, 20);
		};
		look();
	})`, chromedp.EvalAwaitPromise)
	seen, err := chromedp.Run(p.ctx, look)
	for end := time.Now().Add(15 * time.Second); err != nil && navigated(err) && time.Now().Before(end); {
		seen, err = chromedp.Run(p.ctx, look)
	}
	if err != nil {
		p.quiet()
		p.t.Fatalf("%v in %s", err, condition)
	}
	if seen != "" {
		p.quiet()
		p.t.Fatalf("%s: %s\nsaid: %s", condition, seen, eval[string](p, `document.getElementById("say").innerText`))
	}
}

// navigated reports whether an expression ended with the page that it was in.
func navigated(err error) bool {
	for _, text := range []string{"navigated or closed", "context was destroyed", "Cannot find context", "context with specified id"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
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
	shot := chromedp.CaptureScreenshot()
	if os.Getenv("REVERSI_SHOTS_FULL") != "" {
		shot = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(p.ctx, shot)
	if err != nil {
		p.t.Fatal(err)
	}
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
		{"laptop", screen{width: 1280, height: 800}},
		{"laptop-dark", screen{width: 1280, height: 800, dark: true}},
		{"phone", screen{width: 360, height: 740}},
		{"phone-dark", screen{width: 360, height: 740, dark: true}},
		{"tablet", screen{width: 820, height: 1180}},
		{"tv", screen{width: 1920, height: 1080, dark: true}},
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
