//go:build !linux

package inuse

// By returns the name of another program that has a file, or a file in a folder, open. On this system programs are not
// visible, so it returns "".
func By(string) string { return "" }

// ByOther returns "".
func ByOther(string, int) string { return "" }
