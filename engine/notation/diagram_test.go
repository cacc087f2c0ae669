package notation_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// shapes is what an SVG shows.
type shapes struct {
	black, white, dots int
	texts              []string
	title              string
}

// look parses an SVG.
func look(t *testing.T, text string) shapes {
	t.Helper()
	var s shapes
	in := xml.NewDecoder(strings.NewReader(text))
	last := ""
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		switch e := token.(type) {
		case xml.StartElement:
			last = e.Name.Local
			if last == "circle" {
				s.circle(e)
			}
		case xml.CharData:
			switch last {
			case "text":
				s.texts = append(s.texts, string(e))
			case "title":
				s.title = string(e)
			}
			last = ""
		}
	}
}

// circle counts a circle by what it looks like.
func (s *shapes) circle(e xml.StartElement) {
	attributes := map[string]string{}
	for _, a := range e.Attr {
		attributes[a.Name.Local] = a.Value
	}
	switch {
	case attributes["stroke"] == "":
		s.dots++
	case attributes["fill"] == "#000":
		s.black++
	case attributes["fill"] == "#fff" && attributes["stroke"] == "#000":
		s.white++
	}
}

func TestSVGOfAGame(t *testing.T) {
	g := one(t, notation.FormatPGN, playOK)
	g.Players[0].Name = plaintext.Const("A <&> B")
	d, err := notation.GameDiagram(g)
	if err != nil {
		t.Fatal(err)
	}
	s := look(t, d.SVG())
	// Black placed 31 discs and White 29, beside the two that each had.
	if s.black != 33 || s.white != 31 || s.dots != 4 || !strings.Contains(s.title, "A <&> B") {
		t.Errorf("%+v", s)
	}
	seen := map[string]int{}
	for _, text := range s.texts {
		seen[strings.TrimSpace(text)]++
	}
	for n := 1; n <= 60; n++ {
		want := 1
		if n <= 8 {
			want = 2 // and the name of a rank
		}
		if seen[strconv.Itoa(n)] != want {
			t.Errorf("%d is there %d times, want %d", n, seen[strconv.Itoa(n)], want)
		}
	}
	for c := 'a'; c <= 'h'; c++ {
		if seen[string(c)] != 1 {
			t.Errorf("file %c is there %d times", c, seen[string(c)])
		}
	}
}

func TestSVGOfAPosition(t *testing.T) {
	s := look(t, notation.PositionDiagram(engine.Start()).SVG())
	if s.black != 3 || s.white != 2 || len(s.texts) < 16 || !strings.Contains(s.title, "black to move") {
		t.Errorf("%+v: want two discs each and a black one for the side to move", s)
	}
}

// picture draws a PNG and reads it back.
func picture(t *testing.T, d notation.Diagram, size int) func(x, y float64) uint8 {
	t.Helper()
	var b bytes.Buffer
	if err := d.PNG(&b, size); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if r := img.Bounds(); r.Dx() != size || r.Dy() != size {
		t.Fatalf("%v, want %d pixels", r, size)
	}
	// Places are in squares from the corner of a1; the board is 8 of 8.95 wide.
	return func(x, y float64) uint8 {
		scale := float64(size) / 8.95
		gray, ok := color.GrayModel.Convert(img.At(int((0.75+x)*scale), int((0.75+y)*scale))).(color.Gray)
		if !ok {
			t.Fatal("no gray")
		}
		return gray.Y
	}
}

// TestPNGIsShort: a picture of 320 pixels fits into the 16 KB that the contract
// allows on MQTT, whatever lies on the board.
func TestPNGIsShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		black := rapid.Uint64().Draw(t, "black")
		white := rapid.Uint64().Draw(t, "white") &^ black
		d := notation.PositionDiagram(engine.Position{
			Discs: engine.Discs{Black: engine.Bitboard(black), White: engine.Bitboard(white)}, Turn: engine.White,
		})
		var b bytes.Buffer
		if err := d.PNG(&b, 320); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 16<<10 {
			t.Errorf("%d bytes", b.Len())
		}
	})
}

