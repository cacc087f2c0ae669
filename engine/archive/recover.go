package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/oklog/ulid/v2"
)

// Recovery is what Open found.
type Recovery struct {
	// New says that the journal has just begun.
	New bool
	// Records is the number of records that can be read.
	Records uint64
	// Truncated is the number of bytes of an unfinished record at the end.
	Truncated int64
	// Damaged are the files to which damaged bytes were moved, or in which they
	// still lie because they could not be moved.
	Damaged []string
	// Holes are the records that are missing between others and that the user is to
	// be told of: at the start that found them first, and as long as the damaged
	// bytes lie in a file of their own, which the user deletes when the message has
	// been read.
	Holes []Hole
	// Text tells the user what was mended; empty when nothing was.
	Text string
}

// Hole are records that are missing.
type Hole struct {
	// From and To are the first and the last number.
	From, To uint64
	// Files are where the damaged bytes are.
	Files []string
}

// maxOpen is the size of the largest file that Open reads.
const maxOpen = 256 << 20

// rereads is how often a file is read again on an error of the medium, before
// its rest counts as damaged.
const rereads = 2

// Open opens the journal in o.Dir, or begins one, and counts the start. It
// needs a disk that can be read; one that cannot be written is reported by the
// first Append. The error tells the user what to do.
func Open(o Options) (*Journal, Recovery, error) {
	if o.FS == nil {
		o.FS = osFS{}
	}
	o.MaxFile = orDefault(o.MaxFile, 4<<20)
	o.KeepBytes = orDefault(o.KeepBytes, 64<<20)
	o.KeepDays = int(orDefault(int64(o.KeepDays), 30))
	if err := o.FS.MkdirAll(o.Dir, dirPerm); err != nil {
		return nil, Recovery{}, explain("make a folder for", o.Dir, err)
	}
	l, err := lock(o.Dir)
	if errors.Is(err, ErrInUse) {
		return nil, Recovery{}, fmt.Errorf("open the journal in %s: %w: stop the other one, or choose another data folder", o.Dir, err)
	}
	if err != nil {
		return nil, Recovery{}, explain("lock", o.Dir, err)
	}
	j := &Journal{o: o, dir: folder{o.FS, o.Dir}, lock: l}
	j.home, err = os.Stat(o.Dir)
	if err != nil {
		return nil, Recovery{}, errors.Join(explain("read", o.Dir, err), l.Close())
	}
	r, err := j.load()
	j.holes = r.Holes
	if err != nil {
		return nil, Recovery{}, errors.Join(err, l.Close())
	}
	return j, r, nil
}

func orDefault(n, otherwise int64) int64 {
	if n <= 0 {
		return otherwise
	}
	return n
}

// loader is the state of one load.
type loader struct {
	*Journal
	Recovery
	texts []string
	// last is the newest payload.
	last []byte
	// cuts are the files whose damaged end has been copied.
	cuts []cut
	// copies are the files with damaged bytes, by the number of the first record
	// that was in them; stuck are those numbers where there is no such file because
	// it could not be made.
	copies map[uint64][]string
	stuck  map[uint64]bool
	// burnt is the number after those that a damaged end may have used, 0
	// when the end is not damaged.
	burnt uint64
}

// cut says where a file is to end.
type cut struct {
	name string
	size int64
}

func (l *loader) say(format string, args ...any) {
	l.texts = append(l.texts, fmt.Sprintf(format, args...))
}

