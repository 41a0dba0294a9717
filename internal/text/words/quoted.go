package words

import (
	"runtime"
	"strings"
	"unicode"
)

// Quoted quotes words for the shell of this system.
func Quoted(words ...string) string { return QuotedFor(runtime.GOOS, words...) }

// QuotedFor quotes words for the shells of a system: cmd.exe accepts only double quotes, and PowerShell accepts
// them, too.
func QuotedFor(system string, words ...string) string {
	plain, quote := "-_./,:=+@%~", func(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
	if system == "windows" {
		plain, quote = `-_./\:+~`, func(word string) string { return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"` }
	}
	var list []string
	for _, word := range words {
		if word == "" || strings.HasPrefix(word, "~") || strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(plain, r)
		}) {
			word = quote(word)
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}
