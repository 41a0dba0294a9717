//go:build !unix

package verbs

import (
	"errors"
	"os"
	"os/exec"
)

// become runs another program and exits with its exit code.
func become(path string, args, env []string) error {
	cmd := exec.Command(path, args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return Exit(exit.ExitCode())
	}
	return err
}
