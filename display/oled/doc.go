// Package oled turns the state of the game into a picture of 128 by 64 pixels,
// each lit or dark, for a small panel beside the board: whose turn it is, the
// score or the clocks, and in a few words what is going on.
//
// It is pure: no clock, no bus, no goroutine. It is NOT a driver: a panel shows
// the Image. It is not a judge either: what is wrong is in the referee's Guide
// and Problem. The words here are the short form of display.Sentence, for a
// place where sixteen letters make a line.
//
// # The picture
//
//	 0..15  headline      what is going on        "White to move"
//	16..47  Black | White  the player to move stands out in reverse
//	48..63  footline      what to do about it     "turn d4 e5 +2"
//
// A panel whose upper quarter is yellow shows the headline in yellow. The middle
// holds each player's disc and score; with clocks the time left is large and
// the score small below it. Before a game there is neither, and two more lines
// take their place.
//
// A list of squares that is too long ends in how many are left out ("+2"): the
// lights beside the squares show them all.
//
// # Legible from half a metre
//
// A pixel of the common panel of 0.96 inches is 0.17 mm high, so at 50 cm it
// covers 1.17 minutes of arc. Good eyes read letters of 5 minutes; screens are
// made with 16 and more (ISO 9241-303). The numbers are 16 pixels high at
// least, 19 minutes; the words' capitals 10 pixels, 12 minutes, and 16 on a
// panel of 1.3 inches.
//
// # Fonts
//
// Words are Inconsolata Bold, 8 by 16, the numbers Go Bold, both from
// golang.org/x/image. New turns them into pixels once; after that nothing is
// allocated.
package oled
