package floors

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// neverInMessages are turns that are never right in a text that the program prints, but may be in comments.
var neverInMessages = regexp.MustCompile(strings.Join([]string{
	`\ba contents?\b`, `\bsuch an? `, `\bof (%d|\d+) bits\b`, `\bno [A-Z]{3,} has\b`, `\bexcludes? (-|each|other)`, `\bcharacter of number\b`,
	`\buser's name for\b`, `\b(leads?|looked|begins?) (back|at|anew)$`,
	`^(it|they) (is|are|has|have|had|needs?|does|cannot|was|were|lacks?) `,
	`[:;] (it|they) (needs?|has|have) `,
	`^(No action|Nothing:|What )`, `^omitted\b`, `--\w+ (is|are) missing`, `\b(data|metadata) (are|have)\b`,
	`\bof which there (is|are)\b`, `\bthe same work\b`, `salvaged %d`, `\blooked at\b`,
}, "|"))

// TestMessages tests the strings of all programs.
func TestMessages(t *testing.T) {
	for bad, want := range map[string]bool{
		"it needs a name": true, "no PNG has 0 pixels": true, "indexes of %d bits": true, "the key: it has no end": true,
		"no colour is known": false, "16-bit numbers": false, "the file contents": false,
	} {
		if got := neverInMessages.MatchString(bad); got != want {
			t.Errorf("%q: %v", bad, got)
		}
	}
	texts := 0
	walkSources(t, func(name string, data []byte) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/testing/") {
			return
		}
		files := token.NewFileSet()
		file := files.AddFile(name, -1, len(data))
		var s scanner.Scanner
		for s.Init(file, data, nil, 0); ; {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				return
			}
			if tok != token.STRING || !bytes.ContainsRune([]byte(lit), ' ') {
				continue
			}
			text, err := strconv.Unquote(lit)
			if err != nil {
				continue
			}
			texts++
			if found := neverInMessages.FindString(text); found != "" {
				t.Errorf("%v: %q in a message: docs/style.md has a plainer turn", files.Position(pos), found)
			}
		}
	})
	if texts < 5000 {
		t.Errorf("only %d texts", texts)
	}
}
