package oled

import "reversi-board/engine"

// The places of the picture, in rows and columns.
const (
	bandTop    = 16
	bandBottom = 48
	footTop    = 48
	half       = Width / 2

	scoreRadius = 11
	smallRadius = 5
	discGap     = 4
	clockMargin = 2
)

// Painter holds the fonts. It does not change and may be used from any
// goroutine.
type Painter struct {
	letters      letters
	score, clock numerals
}

// New reads the fonts. An error would be a mistake of the build: they are part
// of the program.
func New() (*Painter, error) {
	p := &Painter{letters: loadLetters()}
	var err error
	if p.score, err = loadNumerals(scoreSize); err != nil {
		return nil, err
	}
	if p.clock, err = loadNumerals(clockSize); err != nil {
		return nil, err
	}
	return p, nil
}

// Render draws a view; what m held before is lost. It allocates nothing.
func (p *Painter) Render(v *View, m *Image) {
	*m = Image{}
	p.words(m, &v.Head, 0, 0)
	p.words(m, &v.Foot, 0, footTop)
	if !v.Board {
		p.words(m, &v.More[0], 0, bandTop)
		p.words(m, &v.More[1], 0, bandTop+lineHeight)
		return
	}
	for c := range engine.None {
		p.player(m, v, c)
	}
}

// player draws one half of the middle.
func (p *Painter) player(m *Image, v *View, c engine.Color) {
	left := int(c) * half
	marked := v.Mark == c
	// On a lit ground the disc that is filled is the black one.
	filled := (c == engine.White) != marked
	var score Line
	score.number(v.Score[c])
	if v.Timed {
		time := v.Clocks[c].line()
		p.clock.write(m, &time, left+(half-p.clock.width(&time))/2, bandTop+clockMargin)
		x := left + (half-2*smallRadius-discGap-2*letterWidth)/2
		m.disc(x, bandBottom-1-2*smallRadius, smallRadius, filled)
		p.words(m, &score, x+2*smallRadius+discGap, bandBottom-1-baseline)
	} else {
		x := left + (half-2*scoreRadius-discGap-p.score.width(&score))/2
		m.disc(x, (bandTop+bandBottom)/2-scoreRadius, scoreRadius, filled)
		p.score.write(m, &score, x+2*scoreRadius+discGap, (bandTop+bandBottom-p.score.height)/2)
	}
	if marked {
		m.reverse(left, left+half, bandTop, bandBottom)
	}
}

// words draws a line of words.
func (p *Painter) words(m *Image, l *Line, x, y int) {
	for i, b := range l.text[:l.n] {
		if at := int(b) - ' '; at >= 0 && at < len(p.letters) {
			m.put(&p.letters[at], x+i*letterWidth, y)
		}
	}
}
