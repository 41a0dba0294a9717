//go:build unix

package verbs

import (
	"fmt"
	"syscall"
)

// become replaces this process by another program.
func become(path string, args, env []string) error {
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, args, env))
}
