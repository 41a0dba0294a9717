// Package worldbackup saves the parts of a world that are about to change, and restores them: single blocks, files
// and whole databases.
package worldbackup

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// A backup is a zip archive:
//
//	backup.json        description of the backup: see manifest
//	blocks/pack-1      many blocks: see pack.go
//	blocks/12,0,-3     the bytes of the block at x, y, z, in backups of version 0.1
//	files/ipban.txt    a file of the world
//	things/players-1   a player, an account or the data of a mod, of a store on a server: see
//	                   things.go
const (
	manifestName = "backup.json"
	blocksFolder = "blocks/"
	filesFolder  = "files/"
)

// manifest is backup.json.
type manifest struct {
	Format  string   // backupFormat
	World   string   // the folder of the world
	Stores  []string // files and folders of the world that are replaced completely
	Blocks  int      // number of blocks in the archive
	Created time.Time
}

const backupFormat = "trowel world backup 1"

// A Writer is a backup that is being written. Block, File and Store of a nil Writer do nothing.
type Writer struct {
	dir, path string
	out       *os.File
	zip       *zip.Writer
	pack      io.Writer // the current pack of blocks; nil after another entry
	packs     int
	things    int
	manifest
}

// New starts a backup of the world in dir. If path is "", the backup is a new file next to the folder of the world;
// otherwise no file may exist at path. The file appears at its path when [Writer.Finish] is called.
func New(dir, path string) (*Writer, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	if path == "" {
		removeParts(abs + backupInfix)
		path = abs + backupInfix + now.Format("20060102-150405.000") + ".zip"
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	f, err := os.OpenFile(wholefile.Part(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &Writer{dir: abs, path: path, out: f, zip: zip.NewWriter(f), manifest: manifest{Format: backupFormat,
		World: abs, Created: now}}, nil
}

// backupInfix precedes the time in the names of backups that are named automatically.
const backupInfix = ".backup-"

// removeParts removes the unfinished backups of runs that were killed.
func removeParts(prefix string) {
	dir, first := filepath.Split(strings.TrimSuffix(wholefile.Part(prefix), wholefile.Suffix))
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, first) && strings.HasSuffix(name, ".zip"+wholefile.Suffix) {
			os.Remove(filepath.Join(dir, name))
		}
	}
}

func (b *Writer) add(name string, data io.Reader, method uint16) error {
	b.pack = nil
	w, err := b.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: b.Created})
	if err == nil {
		_, err = io.Copy(w, data)
	}
	return err
}

// File stores a file of the world. The name is relative to the folder of the world. It must be a file that [Restore]
// accepts: a file of settings or of a store.
func (b *Writer) File(name string) error {
	if b == nil {
		return nil
	}
	f, _, err := regular.Open(filepath.Join(b.dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	return b.add(filesFolder+filepath.ToSlash(name), f, zip.Deflate)
}

// Store stores the existing files and folders of a store: [Restore] replaces all of them. An empty list is ignored.
func (b *Writer) Store(names []string) error {
	if b == nil || len(names) == 0 || slices.Contains(b.Stores, names[0]) {
		return nil
	}
	b.Stores = append(b.Stores, names...)
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(b.dir, name), func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(b.dir, path)
			if err != nil {
				return err
			}
			return b.File(rel)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Finish writes the backup to disk and returns its path.
func (b *Writer) Finish() (string, error) {
	text, err := json.MarshalIndent(b.manifest, "", "\t")
	if err == nil {
		err = b.add(manifestName, strings.NewReader(string(text)), zip.Store)
	}
	if err = errors.Join(err, b.zip.Close(), wholefile.Flush(b.out), b.out.Close()); err != nil {
		return "", err
	}
	if err := os.Rename(b.out.Name(), b.path); err != nil {
		return "", err
	}
	return b.path, wholefile.SyncDir(filepath.Dir(b.path))
}

// Discard removes an unfinished backup. After Finish it does nothing.
func (b *Writer) Discard() {
	b.out.Close()
	os.Remove(b.out.Name())
}

// Options control how a backup is restored.
type Options struct {
	// Force restores even if a program has the world open, unless a database must be replaced.
	Force bool
	// Remote allows connections to the server that world.mt names.
	Remote bool
}

// Restore restores the contents of a backup into the world in dir: the blocks in one transaction, then the files. If
// it is killed, it can be repeated. An archive that is not a complete backup, or that contains files that no [Writer]
// stores, is an error and changes nothing.
func Restore(ctx context.Context, dir, backup string, opts Options) error {
	used := filelock.CheckUnused(dir)
	if used != nil && !opts.Force {
		return used
	}
	z, err := openZip(backup)
	if err != nil {
		return &fault.Error{File: backup, Offset: -1, Want: "a backup of a world", Got: err.Error(), Err: err}
	}
	defer z.Close()
	m, blocks, list, files, things, err := contents(z.Reader)
	if err != nil {
		return fault.InFile(err, backup)
	}
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		return err
	}
	c, err := world.MapConfig(dir, s, world.Options{Remote: opts.Remote})
	if err != nil {
		return err
	}
	if backend, _ := mapdb.BackendOf(c.Backend); used != nil && (len(m.Stores) > 0 || len(list) > 0 && backend.Alone) {
		return used // the program would continue to write to the replaced files
	}
	if err := Settle(dir); err != nil {
		return err
	}
	if slices.ContainsFunc(world.MapPart.Files(c.Backend), func(name string) bool { return slices.Contains(m.Stores, name) }) {
		list = nil // the blocks are in the restored file
	}
	next, stop := iter.Pull2(blocks.blocks())
	defer stop()
	c.Force = opts.Force
	err = mapdb.Edit(ctx, dir, c, list, func(mapdb.Pos, []byte) ([]byte, error) {
		b, err, _ := next()
		return b.Data, err
	})
	if err != nil {
		return err
	}
	// A database stays until the restored one replaces it. Its logs are removed, because they would be applied to the
	// restored database.
	var secret []string
	for _, name := range m.Stores {
		if world.OwnerOnly(dir, name) {
			secret = append(secret, name)
		}
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && !st.IsDir() && strings.HasSuffix(name, ".sqlite") {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for _, f := range files {
		target := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(f.Name, filesFolder)))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := restoreFile(target, f); err != nil {
			return err
		}
	}
	if err := world.Protect(dir, secret...); err != nil {
		return err
	}
	return things.restore(ctx, dir, s, opts)
}

// RestoreAll restores the backups of a conversion in place from a folder, the last round of each part first. If it is
// killed, it can be repeated.
func RestoreAll(ctx context.Context, dir, folder string, opts Options) error {
	list, err := Archives(folder)
	if err != nil {
		return err
	}
	for _, path := range list { // change nothing if one of the backups is incomplete
		for _, err := range Blocks(path) {
			if err != nil {
				return err
			}
			break
		}
	}
	for _, path := range list {
		if err := Restore(ctx, dir, path, opts); err != nil {
			return err
		}
	}
	return nil
}

// Archives returns the backups at a path, in the order in which they are restored: the file itself, or those of a conversion in
// place in a folder, the last round of each part first.
func Archives(path string) (list []string, err error) {
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".zip") {
			list = append(list, filepath.Join(path, e.Name()))
		}
	}
	if err == nil && len(list) == 0 {
		err = &fault.Error{File: path, Offset: -1, Want: "backups of a world", Got: "none", Err: fault.ErrFormat}
	}
	slices.SortStableFunc(list, func(a, b string) int { return roundOf(b) - roundOf(a) })
	return list, err
}

