package pi

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/warthog618/go-gpiocdev/uapi"
	"periph.io/x/conn/v3/gpio"
)

// What waits for an edge does so in the kernel: here a pipe stands for the file of
// a line. The program ends as soon as it is told to.
func TestKernelWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }() // It is a pipe.
	l := &kernelLines{file: r}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	start := time.Now()
	if err := l.edge(ctx, time.Hour); !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() == nil {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if err := l.edge(ctx, time.Hour); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a context that has ended: %v", err)
	}
	if err := l.edge(t.Context(), time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("nothing for a millisecond: %v", err)
	}
	if _, err := w.Write(make([]byte, eventSize)); err != nil {
		t.Fatal(err)
	}
	if err := l.edge(t.Context(), time.Hour); err != nil {
		t.Errorf("an edge: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := l.edge(t.Context(), time.Hour); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// The sizes of the kernel's structures are part of the numbers of its ioctls:
// GPIO_V2_GET_LINE_IOCTL is 0xc250b407, GPIO_V2_LINE_GET_VALUES_IOCTL 0xc010b40e,
// and an event has 48 bytes (<linux/gpio.h>). On ARM they must be the same.
func TestKernelStructures(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string][2]uintptr{
		"gpio_v2_line_request": {unsafe.Sizeof(uapi.LineRequest{}), 0x250},
		"gpio_v2_line_values":  {unsafe.Sizeof(uapi.LineValues{}), 0x10},
		"gpio_v2_line_event":   {unsafe.Sizeof(uapi.LineEvent{}), eventSize},
	} {
		if sizes[0] != sizes[1] {
			t.Errorf("%s has %d bytes, the kernel's %d", name, sizes[0], sizes[1])
		}
	}
}

// What the kernel is asked for: the flags of <linux/gpio.h>, and the levels of
// outputs from the beginning.
func TestKernelRequest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ask  request
		want uint64
	}{
		{request{pull: gpio.PullUp, edge: gpio.FallingEdge}, 1<<2 | 1<<5 | 1<<8},
		{request{pull: gpio.PullUp, edge: gpio.BothEdges}, 1<<2 | 1<<4 | 1<<5 | 1<<8},
		{request{pull: gpio.PullDown, edge: gpio.RisingEdge}, 1<<2 | 1<<4 | 1<<9},
		{request{pull: gpio.PullNoChange}, 1 << 2},
		{request{output: true}, 1 << 3},
	} {
		if c := tc.ask.config(); uint64(c.Flags) != tc.want {
			t.Errorf("%+v: flags %x, want %x", tc.ask, c.Flags, tc.want)
		}
	}
	r := request{lines: []int{5, 6, 12}, output: true, levels: 0b101}
	c := r.config()
	if a := c.Attrs[0]; c.NumAttrs != 1 || a.Attr.ID != 2 || a.Attr.Value64() != 0b101 || a.Mask != 0b111 {
		t.Errorf("the levels of outputs: %+v", c.Attrs[0])
	}
}
