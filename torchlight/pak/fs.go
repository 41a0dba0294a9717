package pak

import (
	"io/fs"

	"trowel.example/internal/files/tree"
)

// FS returns the files of the archive as a file system. Each file is inflated when it is opened. Removed files,
// duplicates and paths that [fs.ValidPath] rejects are left out.
func (r *Reader) FS() fs.FS {
	t := new(tree.FS)
	for _, f := range r.files {
		if !f.Removed() && !f.Duplicate && fs.ValidPath(f.Path) {
			t.Add(f.Path, tree.Meta{Stored: -1, Note: f.Record.Type.String(), Time: f.Record.Time.Time()}, f.Content)
		}
	}
	return t
}
