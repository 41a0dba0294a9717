package worlddir

import (
	"path"
	"regexp"
	"strings"
)

// Passwords in files of the world's folder that the tree shows as they are.
var (
	// In lines of settings: user:password@ in addresses, and password=word, where a word may
	// stand in quotes.
	secretLine = regexp.MustCompile(`(?im)^[^\n=]*(?:_connection|password|passwd|token|secret)[^\n=]*=[^\n]*`)
	inAddress  = regexp.MustCompile(`(://[^:@/\s]*:)[^\n]*@`)
	inWords    = regexp.MustCompile(`(?i)(\bpass(?:word|wd)?\s*=\s*)(?:'(?:[^'\\\n]|\\.)*'|"[^"\n]*"|[^\s&]+)`)
	ownLine    = regexp.MustCompile(`(?i)^([^\n=]*(?:password|passwd|token|secret)[^\n=]*=\s*)[^\n]*`)

	// Verifiers, as an account has them, and lines of auth.txt with older ones.
	verifier = regexp.MustCompile(`#1#[A-Za-z0-9+/=]+#[A-Za-z0-9+/=]+`)
	authLine = regexp.MustCompile(`(?m)^([^:\n]{1,40}:)[A-Za-z0-9+/]{27}=?(:[^:\n]*:-?[0-9]+\r?)$`)
)

const masked = "***"

// Mask takes passwords and their verifiers out of a file of the tree: for a page that others
// may look at over somebody's shoulder. What the tree makes of blocks, players and mods is not
// looked at, and neither is code.
func Mask(name string, content []byte) []byte {
	top, _, _ := strings.Cut(name, "/")
	switch {
	case isOneOf(top, blocksDir+" "+playersDir+" "+storageDir), strings.HasSuffix(name, ".lua"):
		return content
	case isOneOf(top, authDir): // made without verifiers
		return content
	case strings.HasPrefix(path.Base(name), "auth.") || strings.HasPrefix(top, "auth."):
		return []byte("(accounts of a store that is not in use: not shown)\n")
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
