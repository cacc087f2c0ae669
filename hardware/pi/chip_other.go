//go:build !linux

package pi

import "errors"

// kernelChips returns nothing: only Linux has GPIO chips that this package opens.
func kernelChips() []Chip { return nil }

func requestLines(request) (lineFile, error) { return nil, errors.ErrUnsupported }
