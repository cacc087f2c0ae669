package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// perftRow is a row of a table of counts.
type perftRow struct {
	start      string
	position   engine.Position
	convention engine.Convention
	depth      int
	count      uint64
}

// checked is a row as it is printed.
type checked struct {
	Start      string  `json:"start"`
	Convention string  `json:"convention"`
	Depth      int     `json:"depth"`
	Want       uint64  `json:"want"`
	Leaves     uint64  `json:"leaves"`
	Seconds    float64 `json:"seconds"`
	Agrees     bool    `json:"agrees"`
}

// checkFile counts all rows of a table. A count that differs is a failure.
func (p perft) checkFile(ctx context.Context, f *perftFlags, stdout io.Writer) int {
	rows, err := f.rows()
	if err != nil {
		return fail(p.stderr, "perft", err)
	}
	if !f.json {
		head := fmt.Sprintf("%-12s %s %5s %20s %20s %12s\n", "start", "convention", "depth", "want", "leaves", "seconds")
		if code := printOut(stdout, p.stderr, head); code != exitOK {
			return code
		}
	}
	counted, wrong := 0, 0
	for i := range rows {
		if rows[i].count > f.most {
			continue
		}
		if p.table != nil && i > 0 && (rows[i].start != rows[i-1].start || rows[i].convention != rows[i-1].convention) {
			p.table.Clear()
		}
		text, agrees, err := p.checkRow(ctx, &rows[i], f.json)
		if err != nil {
			return fail(p.stderr, "perft", err)
		}
		if code := printOut(stdout, p.stderr, text); code != exitOK {
			return code
		}
		counted++
		if !agrees {
			wrong++
		}
	}
	switch {
	case wrong > 0:
		return fail(p.stderr, "perft", fmt.Errorf("%d of %d counts differ from %s", wrong, counted, f.check))
	case f.json:
		return exitOK
	default:
		return printOut(stdout, p.stderr, fmt.Sprintf("%d of %d rows counted, all agree\n", counted, len(rows)))
	}
}

// checkRow counts one row and returns the line that says so.
func (p perft) checkRow(ctx context.Context, r *perftRow, asJSON bool) (text string, agrees bool, err error) {
	p.position, p.convention = r.position, r.convention
	l, err := p.count(ctx, r.depth)
	if err != nil {
		return "", false, fmt.Errorf("%s, convention %v: %w", r.start, r.convention, err)
	}
	text, err = r.text(&l, asJSON)
	return text, l.Leaves == r.count, err
}

// text returns a row beside its count for people, or as JSON.
func (r *perftRow) text(l *line, asJSON bool) (string, error) {
	c := checked{
		Start: r.start, Convention: r.convention.String(), Depth: r.depth,
		Want: r.count, Leaves: l.Leaves, Seconds: l.Seconds, Agrees: l.Leaves == r.count,
	}
	if asJSON {
		object, err := json.Marshal(c)
		if err != nil {
			return "", fmt.Errorf("write the result: %w", err)
		}
		return string(object) + "\n", nil
	}
	note := ""
	if !c.Agrees {
		note = "  DIFFERS"
	}
	return fmt.Sprintf("%-12s %-10s %5d %20d %20d %12.3f%s\n", c.Start, c.Convention, c.Depth, c.Want, c.Leaves, c.Seconds, note), nil
}

// rows reads the table.
func (f *perftFlags) rows() ([]perftRow, error) {
	file, err := os.Open(f.check)
	if err != nil {
		return nil, fmt.Errorf("read the table: %w", err)
	}
	defer func() { _ = file.Close() }() // It was only read.
	return readPerftRows(file)
}

// readPerftRows reads a table of counts: tab-separated lines of start,
// convention, depth, count and perhaps more. A line "#start", a name and a
// position defines a start; other lines that begin with # are comments.
func readPerftRows(in io.Reader) ([]perftRow, error) {
	starts := make(map[string]engine.Position)
	var rows []perftRow
	lines := bufio.NewScanner(plaintext.NewReader(in))
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimRight(lines.Text(), "\r")
		fields := strings.Split(text, "\t")
		switch {
		case fields[0] == "#start" && len(fields) == 3:
			position, err := notation.ParseStart(fields[2])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			starts[fields[1]] = position
		case strings.HasPrefix(text, "#") || strings.TrimSpace(text) == "":
		default:
			row, err := readPerftRow(starts, fields)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the table: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("the table has no rows")
	}
	return rows, nil
}

// readPerftRow reads one row.
func readPerftRow(starts map[string]engine.Position, fields []string) (r perftRow, err error) {
	if len(fields) < 4 {
		return r, errors.New("want start, convention, depth and count with tabs between")
	}
	var ok bool
	r.start = fields[0]
	if r.position, ok = starts[r.start]; !ok {
		return r, fmt.Errorf("the start %.40q is not defined above", r.start)
	}
	if r.convention, err = engine.ParseConvention(fields[1]); err != nil {
		return r, fmt.Errorf("convention: %w", err)
	}
	if r.depth, err = strconv.Atoi(fields[2]); err != nil || r.depth < 1 || r.depth > maxPerft {
		return r, fmt.Errorf("depth %.20q: want 1 to %d", fields[2], maxPerft)
	}
	if r.count, err = strconv.ParseUint(fields[3], 10, 64); err != nil {
		return r, fmt.Errorf("count %.30q: want a whole number", fields[3])
	}
	return r, nil
}
