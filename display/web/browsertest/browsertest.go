// Package browsertest opens pages in Chromium for tests, and fails them when the
// browser complains. It knows nothing of what the pages say, and is no part of the
// program.
package browsertest

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os/exec"
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

// Patience is how long a page may take for one thing.
const Patience = 60 * time.Second

// Browser is a running Chromium. chromedp keeps browsers and tabs in contexts.
type Browser struct {
	ctx context.Context //nolint:containedctx // see above
}

// Start starts Chromium until the test ends. The name board.test leads to this
// computer: browsers do not trust it as they trust localhost. Certificates that nobody
// has signed can be trusted.
func Start(t *testing.T, trusted ...*x509.Certificate) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not installed: these tests look at pages in it (apt-get install chromium)")
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP board.test 127.0.0.1"))
	for _, off := range []string{
		"disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync",
	} {
		o = append(o, chromedp.Flag(off, true))
	}
	if len(trusted) > 0 {
		var keys []string
		for _, c := range trusted {
			sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
			keys = append(keys, base64.StdEncoding.EncodeToString(sum[:]))
		}
		o = append(o, chromedp.Flag("ignore-certificate-errors-spki-list", strings.Join(keys, ",")))
	}
	allocator, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), o...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return &Browser{ctx}
}

// Screen is what a visitor looks at, in CSS pixels. What is narrow is a phone.
type Screen struct {
	Width, Height int64
	// Dark and Calm are what the visitor prefers: dark colors, little motion.
	Dark, Calm bool
}

// Tab is a page in the browser. Its methods fail the test when the page does not
// do what they are for.
type Tab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // this is what chromedp calls a tab

	mu       sync.Mutex
	problems []string
	ignoring bool
}

// Open shows a page on a screen until the test ends, and waits until its script
// says that it is ready: by the class ready of the body.
func (b *Browser) Open(t *testing.T, url string, s Screen) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	p := &Tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	scheme, motion := "light", "no-preference"
	if s.Dark {
		scheme = "dark"
	}
	if s.Calm {
		motion = "reduce"
	}
	Call(p, log.Enable, cdp.Empty{})
	Call(p, runtime.Enable, cdp.Empty{})
	Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
	Call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.Width, Height: s.Height, DeviceScaleFactor: 1, Mobile: s.Width < 500,
	})
	p.Run(chromedp.Navigate(url))
	p.ready()
	return p
}

func (p *Tab) ready() {
	p.t.Helper()
	p.Until(Patience, `document.body.classList.contains("ready")`)
}

// Reload opens the page anew.
func (p *Tab) Reload() {
	p.t.Helper()
	p.Run(chromedp.Reload())
	p.ready()
}

// Close closes the tab before the test ends.
func (p *Tab) Close() {
	p.t.Helper()
	if err := chromedp.Cancel(p.ctx); err != nil {
		p.t.Fatal(err)
	}
}

// listen collects what a visitor should never cause: errors, exceptions and
// reports of the content security policy.
func (p *Tab) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ignoring {
		return
	}
	switch ev := ev.(type) {
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError || ev.Entry.Source == log.EntrySourceSecurity {
			p.problems = append(p.problems, ev.Entry.Text+" "+ev.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		text := ev.ExceptionDetails.Text
		if e := ev.ExceptionDetails.Exception; e != nil {
			text += " " + e.Description
		}
		p.problems = append(p.problems, text)
	case *runtime.EventConsoleAPICalled:
		if ev.Type == runtime.ConsoleAPICalledTypeError || ev.Type == runtime.ConsoleAPICalledTypeWarning {
			p.problems = append(p.problems, fmt.Sprint(ev.Type, " on the console"))
		}
	}
}

// Quiet fails the test if the browser has complained.
func (p *Tab) Quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.problems) > 0 {
		p.t.Errorf("the browser complained:\n%s", strings.Join(p.problems, "\n"))
	}
	p.problems = nil
}

// Ignore lets the browser complain from now on: about a program that is going to be
// stopped, for example.
func (p *Tab) Ignore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ignoring = true
}

// Run does what a visitor does.
func (p *Tab) Run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Click clicks into the middle of an element, wherever it is now.
func (p *Tab) Click(selector string) {
	p.t.Helper()
	at := Eval[[2]float64](p, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: "nearest" });
		const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	p.Run(chromedp.MouseClickXY(at[0], at[1]))
}

// Picture takes a picture of what is seen, or of the whole page, as a PNG.
func (p *Tab) Picture(whole bool) []byte {
	p.t.Helper()
	shot := chromedp.CaptureScreenshot()
	if whole {
		shot = chromedp.FullScreenshot(100)
	}
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	png, err := chromedp.Run(ctx, shot)
	if err != nil {
		p.t.Fatal(err)
	}
	return png
}

// Call runs a command of the browser's protocol.
func Call[P, R any](p *Tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// Eval returns the value of an expression in the page.
func Eval[T any](p *Tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Quiet()
		p.t.Fatalf("%v in %s", err, expression)
	}
	return v
}

// Until waits for a condition in the page, also while the page gives way to another
// one, and returns how long that took there.
func (p *Tab) Until(limit time.Duration, condition string) time.Duration {
	p.t.Helper()
	// The answer is how many milliseconds it took, or why it never became true.
	look := chromedp.Evaluate[any](fmt.Sprintf(`new Promise((resolve) => {
		const begin = performance.now();
		const look = () => {
			let is = false, why = "";
			try { is = (%s); } catch (e) { why = String(e); }
			if (is) resolve(performance.now() - begin);
			else if (performance.now() > begin + %d) resolve("never became true: " + why);
			else setTimeout(look, 10);
		};
		look();
	})`, condition, limit.Milliseconds()), chromedp.EvalAwaitPromise)
	ctx, cancel := context.WithTimeout(p.ctx, limit+Patience)
	defer cancel()
	seen, err := chromedp.Run(ctx, look)
	for end := time.Now().Add(limit); err != nil && navigated(err) && time.Now().Before(end); {
		seen, err = chromedp.Run(ctx, look)
	}
	if err != nil {
		p.Quiet()
		p.t.Fatalf("%v in %s", err, condition)
	}
	took, ok := seen.(float64)
	if !ok {
		p.Quiet()
		p.t.Fatalf("within %v, %s %v; the page says\n%s", limit, condition, seen, Eval[string](p, `document.body.innerText.slice(0, 2000)`))
	}
	return time.Duration(took * float64(time.Millisecond))
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
