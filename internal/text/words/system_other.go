//go:build !windows

package words

// Portable returns the text: only Windows has its own words for failures.
func Portable(text string) string { return text }
