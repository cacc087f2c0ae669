package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// get returns the status of a page.
func get(ctx context.Context, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// From the start of the process to a page that answers. This test does not run
// beside others.
func TestStartsWithinTwoSeconds(t *testing.T) {
	b := newBench(t, embedded, "")
	var took []time.Duration
	for range 5 {
		p := b.start()
		status, err := get(t.Context(), p.url+"/")
		took = append(took, time.Since(p.started))
		if err != nil || status != http.StatusOK {
			t.Fatalf("the page answers %d %v", status, err)
		}
		if out := p.stdout.String(); strings.Count(out, "\n") != 1 {
			t.Errorf("stdout: %q, want the address and nothing else", out)
		}
		if code, _ := p.signal(syscall.SIGTERM); code != 0 {
			t.Errorf("exit status %d:\n%s", code, p.stderr)
		}
	}
	slices.Sort(took)
	t.Logf("median of %d starts: %v", len(took), took[len(took)/2].Round(time.Millisecond))
	if median := took[len(took)/2]; median > 2*time.Second {
		t.Errorf("the page answers %v after the start, want 2 s", median)
	}
}

// An interrupt and the system's wish to stop end the program in good order, in
// the middle of a move; the next start goes on with the game.
func TestStopsInGoodOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	plies := theFinal(t).plies(t, 5)
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := b.start()
		sub := subscribe(t, b.broker, "")
		sub.availability(0, patience, "online")
		w := p.watch()
		w.phase("playing")
		for _, m := range plies[2*i : 2*i+2] {
			p.play(w, m)
		}
		before := w.look().State
		code, took := p.signal(sig)
		if code != 0 || took > 5*time.Second {
			t.Errorf("%v: exit status %d after %v:\n%s", sig, code, took, p.stderr)
		}
		fresh := subscribe(t, b.broker, "")
		m := fresh.availability(0, patience, "offline")
		if got := decode[struct{ Reason string }](t, m.payload).Reason; got != "shutdown" || !m.retained {
			t.Errorf("%v: %s retained %v, want the reason shutdown", sig, m.payload, m.retained)
		}
		events := openJournal(t, b.dir)
		checkNumbers(t, events)
		if g := fold(t, events); g.transcript != before.Transcript || !g.running {
			t.Errorf("%v: the journal tells %s, want %s", sig, g.transcript, before.Transcript)
		}
		again := b.start()
		if v := again.watch().look(); v.State.Transcript != before.Transcript || v.State.Phase != "playing" {
			t.Errorf("%v: the next start shows %s %s, want %s", sig, v.State.Phase, v.State.Transcript, before.Transcript)
		}
		if code, _ := again.signal(syscall.SIGTERM); code != 0 {
			t.Errorf("exit status %d", code)
		}
	}
}

// A dead board is offline for everybody who asks.
func TestWillAfterDeath(t *testing.T) {
	t.Parallel()
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "")
	p := b.start()
	online := sub.availability(0, patience, "online")
	p.kill()
	begin := time.Now()
	sub.availability(0, 15*time.Second, "offline")
	t.Logf("offline %v after the death", time.Since(begin).Round(time.Millisecond))
	fresh := subscribe(t, b.broker, "")
	m := fresh.availability(0, patience, "offline")
	type session struct{ Session string }
	if decode[session](t, m.payload) != decode[session](t, online.payload) || !m.retained {
		t.Errorf("%s retained %v, want the session of %s", m.payload, m.retained, online.payload)
	}
}

// Without a broker in reach the game goes on, and the page says what is missing.
func TestBrokerOutOfReach(t *testing.T) {
	t.Parallel()
	plies := theFinal(t).plies(t, 3)
	t.Run("embedded, port in use", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, embedded, quick)
		newMosquitto(t, b.broker) // somebody else's
		p := b.start()
		w := p.watch()
		w.phase("playing")
		p.play(w, plies[0])
		if got := w.look().Connections["broker"]; got != "not started" {
			t.Errorf("the page says that the broker is %q", got)
		}
		if log := p.stderr.String(); strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "mqtt.embedded.listen") {
			t.Errorf("log:\n%s\nwant one error that names the setting", log)
		}
		checkCloses(t, p)
	})
	for name, host := range map[string]string{
		"refuses":         "127.0.0.1:%d",
		"has no name":     "no-such-host.invalid:%d",
		"does not answer": "192.0.2.1:%d", // TEST-NET-1, RFC 5737
	} {
		t.Run("external, "+name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "{embedded: {enabled: false}, broker: \"mqtt://"+host+"\"}", quick)
			p := b.start()
			w := p.watch()
			w.phase("playing")
			for _, m := range plies {
				p.play(w, m)
			}
			if got := w.look().Connections["broker"]; got == "connected" || got == "" {
				t.Errorf("the page says that the broker is %q", got)
			}
			checkCloses(t, p)
			if n := strings.Count(p.stderr.String(), "\n"); n > 20 {
				t.Errorf("%d lines in the log:\n%s", n, p.stderr)
			}
		})
	}
}

// checkCloses ends the program in good order.
func checkCloses(t *testing.T, p *process) {
	t.Helper()
	if code, took := p.signal(syscall.SIGTERM); code != 0 || took > 5*time.Second {
		t.Errorf("exit status %d after %v:\n%s", code, took, p.stderr)
	}
}

// Any loopback address that the settings take is one under which the page
// answers.
func TestAnswersToThePrintedAddress(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	config := writeConfig(t, fmt.Sprintf("web: {listen: \"127.0.0.2:%d\"}\nmqtt: {embedded: {enabled: false}}\n", port))
	p := launch(t, "run", "--config", config, "--data", t.TempDir())
	select {
	case url := <-p.first:
		if status, err := get(t.Context(), url); err != nil || status != http.StatusOK {
			t.Errorf("%s answers %d %v", url, status, err)
		}
	case <-time.After(patience):
		t.Fatalf("no address:\n%s", p.stderr)
	}
}

// A command line without a configuration works too, with its data where it is
// told to be.
func TestRunNeedsNoConfiguration(t *testing.T) {
	t.Parallel()
	b := newBench(t, embedded, "")
	p := launch(t, "run", "--config", b.config)
	if code := p.wait(); code != exitError || strings.Count(p.stderr.String(), "\n") != 1 {
		// The tests' environment has no place for data of its own.
		t.Errorf("exit status %d:\n%s", code, p.stderr)
	}
	if !strings.Contains(p.stderr.String(), "/dev/null") {
		t.Errorf("stderr %q does not name the folder", p.stderr)
	}
	if out := fmt.Sprint(p.stdout); out != "" {
		t.Errorf("stdout %q", out)
	}
}
