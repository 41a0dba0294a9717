// Package lfs knows the small texts that Git puts in the place of large files until
// Git LFS has fetched them.
package lfs

import (
	"bytes"
	"errors"
	"io"
	"os"

	"trowel.example/fault"
	"trowel.example/internal/regular"
)

// ErrPointer is the cause of errors about such files.
var ErrPointer = errors.New("this is a Git LFS pointer: run git lfs pull")

var head = []byte("version https://git-lfs.github.com/spec/")

// Length is how many of the first bytes of a file [Is] needs.
const Length = 64

// MaxSize is more than any pointer has, in bytes.
const MaxSize = 1024

// Is reports whether the first bytes of a file are those of a pointer.
func Is(first []byte) bool { return bytes.HasPrefix(first, head) }

// Check returns an error if the file at path is a pointer. A file that is not there or
// cannot be read is none.
func Check(path string) error {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > MaxSize {
		return nil
	}
	f, _, err := regular.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	first := make([]byte, len(head))
	if _, err := io.ReadFull(f, first); err != nil || !Is(first) {
		return nil
	}
	return &fault.Error{File: path, Offset: -1, Err: ErrPointer}
}
