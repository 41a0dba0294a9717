package viewer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"sort"
	"sync"
	"unicode/utf8"

	"trowel.example/cmd/internal/treediff"
)

// Texts are shown by rows. A row is a line or a part of a very long line, so that the size of a window on a
// text is limited.

const (
	rowLetters = 500  // letters in a row
	rowStep    = 256  // rows between entries of the index
	pageRows   = 1000 // rows in an answer
	maxTexts   = 3    // documents kept
)

// document is a text of the tree with an index of its rows.
type document struct {
	text  []byte // UTF-8
	index []rowStart
	rows  int
	lines int

	tablesOnce sync.Once
	tables     []*table
}

// rowStart is the start of a row.
type rowStart struct {
	offset int
	line   int  // from 1
	first  bool // the row is the first one of its line
}

func (d *document) Close() error { return nil }

// newDocument returns the document of a text.
func newDocument(text []byte) *document {
	d := &document{text: text}
	at := rowStart{line: 1, first: true}
	for more := true; more; d.rows++ {
		if d.rows%rowStep == 0 {
			d.index = append(d.index, at)
		}
		d.lines = at.line
		_, at, more = d.row(at)
	}
	return d
}

// row returns a row, the start of the next row, and whether there is a row.
func (d *document) row(at rowStart) (row []byte, next rowStart, more bool) {
	rest := d.text[at.offset:]
	end := bytes.IndexByte(rest[:min(len(rest), rowLetters*utf8.UTFMax+1)], '\n')
	line := rest
	if end >= 0 {
		line = rest[:end]
	}
	if n := letters(line, rowLetters); n < len(line) {
		return line[:n], rowStart{at.offset + n, at.line, false}, true
	}
	if end < 0 {
		return line, at, false
	}
	next = rowStart{at.offset + end + 1, at.line + 1, true}
	return bytes.TrimSuffix(line, []byte("\r")), next, next.offset < len(d.text)
}

// letters returns the length of the first n letters in bytes.
func letters(text []byte, n int) int {
	if len(text) <= n {
		return len(text)
	}
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// page calls see for n rows, starting at from.
func (d *document) page(from, n int, see func(at rowStart, row []byte)) {
	if from < 0 || from >= d.rows {
		return
	}
	at := d.index[from/rowStep]
	more := true
	for i := from - from%rowStep; i < from+n && more; i++ {
		this := at
		var row []byte
		if row, at, more = d.row(at); i >= from {
			see(this, row)
		}
	}
}

// rowOf returns the number of the first row of a line, or of the last line.
func (d *document) rowOf(line int) int {
	line = max(1, min(line, d.lines))
	i := sort.Search(len(d.index), func(i int) bool {
		return d.index[i].line > line || d.index[i].line == line && !d.index[i].first
	}) - 1
	from := max(i, 0) * rowStep
	found := from
	d.page(from, 2*rowStep, func(at rowStart, _ []byte) {
		if at.line < line {
			found++
		}
	})
	return found
}

// document returns a text of the tree, and a function to call when it is no longer used.
func (e *edition) document(ctx context.Context, path string) (*document, func(), error) {
	key := fmt.Sprintf("%d.%d\n%s", e.of.id, e.generation, path)
	return e.of.server.texts.get(ctx, key, func(ctx context.Context) (*document, error) {
		fsys, err := e.files(ctx)
		if err != nil {
			return nil, err
		}
		data, err := fs.ReadFile(fsys, path)
		if err != nil {
			return nil, err
		}
		text, ok := treediff.Text(data)
		if !ok {
			return nil, problem{http.StatusUnsupportedMediaType, path + ": not a text, or larger than texts that are shown"}
		}
		return newDocument(text), nil
	})
}

const (
	headLines   = 16 // lines of a text
	headLetters = 60 // letters of a line
)

// readHead returns the first lines of a text file, or the names of the entries of a tree.
func readHead(ctx context.Context, e *edition, _ *http.Request) (any, error) {
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for name, dir := ".", true; dir; {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		pages, ok := f.(fs.ReadDirFile)
		var entries []fs.DirEntry
		if ok {
			if entries, err = pages.ReadDir(headLines); err == io.EOF {
				err = nil
			}
		}
		if f.Close(); err != nil {
			return nil, err
		}
		names = nil
		for _, x := range entries {
			names = append(names, x.Name())
		}
		if len(entries) != 1 { // several entries mean the whole file
			break
		}
		name, dir = path.Join(name, names[0]), entries[0].IsDir()
		if dir {
			continue
		}
		d, release, err := e.document(ctx, name)
		if err != nil {
			break // not a text
		}
		names = nil
		d.page(0, headLines, func(_ rowStart, row []byte) {
			names = append(names, string(row[:letters(row, headLetters)]))
		})
		release()
	}
	return map[string]any{"lines": append([]string{}, names...)}, nil
}

// readText returns rows of a text of the tree. Parameters: path; from, the first row, or line, with which the
// page begins; n, the number of rows. A row is [line, text]. Line 0 continues the previous row.
func readText(ctx context.Context, e *edition, r *http.Request) (any, error) {
	q := r.URL.Query()
	d, release, err := e.document(ctx, q.Get("path"))
	if err != nil {
		return nil, err
	}
	defer release()
	from, err := wholeOr(q.Get("from"), 0, 0, maxPosition)
	if err != nil {
		return nil, err
	}
	n, err := wholeOr(q.Get("n"), pageRows, 1, pageRows)
	if err != nil {
		return nil, err
	}
	line, err := wholeOr(q.Get("line"), 0, 0, maxPosition)
	if err != nil {
		return nil, err
	}
	if line > 0 {
		from = d.rowOf(line)
	}
	rows := [][2]any{}
	d.page(from, n, func(at rowStart, row []byte) {
		number := 0
		if at.first {
			number = at.line
		}
		rows = append(rows, [2]any{number, string(row)})
	})
	return map[string]any{"rows": rows, "from": from, "total": d.rows, "lines": d.lines, "size": len(d.text)}, nil
}
