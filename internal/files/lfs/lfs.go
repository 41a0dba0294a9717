// Package lfs recognizes Git LFS pointer files: the small texts that replace large files until Git LFS fetches them.
package lfs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
)

// ErrPointer is the cause of errors about pointer files.
var ErrPointer = errors.New("this is a Git LFS pointer: run git lfs pull")

var head = []byte("version https://git-lfs.github.com/spec/")

// Length is the number of bytes that [Is] needs.
const Length = 64

// MaxSize is larger than any pointer file, in bytes.
const MaxSize = 1024

// Is reports whether first is the start of a pointer file.
func Is(first []byte) bool { return bytes.HasPrefix(first, head) }

var object = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})$`)

// Object returns the slash-separated path, below the folder lfs/objects of a repository, of the file that a pointer file stands
// for, and its SHA-256 in hexadecimal; "" if the content is no pointer.
func Object(content []byte) (path, sum string) {
	m := object.FindSubmatch(content)
	if !Is(content) || m == nil {
		return "", ""
	}
	sum = string(m[1])
	return sum[:2] + "/" + sum[2:4] + "/" + sum, sum
}

// Check returns an error if the file at path is a pointer file. It returns nil for missing and unreadable files.
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
