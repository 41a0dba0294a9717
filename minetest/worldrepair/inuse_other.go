//go:build !linux

package worldrepair

// free fails if another program has a file of the world open, which cannot be
// seen here; the databases themselves tell of some.
func free(string, bool) error { return nil }
