// Package soak plays whole games on a virtual board with clumsy hands, and
// compares what the board put on record with what the hands meant.
//
// The hands place, turn, lift and put back magnets on the simulated table;
// chips, drivers, sensing, referee, journal and LEDs are those of the running
// program. What must come out is said by an oracle that was written from the
// text of the rules alone and shares no code with the engine: a mistake of the
// engine cannot hide behind itself. Games of a file bring their own facts
// besides (passes, final board, score), and these must come out as well.
//
// It is NOT a test of the network, of the page or of several boards. Without
// Options.Clumsy the hands make no mistakes of the kind that referees are for: no
// disc goes to a wrong square. So every event beyond the moves, passes and the
// result is spurious then.
//
// # Storms
//
// With Options.Faults parts of the board fail while it is played on, up to three
// at once, every seven seconds on average: chips that do not answer, that lose
// their registers or hold the bus, noise on the wires, cells that flap, lost
// interrupts, LEDs and display unplugged, converters that stall. The hands then
// look at the board: they wait while cells cannot be read, do what the lights ask
// for, and lift and put back a disc that lies right where the board has not seen
// it. All records must still be what the hands meant, all moves must be committed
// in the end, and every fault must have been told of, as an event or in the
// counters of the board's health. Faults of cells may make the board call a move
// illegal that was none; these complaints are counted and excused.
//
// # People
//
// With Options.Clumsy the hands are those of people (fumbler) who hesitate, slide
// discs about, drop them and pick them up again, forget flips and turn too many,
// show the wrong color, place out of turn or where nothing turns, knock discs off
// and over, withdraw moves and take them back, press the wrong button, twice, too
// early or not at all, pass although they can move, claim or do not, let their flags
// fall, resign, and set up the next game wrongly: at every event, by all rules, with
// and without clocks. They know the rules and what they have done; what is wrong they
// put right by that, or by what the lights ask for.
//
// The umpire is told what they do, when, and which square they mean, and says what
// must be announced: which moves with which flips, missed and extra ones, which
// mistakes are refused, for which reason, which stand, what is taken back, and how
// the game ends, with dates and clocks. His law is one column of the table of
// profiles, written out a second time (law); he counts time by his own arithmetic
// (watch) and moves by the oracle. Every event is compared when it comes, so that the
// first one that is wrong, missing or too much ends the game; what the lights show is
// compared whenever the hands rest. A game is stuck when the hands have done what the
// lights ask for and what must follow has not come within ten seconds.
//
// Where the text of the rules leaves open what happens, this is how it is read, by the
// umpire here and by the referee in its package comment:
//
//   - A mistake is announced once, with one of its squares. It is announced again when
//     another square joins it, when the reason becomes another one, or when it had
//     been put right between.
//   - A disc with the opponent's face is of the wrong color where the player on turn
//     may move, out of turn where only the opponent may. Before the first disc of a
//     game nothing is out of turn.
//   - Out of turn nothing counts in any event, and a false pass is refused in every
//     one. So is a press of the player on turn on a board that is as on record: he
//     claims a pass. When a last mistake may still be claimed, that press claims it.
//   - A press with flips missing is refused where flips must be right; where they
//     stand, it commits the move with them. A press beside a disc that is no move says
//     nothing where such discs are refused.
//   - The other side's button is no button, but for a claim.
//   - A press with a disc in the hand counts from then, if the disc comes down before
//     it is asked for.
//   - The opponent's next legal disc ends a move that is finished and was not pressed.
//     It ends one with wrong flips only where nobody presses. Discs seen turned before
//     the reply lay there are the mover's work.
//   - The window for a claim closes with the opponent's disc on a legal square, or with
//     one that counts once it is pressed; a disc that is refused does not close it. A
//     pass that is announced by itself does not either, one that is said does.
//   - A player may put his flips right unasked as long as the window is open. That is
//     done in the opponent's time, whose turn has begun before. After a claim his turn
//     begins when they are right. A claim takes back what the mover's clock got for the
//     move: an increment, or the period of byo-yomi that was begun anew.
//   - A game that was given up, or that a flag has ended, is over: nothing can be
//     claimed any more. One that the last move has ended can be opened by a claim; its
//     clocks then stand until the next disc or press.
//   - Who resigns leaves the empty squares to the winner, who wins by 33-31 at least;
//     where fewest discs win they are the loser's. A flag that ends the game is 64-0.
//   - One clock for the game is nobody's: when it is over the discs are counted, unless
//     the event takes no notice of flags. What lay at rest then counts, and nothing that
//     is done later; where hands were at work, what they leave. A disc in a hand counts
//     as it is put back. Where no faces are seen the record is counted.
//   - At the festival either diagonal of the first four discs may be the light one.
//   - When both have had their two minutes more, the discs decide.
//   - A flag falls at its time whenever it is told of. A move that lay there before
//     counts, also one that the board has not seen to be quiet yet.
//   - When the opponent may play on for both sides, nobody presses any more: a finished
//     move that lies there unpressed counts at once.
//   - A disc that turned nothing is taken back when it has been off the board for as
//     long as it takes to ask for missing discs. So is one that a later move has turned,
//     when both are taken up at once: it may also be in a hand that turns it.
//   - The first four discs of the historic game are those in the centre. One that
//     stands elsewhere by mistake is none of them.
//
// What people here do not do, because no board could tell it apart: turn back in the
// same breath what has just been turned, or make a mistake beside a reply that comes
// before the board has been quiet. On boards that see no faces they make no mistakes
// with faces, take back one disc at a time, and put right only what they are asked to.
//
// Everything about a game follows from the seed and the game's index. A game
// that fails can be played again alone, with any number of workers.
package soak
