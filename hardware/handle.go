package hardware

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"
)

const (
	// reopenFirst and reopenMax bound the wait before a device file that has gone
	// is opened again. To try costs some microseconds and no time on a bus.
	reopenFirst = 100 * time.Millisecond
	reopenMax   = time.Second
)

// Gone reports whether err says that the device behind an open file has gone:
// its driver was unbound, its overlay removed, its USB adapter pulled. The file is
// of no use any more, and as long as it is open the kernel cannot bring an I²C
// adapter back.
//
// ENXIO is not among them: for an I²C transfer it means that no chip answered
// (i2c-tiny-usb), and from opening a file it needs no classification.
func Gone(err error) bool {
	if err == nil {
		return false
	}
	if _, ok := errors.AsType[*GoneError](err); ok || errors.Is(err, fs.ErrClosed) || goneErrno(err) {
		return true
	}
	// periph's Linux buses keep only the text.
	text := err.Error()
	for _, gone := range [...]string{
		"cannot send after transport endpoint shutdown", // ESHUTDOWN: spidev without its device.
		"bad file descriptor",                           // EBADF.
		"file already closed",
	} {
		if strings.Contains(text, gone) {
			return true
		}
	}
	// ENODEV: I²C adapters and GPIO chips. The text of ENXIO begins alike.
	return strings.Contains(text, "no such device") && !strings.Contains(text, "no such device or address")
}

// GoneError says that a device file cannot be used because what is behind it has
// gone, and has not come back yet.
type GoneError struct {
	// Device is the name of the device, such as /dev/i2c-1.
	Device string
	// Err is what the kernel said last.
	Err error
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("%s has gone, look at the adapter's plug, or the overlay in /boot/firmware/config.txt: %v", e.Device, e.Err)
}

// Unwrap returns what the kernel said last.
func (e *GoneError) Unwrap() error { return e.Err }

// Device is a device file that is opened again after it has gone.
type Device interface {
	// Name is what people call it, such as /dev/i2c-1.
	Name() string
	// Gone returns why it cannot be used now, as *GoneError, or nil.
	Gone() error
}

// Handle keeps a device file open. When the device goes it closes the file at
// once, so that the kernel can bring the device back, and opens it anew when it
// is used next, though not more often than ten times a second, and later once a
// second. It is safe for concurrent use.
type Handle[F io.Closer] struct {
	name string
	open func() (F, error)
	now  func() time.Duration

	mu     sync.Mutex
	file   F
	opened bool
	closed bool
	// gone is why the file is not open; the next try is at retryAt.
	gone          *GoneError
	retryAt, wait time.Duration
}

// NewHandle opens a device file. The device is called name; now returns a
// monotonic time, nil means the real one.
func NewHandle[F io.Closer](name string, now func() time.Duration, open func() (F, error)) (*Handle[F], error) {
	if now == nil {
		start := time.Now()
		now = func() time.Duration { return time.Since(start) }
	}
	h := &Handle[F]{name: name, open: open, now: now}
	var err error
	if h.file, err = open(); err != nil {
		return nil, err
	}
	h.opened = true
	return h, nil
}

// Name implements Device.
func (h *Handle[F]) Name() string { return h.name }

// Gone implements Device.
func (h *Handle[F]) Gone() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone == nil {
		return nil
	}
	return h.gone
}

// Acquire returns the open file, and keeps it for its caller until Release. If
// the device has gone and is not back it returns *GoneError, and after Close an
// error that wraps fs.ErrClosed; there is nothing to release then.
func (h *Handle[F]) Acquire() (F, error) {
	h.mu.Lock()
	if err := h.ready(); err != nil {
		h.mu.Unlock()
		var none F
		return none, err
	}
	return h.file, nil
}

// Release ends what Acquire began and returns err, what became of it: if that says
// that the device has gone, the file is closed.
func (h *Handle[F]) Release(err error) error {
	defer h.mu.Unlock()
	if Gone(err) {
		h.lose(err)
		return h.gone
	}
	return err
}

// Close closes the file for good.
func (h *Handle[F]) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return h.shut()
}

func (h *Handle[F]) shut() error {
	if !h.opened {
		return nil
	}
	h.opened = false
	err := h.file.Close()
	var none F
	h.file = none
	return err
}

// ready opens the file if it is not open.
func (h *Handle[F]) ready() error {
	switch {
	case h.closed:
		return fmt.Errorf("use %s: %w", h.name, fs.ErrClosed)
	case h.opened:
		return nil
	case h.gone != nil && h.now() < h.retryAt:
		return h.gone
	}
	file, err := h.open()
	if err != nil {
		h.lose(err)
		return h.gone
	}
	h.file, h.opened = file, true
	h.gone, h.wait = nil, 0
	return nil
}

// lose notes that the device has gone. What closing its file says is of no
// interest: nothing can be done about it.
func (h *Handle[F]) lose(err error) {
	_ = h.shut()
	if g, ok := errors.AsType[*GoneError](err); ok {
		err = g.Err
	}
	h.gone = &GoneError{Device: h.name, Err: err}
	h.wait = min(max(2*h.wait, reopenFirst), reopenMax)
	h.retryAt = h.now() + h.wait
}
