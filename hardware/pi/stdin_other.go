//go:build !linux

package pi

import "os"

func keepStdin() *os.File { return os.Stdin }

func guardStdin() error { return nil }
