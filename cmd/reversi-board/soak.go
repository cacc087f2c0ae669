package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"reversi-board/cmd/internal/soak"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// soakCommand plays whole games on a virtual board.
func soakCommand() command {
	c := command{
		name:    "soak",
		summary: "Play whole games with simulated hands and compare every record with what the hands meant",
		usage: "soak [--games N | --real FILE... [--every N]] [--seed S] [--variant NAME] [--start NAME]\n" +
			"    [--config FILE] [--faults LIST] [--only N] [--json]\n" +
			"    [--record DIR [--record-failed]]\n" +
			"  soak --clumsy [--profile NAME|all] [--variant NAME|all] [--games N] [--seed S] [--config FILE]\n" +
			"    [--only N] [--json]",
		example: program + " soak --games 1000 --seed 7\n" +
			program + " soak --real WTH_2013.wtb --every 10\n" +
			program + " soak --games 1000 --seed 7 --only 123\n" +
			program + " soak --games 1000 --config hall-128.yaml --faults all\n" +
			program + " soak --games 10000 --clumsy",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		var f soakFlags
		fs.IntVar(&f.games, "games", 100, "make up `N` random legal games, 1 to 1000000")
		fs.Uint64Var(&f.seed, "seed", 1, "draw games, hands and parts of the board from `S`; the same seed plays the same")
		fs.StringVar(&f.variant, "variant", "classic", "make up games of the rules `NAME`: "+strings.Join(engine.VariantNames(), ", ")+";\nwith --clumsy also all, which is the default there")
		fs.StringVar(&f.start, "start", "standard", "begin made-up games from `NAME`: "+strings.Join(soak.Starts(), ", "))
		fs.StringVar(&f.config, "config", "", "play on the board of the settings in `FILE`, simulated whatever they say, or of a built-in\nprofile: "+strings.Join(configs.ProfileNames(), ", "))
		fs.StringVar(&f.faults, "faults", "", "let parts of the board fail while games are played: `LIST` is all, or some of\n"+strings.Join(soak.FaultKinds(), ","))
		fs.BoolVar(&f.clumsy, "clumsy", false, "let people play who make mistakes, and compare with an umpire of the soak's own")
		fs.StringVar(&f.profile, "profile", soak.All, "with --clumsy, officiate games as the profile `NAME` says: "+strings.Join(soak.Profiles(), ", ")+",\nor all")
		fs.Var(&f.real, "real", "play the games of `FILE` instead, a WTHOR file (.wtb) or a table of games (.tsv);\ncan be repeated")
		fs.IntVar(&f.every, "every", 1, "with --real, play every `N`th game only, from the first on")
		fs.IntVar(&f.only, "only", -1, "play game number `N` alone, as a failure report names it")
		fs.StringVar(&f.record.Dir, "record", "", "write a flight recording of every game into the folder `DIR`, for replay")
		fs.BoolVar(&f.record.Failed, "record-failed", false, "with --record, of failed games only")
		fs.BoolVar(&f.json, "json", false, "print one JSON object")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		if f.record.Failed && f.record.Dir == "" {
			return usageError(stderr, c.name, "--record-failed needs --record DIR")
		}
		f.given = map[string]bool{}
		fs.Visit(func(x *flag.Flag) { f.given[x.Name] = true })
		options, err := f.options()
		switch bad := (*wrongFlagError)(nil); {
		case errors.As(err, &bad):
			return usageError(stderr, c.name, bad.text)
		case err != nil:
			return fail(stderr, c.name, err)
		}
		return f.play(ctx, options, stdout, stderr)
	}
	return c
}

// maxSoak is the largest number of games that can be asked for.
const maxSoak = 1_000_000

// files is a flag that can be given several times.
type files []string

// String returns the files, for the flag package.
func (f *files) String() string { return strings.Join(*f, ",") }

// Set adds a file.
func (f *files) Set(name string) error {
	if name == "" {
		return errors.New("no file named")
	}
	*f = append(*f, name)
	return nil
}

// wrongFlagError is a wrong value of a flag.
type wrongFlagError struct{ text string }

// Error returns what is wrong.
func (u *wrongFlagError) Error() string { return u.text }

// soakFlags are the flags of the command.
type soakFlags struct {
	games, every, only int
	seed               uint64
	variant, start     string
	config, faults     string
	profile            string
	clumsy             bool
	// given are the flags that were on the command line.
	given map[string]bool
	real  files
	json  bool
	// record says whether games are recorded.
	record soak.Recording
}

