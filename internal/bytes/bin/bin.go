// Package bin reads and writes binary fields. All formats of Trowel use it.
//
// A Reader reads bytes in memory. Each read names its field, so that errors can state which field is invalid, and so
// that a Tracer can report every byte of a file without a second parser: `trowel dump` is implemented with it.
//
//	r := bin.NewReader(data, bin.LittleEndian)
//	r.Enter("header")
//	version := r.Int32("version")
//	n := r.Count("num_items", 12)
//	r.Leave()
//	if err := r.Err(); err != nil { ... }
//
// After the first error all reads return zero values and do not move, so that a sequence of reads needs a single check
// at its end. Memory is never allocated just because the file states a number of elements: Count checks the number
// against the remaining bytes before a slice can be allocated.
package bin

// Order is the byte order of integers.
type Order bool

const (
	LittleEndian Order = false
	BigEndian    Order = true
)
