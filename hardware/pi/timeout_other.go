//go:build !linux

package pi

import (
	"errors"
	"os"
)

func setI2CTimeout(*os.File, uintptr) error { return errors.ErrUnsupported }