// options turns the flags into what is to be played, and reads the files.
func (f *soakFlags) options() (soak.Options, error) {
	o := soak.Options{Seed: f.seed, Random: f.games, Variant: f.variant, Start: f.start, Record: f.record}
	switch {
	case f.games < 1 || f.games > maxSoak:
		return o, &wrongFlagError{fmt.Sprintf("--games %d: want 1 to %d", f.games, maxSoak)}
	case f.every < 1:
		return o, &wrongFlagError{fmt.Sprintf("--every %d: want 1 or more", f.every)}
	}
	if f.clumsy || f.given["profile"] {
		err := f.people(&o)
		return o, err
	}
	for _, part := range []func(o *soak.Options) error{f.rules, f.board, f.files, f.choose} {
		if err := part(&o); err != nil {
			return o, err
		}
	}
	return o, nil
}

// rules checks by which rules games are made up.
func (f *soakFlags) rules(*soak.Options) error {
	if _, err := engine.Variant(f.variant); err != nil {
		return &wrongFlagError{"--variant: " + err.Error()}
	}
	if !slices.Contains(soak.Starts(), f.start) {
		return &wrongFlagError{fmt.Sprintf("--start %.32q: want one of %s", f.start, strings.Join(soak.Starts(), ", "))}
	}
	if _, err := notation.ParseRules(f.variant, f.start, ""); err != nil {
		return &wrongFlagError{"--start: " + err.Error()}
	}
	return nil
}

// board reads what is played on, and how it fails.
func (f *soakFlags) board(o *soak.Options) (err error) {
	if f.config != "" {
		if o.Config, err = loadConfig(f.config); err != nil {
			return err
		}
	}
	if f.faults != "" {
		if o.Faults, err = soak.ParseFaults(f.faults, o.Config); err != nil {
			return &wrongFlagError{"--faults: " + err.Error()}
		}
	}
	return nil
}

// files reads the games of files.
func (f *soakFlags) files(o *soak.Options) error {
	for _, name := range f.real {
		games, err := soak.Load(name)
		if err != nil {
			return err
		}
		o.Games = append(o.Games, games...)
	}
	if len(f.real) > 0 && len(o.Games) == 0 {
		return errors.New("the files hold no games")
	}
	return nil
}

// choose says which of the games are played.
func (f *soakFlags) choose(o *soak.Options) error {
	switch {
	case f.only >= o.Count() || f.only < -1:
		return &wrongFlagError{fmt.Sprintf("--only %d: the games are 0 to %d", f.only, o.Count()-1)}
	case f.only >= 0:
		o.Indices = []int{f.only}
	case len(f.real) > 0:
		for i := 0; i < o.Count(); i += f.every {
			o.Indices = append(o.Indices, i)
		}
	}
	return nil
}

// people turns the flags into games of people who make mistakes.
func (f *soakFlags) people(o *soak.Options) error {
	o.Clumsy = &soak.Clumsy{Profile: f.profile, Variant: f.variant}
	if !f.given["variant"] {
		o.Clumsy.Variant = soak.All
	}
	for _, not := range [][2]string{
		{"real", "these games are made up"},
		{"start", "custom games begin from every start"},
		{"faults", "people make the mistakes, not the board"},
		{"every", "there are no files"},
	} {
		if f.given[not[0]] {
			return &wrongFlagError{fmt.Sprintf("--%s does not go with --clumsy: %s", not[0], not[1])}
		}
	}
	switch {
	case !f.clumsy:
		return &wrongFlagError{"--profile goes with --clumsy"}
	case !slices.Contains(append(soak.Profiles(), soak.All), f.profile):
		return &wrongFlagError{fmt.Sprintf("--profile %.32q: want one of %s, %s", f.profile, strings.Join(soak.Profiles(), ", "), soak.All)}
	case !slices.Contains(append(engine.VariantNames(), soak.All), o.Clumsy.Variant):
		return &wrongFlagError{fmt.Sprintf("--variant %.32q: want one of %s, %s", f.variant, strings.Join(engine.VariantNames(), ", "), soak.All)}
	}
	if err := f.board(o); err != nil {
		return err
	}
	return f.choose(o)
}

// play plays the games and prints the report.
func (f *soakFlags) play(ctx context.Context, o soak.Options, stdout, stderr io.Writer) int {
	all := o.Count()
	if o.Indices != nil {
		all = len(o.Indices)
	}
	stop := f.watch(&o, all, stderr)
	report, err := soak.Run(ctx, o)
	stop()
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("interrupted after %d of %d games", report.Games, all)
	}
	if err != nil {
		return fail(stderr, "soak", err)
	}
	text := f.text(&report)
	if f.json {
		object, err := json.Marshal(report)
		if err != nil {
			return fail(stderr, "soak", err)
		}
		text = string(object) + "\n"
	}
	if code := printOut(stdout, stderr, text); code != exitOK {
		return code
	}
	if report.Failed() {
		return exitError
	}
	return exitOK
}

