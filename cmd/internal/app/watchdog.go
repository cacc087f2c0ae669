package app

import (
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// watchdog tells systemd, if that has started the program, that the board is
// ready, that its loop turns, and that it ends. Without systemd it does nothing.
type watchdog struct {
	log *slog.Logger
	// beat is nil without a watchdog.
	beat *time.Ticker
	// C ticks twice in the watchdog's time.
	C <-chan time.Time
}

// newWatchdog says that the board is ready.
func newWatchdog(log *slog.Logger) *watchdog {
	s := &watchdog{log: log}
	s.tell(daemon.SdNotifyReady)
	period, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the watchdog is left alone", "error", err)
	}
	if period > 0 {
		s.beat = time.NewTicker(period / 2)
		s.C = s.beat.C
	}
	return s
}

// turn says that the loop turns.
func (s *watchdog) turn() { s.tell(daemon.SdNotifyWatchdog) }

// close says that the board ends.
func (s *watchdog) close() {
	s.tell(daemon.SdNotifyStopping)
	if s.beat != nil {
		s.beat.Stop()
	}
}

func (s *watchdog) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn("tell systemd", "state", state, "error", err)
	}
}
