package pi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/warthog618/go-gpiocdev/uapi"
	"golang.org/x/sys/unix"
	"periph.io/x/conn/v3/gpio"
)

// consumer is what gpioinfo shows as the user of a line.
const consumer = "reversi-board"

// eventSize is the size of struct gpio_v2_line_event in <linux/gpio.h>.
const eventSize = 48

// kernelChips asks the kernel for its GPIO chips.
func kernelChips() (chips []Chip) {
	devices, err := filepath.Glob("/dev/gpiochip*")
	if err != nil {
		return nil // The pattern is sound.
	}
	slices.Sort(devices)
	for _, device := range devices {
		chips = append(chips, askChip(device))
	}
	return chips
}

func askChip(device string) Chip {
	c := Chip{Device: device}
	f, err := os.Open(device) //nolint:gosec // From the folder of devices.
	if err != nil {
		c.Err = err
		return c
	}
	info, err := uapi.GetChipInfo(f.Fd())
	if err != nil {
		c.Err = fmt.Errorf("ask %s for its name: %w", device, err)
	}
	c.Label, c.Lines = text(info.Label[:]), int(info.Lines)
	_ = f.Close() // It was only asked.
	return c
}

// text returns the string in a field that is filled up with zeros.
func text(field []byte) string {
	b, _, _ := bytes.Cut(field, []byte{0})
	return string(b)
}

// requestLines asks the header's chip for lines. The chip's own file is closed
// again: the lines have one of their own.
func requestLines(r request) (lineFile, error) {
	device, err := headerChip(kernelChips(), slices.Max(r.lines), model())
	if err != nil {
		return nil, err
	}
	chip, err := os.Open(device) //nolint:gosec // From the folder of devices.
	if err != nil {
		return nil, explain(kindGPIO(), device, model(), err)
	}
	defer func() { _ = chip.Close() }() // Nothing was written to it.
	q := uapi.LineRequest{Lines: uint32(len(r.lines)), Config: r.config()}
	for i, n := range r.lines {
		q.Offsets[i] = uint32(n)
	}
	copy(q.Consumer[:len(q.Consumer)-1], consumer)
	if err := uapi.GetLine(chip.Fd(), &q); err != nil {
		return nil, fmt.Errorf("ask %s for the pin, is another program using it? %w", device, err)
	}
	// Without blocking, so that waiting for an edge can be cut short.
	if err := unix.SetNonblock(int(q.Fd), true); err != nil {
		_ = unix.Close(int(q.Fd)) // The error of interest is the first one.
		return nil, fmt.Errorf("prepare the lines of %s: %w", device, err)
	}
	return &kernelLines{fd: uintptr(q.Fd), file: os.NewFile(uintptr(q.Fd), device)}, nil
}

// config is the request in the kernel's words.
func (r *request) config() (c uapi.LineConfig) {
	if r.output {
		c.Flags = uapi.LineFlagV2Output
		c.AddAttribute(uapi.LineConfigAttribute{
			Attr: uapi.OutputValues(r.levels).Encode(), Mask: uapi.NewLineBitMask(len(r.lines)),
		})
		return c
	}
	c.Flags = uapi.LineFlagV2Input
	switch r.pull {
	case gpio.PullUp:
		c.Flags |= uapi.LineFlagV2BiasPullUp
	case gpio.PullDown:
		c.Flags |= uapi.LineFlagV2BiasPullDown
	case gpio.Float, gpio.PullNoChange:
	}
	switch r.edge {
	case gpio.RisingEdge:
		c.Flags |= uapi.LineFlagV2EdgeRising
	case gpio.FallingEdge:
		c.Flags |= uapi.LineFlagV2EdgeFalling
	case gpio.BothEdges:
		c.Flags |= uapi.LineFlagV2EdgeBoth
	case gpio.NoEdge:
	}
	return c
}

// kernelLines are lines that were granted.
type kernelLines struct {
	// file owns fd.
	file *os.File
	fd   uintptr
}

// values implements lineFile.
func (l *kernelLines) values(mask uint64) (uint64, error) {
	v := uapi.LineValues{Mask: uapi.LineBitmap(mask)}
	if err := uapi.GetLineValuesV2(l.fd, &v); err != nil {
		return 0, err
	}
	return uint64(v.Bits) & mask, nil
}

// drive implements lineFile.
func (l *kernelLines) drive(bits, mask uint64) error {
	return uapi.SetLineValuesV2(l.fd, uapi.LineValues{Bits: uapi.LineBitmap(bits), Mask: uapi.LineBitmap(mask)})
}

// configure implements lineFile.
func (l *kernelLines) configure(r request) error {
	c := r.config()
	return uapi.SetLineConfigV2(l.fd, &c)
}

// edge implements lineFile.
func (l *kernelLines) edge(ctx context.Context, most time.Duration) error {
	err := l.file.SetReadDeadline(time.Now().Add(most))
	if errors.Is(err, os.ErrNoDeadline) {
		return err
	}
	if err != nil {
		return fmt.Errorf("wait for an edge of %s: %w", l.file.Name(), os.ErrClosed)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = l.file.SetReadDeadline(time.Unix(0, 1)) // A file that is closed waits no more.
	})
	defer stop()
	var event [eventSize]byte
	_, err = l.file.Read(event[:])
	return err
}

// Close implements lineFile.
func (l *kernelLines) Close() error { return l.file.Close() }
