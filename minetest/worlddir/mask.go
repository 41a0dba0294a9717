package worlddir

import (
	"path"
	"regexp"
	"strings"
)

// Passwords in files that the tree contains unchanged.
var (
	// In lines of settings: user:password@ in addresses, and password=word, where the word may be in quotes.
	secretLine = regexp.MustCompile(`(?im)^[^\n=]*(?:_connection|password|passwd|token|secret)[^\n=]*=[^\n]*`)
	inAddress  = regexp.MustCompile(`(://[^:@/\s]*:)[^\n]*@`)
	inWords    = regexp.MustCompile(`(?i)(\bpass(?:word|wd)?\s*=\s*)(?:'(?:[^'\\\n]|\\.)*'|"[^"\n]*"|[^\s&]+)`)
	ownLine    = regexp.MustCompile(`(?i)^([^\n=]*(?:password|passwd|token|secret)[^\n=]*=\s*)[^\n]*`)

	// Verifiers of accounts, and lines of auth.txt with older verifiers.
	verifier = regexp.MustCompile(`#1#[A-Za-z0-9+/=]+#[A-Za-z0-9+/=]+`)
	authLine = regexp.MustCompile(`(?m)^([^:\n]{1,40}:)[A-Za-z0-9+/]{27}=?(:[^:\n]*:-?[0-9]+\r?)$`)
)

const masked = "***"

// Mask replaces passwords and verifiers in a file of the tree, for pages that several people may see. It does not
// search code, nor the files of blocks, players and mods.
func Mask(name string, content []byte) []byte {
	top, _, _ := strings.Cut(name, "/")
	switch {
	case isOneOf(top, blocksDir+" "+playersDir+" "+storageDir), strings.HasSuffix(name, ".lua"):
		return content
	case isOneOf(top, authDir): // these files contain no verifiers
		return content
	case strings.HasPrefix(path.Base(name), "auth.") || strings.HasPrefix(top, "auth."):
		return []byte("(accounts of an unused store: not shown)\n")
	}
	content = verifier.ReplaceAll(content, []byte("#1#"+masked))
	content = authLine.ReplaceAll(content, []byte("${1}"+masked+"${2}"))
	return secretLine.ReplaceAllFunc(content, func(line []byte) []byte {
		if ownLine.Match(line) {
			return ownLine.ReplaceAll(line, []byte("${1}"+masked))
		}
		line = inAddress.ReplaceAll(line, []byte("${1}"+masked+"@"))
		return inWords.ReplaceAll(line, []byte("${1}"+masked))
	})
}
