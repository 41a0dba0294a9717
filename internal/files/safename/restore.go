package safename

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/strictjson"
)

// namesKey is the key of the names in the sidecar. All other keys except takenKey belong to the format.
const namesKey = "names"

// takenKey is the key of the list of extracted files in the sidecar of a partial extraction.
const takenKey = "taken"

// Taken records what a partial extraction extracted from a file.
type Taken struct {
	Options map[string]string `json:"options,omitempty"` // options of the extraction by name
	Files   map[string]string `json:"files"`             // digest of each content by true path
}

// AddTaken adds taken to a sidecar, which may be nil, and returns the result. Files that the sidecar already lists
// keep their digests.
func AddTaken(sidecar []byte, taken Taken) ([]byte, error) {
	keys, _, err := parse(sidecar)
	if err != nil {
		return nil, err
	}
	all, err := takenOf(keys)
	if err != nil {
		return nil, err
	}
	if all == nil {
		all = &Taken{Files: make(map[string]string)}
	}
	maps.Copy(all.Files, taken.Files)
	all.Options = taken.Options
	if keys[takenKey], err = json.Marshal(all); err != nil {
		return nil, err
	}
	return strictjson.Marshal(keys, "  ")
}

// TakenOf returns the Taken of a sidecar, or nil if it has none.
func TakenOf(sidecar []byte) (*Taken, error) {
	keys, _, err := parse(sidecar)
	if err != nil {
		return nil, err
	}
	return takenOf(keys)
}

func takenOf(keys map[string]json.RawMessage) (*Taken, error) {
	raw := keys[takenKey]
	if raw == nil {
		return nil, nil
	}
	t := new(Taken)
	if err := json.Unmarshal(raw, t); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", tree.Sidecar, takenKey, err)
	}
	if t.Files == nil {
		t.Files = make(map[string]string)
	}
	return t, nil
}

// AddNames adds names, true paths by safe paths, to a sidecar, which may be nil, and returns the result. Existing
// names are kept.
func AddNames(sidecar []byte, names map[string]string) ([]byte, error) {
	keys, all, err := parse(sidecar)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, names)
	if keys[namesKey], err = json.Marshal(all); err != nil {
		return nil, err
	}
	return strictjson.Marshal(keys, "  ")
}

// Names returns the names in a sidecar: true paths by safe paths.
func Names(sidecar []byte) (map[string]string, error) {
	_, names, err := parse(sidecar)
	return names, err
}

func parse(sidecar []byte) (keys map[string]json.RawMessage, names map[string]string, err error) {
	if len(sidecar) > 0 {
		if err := json.Unmarshal(sidecar, &keys); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", tree.Sidecar, err)
		}
	}
	if raw := keys[namesKey]; raw != nil {
		if err := json.Unmarshal(raw, &names); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", tree.Sidecar, namesKey, err)
		}
	}
	if keys == nil { // the JSON may be null
		keys = make(map[string]json.RawMessage)
	}
	if names == nil {
		names = make(map[string]string)
	}
	return keys, names, nil
}

