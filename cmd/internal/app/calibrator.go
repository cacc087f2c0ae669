package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/sensing"
)

// calibrator lets a running board be calibrated, from its page and with its
// buttons. While it does, scans go to the walk and not to the referee, and the
// lights show what the walk wants. It may be used from any goroutine.
type calibrator struct {
	app *App

	mu   sync.Mutex
	walk *calibrate.Walk
	// view is what there is to see, of a walk that is over as well.
	view    calibrate.View
	quick   bool
	storing bool
	frame   hardware.Frame
	// playing says that a game is running: no walk begins then.
	playing bool
	// news is closed when there is something new to see.
	news chan struct{}
	// used is the calibration in use, nil for none, and trouble why the one that
	// is stored is not.
	used    *sensing.Calibration
	trouble string
	// fresh are what the scanner's eyes are to go on as.
	fresh *Eyes

	// agreed wakes the goroutine that stores.
	agreed chan struct{}
}

func newCalibrator(a *App) *calibrator {
	return &calibrator{app: a, news: make(chan struct{}), agreed: make(chan struct{}, 1)}
}

// load returns eyes with the stored calibration. One that cannot be used is said,
// and the board plays without.
func (c *calibrator) load() (*Eyes, error) {
	a := c.app
	cal, err := LoadCalibration(a.dir, &a.config.Hardware)
	if err != nil {
		c.trouble = fmt.Sprintf("The calibration is not used, the board plays without one: %v.", err)
		a.log.Error("the calibration is not used, the board plays without one", "error", err)
	}
	c.used = cal
	if cal != nil {
		a.log.Info("calibrated", "made", cal.Made, "turned", 90*cal.Turned, "masked", cal.Masked.String())
		return a.rig.CalibratedEyes(a.config, cal)
	}
	measures := a.config.Hardware.Kind == configs.HallAnalog
	if measures && a.rig.Sim == nil {
		a.log.Warn("this board measures and is not calibrated: what is a disc follows from a data sheet; " +
			"calibrate it on its page, or with reversi-board calibrate")
	}
	if measures && a.rig.Sim != nil {
		// A simulated board is to be played on at once.
		if cal, err = CalibrateSimulated(a.config); err != nil {
			return nil, err
		}
	}
	return a.rig.CalibratedEyes(a.config, cal)
}

// problem says why the stored calibration is not used, empty if it is.
func (c *calibrator) problem() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble
}

// changed says that there is something new to see; mu is held.
func (c *calibrator) changed() {
	close(c.news)
	c.news = make(chan struct{})
	nudge(c.app.touched)
}

// scan takes a scan for the walk; it reports false when there is none. It is
// called by the scanner.
func (c *calibrator) scan(ctx context.Context, now time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.walk == nil {
		return false
	}
	// What could not be read is lost in the frame.
	_ = c.app.rig.Matrix.Scan(ctx, now, &c.frame)
	if c.app.rig.Reed != nil {
		c.walk.Accuse(engine.Bitboard(c.app.rig.Reed.Stats().Shorted))
	}
	if c.walk.Step(now, &c.frame, calibrate.Silence) {
		c.look()
	}
	return true
}

// look takes the walk's view; mu is held.
func (c *calibrator) look() {
	before := c.view
	c.view = c.walk.View()
	if c.view.Done > before.Done {
		c.app.sound(buzzer.Click)
	}
	c.changed()
}

// renew lets eyes begin anew after a walk. The scanner calls it.
func (c *calibrator) renew(eyes *Eyes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fresh != nil {
		eyes.adopt(c.fresh)
		c.fresh = nil
	}
}

// scene replaces what the lights show while a walk goes on; it reports whether it
// did. The loop calls it, and tells how the game is: one that has begun and has no
// move yet is none.
func (c *calibrator) scene(scene *display.Scene, s *referee.State) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	playing := (s.Phase == referee.Playing || s.Phase == referee.Paused) && s.Ply() > 0
	if c.playing != playing {
		c.playing = playing
		close(c.news)
		c.news = make(chan struct{})
	}
	if c.walk == nil {
		return false
	}
	*scene = c.view.Scene
	return true
}

// sentence says on the page of the game what is going on; it is empty when
// nothing is.
func (c *calibrator) sentence() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.walk == nil {
		return ""
	}
	return "The board is being calibrated. " + c.view.Text
}

// pressed takes a button for the walk; it reports false when there is none.
func (c *calibrator) pressed(e button.Event) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.walk == nil || e.Kind == button.Stuck || e.Kind == button.Recovered {
		return false
	}
	c.answer(CalibrationAnswer(e, c.view.Stage))
	return true
}

// CalibrationAnswer is what a button says in a calibration: the hint button goes
// on, the new-game button begins and ends, and held it starts again.
func CalibrationAnswer(e button.Event, stage calibrate.Stage) calibrate.Answer {
	deciding := stage == calibrate.Deciding
	switch {
	case e.Button == Hint && e.Kind == button.Pressed && !deciding:
		return calibrate.Next
	case e.Button == NewGame && e.Kind == button.Pressed && stage == calibrate.Clearing:
		return calibrate.Next
	case e.Button == NewGame && e.Kind == button.Pressed && deciding:
		return calibrate.Store
	case e.Button == NewGame && e.Kind == button.Held && !deciding:
		return calibrate.Again
	}
	return calibrate.Silence
}

// answer gives the walk an answer; mu is held and there is a walk.
func (c *calibrator) answer(a calibrate.Answer) {
	c.walk.Step(c.app.now(), nil, a)
	c.look()
	switch c.view.Stage {
	case calibrate.Agreed:
		c.storing = true
		nudge(c.agreed)
	case calibrate.Aborted:
		c.end(c.used)
	case calibrate.Clearing, calibrate.Measuring, calibrate.Walking, calibrate.Tidying, calibrate.Checking,
		calibrate.Filling, calibrate.Deciding:
	}
}

