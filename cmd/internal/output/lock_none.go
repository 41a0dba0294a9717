//go:build !windows && (!unix || aix || solaris)

package output

import (
	"errors"
	"io/fs"
	"os"
)

func tryLock(*os.File) error { return errors.ErrUnsupported }

func private(fs.FileInfo) bool { return false }

func mine(fs.FileInfo) bool { return false }
