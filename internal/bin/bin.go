// Package bin is the cursor that every format of Trowel reads and writes with.
//
// A Reader walks over bytes that are already in memory. Each read names the
// field that it reads, so that an error can say which one broke, and so that a
// Tracer can account for every byte of a file without a second parser: `trowel
// dump` needs nothing else.
//
//	r := bin.NewReader(data, bin.LittleEndian)
//	r.Enter("header")
//	version := r.Int32("version")
//	n := r.Count("num_items", 12)
//	r.Leave()
//	if err := r.Err(); err != nil { ... }
//
// The first error sticks: reads after it return zero values and move nothing,
// so that a run of reads needs a single check at its end. Memory is never
// allocated only because the file claims a number of elements: Count checks a number of elements against
// the bytes that are there before anybody can make a slice of it.
package bin

// Order is the order of the bytes of an integer.
type Order bool

const (
	LittleEndian Order = false
	BigEndian    Order = true
)
