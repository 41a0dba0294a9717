package schematic

import (
	"bytes"
	"regexp"
	"strconv"
)

var (
	headerForm  = regexp.MustCompile(`^([0-9]+)((?:,[^:\n]*)?):`)
	listForm    = regexp.MustCompile(`^\s*[+-]?\d+\s+[+-]?\d+\s+[+-]?\d+\s+\S`)
	flatForm    = regexp.MustCompile(`^[^"']+\{\d+\}`)
	luaForm     = regexp.MustCompile(`^(?:\s|--[^\n]*\n)*(?:local\s+)?schematic\s*=\s*\{`)
	listNode    = regexp.MustCompile(`^\s*[+-]?\d+\s+[+-]?\d+\s+[+-]?\d+\s+(?:\w+:\w+|air)\s+\d+\s+\d+\s*\n`)
	tablesForm  = regexp.MustCompile(`^\s*return\s*\{\s*-- Table: \{1\}`)
	nodesForm   = regexp.MustCompile(`^\s*return\s*\{\s*\{`)
	keyForms    = []*regexp.Regexp{keyForm("x"), keyForm("y"), keyForm("z"), keyForm("name")}
	returnsForm = regexp.MustCompile(`^(?:\s|--[^\n]*\n)*(?:return|local\s+_\s*=)\s*\{`)
)

// Recognize returns the form and version of a file, given its first bytes, or "" if it is not a schematic. Many other
// texts look like WorldEdit files; see [IsWorldEdit].
func Recognize(head []byte) (Form, int) {
	if bytes.HasPrefix(head, magic) && len(head) >= 6 {
		return MTS, int(head[4])<<8 | int(head[5])
	}
	if luaForm.Match(head) {
		return Lua, 0
	}
	if m := headerForm.FindSubmatch(head); m != nil {
		v, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return "", 0
		}
		return WorldEdit, v
	}
	switch {
	case listForm.Match(head):
		return WorldEdit, 3
	case !returnsForm.Match(head):
		return "", 0
	case flatForm.Match(head):
		if bytes.Contains(head, []byte(`["meta"]`)) {
			return WorldEdit, 2
		}
		return WorldEdit, 1
	}
	return WorldEdit, 4
}

// keyForm matches a key of a table.
func keyForm(key string) *regexp.Regexp {
	return regexp.MustCompile(`[{,;\s]\s*(?:\["` + key + `"\]|` + key + `)\s*=`)
}

// HeadSize is the number of bytes that Recognize and IsWorldEdit read.
const HeadSize = 1024

// IsWorldEdit reports whether the first bytes of a file are certainly those of a WorldEdit file: a WorldEdit header,
// or the beginning of a table of nodes.
func IsWorldEdit(head []byte) bool {
	form, version := Recognize(head)
	if form != WorldEdit || version < 1 || version > WorldEdit.Newest() {
		return false
	}
	if header := headerForm.Find(head); header != nil {
		return returnsForm.Match(head[len(header):])
	}
	switch version {
	case 1, 2:
		return tablesForm.Match(head)
	case 3:
		return listNode.Match(head)
	}
	if !nodesForm.Match(head) {
		return false
	}
	for _, key := range keyForms {
		if !key.Match(head) {
			return false
		}
	}
	return true
}
