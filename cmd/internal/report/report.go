package report

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/cmd/internal/flight"
	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/hardware/pi"
)

const (
	// journalTail is how much of the journal is in a report, in bytes.
	journalTail = 2 << 20
	// maxJournalFile bounds a file of the journal in bytes, maxRecording one of the
	// recorder, maxRecord a record.
	maxJournalFile = 64 << 20
	maxRecording   = 64 << 20
	maxRecord      = 64 << 10
	// leastSecret is how long a text must be to be looked for: shorter ones are in
	// half of all words.
	leastSecret = 3
)

// Options say what goes into a report.
type Options struct {
	// Dir is the data folder of the board. Config are its settings.
	Dir    string
	Config *configs.Config
	// Version, Commit and Go say which program makes the report.
	Version, Commit, Go string
	// Made is the wall clock.
	Made time.Time
	// Secrets must not be in any text: passwords, tokens.
	Secrets []string
	// Live is what only a running board knows, nil if it does not run; Why then
	// says more, if anything is known.
	Live *Live
	Why  string
	// System is where the computer's own files are, nil for all of them.
	System fs.FS
}

// Live is what only a running board knows.
type Live struct {
	// Health is the health view, State the state of the page with its alerts, both
	// JSON objects.
	Health, State json.RawMessage
	Recorder      *flight.Status
	Log           []string
	Uptime        time.Duration
}

// About is about.json: which program, which computer, which board.
type About struct {
	Made    time.Time      `json:"made"`
	Version string         `json:"version"`
	Commit  string         `json:"commit"`
	Go      string         `json:"go"`
	System  string         `json:"system"`
	OS      string         `json:"os"`
	Kernel  string         `json:"kernel"`
	Model   string         `json:"model"`
	JID     string         `json:"jid"`
	Running bool           `json:"running"`
	UptimeS float64        `json:"uptime_s,omitempty"`
	Flight  *flight.Status `json:"flight,omitempty"`
	Missing []string       `json:"missing"`
}

// writer is one report that is being made.
type writer struct {
	o     Options
	zip   *zip.Writer
	scrub scrubber
	// missing says what could not be read.
	missing []string
	files   []string
}

// Write writes a report. What cannot be read is left out and named in it; an error
// means that the report itself could not be written.
func Write(to io.Writer, o Options) error {
	w := &writer{o: o, zip: zip.NewWriter(to), scrub: newScrubber(append(private(o.Config), o.Secrets...)), missing: []string{}}
	steps := []func() error{w.recordings, w.journal, w.settings, w.live, w.about, w.readme}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("write the bug report: %w", err)
		}
	}
	if err := w.zip.Close(); err != nil {
		return fmt.Errorf("write the bug report: %w", err)
	}
	return nil
}

// scrubber strikes out of a text what is not to be told: secrets, what looks like a
// token, and where computers of the user's network are.
type scrubber struct{ secrets *strings.Replacer }

// removed stands for what was struck out.
const removed = "(removed)"

// Replace returns the text without them.
func (s scrubber) Replace(text string) string {
	return withoutAddresses(certified.ReplaceAllString(withoutTokens(s.secrets.Replace(text)), "${1}"+removed+"${2}"))
}

// withoutTokens strikes out what looks like a token of this program: one of another
// board, say, or one that holds no more.
func withoutTokens(text string) string {
	var b strings.Builder
	end := 0
	for _, at := range flight.Tokens([]byte(text)) {
		b.WriteString(text[end:at[0]])
		b.WriteString(removed)
		end = at[1]
	}
	b.WriteString(text[end:])
	return b.String()
}

// certified are the names in the certificate of another computer, as the error of one
// that was expected to have another name lists them (crypto/x509.HostnameError).
var certified = regexp.MustCompile(`(is valid for )[^"\n]+?(, not )`)

// newScrubber looks for secrets, the longest first: one may be a part of another.
func newScrubber(secrets []string) scrubber {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < leastSecret })
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		for _, form := range quotings(s) {
			pairs = append(pairs, form, removed)
		}
	}
	return scrubber{strings.NewReplacer(pairs...)}
}