// watch draws on a terminal how far the games have come, and returns what takes
// that away again.
func (f *soakFlags) watch(o *soak.Options, all int, stderr io.Writer) (stop func()) {
	if !isTerminal(stderr) {
		return func() {}
	}
	var failed, games atomic.Int64
	began := time.Now()
	o.Done = func(out *soak.Outcome) {
		if out.Failed() {
			failed.Add(1)
		}
		n := games.Add(1)
		_, _ = fmt.Fprintf(stderr, "\r%d of %d games, %d failed, %.1f a second",
			n, all, failed.Load(), float64(n)/time.Since(began).Seconds())
	}
	return func() { _, _ = fmt.Fprint(stderr, "\r\x1b[K") }
}

// text is the report for people.
func (f *soakFlags) text(r *soak.Report) string {
	var b strings.Builder
	verdict := "every record is what the hands meant"
	if r.Failed() {
		verdict = "FAILED"
	}
	fmt.Fprintf(&b, "%s\n", verdict)
	fmt.Fprintf(&b, "  played           %d games, %d moves, %d discs turned, %d passes\n", r.Games, r.Moves, r.Flips, r.Passes)
	fmt.Fprintf(&b, "  spurious events  %d\n", r.Spurious)
	fmt.Fprintf(&b, "  missing events   %d\n", r.Missing)
	fmt.Fprintf(&b, "  wrong records    %d\n", r.WrongRecords)
	fmt.Fprintf(&b, "  stuck games      %d\n", r.Stuck)
	if f.faults != "" {
		fmt.Fprintf(&b, "  faults           %s\n", faultsText(r))
		fmt.Fprintf(&b, "  not reported     %d of them\n", r.Unreported)
		fmt.Fprintf(&b, "  complaints       %d, about discs that a bad cell showed\n", r.Complaints)
	}
	if r.Tally != nil {
		return b.String() + f.mistakesText(r)
	}
	fmt.Fprintf(&b, "  disc to lights   %d ms at worst (limit %d ms, measured %d times)\n",
		r.WorstLatency, r.Budget, r.Measured)
	fmt.Fprintf(&b, "  speed            %.1f games a second, %.0f s at the table\n", r.GamesPerSecond, r.VirtualSeconds)
	for _, x := range r.Failures {
		fmt.Fprintf(&b, "game %d (%s): %s\n  again: %s\n", x.Game, x.Source, x.Difference, f.again(x.Game))
	}
	return b.String()
}

// mistakesText is the rest of the report about people who make mistakes: the games
// by event and rules, the mistakes by kind, and what went wrong.
func (f *soakFlags) mistakesText(r *soak.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  speed            %.1f games a second, %.0f s at the table\n%v", r.GamesPerSecond, r.VirtualSeconds, r.Tally)
	fmt.Fprintf(&b, "  %-34s %8s\n", "event and rules", "games")
	for _, name := range slices.Sorted(maps.Keys(r.Meetings)) {
		fmt.Fprintf(&b, "  %-34s %8d\n", name, r.Meetings[name])
	}
	for _, x := range r.Failures {
		fmt.Fprintf(&b, "game %d (%s): %s\n  again: %s\n", x.Game, x.Source, x.Difference, f.again(x.Game))
		for _, line := range x.Story {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	return b.String()
}

// faultsText lists the faults that were made.
func faultsText(r *soak.Report) string {
	sum := 0
	var parts []string
	for _, kind := range soak.FaultKinds() {
		if n := r.Faults[kind]; n > 0 {
			sum += n
			parts = append(parts, fmt.Sprintf("%s %d", kind, n))
		}
	}
	return fmt.Sprintf("%d: %s", sum, strings.Join(parts, ", "))
}

// again is the command line that plays one game again.
func (f *soakFlags) again(game int) string {
	line := fmt.Sprintf("%s soak --seed %d --only %d", program, f.seed, game)
	if f.config != "" {
		line += " --config " + f.config
	}
	if f.faults != "" {
		line += " --faults " + f.faults
	}
	if f.clumsy {
		line += fmt.Sprintf(" --games %d --clumsy --profile %s", f.games, f.profile)
		if f.given["variant"] {
			line += " --variant " + f.variant
		}
		return line
	}
	if len(f.real) == 0 {
		line += fmt.Sprintf(" --games %d --variant %s", f.games, f.variant)
		if f.start != "" && f.start != notation.StandardStart {
			line += " --start " + f.start
		}
		return line
	}
	for _, name := range f.real {
		line += " --real " + name
	}
	return line
}
