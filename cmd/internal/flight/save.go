package flight

import (
	"fmt"
	"io"
)

// saveBlock is how many bytes of records go into a block of Save, about.
const saveBlock = 256 << 10

// Save writes what is on a tape (TapeOptions.Whole) as one segment.
func Save(t *Tape, w io.Writer) error {
	b := t.take(nil)
	if len(b) == 0 || kindAt(b) != beginKind {
		return fmt.Errorf("save the recording: %w", ErrNoRecording)
	}
	var p press
	put := func(b []byte, err error) error {
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			return fmt.Errorf("save the recording: %w", err)
		}
		return nil
	}
	header, checkpoint, err := beginning(b[:recordLen(b)])
	if err != nil {
		return err
	}
	if err := put(p.begin(header)); err != nil {
		return err
	}
	if err := put(p.block(checkpoint)); err != nil {
		return err
	}
	for b = b[recordLen(b):]; len(b) > 0; {
		n := 0
		for n < len(b) && n < saveBlock {
			n += recordLen(b[n:])
		}
		if err := put(p.block(b[:n])); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
