package main

import (
	"fmt"
	"math"
	"strings"
)

// matchReport is how a match went, seen from A.
type matchReport struct {
	A        string `json:"a"`
	B        string `json:"b"`
	Seed     uint64 `json:"seed"`
	Openings int    `json:"openings"`
	Games    int    `json:"games"`
	Won      int    `json:"won"`
	Drawn    int    `json:"drawn"`
	Lost     int    `json:"lost"`
	// Points are A's, 1 for a game won and ½ for a draw, by the color of A.
	Points        float64 `json:"points"`
	PointsAsBlack float64 `json:"points_as_black"`
	PointsAsWhite float64 `json:"points_as_white"`
	// Difference is the mean of A's discs minus B's over the games that were
	// played out, Margin half of its 95 % confidence interval; it is absent
	// when there is only one opening.
	Difference *float64 `json:"disc_difference,omitempty"`
	Margin     *float64 `json:"disc_difference_95,omitempty"`
	ForfeitsA  int      `json:"forfeits_a"`
	ForfeitsB  int      `json:"forfeits_b"`
	// All are the games in order.
	All []*matchGame `json:"all"`
}

// add counts a game.
func (r *matchReport) add(g *matchGame) {
	r.A, r.B = g.names[0], g.names[1]
	r.Games++
	switch g.Points {
	case 1:
		r.Won++
	case 0:
		r.Lost++
	default:
		r.Drawn++
	}
	r.Points += g.Points
	if g.ABlack {
		r.PointsAsBlack += g.Points
	} else {
		r.PointsAsWhite += g.Points
	}
	switch g.Forfeit {
	case "A":
		r.ForfeitsA++
	case "B":
		r.ForfeitsB++
	}
	r.All = append(r.All, g)
	r.estimate()
}

// estimate computes the mean difference with its confidence interval. The two
// games of an opening depend on each other, so that pairs count, not games; a
// pair with a forfeit says nothing about discs.
func (r *matchReport) estimate() {
	var pairs []float64
	for i := 0; i+1 < len(r.All); i += 2 {
		first, second := r.All[i], r.All[i+1]
		if first.Forfeit == "" && second.Forfeit == "" {
			pairs = append(pairs, float64(first.difference()+second.difference())/2)
		}
	}
	r.Difference, r.Margin = nil, nil
	if len(pairs) == 0 {
		return
	}
	mean, margin, ok := confidence(pairs)
	r.Difference = &mean
	if ok {
		r.Margin = &margin
	}
}

// confidence returns the mean of a sample and half of its 95 % confidence
// interval by Student's t; ok is false for fewer than two values.
func confidence(sample []float64) (mean, margin float64, ok bool) {
	n := float64(len(sample))
	for _, x := range sample {
		mean += x / n
	}
	if len(sample) < 2 {
		return mean, 0, false
	}
	var squares float64
	for _, x := range sample {
		squares += (x - mean) * (x - mean)
	}
	return mean, student(len(sample)-1) * math.Sqrt(squares/(n-1)/n), true
}

// student returns the 97.5 % quantile of Student's t distribution.
func student(degrees int) float64 {
	table := [...]float64{
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	}
	if degrees <= len(table) {
		return table[degrees-1]
	}
	// The first terms of the expansion around the normal quantile; from 30
	// degrees on three digits are right.
	const z = 1.959964
	d := float64(degrees)
	return z + (z*z*z+z)/(4*d) + (5*z*z*z*z*z+16*z*z*z+3*z)/(96*d*d)
}

// percent is how much of all points A has.
func (r *matchReport) percent() float64 { return 100 * r.Points / float64(r.Games) }

// line is the report in one line without its end, for tables of several matches;
// the engines are called as they were named: programs do not say their level.
func (r *matchReport) line(engines [2]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %-20s %4d games %5.1f %% %4d won %3d drawn %3d lost",
		engines[0], engines[1], r.Games, r.percent(), r.Won, r.Drawn, r.Lost)
	if r.Difference != nil && r.Margin != nil {
		fmt.Fprintf(&b, "  %+6.2f ± %.2f discs", *r.Difference, *r.Margin)
	}
	if r.ForfeitsA+r.ForfeitsB > 0 {
		fmt.Fprintf(&b, "  forfeits: %d by A, %d by B", r.ForfeitsA, r.ForfeitsB)
	}
	return b.String()
}

// text is the report for people.
func (r *matchReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A %s\nB %s\n", r.A, r.B)
	fmt.Fprintf(&b, "  games            %d, %s, seed %d\n", r.Games, plural(r.Openings, "opening"), r.Seed)
	fmt.Fprintf(&b, "  A                %d won, %d drawn, %d lost: %.1f %%\n", r.Won, r.Drawn, r.Lost, r.percent())
	fmt.Fprintf(&b, "  A's points       %g as black, %g as white\n", r.PointsAsBlack, r.PointsAsWhite)
	switch {
	case r.Difference == nil:
		fmt.Fprintf(&b, "  disc difference  unknown: no opening was played out\n")
	case r.Margin == nil:
		fmt.Fprintf(&b, "  disc difference  %+.2f a game\n", *r.Difference)
	default:
		fmt.Fprintf(&b, "  disc difference  %+.2f ± %.2f a game (95 %% confidence)\n", *r.Difference, *r.Margin)
	}
	if r.ForfeitsA+r.ForfeitsB > 0 {
		fmt.Fprintf(&b, "  forfeits         %d by A, %d by B\n", r.ForfeitsA, r.ForfeitsB)
	}
	for _, g := range r.All {
		if g.Forfeit != "" {
			fmt.Fprintf(&b, "game %d (%s): %s forfeits: %s\n", g.Number, g.Opening, g.Forfeit, g.Reason)
		}
	}
	return b.String()
}
