package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// openStreams returns how many streams of the game are open.
func openStreams(s *Server) int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return len(s.hub.readers)
}

// settles waits until so many streams are open.
func settles(t *testing.T, s *Server, want int, when string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); openStreams(s) != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: %d streams are open, want %d", when, openStreams(s), want)
		}
	}
}

// hide makes a page believe that it is hidden, or seen again: a browser without a
// screen shows all of its tabs.
func (p *tab) hide(hidden bool) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`Object.defineProperty(document, "hidden", { configurable: true, get: () => %v })
		&& document.dispatchEvent(new Event("visibilitychange"))`, hidden))
}

// A browser opens one stream for all of its tabs, also over plain HTTP from a name that
// it does not trust, where there are no Web Locks: seven visible tabs are live though it
// opens six connections at most. A hidden tab holds none, and when the tab with the
// stream is closed or hidden another one goes on without a missed event.
func TestOneStreamForAllTabs(t *testing.T) {
	b := browser(t)
	tb := newTable(t, func(o *Options) { o.AnyAddress, o.Hosts = true, []string{"board.test"} })
	url := strings.Replace(serve(t, tb.server), "127.0.0.1", "board.test", 1)
	tb.play("f5")
	var tabs []*tab
	for i := range 7 {
		p := b.open(t, url, laptop())
		if i == 0 && eval[bool](p, `isSecureContext || "locks" in navigator`) {
			t.Fatal("the page is from an address that the browser trusts: this test shows nothing")
		}
		p.until(`document.body.dataset.link === "live"`)
		tabs = append(tabs, p)
	}
	settles(t, tb.server, 1, "seven visible tabs")
	// A tab keeps what it has heard.
	for _, p := range tabs {
		eval[bool](p, `(() => { window.heard = []; new MutationObserver((l) => l.forEach((m) => m.addedNodes.forEach((n) => window.heard.push(n.textContent))))
			.observe(document.getElementById("say"), { childList: true, subtree: true }); return true; })()`)
	}
	all := func(tabs []*tab, move string) {
		t.Helper()
		for i, p := range tabs {
			p.t = t
			p.until(fmt.Sprintf(`document.querySelector('[data-square=%q]').getAttribute("aria-label").includes("disc")`, move))
			p.until(fmt.Sprintf(`window.heard.some((t) => t.toLowerCase().includes(%q))`, move))
			if n := eval[int](p, fmt.Sprintf(`window.heard.filter((t) => t.toLowerCase().includes(%q)).length`, move)); n != 1 {
				t.Errorf("tab %d has heard %d times of %s", i, n, move)
			}
		}
	}
	tb.play("d6")
	all(tabs, "d6")
	// The first tab leads. It is closed while a move is made.
	tabs[0].Close()
	tb.play("c3")
	tabs = tabs[1:]
	all(tabs, "c3")
	settles(t, tb.server, 1, "after the tab with the stream was closed")
	// All but the last are hidden, one after the other, whoever leads.
	for _, p := range tabs[:5] {
		p.hide(true)
	}
	tb.play("d3")
	all(tabs[5:], "d3")
	settles(t, tb.server, 1, "one visible tab among hidden ones")
	tabs[5].hide(true)
	settles(t, tb.server, 0, "all tabs hidden")
	tb.play("c4")
	tabs[2].hide(false)
	tabs[2].until(`document.querySelector('[data-square="c4"]').getAttribute("aria-label").includes("disc")`)
	tabs[2].until(`document.body.dataset.link === "live"`)
	settles(t, tb.server, 1, "one tab seen again")
	for _, p := range tabs {
		p.quiet()
	}
}
