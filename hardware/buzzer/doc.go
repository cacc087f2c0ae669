// Package buzzer sounds an active buzzer, one that beeps by itself while its pin
// is high, in a few short rhythms.
//
// It is NOT a tone generator: the pitch is the buzzer's own, its loudness is one
// bit. It does not decide what is worth a sound either.
//
// # Sounds
//
// In milliseconds, sounding and silent in turn:
//
//	Click     20                      a button was pressed
//	OK        60 60 60                done
//	Error     400 100 400             something is wrong
//	Flag      100 100, five times     a player's time is up
//	GameOver  300 150 300 150 900     the game is over
//	Ask       60 60 60 60 400         a question, such as whether somebody gives up
//
// A sound replaces the one that is still going on: what is heard is the latest
// news. Sounds are told apart by rhythm, since nothing else differs.
//
// # The pin
//
// It is low when nothing sounds, and Run leaves it low however it ends. Like any
// output of a Raspberry Pi it is low for a moment when it is opened, so the
// buzzer must be silent then: an NPN transistor between the two, with a resistor
// from its base to ground for the time before.
package buzzer
