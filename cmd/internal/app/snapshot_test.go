package app

import (
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
)

// listener keeps the states that it is told.
type listener struct {
	mu     sync.Mutex
	states [][]byte
}

// State implements the output of snapshots.
func (l *listener) State(payload []byte, _ uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states = append(l.states, payload)
}

// heard returns how many states there were, and when the flag falls by the last one.
func (l *listener) heard(t *testing.T) (n int, flagAt time.Time) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var state struct {
		Clock struct {
			FlagAt time.Time `json:"flag_at"`
		} `json:"clock"`
	}
	if err := json.Unmarshal(l.states[len(l.states)-1], &state); err != nil {
		t.Fatal(err)
	}
	return len(l.states), state.Clock.FlagAt
}

// While a clock runs and nothing else happens no state is published, also where the
// two clocks of the computer are read a moment apart; a move and a wall clock that is
// set are told, and so is when the flag falls then.
func TestStateIsPublishedWhenItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard listener
		var mu sync.Mutex
		looks, set := 0, time.Duration(0)
		b, _ := runPrepared(t, t.TempDir(), nil, func(c *configs.Config) { c.Game.Clock = "30:00" }, func(a *App) {
			a.snapshots.out = &heard
			a.wall.Look = func() (time.Time, time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				looks++
				between := time.Duration(looks%10) * 99 * time.Microsecond // almost a millisecond
				return time.Now().Round(0).UTC().Add(set + 700*time.Microsecond + between), a.now()
			}
		})
		before, flag := heard.heard(t)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n, at := heard.heard(t); n != before || at != flag {
			t.Errorf("in two minutes %d states were published, and the flag fell at %v, then at %v", n-before, flag, at)
		}
		b.move(movesOf(t, opening)[0])
		synctest.Wait()
		moved, flag := heard.heard(t)
		if moved == before {
			t.Error("a move was not published")
		}
		time.Sleep(time.Minute)
		mu.Lock()
		set = time.Hour
		mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n, at := heard.heard(t); n == moved || n > moved+3 || at.Sub(flag) != time.Hour {
			t.Errorf("after the wall clock was set by an hour %d states were published, and the flag falls %v later", n-moved, at.Sub(flag))
		}
	})
}
