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
	// Text tells the user what was mended; empty when nothing was.
	Text string
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
	r, err := j.load()
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
	l := &loader{Journal: j}
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
		if err != nil || n != 1 || (segment{first: f.first}).name() != f.name || f.first == 0 {
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
	s := scan(data)
	if unreadable {
		s.end, s.rest = damaged, max(s.rest, int64(f.size)-s.size)
	}
	if f.first < l.next {
		return fmt.Errorf("open the journal in %s: %s repeats records of the file before it: move one of the two away", l.dir.path, f.name)
	}
	seg := segment{first: f.first, count: s.count, size: s.size, marks: s.marks}
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
	l.Records += seg.count
	if seg.count > 0 {
		l.segs = append(l.segs, seg)
		l.last = slices.Clone(s.last)
	}
	if isLast {
		l.cur = seg
	}
	return nil
}

// setAside copies damaged bytes out of a file. If that is not possible now they
// stay where they are; nothing is ever written behind them.
func (l *loader) setAside(f found, s scanned, data []byte, unreadable bool) {
	aside := fmt.Sprintf("%s.%d.damaged", f.name, s.size)
	where := filepath.Join(l.dir.path, aside)
	err := errors.New("they cannot be read")
	if !unreadable {
		err = l.dir.replace(aside, data[s.size:], true)
	}
	if err != nil {
		where = filepath.Join(l.dir.path, f.name)
		l.say("%d bytes behind record %d are damaged and stay in %s (%v)", s.rest, f.first+s.count-1, where, err)
	} else {
		l.cuts = append(l.cuts, cut{f.name, s.size})
		l.say("%d damaged bytes behind record %d were moved to %s; the records before them are kept", s.rest, f.first+s.count-1, where)
	}
	l.Damaged = append(l.Damaged, where)
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
		l.cur = segment{first: l.next}
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
	segs, _ := j.snapshot()
	ack := j.Acked()
	newer := int64(0)
	for _, s := range segs {
		newer += s.size
	}
	newest := infos[j.cur.name()]
	for _, s := range segs[:len(segs)-1] {
		info := infos[s.name()]
		newer -= s.size
		if info == nil || newest == nil || s.end() > ack+1 || newer < j.o.KeepBytes {
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
		j.segs = j.segs[1:]
		j.mu.Unlock()
	}
}
