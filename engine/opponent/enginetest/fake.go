package enginetest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
)

// The fakes, each with the habits of a program as they were seen when it was
// run.
const (
	Rhino      = "gtp-rhino"
	Edax       = "gtp-edax"
	Egaroucid  = "gtp-egaroucid"
	EdaxNBoard = "nboard-edax"
	NTest      = "nboard-ntest"
)

// flagName marks the command line of a fake.
const flagName = "-enginetest="

// Command returns the command line of a fake. The faults happen at the nth
// question for a move since its start, the first one being 1:
//
//	silent@N   it never answers
//	die@N      it ends with status 3, after a message on standard error
//	garbage@N  it answers what is no move
//	illegal@N  it plays a square that is occupied
//	other@N    it plays a square that only the other side could use
//	pass@N     it passes
//	resign@N   it gives up (GTP)
//	flood@N    it writes lines without end
//	long@N     it writes one line without end
//	late@N     it answers after two seconds
//
// And, once and for all:
//
//	mute       it answers nothing at all, not even at the start
//	deaf       it does not even read
//	chatter    it writes noise between its answers
//	helper=F   it starts a program of its own, which writes its number to F,
//	           and which nobody stops
//	log=F      it appends what it hears to F
//	once=F     only the first one misbehaves: F is made then
//	name=N     it calls itself N
func Command(kind string, faults ...string) []string {
	return append([]string{os.Args[0], flagName + kind}, faults...)
}

// Main becomes the fake engine if the process was started by Command, and
// returns otherwise. It is the first thing that TestMain calls.
func Main() {
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], flagName) {
		return
	}
	kind := strings.TrimPrefix(os.Args[1], flagName)
	if kind == "helper" {
		time.Sleep(time.Hour)
	}
	f := &fake{kind: kind, args: os.Args[2:], out: bufio.NewWriter(os.Stdout), name: kind}
	f.begin()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		f.hear(in.Text())
		if !f.one(in.Text()) {
			break
		}
	}
	_ = f.out.Flush()
	os.Exit(0)
}

// fake is one run of the fake engine.
type fake struct {
	kind, name string
	args       []string
	out        *bufio.Writer
	game       engine.Game
	past       []engine.Game
	last       string
	questions  int
	healthy    bool
}

// begin does what happens before the first line.
func (f *fake) begin() {
	f.game = newGame()
	if file := f.value("once"); file != "" {
		if _, err := os.Stat(file); err == nil {
			f.healthy = true
		}
		must(os.WriteFile(file, nil, 0o600))
	}
	if name := f.value("name"); name != "" {
		f.name = name
	}
	if file := f.value("helper"); file != "" {
		helper := exec.Command(os.Args[0], flagName+"helper") //nolint:noctx,gosec // nobody is to stop it
		helper.Stdout, helper.Stderr = os.Stdout, os.Stderr
		must(helper.Start())
		must(os.WriteFile(file, []byte(strconv.Itoa(helper.Process.Pid)), 0o600)) //nolint:gosec // named by the test
	}
	if f.has("deaf") {
		time.Sleep(time.Hour)
	}
	if f.kind == NTest {
		f.say("Ntest version as of a long time ago\nCopyright by its author\n\ntesting flips... ok\n=\n")
	}
}

func newGame() engine.Game {
	r, err := engine.Variant(engine.Classic)
	must(err)
	return engine.NewGame(r)
}

// must ends the fake when it cannot do what a test wants.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "enginetest:", err)
		os.Exit(7)
	}
}

func (f *fake) has(fault string) bool { return !f.healthy && slices.Contains(f.args, fault) }

// value returns what follows "name=" in the arguments.
func (f *fake) value(name string) string {
	for _, a := range f.args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v
		}
	}
	return ""
}

func (f *fake) hear(line string) {
	if file := f.value("log"); file != "" {
		w, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // named by the test
		must(err)
		_, err = io.WriteString(w, line+"\n")
		must(err)
		must(w.Close())
	}
}

// say writes at once; a test that has gone away ends the fake.
func (f *fake) say(text string) {
	if _, err := f.out.WriteString(text); err != nil {
		os.Exit(0)
	}
	if err := f.out.Flush(); err != nil {
		os.Exit(0)
	}
}

// one answers one line; false ends the fake.
func (f *fake) one(line string) bool {
	if f.has("mute") {
		return true
	}
	if f.has("chatter") {
		f.say("thinking about nothing\n\n")
	}
	if strings.HasPrefix(f.kind, "gtp-") {
		return f.gtp(line)
	}
	return f.nboard(line)
}

// move returns the answer to a question for a move: the first legal square, or
// what the faults say; ok is false when there is none.
func (f *fake) move() (word string, ok bool) {
	f.questions++
	legal := f.game.Legal()
	for fault := range faults() {
		if f.has(fmt.Sprintf("%s@%d", fault, f.questions)) {
			return f.misbehave(fault), true
		}
	}
	if legal == 0 {
		return "", false
	}
	return legal.First().String(), true
}

func faults() func(func(string) bool) {
	return slices.Values([]string{
		"silent", "die", "garbage", "illegal", "other", "pass", "resign", "flood", "long", "late",
	})
}

func (f *fake) misbehave(fault string) (word string) {
	switch fault {
	case "silent":
		time.Sleep(time.Hour)
	case "die":
		fmt.Fprintln(os.Stderr, "illegal instruction")
		os.Exit(3)
	case "garbage":
		return "j9"
	case "illegal":
		return f.game.Occupied().First().String()
	case "other":
		if only := f.game.Pass().Legal() &^ f.game.Legal(); only != 0 {
			return only.First().String()
		}
	case "pass":
		return "pass"
	case "resign":
		return "resign"
	case "flood":
		for {
			f.say(strings.Repeat("status I think, therefore I write\n", 100))
		}
	case "long":
		for {
			f.say(strings.Repeat("blah ", 1000))
		}
	case "late":
		time.Sleep(2 * time.Second) // far enough from any deadline of the tests on a busy machine
	}
	return f.game.Legal().First().String()
}

// place puts a disc of the side to move on a square.
func (f *fake) place(s engine.Square) {
	f.past = append(f.past, f.game)
	f.game = f.game.Place(s)
	f.last = s.String()
}