// addresses are what may be numbers of computers.
var addresses = regexp.MustCompile(`[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:%[0-9A-Za-z]+)?`)

// withoutAddresses strikes out the numbers of computers other than this one: a name
// of the settings is told by the system's errors with the number that it stands for.
// Loopback stays, since it tells nothing, and so do times of the day.
func withoutAddresses(text string) string {
	return addresses.ReplaceAllStringFunc(text, func(found string) string {
		at, err := netip.ParseAddr(found)
		if err != nil || at.IsLoopback() || at.IsUnspecified() {
			return found
		}
		return "(address)"
	})
}

// quotings returns how a text can look in a line of the log or in JSON, also when
// it stood there in quotes already.
func quotings(s string) []string {
	inGo := func(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }
	inJSON := func(s string) string {
		q, err := json.Marshal(s)
		if err != nil {
			return s
		}
		return string(q[1 : len(q)-1])
	}
	forms := []string{inGo(inGo(s)), inJSON(inGo(s)), inGo(inJSON(s)), inJSON(s), inGo(s), s}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	slices.SortStableFunc(forms, func(a, b string) int { return len(b) - len(a) })
	return forms
}

// miss notes something that is not in the report.
func (w *writer) miss(what string, err error) {
	w.missing = append(w.missing, w.scrub.Replace(fmt.Sprintf("%s: %v", what, reason(err))))
}

// reason leaves paths out: they hold names of users.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// add adds a file; what is compressed already is stored.
func (w *writer) add(name string, content []byte, method uint16) error {
	f, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.o.Made.UTC()})
	if err != nil {
		return err
	}
	w.files = append(w.files, name)
	_, err = f.Write(content)
	return err
}

// object adds a value as JSON, without secrets.
func (w *writer) object(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.add(name, []byte(w.scrub.Replace(string(text))+"\n"), zip.Deflate)
}

// recordings adds the ring of the flight recorder.
func (w *writer) recordings() error {
	files := os.DirFS(filepath.Join(w.o.Dir, flight.Folder))
	names, err := fs.Glob(files, "flight-*.rec")
	if err == nil && len(names) == 0 {
		err = errors.New("there are none")
	}
	if err != nil {
		w.miss("flight recordings", err)
	}
	slices.Sort(names)
	for _, name := range names {
		b, err := read(files, name, maxRecording)
		if err != nil {
			// The ring has dropped it meanwhile.
			w.miss("the flight recording "+name, err)
			continue
		}
		if b, err = flight.Redact(b, w.o.Secrets); err != nil {
			w.miss("the flight recording "+name+", which cannot be searched for secrets", err)
			continue
		}
		if err := w.add(path.Join(flight.Folder, name), b, zip.Store); err != nil {
			return err
		}
	}
	return nil
}

// journal adds the last events of the journal, one a line.
func (w *writer) journal() error {
	files := os.DirFS(w.o.Dir)
	names, err := fs.Glob(files, "journal-*.log")
	if err == nil && len(names) == 0 {
		err = errors.New("there is none")
	}
	if err != nil {
		w.miss("journal", err)
	}
	slices.Sort(names)
	var lines []byte
	for _, name := range slices.Backward(names) {
		b, err := read(files, name, maxJournalFile)
		if err != nil {
			w.miss("a file of the journal", err)
			continue
		}
		if lines = append(payloads(name, b), lines...); len(lines) > journalTail {
			break
		}
	}
	if over := len(lines) - journalTail; over > 0 {
		cut := bytes.IndexByte(lines[over:], '\n')
		lines = lines[over+cut+1:]
	}
	return w.add("journal.jsonl", []byte(w.scrub.Replace(string(lines))), zip.Deflate)
}

// payloads returns the records of a file of the journal, a line each.
func payloads(name string, b []byte) (lines []byte) {
	var first uint64
	if _, err := fmt.Sscanf(name, "journal-%d.log", &first); err != nil {
		return nil
	}
	for _, payload := range archive.Records(b, first) {
		lines = append(append(lines, payload...), '\n')
	}
	return lines
}

// settings adds the settings that may be told.
func (w *writer) settings() error { return w.object("settings.json", settingsOf(w.o.Config)) }

