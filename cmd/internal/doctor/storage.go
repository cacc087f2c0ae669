package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"reversi-board/cmd/internal/app"
)

const (
	// fsyncs is how many records are written to see how fast the disk is, for
	// fsyncTime at most.
	fsyncs    = 100
	fsyncTime = 3 * time.Second
	// record is about as long as an event of the journal.
	record = 600
	// slowDisk is how long a record may take: a move is acknowledged when it is
	// stored.
	slowDisk = 250 * time.Millisecond
	// littleRoom is less than the journal keeps, noRoom less than a day of play.
	littleRoom = 200 << 20
	noRoom     = 10 << 20
)

// checkStorage writes into the data folder as the journal does, and leaves
// nothing behind.
func checkStorage(ctx context.Context, d *doctor, c *Check) {
	if d.dirErr != nil {
		c.foundf("There is no data folder: %s.", brief(d.dirErr))
		c.blame(Problem{Part: "storage", Where: "data.dir", Cause: "unknown", Found: c.Found, Next: "Set data.dir in the settings, or add --data DIR."})
		return
	}
	times, err := tryDisk(ctx, d.dir)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		c.foundf("The data folder %s cannot be written: %s.", d.dir, brief(err))
		c.blame(Problem{Part: "storage", Where: d.dir, Cause: "unwritable", Found: c.Found, Next: aboutDisk(err)})
		return
	}
	slices.Sort(times)
	middle, slow := times[len(times)/2], times[(len(times)*99+99)/100-1]
	c.foundf("%s can be written; a record is safe after %s, after %s in 99 of 100 cases.",
		d.dir, short(middle), short(slow))
	if d.running {
		c.Found += " A running reversi-board uses it."
	}
	if slow > slowDisk {
		c.blame(Problem{
			Part: "storage", Where: d.dir, Cause: "slow", Status: Warn,
			Found: fmt.Sprintf("The disk takes %s to store a record in one of 100 cases.", short(slow)),
			Next:  "Take a faster SD card (class A1 or better), or a USB disk.",
		})
	}
	room, known := freeBytes(d.dir)
	if !known || room >= littleRoom {
		return
	}
	p := Problem{
		Part: "storage", Where: d.dir, Cause: "full", Status: Warn,
		Found: fmt.Sprintf("Only %d MB are free in the data folder.", room>>20),
		Next:  "Free some space on its disk.",
	}
	if room < noRoom {
		p.Status = Fail
	}
	c.blame(p)
}

// short writes a time in milliseconds, with a digit behind the point where that
// says something.
func short(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 10 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// tryDisk returns how long records took to be safe. The folder is there
// afterwards only if it was there before.
func tryDisk(ctx context.Context, dir string) (times []time.Duration, err error) {
	made, err := makeDir(dir)
	defer func() {
		for _, m := range made {
			err = errors.Join(err, os.Remove(m))
		}
	}()
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, app.TrialFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	began := time.Now()
	for len(times) < fsyncs && (len(times) == 0 || time.Since(began) < fsyncTime) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := time.Now()
		if _, err := f.Write(make([]byte, record)); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// makeDir makes a folder and returns the folders that it had to make, the
// innermost first.
func makeDir(dir string) (made []string, err error) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	for i, m := range slices.Backward(made) {
		if err := os.Mkdir(m, 0o700); err != nil {
			return made[i+1:], err
		}
	}
	return made, nil
}

// aboutDisk says what to do about an error of a disk.
func aboutDisk(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "Free some space on its disk."
	case errors.Is(err, syscall.EROFS):
		return "Make the disk writable (sudo mount -o remount,rw, or look at the SD card's switch), or choose another folder with data.dir."
	case errors.Is(err, fs.ErrPermission):
		return "Give the folder to this user (sudo chown), or choose another one with data.dir."
	case errors.Is(err, syscall.ENOTDIR):
		return "A part of the path is a file: choose another folder with data.dir."
	}
	return "Save what is in the folder, and replace the SD card."
}
