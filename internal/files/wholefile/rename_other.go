//go:build !linux && !darwin && !windows

package wholefile

import (
	"errors"
	"os"
)

func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

func moveNew(*os.Root, string, string) error { return errors.ErrUnsupported }