// Files writes the files of a backup to a copy of the world in dir. A file of more than limit bytes is an error, and so is a
// database of blocks. It reports whether the backup also has things of a store on a server, which it does not restore.
func Files(ctx context.Context, backup, dir string, limit int64) (things bool, err error) {
	all, err := Archives(backup)
	for _, path := range all {
		if err == nil {
			var some bool
			some, err = filesOf(ctx, path, dir, limit)
			things = things || some
		}
	}
	return things, err
}

func filesOf(ctx context.Context, backup, dir string, limit int64) (bool, error) {
	z, err := openZip(backup)
	if err != nil {
		return false, &fault.Error{File: backup, Offset: -1, Want: "a backup of a world", Got: err.Error(), Err: err}
	}
	defer z.Close()
	m, _, _, files, kept, err := contents(z.Reader)
	if err != nil {
		return false, fault.InFile(err, backup)
	}
	for _, name := range m.Stores {
		for _, backend := range mapdb.Backends() {
			if slices.Contains(backend.Files, name) {
				return false, fmt.Errorf("%s contains the whole database %s: `trowel undo` restores it in a copy of the world", backup, name)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return false, err
		}
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		name := strings.TrimPrefix(f.Name, filesFolder)
		if f.UncompressedSize64 > uint64(limit) {
			return false, fmt.Errorf("%s: %s has more than %d MB", backup, name, limit>>20)
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return false, err
		}
		if err := restoreFile(target, f); err != nil {
			return false, err
		}
	}
	return len(kept) > 0, nil
}

// roundOf returns the number in the name of a backup, PART.NUMBER.zip.
func roundOf(path string) int {
	name := strings.TrimSuffix(filepath.Base(path), ".zip")
	n, _ := strconv.Atoi(name[strings.LastIndexByte(name, '.')+1:])
	return n
}

// Blocks yields the blocks of a backup in the order in which they were stored. A nil Data means that there was no
// block. An archive that is not a complete backup is an error.
func Blocks(backup string) iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		z, err := openZip(backup)
		if err != nil {
			yield(mapdb.Block{}, &fault.Error{File: backup, Offset: -1, Want: "a backup of a world", Got: err.Error(), Err: err})
			return
		}
		defer z.Close()
		_, blocks, _, _, _, err := contents(z.Reader)
		if err != nil {
			yield(mapdb.Block{}, fault.InFile(err, backup))
			return
		}
		for b, err := range blocks.blocks() {
			if !yield(b, fault.InFile(err, backup)) || err != nil {
				return
			}
		}
	}
}

