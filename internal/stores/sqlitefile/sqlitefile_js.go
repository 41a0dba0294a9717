package sqlitefile

import (
	"context"
	"errors"
	"fmt"

	"trowel.example/fault"
)

func needsProgram(path string) error { return fmt.Errorf("%s: %w", path, ErrProgram) }

// IsDamage reports whether an error means that a file is damaged.
func IsDamage(err error) bool { return errors.Is(err, fault.ErrFormat) }

// IsFull reports whether the disk is full.
func IsFull(err error) bool { return errors.Is(err, ErrFull) }

// Why describes an error.
func Why(err error) string { return err.Error() }

// Examine returns an error that wraps [ErrProgram].
func Examine(_ context.Context, path string, _ []string) ([]Loss, bool, error) {
	return nil, false, needsProgram(path)
}

// Backup returns an error that wraps [ErrProgram].
func Backup(_ context.Context, from, _ string) error { return needsProgram(from) }

// RescueInPlace returns an error that wraps [ErrProgram].
func RescueInPlace(_ context.Context, path string, _ []string) error { return needsProgram(path) }

// Writable returns an error that wraps [ErrProgram].
func Writable(path string) error { return needsProgram(path) }

// Unused returns an error that wraps [ErrProgram].
func Unused(_ context.Context, path string) (int64, error) { return 0, needsProgram(path) }

// Vacuum returns an error that wraps [ErrProgram].
func Vacuum(_ context.Context, path string) error { return needsProgram(path) }

// Misfits returns an error that wraps [ErrProgram].
func Misfits(_ context.Context, path string, _ []Table) ([]Misfit, error) {
	return nil, needsProgram(path)
}

// Mend returns an error that wraps [ErrProgram].
func Mend(_ context.Context, path string, _ []string) error { return needsProgram(path) }