// live adds what only a running board knows.
func (w *writer) live() error {
	l := w.o.Live
	if l == nil {
		return nil
	}
	for name, v := range map[string]json.RawMessage{"health.json": l.Health, "state.json": l.State} {
		if len(v) == 0 || !json.Valid(v) {
			w.miss(name, errors.New("nothing is known yet"))
			continue
		}
		if err := w.object(name, v); err != nil {
			return err
		}
	}
	return w.add("log.txt", []byte(w.scrub.Replace(strings.Join(l.Log, "\n"))+"\n"), zip.Deflate)
}

// about adds what program and computer this is.
func (w *writer) about() error {
	a := About{
		Made: w.o.Made.UTC(), Version: w.o.Version, Commit: w.o.Commit, Go: w.o.Go, System: runtime.GOOS + "/" + runtime.GOARCH,
		OS: w.release(), JID: w.jid(), Running: w.o.Live != nil, Missing: w.missing,
	}
	system := pi.System{FS: w.o.System}
	a.Model, _ = system.Model()
	if kernel, err := system.Kernel(); err == nil {
		a.Kernel = kernel.Text
	}
	if l := w.o.Live; l != nil {
		a.UptimeS = l.Uptime.Seconds()
		if s := l.Recorder; s != nil {
			a.Flight = s
		}
	}
	return w.object("about.json", a)
}

// release returns the name of the operating system.
func (w *writer) release() string {
	files := w.o.System
	if files == nil {
		files = os.DirFS("/")
	}
	b, err := fs.ReadFile(files, "etc/os-release")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

// jid returns the name of the journal.
func (w *writer) jid() string { return JID(w.o.Dir) }

// JID returns the name of the journal in a data folder, empty if there is none.
func JID(dir string) string {
	b, err := read(os.DirFS(dir), "meta", maxRecord)
	if err != nil {
		return ""
	}
	var meta struct {
		JID string `json:"jid"`
	}
	for _, payload := range archive.Records(b, 1) { // it is one record
		if json.Unmarshal(payload, &meta) == nil {
			return meta.JID
		}
	}
	return ""
}

// readme adds the words.
func (w *writer) readme() error {
	var b strings.Builder
	fmt.Fprintf(&b, "A bug report of a reversi-board, made %s by version %s.\n\n", w.o.Made.UTC().Format("2006-01-02 15:04:05 UTC"), w.o.Version)
	for _, f := range []struct{ name, about string }{
		{"about.json", "the versions of the program and of the computer, and what is missing here"},
		{"settings.json", "the settings, without names, paths, addresses, commands and passwords:\n  of these only whether they are set"},
		{"flight/", "what the cells said, what the referee was told and what it made of it, for the last\n  games; look at it with: reversi-board replay FILE, FILE being this zip file"},
		{"journal.jsonl", "the end of the journal (at most 2 MB): the events, one a line"},
		{"health.json", "how the cells, the chips, the buses and the computer are"},
		{"state.json", "what the page shows, with its alerts"},
		{"log.txt", "the last lines of the log"},
	} {
		there := slices.ContainsFunc(w.files, func(name string) bool {
			return name == f.name || strings.HasSuffix(f.name, "/") && strings.HasPrefix(name, f.name)
		})
		if there {
			fmt.Fprintf(&b, "%s\n  %s.\n", f.name, f.about)
		}
	}
	if w.o.Live == nil {
		fmt.Fprint(&b, "\nThe board was not asked")
		if w.o.Why != "" {
			fmt.Fprintf(&b, " (%s)", w.scrub.Replace(w.o.Why))
		}
		fmt.Fprint(&b, ": its health, its state and its log are not here.\n")
	}
	for _, m := range w.missing {
		fmt.Fprintf(&b, "\nNot here: %s\n", m)
	}
	fmt.Fprint(&b, "\nThe recordings and the journal hold the names of the players, the orders that were\n"+
		"given and the times of day. Passwords and tokens are in none of the files.\n"+
		"Have a look before you give it to somebody you do not know.\n")
	return w.add("README.txt", []byte(b.String()), zip.Deflate)
}

// read reads a file of a bounded size.
func read(files fs.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, most))
	return b, errors.Join(err, f.Close())
}
