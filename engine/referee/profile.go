package referee

import (
	"fmt"
	"time"
)

// Profile is how an event is officiated: what officials do about mistakes,
// takebacks and hints. It is data; the zero value is not usable, take one from
// ProfileNamed.
type Profile struct {
	// Name as in the configuration and on MQTT.
	Name string
	// Takeback says who may take a move back with the discs.
	Takeback Takeback
	// Hints says whether suggestions may be shown.
	Hints Hints
	// MissingAfter is how long a disc may be off the board before the guide
	// asks for it.
	MissingAfter time.Duration
}

// Takeback is when a move may be taken back on the board itself.
type Takeback uint8

// The takeback rules.
const (
	TakebackFree Takeback = iota
	TakebackNever
)

// Hints says whether legal squares and suggestions may be shown.
type Hints uint8

// The hint rules.
const (
	HintsOn Hints = iota
	HintsOff
	HintsLocked
)

// String returns the word of the MQTT contract.
func (h Hints) String() string { return [...]string{"on", "off", "locked"}[h] }

// ProfileNames lists the profiles, the default first.
func ProfileNames() []string { return []string{"home"} }

// ProfileNamed returns a profile by name.
func ProfileNamed(name string) (Profile, error) {
	if name != "home" {
		return Profile{}, fmt.Errorf("unknown profile %.32q: want one of %v", name, ProfileNames())
	}
	return Profile{Name: name, MissingAfter: 3 * time.Second}, nil
}
