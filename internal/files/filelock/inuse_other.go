//go:build !linux

package filelock

// UsedBy returns the name of another program that has a file, or a file in a folder, open. On this system programs are not
// visible, so it returns "".
func UsedBy(string) string { return "" }

// UsedByOther returns "".
func UsedByOther(string, int) string { return "" }
