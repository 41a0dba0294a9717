//go:build !windows

package wording

func openElsewhere(error) bool { return false }
