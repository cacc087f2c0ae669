// Package tournament keeps the table of an event: who plays whom, what came of
// it, and in which order the players stand.
//
// It is pure: an Event is a value, pairing and standings are computed from it,
// and the same event always gives the same answer. It is NOT a place to keep
// events (engine/archive does), it judges no game (engine/referee does), and it
// knows one hall: several boards report into the same Event.
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
//
// # Pairing
//
// Swiss: in the first round the top half by rating plays the bottom half, the
// first of the top half against the first of the bottom half and so on, with
// black and white in turn. Later the players are paired from the top by points.
// Nobody meets the same opponent twice, and nobody has two byes. Round robin:
// everybody meets everybody once (the circle of the Berger tables).
//
// Sources: the tournament section of the rules of the World Othello Championship
// (worldothello.org), the rules of the British Othello Federation, and for the
// quotient https://othello.dk/book/index.php/BQ.
package tournament
