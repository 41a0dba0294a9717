//go:build !linux

package sandbox

import (
	"errors"
	"os/exec"
)

const inside = false

var errDeniedCall = errors.ErrUnsupported

func mayAccess(string, string) bool { return false }

// Supported returns what the system offers.
func Supported() Support { return Support{} }

// Begin does nothing on this system.
func Begin(Handlers) *Helper { return nil }

// Limited returns false on this system.
func Limited() (Limits, bool) { return Limits{}, false }

// StartHelper starts no helper on this system.
func StartHelper(bool) *Helper { return nil }

// Enter does nothing on this system.
func Enter(Limits, *Helper, bool) {}

// Settle does nothing on this system.
func Settle(Limits) {}

// Start starts the command without a sandbox on this system.
func Start(cmd *exec.Cmd, _ Limits, _ Handlers) error { return cmd.Start() }
