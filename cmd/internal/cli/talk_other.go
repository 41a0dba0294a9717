//go:build !windows

package cli

func openElsewhere(error) bool { return false }
