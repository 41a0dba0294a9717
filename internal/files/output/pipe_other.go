//go:build !unix

package output

const nonblock = 0

func noReader(error) bool { return false }
