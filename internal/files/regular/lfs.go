package regular

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"

	"trowel.example/fault"
)

// ErrPointer is the cause of errors about pointer files.
var ErrPointer = errors.New("this is a Git LFS pointer: run git lfs pull")

var head = []byte("version https://git-lfs.github.com/spec/")

// PointerHead is the number of bytes that [IsPointer] needs.
const PointerHead = 64

// MaxPointer is larger than any pointer file, in bytes.
const MaxPointer = 1024

// IsPointer reports whether first is the start of a pointer file.
func IsPointer(first []byte) bool { return bytes.HasPrefix(first, head) }

var object = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})$`)

// PointerObject returns the slash-separated path, below the folder lfs/objects of a repository, of the file that a pointer file stands
// for, and its SHA-256 in hexadecimal; "" if the content is no pointer.
func PointerObject(content []byte) (path, sum string) {
	m := object.FindSubmatch(content)
	if !IsPointer(content) || m == nil {
		return "", ""
	}
	sum = string(m[1])
	return sum[:2] + "/" + sum[2:4] + "/" + sum, sum
}

// CheckPointer returns an error if the file at path is a pointer file. It returns nil for missing and unreadable files.
func CheckPointer(path string) error {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > MaxPointer {
		return nil
	}
	f, _, err := Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	first := make([]byte, len(head))
	if _, err := io.ReadFull(f, first); err != nil || !IsPointer(first) {
		return nil
	}
	return &fault.Error{File: path, Offset: -1, Err: ErrPointer}
}
