package eval

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// magic begins a file of weights.
const magic = "reversi-board weights 1\n"

// ErrFormat is in the error of Read when the bytes are no weights of this
// version.
var ErrFormat = errors.New("not a file of weights of this version")

// values yields a pointer to every weight that is written, in the order of the
// file: of two mirrored contents only the lower index.
func (w *Weights) values(yield func(*int16) bool) {
	for p, s := range shapes() {
		twins := s.twin()
		for i := range w.stages {
			list := w.stages[i].pattern[p]
			if !each(list, func(index int) bool { return index <= twins[index] }, yield) {
				return
			}
		}
	}
	for i := range w.stages {
		s := &w.stages[i]
		for _, list := range [][]int16{s.own[:], s.opp[:], s.tempo[:]} {
			if !each(list, func(int) bool { return true }, yield) {
				return
			}
		}
	}
}

// each yields the weights of a list whose index is wanted.
func each(list []int16, wanted func(index int) bool, yield func(*int16) bool) bool {
	for index := range list {
		if wanted(index) && !yield(&list[index]) {
			return false
		}
	}
	return true
}

// mirror copies the weights to the mirrored contents.
func (w *Weights) mirror() {
	for p, s := range shapes() {
		twins := s.twin()
		for i := range w.stages {
			weight := w.stages[i].pattern[p]
			for index, twin := range twins {
				weight[index] = weight[min(index, twin)]
			}
		}
	}
}

// Write writes the weights, compressed.
func (w *Weights) Write(out io.Writer) error {
	var plain []byte
	for v := range w.values {
		plain = binary.AppendVarint(plain, int64(*v))
	}
	var packed bytes.Buffer
	packed.WriteString(magic)
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return fmt.Errorf("compress the weights: %w", err)
	}
	if _, err := z.Write(plain); err != nil {
		return fmt.Errorf("compress the weights: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("compress the weights: %w", err)
	}
	if _, err := out.Write(packed.Bytes()); err != nil {
		return fmt.Errorf("write the weights: %w", err)
	}
	return nil
}

// Read reads what Write has written.
func Read(in io.Reader) (*Weights, error) {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != magic {
		return nil, fmt.Errorf("read the weights: %w", ErrFormat)
	}
	w := newWeights()
	r := bufio.NewReaderSize(flate.NewReader(in), 1<<16)
	for v := range w.values {
		n, err := binary.ReadVarint(r)
		if err != nil {
			return nil, fmt.Errorf("read the weights: %w", err)
		}
		if n != int64(int16(n)) {
			return nil, fmt.Errorf("read the weights: %d is no weight: %w", n, ErrFormat)
		}
		*v = int16(n)
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the weights: bytes after the last one: %w", ErrFormat)
	}
	w.mirror()
	return w, nil
}
