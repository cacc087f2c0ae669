package app

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
)

// savesTo is set for the child of TestKilledWhileStoring: where it stores.
const savesTo = "REVERSI_BOARD_TEST_SAVES_TO"

// TestStoresUntilKilled is the child: it stores calibrations for ever. As a test
// of its own it stores one.
func TestStoresUntilKilled(t *testing.T) {
	dir, child := os.LookupEnv(savesTo)
	if !child {
		dir = t.TempDir()
	}
	c := configs.Default()
	for n := 0; ; n++ {
		cal := calibrationOf(c)
		cal.Masked = 1 << (n % 64)
		cal.Made = time.Unix(int64(n+1)*86400, 0).UTC()
		if err := SaveCalibration(dir, &cal); err != nil {
			t.Fatal(err)
		}
		if got, err := LoadCalibration(dir, &c.Hardware); err != nil || *got != cal {
			t.Fatalf("%+v, %v", got, err)
		}
		if !child {
			return
		}
		fmt.Println("stored", n)
	}
}

// kill -9 in the middle of storing, again and again: there is always a whole
// calibration, the last one that was said to be stored or the one after it, and
// what was left lying around is cleared away in the end.
func TestKilledWhileStoring(t *testing.T) {
	dir := t.TempDir()
	c := configs.Default()
	for life := range 12 {
		last := storeAndDie(t, dir, 1+life%3)
		cal, err := LoadCalibration(dir, &c.Hardware)
		if err != nil || cal == nil {
			t.Fatalf("life %d: %+v, %v", life, cal, err)
		}
		if n := int(cal.Made.Unix()/86400) - 1; n != last && n != last+1 || cal.Masked != 1<<(n%64) {
			t.Errorf("life %d: number %d is stored, masked %v, said was %d", life, n, cal.Masked, last)
		}
	}
	// Files of the dead are old the next day.
	left, err := filepath.Glob(filepath.Join(dir, "*.new"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(left, filepath.Join(dir, simulatedCalibrationFile+".1.new"), filepath.Join(dir, "mine.new")) {
		write(t, path, "half")
		yesterday := time.Now().Add(-24 * time.Hour)
		if err := os.Chtimes(path, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	cal := calibrationOf(c)
	store(t, dir, &cal)
	if left, err = filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(left) != 1 || filepath.Base(left[0]) != "mine.new" {
		t.Errorf("left are %v, %v", left, err)
	}
}

// storeAndDie runs the child until it has stored so many, kills it, and returns
// the last that it said to have stored.
func storeAndDie(t *testing.T, dir string, stored int) (last int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), exe, "-test.run=^TestStoresUntilKilled$")
	child.Env = append(os.Environ(), savesTo+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	last = -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "stored %d", &last); err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		if last+1 == stored {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return last
}