// end lets the board play again; mu is held.
func (c *calibrator) end(cal *sensing.Calibration) {
	c.walk, c.storing = nil, false
	eyes, err := c.app.rig.CalibratedEyes(c.app.config, cal)
	if err != nil {
		// It was valid before.
		c.app.log.Error("use the calibration", "error", err)
	}
	c.fresh = eyes
	c.changed()
}

// keep stores what has been agreed to, until ctx ends. A disk that hangs keeps
// nobody else waiting.
func (c *calibrator) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.agreed:
			c.store()
		}
	}
}

func (c *calibrator) store() {
	c.mu.Lock()
	if !c.storing {
		c.mu.Unlock()
		return
	}
	cal, err := c.walk.Calibration(time.Now())
	c.mu.Unlock()
	if err == nil {
		err = SaveCalibration(c.app.dir, &cal)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.app.log.Error("the calibration was not stored", "error", err)
		c.view.Stage = calibrate.Aborted
		c.view.Text = fmt.Sprintf("It could not be stored: %v.", err)
		c.app.sound(buzzer.Error)
		c.end(c.used)
		return
	}
	c.used, c.trouble = &cal, ""
	c.view.Text = "Stored. The board uses it from now on."
	c.app.sound(buzzer.OK)
	c.end(&cal)
}

// View implements web.Calibrator.
func (c *calibrator) View() (web.CalibrationView, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := web.CalibrationView{
		Stage: "idle", Stored: c.stored(), Colors: c.app.config.Hardware.Kind != configs.Reed64, Quick: c.quick,
		Seen: c.view.Seen.Text('B', 'W', '-'),
	}
	if c.app.hands != nil {
		v.Table = c.app.hands.table()
	}
	if c.playing {
		v.Refusal = "A game is running: finish it, or wait for its end."
	}
	if c.walk == nil && c.view.Stage < calibrate.Agreed {
		v.Text = "Calibrate the board."
		return v, c.news
	}
	fillView(&v, &c.view)
	if c.storing {
		v.Stage = "storing"
	}
	return v, c.news
}

// stored says what calibration is in use; mu is held.
func (c *calibrator) stored() string {
	switch {
	case c.trouble != "":
		return c.trouble
	case c.used == nil:
		return "This board has not been calibrated."
	}
	text := "Calibrated on " + c.used.Made.Format("2 January 2006") + "."
	if c.used.Masked != 0 {
		text += " Left out of play: " + c.used.Masked.String() + "."
	}
	return text
}

// fillView translates what there is to see of a walk.
func fillView(v *web.CalibrationView, w *calibrate.View) {
	v.Stage, v.Text, v.Note, v.Done, v.All = w.Stage.String(), w.Text, w.Note, w.Done, w.All
	seen := []byte(v.Seen)
	for s := range w.Doubtful.All() {
		seen[s] = '?'
	}
	v.Seen = string(seen)
	if w.Ask.Squares != 0 {
		v.Ask = [...]string{calibrate.Place: "place", calibrate.TurnOver: "turn", calibrate.Take: "take"}[w.Ask.Do]
		v.Face, v.Squares, v.Missing, v.Taken = w.Ask.Face.String(), w.Ask.Squares.Names(), w.Missing.Names(), w.Taking
	}
	if w.Report == nil {
		return
	}
	r := &web.CalibrationReport{
		Well: w.Report.Well, Summary: w.Report.Summary, Corrections: w.Report.Corrections, Picture: string(w.Report.SVG()),
		Findings: []web.CalibrationFinding{},
	}
	for _, f := range w.Report.Findings {
		r.Findings = append(r.Findings, web.CalibrationFinding{Severity: string(f.Severity), Squares: f.Squares.Names(), Text: f.Text})
	}
	for i := range w.Report.Squares {
		q := &w.Report.Squares[i]
		r.Verdicts = append(r.Verdicts, q.Verdict)
		r.Severities = append(r.Severities, string(q.Severity))
		r.Numbers = append(r.Numbers, q.Short(w.Report.Senses))
	}
	v.Report = r
}

// Do implements web.Calibrator.
func (c *calibrator) Do(_ context.Context, a web.CalibrationAct) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch a.Do {
	case web.CalibrationStart:
		return c.start(a)
	case web.CalibrationForget:
		if c.walk == nil {
			c.view = calibrate.View{}
			c.changed()
		}
		return nil
	}
	answer, ok := map[string]calibrate.Answer{
		web.CalibrationNext: calibrate.Next, web.CalibrationAgain: calibrate.Again, web.CalibrationStore: calibrate.Store,
		web.CalibrationPlain: calibrate.StorePlain, web.CalibrationAbort: calibrate.Abort,
	}[a.Do]
	switch {
	case !ok:
		return fmt.Errorf("a calibration cannot %q", a.Do)
	case c.walk == nil:
		return errors.New("the board is not being calibrated")
	case c.storing:
		return errors.New("the calibration is being stored")
	}
	c.answer(answer)
	return nil
}

// start begins a walk; mu is held.
func (c *calibrator) start(a web.CalibrationAct) error {
	switch {
	case c.walk != nil:
		return errors.New("the board is being calibrated already")
	case c.playing:
		return errors.New("a game is running: finish it first")
	}
	o := WalkOptions(c.app.config)
	o.Quick, o.Discs = a.Quick, a.Discs
	walk, err := calibrate.New(o)
	if err != nil {
		return err
	}
	walk.Step(c.app.now(), nil, calibrate.Again)
	c.walk, c.quick = walk, a.Quick
	c.look()
	return nil
}
