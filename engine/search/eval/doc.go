// Package eval estimates how a position will end, by patterns: groups of
// squares whose contents together are worth a learned number of discs, a
// different one in each of twelve stages of the game.
//
// It is NOT a search: it looks at one position and at no move.
//
// # Where the weights come from
//
// They are made by the program engine/search/train, from nothing but the games
// named here and games the program plays against itself. The same program with
// the same arguments makes the same files again on the same kind of processor;
// since it plays and labels with the search of this project, a change of the
// search changes a few labels. It needs some ten minutes of one core for
// most.weights and five for fewest.weights.
//
//	cd engine/search
//	go run ./train -goal most -out eval/most.weights \
//		../notation/testdata/WTH_1978.wtb train/testdata/WTH_2001.wtb \
//		../notation/testdata/WTH_2007.wtb ../notation/testdata/WTH_2013.wtb \
//		train/testdata/WTH_2024.wtb
//	go run ./train -goal fewest -quick 40000 -slow 15000 -depth 3 -out eval/fewest.weights
//
// The games are 13348 tournament games of the WTHOR database of the French
// Othello Federation (https://www.ffothello.org/informatique/la-base-wthor/),
// years 1978, 2001, 2007, 2013 and 2024. The seed is 1. The training ran on
// 2026-11-29, in four rounds:
//
//  1. Recorded games, every position with the exact score that the file gives
//     for 24 empty squares, or with what solving finds from 14 empty squares on.
//     For fewest discs: games of random moves, solved from 12 empty squares on.
//  2. Besides, quick games: 4 to 23 random moves, then one move and one reply
//     looked ahead with some noise, now and then a random move. From 12 empty
//     squares on moves are random and every position is solved; what is found
//     first is handed up to the positions since the last random move.
//  3. The solved positions of round 2, and positions of new quick games and of
//     a quarter of the recorded ones, each searched four (fewest: three) moves
//     deep with the weights of round 2.
//  4. The same again with the weights of round 3, two moves deeper.
//
// Each round fits every stage by itself, with two discs of overlap to its
// neighbors: stochastic gradient descent on the squared error, 16 epochs.
// Every twentieth game is held back. The errors on these are, in discs (root
// mean square; in brackets the spread of the scores themselves), after round 4:
//
//	stage  discs    most          fewest
//	    0   4- 8    1.0 ( 2.8)    1.1 ( 1.8)
//	    1   9-13    2.5 ( 7.8)    1.2 ( 2.5)
//	    2  14-18    3.2 (11.1)    1.4 ( 3.9)
//	    3  19-23    3.8 (13.0)    1.8 ( 4.6)
//	    4  24-28    4.5 (15.5)    1.9 ( 6.0)
//	    5  29-33    5.0 (17.3)    2.5 ( 7.5)
//	    6  34-38    5.5 (19.3)    3.1 ( 9.5)
//	    7  39-43    6.3 (21.8)    3.7 (11.3)
//	    8  44-48    7.1 (23.4)    4.5 (13.2)
//	    9  49-53    7.7 (29.0)    4.5 (13.7)
//	   10  54-58    7.3 (26.1)    5.3 (14.1)
//	   11  59-64    5.2 (23.0)    5.3 (16.6)
//
// Up to stage 8 the scores are those of searches, later ones more and more
// exact: the first stages are easy to foretell because a search of six moves
// knows little more, the last ones hard because the positions of quick games
// are wild.
package eval