// zipFile is an open backup.
type zipFile struct {
	*zip.Reader
	io.Closer
}

func openZip(path string) (*zipFile, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	return &zipFile{z, f}, nil
}

// Later returns the backups next to the folder of a world that are newer than backup, the newest first. They must be
// restored before it; otherwise some of the changes they undo remain.
func Later(dir, backup string) ([]string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	created := func(path string) (time.Time, bool) {
		z, err := openZip(path)
		if err != nil {
			return time.Time{}, false
		}
		defer z.Close()
		m, _, _, _, _, err := contents(z.Reader)
		return m.Created, err == nil
	}
	than, ok := created(backup)
	if !ok {
		return nil, nil // Restore reports the error
	}
	entries, err := os.ReadDir(filepath.Dir(abs))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range slices.Backward(entries) { // the names contain the time
		if !strings.HasPrefix(e.Name(), filepath.Base(abs)+backupInfix) || !strings.HasSuffix(e.Name(), ".zip") {
			continue
		}
		path := filepath.Join(filepath.Dir(abs), e.Name())
		if at, ok := created(path); ok && at.After(than) {
			list = append(list, path)
		}
	}
	return list, nil
}

// restoreFile writes a file of an archive to its target, completely or not at all.
func restoreFile(target string, f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return wholefile.Write(target, r, 0o644)
}

// contents returns the parts of an archive, or an error if the archive is not a complete backup. list contains the
// positions of the blocks, in order.
func contents(z *zip.Reader) (m manifest, blocks packs, list []mapdb.Pos, files []*zip.File, kept things, err error) {
	fail := func(path, want, got string) (manifest, packs, []mapdb.Pos, []*zip.File, things, error) {
		return m, nil, nil, nil, nil, &fault.Error{Path: path, Offset: -1, Want: want, Got: got, Err: fault.ErrFormat}
	}
	whole := false
	for _, f := range z.File {
		switch {
		case f.Name == manifestName:
			text, err := readEntry(f, effort.SmallFile)
			if err != nil {
				return m, nil, nil, nil, nil, err
			}
			if err := json.Unmarshal(text, &m); err != nil || m.Format != backupFormat {
				return fail(f.Name, backupFormat, fmt.Sprintf("%.40q", m.Format))
			}
			whole = true
		case strings.HasPrefix(f.Name, blocksFolder):
			blocks = append(blocks, f)
		case strings.HasPrefix(f.Name, filesFolder) && isOurs(strings.TrimPrefix(f.Name, filesFolder)):
			files = append(files, f)
		case strings.HasPrefix(f.Name, thingsFolder):
			if _, err := readThing(f); err != nil {
				return m, nil, nil, nil, nil, err
			}
			kept = append(kept, f)
		default:
			return fail(fmt.Sprintf("%.60q", f.Name), "a block or a file that a repair changes", "another one")
		}
	}
	if !whole {
		return fail(manifestName, "this file", "none")
	}
	for _, name := range m.Stores {
		if strings.Contains(name, "/") || !isOurs(name) {
			return fail(manifestName, "a store that a repair changes", fmt.Sprintf("%.60q", name))
		}
	}
	if list, err = blocks.positions(); err != nil {
		return m, nil, nil, nil, nil, err
	}
	if len(list) != m.Blocks {
		return fail(manifestName, words.Count(m.Blocks, "block"), fmt.Sprint(len(list)))
	}
	return m, blocks, list, files, kept, nil
}

// Settle completes a repair of the world in dir that was killed while it replaced a damaged database, and removes
// incomplete files that the repair left.
func Settle(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(strings.TrimPrefix(e.Name(), "."), wholefile.Suffix)
		if path := filepath.Join(dir, e.Name()); ok && isOurs(name) && path == wholefile.Part(filepath.Join(dir, name)) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for _, part := range world.Parts() {
		if err := sqlitefile.Settle(filepath.Join(dir, part.Files(mapdb.SQLite)[0])); err != nil {
			return err
		}
	}
	return nil
}

// isOurs reports whether a repair may change a file of a world, so that a backup may contain it.
func isOurs(name string) bool {
	if path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	first, rest, _ := strings.Cut(name, "/")
	for _, part := range world.Parts() {
		for _, backend := range part.Backends() {
			if slices.Contains(part.Files(backend), first) {
				return !strings.Contains(rest, "/")
			}
		}
	}
	return rest == "" && slices.Contains([]string{"world.mt", "map_meta.txt", "env_meta.txt", "ipban.txt",
		"force_loaded.txt", "auth.txt"}, first) ||
		rest == "" && slices.Contains(besideOurs, first)
}

// besideOurs are files of mods and of the engine's rollback that no check reads and an edit can change. The last is
// the list of blocks written by package worldedit.
var besideOurs = append(sqlitefile.Files("rollback.sqlite"), "areas.dat", "trowel_light.txt")

// readEntry reads a file of an archive.
func readEntry(f *zip.File, limit *effort.Kind) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit.Limit(0)+1))
	if err == nil && int64(len(data)) > limit.Limit(0) {
		e := limit.More()
		e.Path, err = f.Name, e
	}
	return data, err
}
