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
// table. Nobody meets the same opponent twice, and nobody has two byes; as long
// as there is such a round it is found. Round robin: everybody meets everybody
// once (the circle of the Berger tables). A festival is paired as Swiss is, and a
// free event by people.
//
// Colors: who has had black less often gets it, then who had white last. Two
// players who have both had one color two games more than the other are not
// paired, unless nothing else is left. In a festival the players agree, else the
// lower lot has black, else the referee draws; draws can be done again by
// everybody, see Drawn and DrawLots.
//
// Sources: the tournament section of the rules of the World Othello Championship
// (worldothello.org), the rules of the British Othello Federation, the rule sheet
// of a children's festival in Russia, and for the quotient
// https://othello.dk/book/index.php/BQ.
package tournament