// load reads everything.
func (j *Journal) load() (Recovery, error) {
	l := &loader{Journal: j, copies: make(map[uint64][]string), stuck: make(map[uint64]bool)}
	files, err := l.list()
	if err != nil {
		return Recovery{}, explain("read", j.dir.path, err)
	}
	var stored meta
	if j.dir.readSmall(metaName, &stored) && validJID(stored.JID) {
		j.meta = stored
	}
	var ack ackedFile
	if !j.dir.readSmall(ackedName, &ack) || j.meta.JID != "" && ack.JID != j.meta.JID {
		ack = ackedFile{}
	}
	for i, f := range files {
		if err := l.addFile(f, i == len(files)-1, ack.Seq); err != nil {
			return Recovery{}, err
		}
	}
	l.identify(len(files) > 0)
	if ack.JID != j.meta.JID {
		ack = ackedFile{}
	}
	l.finish(ack.Seq)
	l.tellHoles()
	// A disk that cannot be written now is reported by the first Append, which
	// tries this again. Damage is cut off only when it is on record that its
	// numbers have been used; until then every start finds it again.
	if j.saveMeta() == nil {
		l.cutOff()
	}
	return l.Recovery, nil
}

// found is a file of the folder that is called like a segment.
type found struct {
	name        string
	first, size uint64
}