func TestPNGShowsTheDiscs(t *testing.T) {
	for _, size := range []int{notation.MinPNG, 200, 401, 1200} {
		g := one(t, notation.FormatTranscript, nineMoves)
		final, err := g.Final()
		if err != nil {
			t.Fatal(err)
		}
		position := picture(t, notation.PositionDiagram(final.Position), size)
		for s := range engine.Square(engine.Squares) {
			middle := position(float64(s.File())+0.5, float64(s.Rank())+0.5)
			ok := middle > 150 && middle < 240
			if final.At(s) == engine.Black {
				ok = middle < 20
			}
			if !ok {
				t.Errorf("%d: %v is %d, and shows %v", size, s, middle, final.At(s))
			}
		}
		start := picture(t, notation.PositionDiagram(engine.Start()), size)
		// White discs are white within a black ring: d4 is one.
		if start(3.5, 3.5) != 255 || start(3.5, 3.07) > 120 || start(3.08, 3.5) > 120 {
			t.Errorf("%d: d4 is %d in the middle, %d and %d at its edge", size, start(3.5, 3.5), start(3.5, 3.07), start(3.08, 3.5))
		}
	}
	for _, size := range []int{0, -1, notation.MinPNG - 1, notation.MaxPNG + 1} {
		if err := notation.PositionDiagram(engine.Start()).PNG(io.Discard, size); err == nil {
			t.Errorf("%d pixels were drawn", size)
		}
	}
}

// Numbers must be told apart at 200 pixels: for every two of them there are
// clearly different pixels in their discs.
func TestNumbersAreLegibleAt200Pixels(t *testing.T) {
	const size = 200
	var cells [61][]uint8
	for n := range cells {
		d := notation.Diagram{Turn: engine.None}
		e5 := engine.SquareAt(4, 4)
		d.Discs, d.Numbers[e5] = d.Discs.With(e5, engine.White), uint8(n)
		at := picture(t, d, size)
		for y := 4.02; y < 5; y += 8.95 / size {
			for x := 4.02; x < 5; x += 8.95 / size {
				cells[n] = append(cells[n], at(x, y))
			}
		}
	}
	for a, cell := range cells {
		for b, other := range cells[:a] {
			if n := different(cell, other); n < 6 {
				t.Errorf("%d and %d differ in %d pixels only", a, b, n)
			}
		}
	}
}

// different counts pixels that are clearly not the same.
func different(a, b []uint8) int {
	n := 0
	for i, x := range a {
		if diff := int(x) - int(b[i]); diff > 100 || diff < -100 {
			n++
		}
	}
	return n
}

func ExampleGameDiagram() {
	rules, err := engine.Variant("classic")
	if err != nil {
		fmt.Println(err)
		return
	}
	for g, err := range notation.Read(strings.NewReader("f5d6c3"), notation.FormatTranscript, notation.ReadOptions{Rules: rules}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		d, err := notation.GameDiagram(g)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.Title)
		fmt.Println(strings.Count(d.SVG(), "<circle"), "circles: 4 dots and 7 discs")
	}
	// Output:
	// black – white, 3 plies
	// 11 circles: 4 dots and 7 discs
}

func ExampleAppend() {
	const ggf = "(;GM[Othello]DT[2026-02-23]PB[Ann]PW[Bo]TY[8]RE[?]" +
		"BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5//1.5]W[d6//12];)"
	for g, err := range notation.Read(strings.NewReader(ggf), notation.FormatGGF, notation.ReadOptions{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		text, lost, err := notation.Append(nil, notation.FormatSGF, g)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%slost: %v\n", text, lost)
	}
	// Output:
	// (;FF[4]GM[2]SZ[8]PB[Ann]PW[Bo]DT[2026-02-23]AB[e4][d5]AW[d4][e5]PL[B]RE[?];B[f5];W[d6])
	// lost: [the time of each move]
}

// samples writes the first games of a year in some formats.
func samples(b *testing.B, formats []notation.Format, games int) [notation.FormatGTP + 1][]byte {
	b.Helper()
	var files [notation.FormatGTP + 1][]byte
	n := 0
	for g, err := range notation.Read(bytes.NewReader(readFile(b, "WTH_2013.wtb")), notation.FormatWTHOR, notation.ReadOptions{}) {
		if n++; n > games || err != nil {
			break
		}
		for _, f := range formats {
			if files[f], _, err = notation.Append(files[f], f, g); err != nil {
				b.Fatal(err)
			}
		}
	}
	return files
}

func BenchmarkRead(b *testing.B) {
	const games = 500
	formats := []notation.Format{notation.FormatTranscript, notation.FormatGGF, notation.FormatSGF, notation.FormatPGN, notation.FormatJSON}
	files := samples(b, formats, games)
	for _, f := range formats {
		b.Run(f.String(), func(b *testing.B) {
			for b.Loop() {
				for _, err := range notation.Read(bytes.NewReader(files[f]), f, notation.ReadOptions{}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(games*float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}
