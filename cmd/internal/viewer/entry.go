package viewer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"trowel.example/cmd/internal/treediff"
)

// chosen describes how the file itself, or a file or folder of its tree, can be shown.
type chosen struct {
	Path   string `json:"path"` // "" is the file itself
	Dir    bool   `json:"dir"`
	Size   int64  `json:"size"`
	Scene  bool   `json:"scene"`
	Text   bool   `json:"text"`
	Table  bool   `json:"table"`
	Fields bool   `json:"fields"`
}

const textHead = 512 // number of bytes checked

// describeEntry returns how the entry at a path can be shown.
func describeEntry(ctx context.Context, e *edition, r *http.Request) (any, error) {
	f := e.Format
	one := chosen{Path: r.URL.Query().Get("path"), Fields: f.Dump != nil}
	one.Scene = e.isSeen(ctx, one.Path)
	if one.Path == "" {
		one.Dir, one.Size, one.Table = true, e.Source.Size, e.hasTable(ctx, "")
		return one, nil
	}
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	file, err := fsys.Open(one.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if one.Dir = info.IsDir(); one.Dir {
		one.Fields = false
		return one, nil
	}
	one.Size = info.Size()
	head := make([]byte, textHead)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	one.Text = isText(head[:n], n == len(head))
	one.Table = e.hasTable(ctx, one.Path)
	return one, nil
}

// isText reports whether bytes look like text according to [treediff.Text]. cut reports whether more bytes
// follow.
func isText(b []byte, cut bool) bool {
	if utf16, ok := treediff.Text(b); ok && bytes.HasPrefix(b, []byte{0xff, 0xfe}) {
		b = utf16
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return cut && len(b) < utf8.UTFMax && !utf8.FullRune(b)
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' {
			return false
		}
		b = b[n:]
	}
	return true
}