// list returns the files in the order of their numbers.
func (l *loader) list() ([]found, error) {
	entries, err := l.o.FS.ReadDir(l.o.Dir)
	if err != nil {
		return nil, err
	}
	var files []found
	for _, e := range entries {
		f := found{name: e.Name()}
		n, err := fmt.Sscanf(f.name, "journal-%d.log", &f.first)
		if err != nil || n != 1 || fileName(f.first) != f.name || f.first == 0 {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		f.size = uint64(info.Size())
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b found) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// addFile reads a file and takes its records into the journal.
func (l *loader) addFile(f found, isLast bool, ack uint64) error {
	data, err := l.dir.read(f.name, maxOpen)
	for try := 0; try < rereads && errors.Is(err, syscall.EIO); try++ {
		data, err = l.dir.read(f.name, maxOpen)
	}
	unreadable := errors.Is(err, syscall.EIO) || f.size > uint64(len(data))
	if err != nil && !errors.Is(err, syscall.EIO) {
		return explain("read "+f.name+" of", l.dir.path, err)
	}
	s := scan(data, f.first)
	if unreadable {
		s.end, s.rest = damaged, max(s.rest, int64(f.size)-s.size)
	}
	if f.first < l.next {
		return fmt.Errorf("open the journal in %s: %s repeats records of the file before it: move one of the two away", l.dir.path, f.name)
	}
	seg := segment{file: f.first, first: s.next, size: s.size}
	if n := len(s.runs); n > 0 {
		seg = s.runs[n-1]
	}
	for _, h := range s.holes {
		l.keep(f, h, data)
	}
	switch {
	case s.end == torn && isLast && seg.end() > ack:
		l.Truncated, l.leftover = s.rest, true
		l.say("%d bytes of an unfinished record behind record %d were cut off", s.rest, seg.end()-1)
	case s.end != whole:
		l.setAside(f, s, data, unreadable)
		l.burnt = 0
		if isLast {
			// Every record that can have been in the damaged bytes.
			l.burnt = seg.end() + uint64(s.rest)/minFrame + 1
		}
	default:
		l.burnt = 0
	}
	l.next = seg.end()
	l.Records += s.count
	if s.count > 0 {
		l.segs = append(l.segs, s.runs...)
		l.last = slices.Clone(s.last)
	}
	if isLast {
		l.cur = seg
		l.remember(data, s.runs)
	}
	return nil
}

// remember keeps the newest records of the last file in memory.
func (l *loader) remember(data []byte, runs []segment) {
	for _, run := range runs {
		// Whatever lies before the last mark that is far enough back would be pushed
		// out again.
		from := 0
		for from+1 < len(run.marks) && int64(len(data))-run.marks[from+1] > maxTail {
			from++
		}
		at, seq := run.marks[from], run.first+uint64(from)*stride
		for ; seq < run.end(); seq++ {
			payload := payloadOf(data[at:])
			l.tail.add(seq, slices.Clone(payload))
			at += int64(headLen + len(payload))
		}
	}
}

// setAside copies the damaged end out of a file. If that is not possible now it
// stays where it is; nothing is ever written behind it.
func (l *loader) setAside(f found, s scanned, data []byte, unreadable bool) {
	aside := damagedName(f.name, s.size)
	where := filepath.Join(l.dir.path, aside)
	err := errors.New("they cannot be read")
	if !unreadable {
		err = l.dir.replace(aside, data[s.size:], true)
	}
	if err != nil {
		where = filepath.Join(l.dir.path, f.name)
		l.stuck[s.next] = true
		l.say("%d bytes behind record %d are damaged and stay in %s (%v)", s.rest, s.next-1, where, err)
	} else {
		l.cuts = append(l.cuts, cut{f.name, s.size})
		l.copies[s.next] = append(l.copies[s.next], where)
		l.say("%d damaged bytes behind record %d were moved to %s; the records before them are kept", s.rest, s.next-1, where)
	}
	l.Damaged = append(l.Damaged, where)
}

// keep copies the bytes of a hole, which also stay where they are, until the user
// has been told of it. A copy that has been deleted since is not made again.
func (l *loader) keep(f found, h hole, data []byte) {
	aside := damagedName(f.name, h.at)
	where := filepath.Join(l.dir.path, aside)
	switch have, err := l.dir.read(aside, 1); {
	case err == nil && len(have) > 0:
		l.copies[h.from] = append(l.copies[h.from], where)
		return
	case l.meta.toldFrom(h.from):
		return
	}
	if err := l.dir.replace(aside, data[h.at:h.to], true); err != nil {
		where = filepath.Join(l.dir.path, f.name)
		l.stuck[h.from] = true
		l.say("%d bytes behind record %d are damaged and cannot be copied out of %s (%v)", h.to-h.at, h.from-1, where, err)
	} else {
		l.copies[h.from] = append(l.copies[h.from], where)
		l.say("%d damaged bytes behind record %d were copied to %s; the records before and behind them are kept", h.to-h.at, h.from-1, where)
	}
	l.Damaged = append(l.Damaged, where)
}

// damagedName returns the name of the file for the damaged bytes of another one.
func damagedName(name string, at int64) string { return fmt.Sprintf("%s.%d.damaged", name, at) }

// tellHoles lists the numbers without a record that the user is to be told of.
func (l *loader) tellHoles() {
	for i, s := range l.segs {
		if i == 0 {
			l.tellHole(s.file, s.first)
			continue
		}
		before := l.segs[i-1]
		if at := damagedName(before.name(), before.size); before.file != s.file && len(l.copies[before.end()]) == 0 {
			// An earlier start has cut off the end of the file.
			if b, err := l.dir.read(at, 1); err == nil && len(b) > 0 {
				l.copies[before.end()] = []string{filepath.Join(l.dir.path, at)}
			}
		}
		l.tellHole(before.end(), s.first)
	}
	if n := len(l.segs); n > 0 {
		l.tellHole(l.segs[n-1].end(), l.next)
	}
}

// tellHole notes that the records are missing that begin with number from and end
// before next.
func (l *loader) tellHole(from, next uint64) {
	if from >= next {
		return
	}
	h := Hole{From: from, To: next - 1}
	stuck := false
	for seq, files := range l.copies {
		if from <= seq && seq < next {
			h.Files = append(h.Files, files...)
		}
	}
	slices.Sort(h.Files)
	for seq := range l.stuck {
		stuck = stuck || from <= seq && seq < next
	}
	told := l.meta.toldFrom(from)
	if !told || len(h.Files) > 0 || stuck {
		l.Recovery.Holes = append(l.Recovery.Holes, h)
	}
	if !told && !stuck {
		l.meta.Told = append(l.meta.Told, from)
		l.meta.Told = l.meta.Told[max(0, len(l.meta.Told)-maxJoins):]
	}
}

// cutOff ends files where their damage began. What fails is done by a later
// start, which copies the same bytes to the same place.
func (l *loader) cutOff() {
	for _, c := range l.cuts {
		f, err := l.dir.open(c.name, os.O_RDWR)
		if err != nil {
			continue
		}
		if f.Truncate(c.size) == nil {
			_ = f.Sync()
		}
		_ = f.Close()
	}
}

// identify finds out which journal this is, and counts the start.
func (l *loader) identify(files bool) {
	l.unsaved = true
	var e struct {
		JID  string `json:"jid"`
		Boot int    `json:"boot"`
	}
	switch {
	case l.Records == 0 && !files:
		// Nothing is there, or somebody has taken the records away: either way
		// the numbers begin anew, so the name must be new.
		boot := l.meta.Boot
		l.meta = meta{JID: ulid.Make().String(), Boot: boot}
		l.New = true
	case l.meta.JID != "":
	case json.Unmarshal(l.last, &e) == nil && validJID(e.JID):
		l.meta = meta{JID: e.JID, Boot: max(0, e.Boot)}
		l.say("the name of the journal was taken from its last record")
	default:
		l.meta = meta{JID: ulid.Make().String()}
		l.say("the journal has got a new name, because %s could not be read", metaName)
	}
	l.meta.Boot++
}

// finish decides with which number the journal goes on.
func (l *loader) finish(ack uint64) {
	l.next = max(l.next, 1)
	end := uint64(1)
	if n := len(l.segs); n > 0 {
		end = l.segs[n-1].end()
	}
	l.ack.seq, l.ack.stored = ack, ack
	l.next = max(l.next, l.burnt, ack+1)
	for _, g := range l.meta.Joins {
		if g.End == end {
			l.next = max(l.next, g.First)
		}
	}
	if l.next != end && l.Records > 0 && !l.meta.joined(end, l.next) {
		l.meta.Joins = append(l.meta.Joins, join{End: end, First: l.next})
		l.meta.Joins = l.meta.Joins[max(0, len(l.meta.Joins)-maxJoins):]
		l.say("the journal goes on with record %d, because records up to %d may have been announced", l.next, l.next-1)
	}
	if l.cur.first == 0 || l.cur.end() != l.next {
		l.cur = segment{file: l.next, first: l.next}
	}
	l.Text = strings.Join(l.texts, "; ")
}

// validJID reports whether text is a ULID.
func validJID(text string) bool {
	_, err := ulid.ParseStrict(text)
	return err == nil
}

// retain deletes the oldest files that nobody needs any more. What cannot be
// deleted now is tried again when the next file begins.
func (j *Journal) retain() {
	entries, err := j.o.FS.ReadDir(j.o.Dir)
	if err != nil {
		return
	}
	infos := make(map[string]fs.FileInfo)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos[e.Name()] = info
		}
	}
	ack := j.Acked()
	newest := infos[j.cur.name()]
	for {
		s, newer, more := j.oldest()
		info := infos[s.name()]
		if !more || info == nil || newest == nil || s.end() > ack+1 || newer < j.o.KeepBytes {
			return
		}
		if days := newest.ModTime().Sub(info.ModTime()).Hours() / 24; days <= float64(j.o.KeepDays) {
			return
		}
		j.readers.forget(s.name())
		if j.o.FS.Remove(filepath.Join(j.o.Dir, s.name())) != nil {
			return
		}
		j.mu.Lock()
		j.segs = slices.DeleteFunc(j.segs, func(other segment) bool { return other.file == s.file })
		j.mu.Unlock()
	}
}

// oldest returns the last segment of the oldest file, the size of the newer ones in
// bytes, and whether there are any.
func (j *Journal) oldest() (last segment, newer int64, more bool) {
	segs, _ := j.snapshot()
	for i, s := range segs {
		switch {
		case s.file == segs[0].file:
			last = s
		case i+1 == len(segs) || segs[i+1].file != s.file:
			newer, more = newer+s.size, true
		}
	}
	return last, newer, more
}
