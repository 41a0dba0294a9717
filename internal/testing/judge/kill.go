package judge

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Killed runs a program under strace, which kills it when one of its threads makes a system call for the nth time.
// Killed reports whether this happened; otherwise the program has ended successfully.
func Killed(t testing.TB, cmd *exec.Cmd, call string, n int) bool {
	t.Helper()
	strace := Find(t, "strace")
	cmd.Args = append([]string{strace, "-f", "-qqq", "-o", os.DevNull, "-e", "trace=" + call,
		"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = strace
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 0 && exit.ExitCode() < 128) {
		t.Fatalf("to be killed at %s %d: %v\n%s", call, n, err, out)
	}
	return err != nil
}
