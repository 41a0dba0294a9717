//go:build !windows && (!unix || aix || solaris)

package output

import "io/fs"

func private(fs.FileInfo) bool { return false }

func mine(fs.FileInfo) bool { return false }
