//go:build !windows

package regular

import "os"

func openShared(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|nonblock, 0) }
