package main

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reversi-board/engine/archive"
	"reversi-board/engine/record"
)

// recordsOnDisk reads the journal of a data folder as its description says, not
// with the program's code, and while the program runs: length and CRC-32C,
// little endian, then the JSON. It ends at the first record that is not whole.
func recordsOnDisk(t *testing.T, dir string) []event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var events []event
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for len(b) >= 8 {
			n, sum := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
			if uint64(len(b)) < 8+uint64(n) {
				break
			}
			payload := b[8 : 8+n : 8+n]
			if crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli)) != sum {
				break
			}
			events = append(events, readEvent(t, payload))
			b = b[8+n:]
		}
	}
	return events
}

// checkNumbers fails the test unless the numbers are 1, 2, 3 and so on.
func checkNumbers(t *testing.T, events []event) {
	t.Helper()
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("record %d of %d has number %d", i+1, len(events), e.Seq)
		}
	}
}

// openJournal opens the journal of a program that has ended, with the program's
// own reader, and returns its events. It fails the test if anything had to be
// mended.
func openJournal(t *testing.T, dir string) []event {
	t.Helper()
	j, recovery, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if recovery.Text != "" {
		t.Errorf("the journal had to be mended: %s", recovery.Text)
	}
	var events []event
	err = j.Read(1, 0, func(seq uint64, payload []byte) error {
		env, _, err := record.DecodeEvent(payload)
		if err != nil {
			return err
		}
		if env.Seq != seq {
			t.Errorf("record %d says that it is %d", seq, env.Seq)
		}
		events = append(events, readEvent(t, payload))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return events
}

// layTable changes what lies on the simulated table while no program runs.
func layTable(t *testing.T, dir, discs string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "simulated-table.txt"), []byte(discs), 0o600); err != nil {
		t.Fatal(err)
	}
}