// Sidecar returns the sidecar of a folder; nil if it has none.
func Sidecar(fsys fs.FS) ([]byte, error) {
	side, err := fs.ReadFile(fsys, tree.Sidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return side, err
}

// Restore returns fsys, an extracted folder, with the true names that its sidecar lists. The names and the list of
// extracted files are removed from the sidecar, and a sidecar without other content is omitted.
func Restore(fsys fs.FS) (fs.FS, error) {
	data, err := Sidecar(fsys)
	if data == nil || err != nil {
		return fsys, err
	}
	keys, names, err := parse(data)
	if err != nil || keys[namesKey] == nil && keys[takenKey] == nil {
		return fsys, err
	}
	delete(keys, takenKey)
	r := &restored{fsys: fsys, safe: make(map[string]string), names: make(map[string]string)}
	for safe, full := range names {
		dir, name := path.Dir(safe), path.Base(full)
		if !fs.ValidPath(safe) || !fs.ValidPath(full) || name == "." {
			return nil, fmt.Errorf("%s: %s: %q: not the name of a file", tree.Sidecar, namesKey, safe)
		}
		if other, ok := r.safe[path.Join(dir, name)]; ok {
			return nil, fmt.Errorf("%s: %s: %q and %q have the same name", tree.Sidecar, namesKey, other, path.Base(safe))
		}
		r.safe[path.Join(dir, name)] = path.Base(safe)
		r.names[safe] = name
	}
	if delete(keys, namesKey); len(keys) > 0 {
		if r.sidecar, err = strictjson.Marshal(keys, "  "); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// restored is a folder with its true names.
type restored struct {
	fsys    fs.FS
	safe    map[string]string // safe names by the safe path of the folder and the true name
	names   map[string]string // true names by safe path
	sidecar []byte            // nil if there is none
}

// real returns the safe path of a file with a true path.
func (r *restored) real(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at := "."
	for elem := range strings.SplitSeq(name, "/") {
		next := path.Join(at, elem)
		if safe, ok := r.safe[next]; ok {
			next = path.Join(at, safe)
		} else if _, renamed := r.names[next]; renamed {
			return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		at = next
	}
	if r.hidden(at) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return at, nil
}

// hidden reports whether a file is not part of the folder with its true names.
func (r *restored) hidden(at string) bool { return at == tree.Sidecar && r.sidecar == nil }

// Open opens a file by its true name, as described by [fs.FS].
func (r *restored) Open(name string) (fs.File, error) {
	at, err := r.real("open", name)
	if err != nil {
		return nil, err
	}
	f, err := r.fsys.Open(at)
	if err != nil {
		return nil, inPath(err, name)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, inPath(err, name)
	}
	if at == tree.Sidecar {
		f.Close()
		return &sidecarFile{bytes.NewReader(r.sidecar), info}, nil
	}
	return &file{File: f, fsys: r, at: at, info: r.info(at, info)}, nil
}

// inPath replaces the path in an error by the true path.
func inPath(err error, name string) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: e.Op, Path: name, Err: e.Err}
	}
	return err
}

// info describes the file at a safe path under its true name.
func (r *restored) info(at string, info fs.FileInfo) fs.FileInfo {
	if at == tree.Sidecar {
		return sized{info, int64(len(r.sidecar))}
	}
	if name, ok := r.names[at]; ok {
		return tree.Renamed(info, name)
	}
	return info
}

type sized struct {
	fs.FileInfo
	size int64
}

func (i sized) Size() int64 { return i.size }

// file is an open file or folder with its true name.
type file struct {
	fs.File
	fsys *restored
	at   string
	info fs.FileInfo
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *file) ReadDir(n int) ([]fs.DirEntry, error) {
	dir, ok := f.File.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: f.at, Err: errors.ErrUnsupported}
	}
	for {
		list, err := dir.ReadDir(n)
		shown := make([]fs.DirEntry, 0, len(list))
		for _, e := range list {
			at := path.Join(f.at, e.Name())
			if f.fsys.hidden(at) {
				continue
			}
			shown = append(shown, entry{e, f.fsys, at})
		}
		if err != nil || n <= 0 || len(shown) > 0 {
			return shown, err
		}
	}
}

// entry is an entry of a folder with its true name.
type entry struct {
	fs.DirEntry
	fsys *restored
	at   string
}

func (e entry) Name() string {
	if name, ok := e.fsys.names[e.at]; ok {
		return name
	}
	return e.DirEntry.Name()
}

func (e entry) Info() (fs.FileInfo, error) {
	info, err := e.DirEntry.Info()
	if err != nil {
		return nil, err
	}
	return e.fsys.info(e.at, info), nil
}

func (e entry) String() string { return fs.FormatDirEntry(e) }

// sidecarFile is the sidecar without the names.
type sidecarFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *sidecarFile) Stat() (fs.FileInfo, error) {
	return sized{f.info, f.Size()}, nil
}
func (f *sidecarFile) Close() error { return nil }
