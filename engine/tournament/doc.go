// Package tournament keeps the table of an event: who plays whom, what came of
// it, and in which order the players stand.
//
// It is pure: an Event is a value, pairing and standings are computed from it,
// and the same event always gives the same answer. It is NOT a place to keep
// events (engine/archive/tables is), it judges no game (engine/referee does), and
// it knows one hall: several boards report into the same Event.
//
// # Points and tie-breaks
//
// A win is one point, a draw half a point; a bye is a win without an opponent.
// Players with the same points are told apart by the tie-breaks of the event, in
// their order:
//
//	discs          own discs in all games; a bye and a game without a result
//	               count 32
//	difference     own discs minus the opponents'; a bye and a game without a
//	               result count 0
//	brightwell     the Brightwell quotient, see there
//	head-to-head   points of the games between the players who are equal so far,
//	               if all of them have met
//	points         the points themselves, for events that are ordered by
//	               something else first
//
// Where the fewest discs win, fewer own discs are better, the difference is
// taken the other way round, and the quotient counts the opponents' discs.
// Federations have no rule for this; it is this project's.
//
// # Pairing
//
// Swiss: in the first round the top half by rating plays the bottom half, the
// first of the top half against the first of the bottom half and so on, with
// black and white in turn. Later the players are paired from the top by the
// table. Nobody meets the same opponent twice, and nobody has two byes. A round
// is chosen so that all rounds which the event has can still be paired after it;
// Possible says how many can, and that is fewer than planned only when players
// have left, come late or wanted byes. An even number of players can play one
// round less than there are players, an odd number as many rounds as players; the
// first round of an event with more is refused. Round robin: everybody meets everybody
// once (the circle of the Berger tables). A festival is paired as Swiss is, and a
// free event by people.
//
// Colors: who has had black less often gets it, then who had white last. Nobody
// has one color three games more than the other or three times in a row, unless
// every round that could be chosen has that: this project's reading of "fair",
// since no federation's rules give a figure. In a festival the players agree, else the
// lower lot has black, else the referee draws; draws can be done again by
// everybody, see Drawn and DrawLots.
//
// Sources: the tournament section of the rules of the World Othello Championship
// (worldothello.org), the rules of the British Othello Federation, the rule sheet
// of a children's festival in Russia, and for the quotient
// https://othello.dk/book/index.php/BQ.
package tournament
