// Package worldrepo stores backups of worlds. A repository is a folder or another [storage.Store] that contains
// snapshots of worlds. Each content is stored once.
//
// A content is the data of a block or a piece of a file. Contents are in packs, files that are never changed. A
// snapshot is the state of a world at a moment: a small file that refers to all contents of the world. It is written
// last, when all contents are on disk. Therefore a backup that was killed has changed nothing, and the next backup
// reuses what it has stored.
package worldrepo

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/manifest"
)

// Names in a repository.
const (
	fileMark     = "trowel-backup.json"
	dirPacks     = "packs"
	dirSnapshots = "snapshots"
	dirRecords   = "records" // of snapshots that were removed
	lockFile     = "lock"    // of a folder
	dirLocks     = "locks"   // of a bucket

	placedVersion = 1 // contents are found by their places
	sealedVersion = 2 // the same, and the packs and snapshots are encrypted
	namedVersion  = 3 // contents are found by their IDs; encrypted if the mark names a key
)

// newVersion is the version of a repository that is created.
var newVersion = namedVersion // tests change it

// Errors of a repository.
var (
	ErrNone  = errors.New("not a repository of backups") // the store contains no repository
	errNewer = errors.New("a newer version of this program made the repository")
	// ErrPlain means that the user, who has a key, would write to a repository without encryption.
	ErrPlain = errors.New("the repository is not encrypted, but TROWEL_KEY_FILE or TROWEL_PASSPHRASE is set: somebody may have replaced an " +
		"encrypted repository. Unset them to write without encryption, or encrypt a new repository with --recipient or --passphrase")
	// ErrReaders means that readers were given for a repository that exists.
	ErrReaders = errors.New("the repository exists: its readers change only with --rekey, and a repository that is not encrypted stays so")
)

// mark is the file that identifies a store as a repository.
type mark struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Key     string `json:"key,omitempty"` // the name of the key, see [sealed.Key]
}

// sealed reports whether the repository is encrypted.
func (m mark) sealed() bool {
	return m.Version == sealedVersion || m.Version == namedVersion && m.Key != ""
}

// Repository is a repository that is open for reading. It is safe for concurrent use.
type Repository struct {
	ctx   context.Context
	store storage.Store
	key   *sealed.Key // nil: nothing is encrypted
	named bool        // contents are found by their IDs, as of version 3
	made  []string    // files that [create] has written

	mu      sync.Mutex
	packs   map[uint64]*pack
	used    []uint64 // open packs, the most recently used first
	index   *index   // nil if it was not needed yet, or if contents are not named
	settled bool     // the index was found to be current when a content was missing
}

// maxPacks is the maximum number of open packs.
const maxPacks = 32

// Recognize reports whether a store contains a repository.
func Recognize(ctx context.Context, s storage.Store) bool {
	f, err := s.Open(ctx, fileMark)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// vacant returns an error if a store contains anything other than a lock, or keys of a run that was killed.
func vacant(ctx context.Context, s storage.Store) error {
	return s.List(ctx, "", func(i storage.Info) error {
		if i.Name == lockFile || strings.HasPrefix(i.Name, dirLocks+"/") || sealed.IsKey(i.Name) {
			return nil
		}
		return fmt.Errorf("%s: %w, and the folder is not empty: %s", s.Path(""), ErrNone, i.Name)
	})
}

// usable returns an error if a store is neither a repository nor empty. It reads the mark last, because another run
// may create a repository at the same time.
func usable(ctx context.Context, s storage.Store) (exists bool, err error) {
	err = vacant(ctx, s)
	if errors.Is(err, ErrNone) {
		if _, open := readMark(ctx, s); !errors.Is(open, ErrNone) {
			return open == nil, open
		}
	}
	return false, err
}

// create creates a repository in an empty store, encrypted if there are readers. It returns nil if the repository exists. If it
// fails, it leaves no file.
func create(ctx context.Context, s storage.Store, readers sealed.Readers) (_ *Repository, err error) {
	exists, err := usable(ctx, s)
	if exists || err != nil {
		return nil, err
	}
	var key *sealed.Key
	var made []string
	defer func() {
		if err != nil {
			err = errors.Join(err, removeAll(context.WithoutCancel(ctx), s, made))
		}
	}()
	m := mark{Format: "trowel-backup", Version: newVersion}
	if !readers.Empty() {
		if key, err = sealed.NewKey(); err != nil {
			return nil, err
		}
		if made, err = key.Wrap(ctx, s, readers); err != nil {
			return nil, err
		}
		m.Key = key.Name()
		if m.Version < namedVersion {
			m.Version = sealedVersion
		}
	}
	data, err := json.Marshal(m)
	if err == nil {
		err = storage.WriteFile(ctx, s, fileMark, append(data, '\n'))
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, removeAll(ctx, s, made) // another run was faster
	}
	if err != nil {
		return nil, err
	}
	r := newRepository(ctx, s, m, key)
	r.made = append(made, fileMark)
	return r, nil
}

// removeAll removes files.
func removeAll(ctx context.Context, s storage.Store, names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, s.Remove(ctx, name))
	}
	return err
}

func newRepository(ctx context.Context, s storage.Store, m mark, key *sealed.Key) *Repository {
	if key != nil {
		s = sealed.New(s, key, dirPacks, dirSnapshots, dirRecords)
	}
	return &Repository{ctx: ctx, store: s, key: key, named: m.Version >= namedVersion, packs: make(map[uint64]*pack)}
}

// readMark reads the mark of a repository.
func readMark(ctx context.Context, s storage.Store) (m mark, err error) {
	data, err := storage.ReadFile(ctx, s, fileMark, effort.SmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%s: %w", s.Path(""), ErrNone)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Format != "trowel-backup" {
		return m, &fault.Error{File: s.Path(fileMark), Offset: -1, Want: "the mark of a repository", Got: "something else"}
	}
	if m.Version < placedVersion || m.Version > namedVersion {
		return m, fmt.Errorf("%s: %w: its version is %d, and this program supports %d", s.Path(""), errNewer, m.Version, namedVersion)
	}
	return m, nil
}

// Open opens a repository. It is usable until the context ends. The key of an encrypted repository is that of the user, see
// [sealed.Unwrap].
func Open(ctx context.Context, s storage.Store) (*Repository, error) {
	m, err := readMark(ctx, s)
	if err != nil {
		return nil, err
	}
	var key *sealed.Key
	if m.sealed() {
		if key, err = sealed.Unwrap(ctx, s, m.Key); err != nil {
			return nil, err
		}
	}
	return newRepository(ctx, s, m, key), nil
}

// Rekey replaces the readers of an encrypted repository. Only the files with its key change: a former reader who has kept
// the key can still read everything.
func Rekey(ctx context.Context, s storage.Store, readers sealed.Readers) (err error) {
	r, err := Open(ctx, s)
	if err != nil {
		return err
	}
	if r.key == nil {
		return fmt.Errorf("%s: the repository is not encrypted", s.Path(""))
	}
	lock, err := s.Lock(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	old, err := sealed.Wrapped(ctx, s)
	if err != nil {
		return err
	}
	if _, err := r.key.Wrap(ctx, s, readers); err != nil {
		return err
	}
	for _, name := range old {
		if err := lock.Held(ctx); err != nil {
			return err
		}
		if err := s.Remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the open packs.
func (r *Repository) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	for _, p := range r.packs {
		err = errors.Join(err, p.close())
	}
	r.packs, r.used, r.index = nil, nil, nil
	return err
}

// get returns a content.
func (r *Repository) get(ref Ref) ([]byte, error) { return r.getHashed(ref, 0) }

// getBlock returns the data of a block, and checks the hash that its region states.
func (r *Repository) getBlock(b block) ([]byte, error) { return r.getHashed(b.ref, b.hash) }

// getHashed returns a content, and checks its hash unless hash is 0 or its ID is known.
func (r *Repository) getHashed(ref Ref, hash manifest.Hash) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named {
		return r.getNamed(ref.ID)
	}
	p, err := r.pack(ref.Pack)
	if err != nil {
		return nil, err
	}
	data, err := p.get(ref.N)
	if err == nil && hash != 0 && p.table[ref.N].id.hash() != hash {
		err = &fault.Error{Offset: p.table[ref.N].offset,
			Want: fmt.Sprintf("content %d with the hash %v, as the snapshot states", ref.N, hash), Got: p.table[ref.N].id.hash().String()}
	}
	return data, fault.InFile(err, r.store.Path(packFile(ref.Pack)))
}

// id returns the ID of a content.
func (r *Repository) id(ref Ref) (ID, error) {
	if r.named {
		return ref.ID, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.pack(ref.Pack)
	if err != nil || int(ref.N) >= len(p.table) {
		return ID{}, err
	}
	return p.table[ref.N].id, nil
}

// pack returns a pack. r.mu must be held.
func (r *Repository) pack(number uint64) (*pack, error) {
	if i := slices.Index(r.used, number); i >= 0 {
		r.used = slices.Insert(slices.Delete(r.used, i, i+1), 0, number)
		return r.packs[number], nil
	}
	p, err := openPack(r.ctx, r.store, number)
	if err != nil {
		return nil, err
	}
	r.packs[number], r.used = p, slices.Insert(r.used, 0, number)
	if len(r.used) > maxPacks {
		old := r.used[maxPacks]
		r.used = r.used[:maxPacks]
		err = r.packs[old].close()
		delete(r.packs, old)
	}
	return p, err
}

// packList returns all packs, the newest first.
func (r *Repository) packList(ctx context.Context) (list []packInfo, err error) {
	err = r.store.List(ctx, dirPacks, func(i storage.Info) error {
		if n, ok := packNumber(strings.TrimPrefix(i.Name, dirPacks+"/")); ok {
			list = append(list, packInfo{n, i.Size, i.Time})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b packInfo) int { return cmp.Or(b.time.Compare(a.time), cmp.Compare(a.number, b.number)) })
	return list, err
}

type packInfo struct {
	number uint64
	size   int64
	time   time.Time
}

// Snapshot is the state of a world at a moment.
type Snapshot struct {
	ID      string    `json:"-"` // the name of its file without extension: the moment and some random letters
	Time    time.Time `json:"time"`
	World   string    `json:"world"` // name of the world's folder
	Map     string    `json:"map"`   // database of the blocks, one of worldcopy.Targets
	Blocks  int64     `json:"blocks"`
	Lost    int64     `json:"lost,omitempty"` // number of rows that could not be read
	Regions []Ref     `json:"regions"`        // pieces of the list of regions
	// Again is a copy of the list in another pack; none in old snapshots, and where contents are named: there two packs contain
	// each piece.
	Again   []Ref    `json:"again,omitempty"`
	Folders []Folder `json:"folders"` // sorted by path
	Files   []File   `json:"files"`   // everything except the blocks, sorted by path

	// List is the hash of the list of regions, which contains hashes of the regions; 0 in old snapshots, whose lists
	// have no hashes.
	List manifest.Hash `json:"list,omitempty"`
	// Parents are the snapshots of the repository when this one was made, of all worlds, without those that another one
	// names as a parent. Only if contents are named.
	Parents []Link `json:"parents,omitempty"`
	// Private means that only their owner can read the files of the blocks.
	Private bool `json:"private,omitempty"`

	// Database is the state of the files of the blocks, if it identifies their content; see stateOf.
	Database []fileState `json:"database,omitempty"`

	Root      Root   `json:"-"` // SHA-256 of the snapshot, whose contents are named by theirs
	Signature string `json:"-"` // of minisign; "": it is not signed
}

// moments is the format of the first part of a snapshot ID.
const moments = "20060102T150405.000Z"

// Moment returns the time in the ID of a snapshot.
func Moment(id string) (t time.Time, ok bool) {
	begin, _, ok := strings.Cut(id, "-")
	t, err := time.Parse(moments, begin)
	return t, ok && err == nil
}

// Folder is a folder of a snapshot.
type Folder struct {
	Path string      `json:"path"` // slash-separated
	Mode os.FileMode `json:"mode"` // permissions
}

// File is a file of a snapshot.
type File struct {
	Path   string      `json:"path"` // slash-separated
	Mode   os.FileMode `json:"mode"` // permissions
	Time   time.Time   `json:"time"`
	Size   int64       `json:"size"`
	Pieces []Ref       `json:"pieces"`

	Hashes []manifest.Hash `json:"hashes,omitempty"` // hashes of the pieces; none in old snapshots
}

const snapshotEnd = ".json"

// Snapshots returns all snapshots, the oldest first, without their contents. It calls bad for a snapshot that cannot
// be read.
func (r *Repository) Snapshots(ctx context.Context, bad func(id string, err error)) ([]*Snapshot, error) {
	var list []*Snapshot
	err := r.eachFile(ctx, dirSnapshots, bad, func(id string) error {
		s, err := r.Snapshot(id)
		if err == nil {
			list = append(list, s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *Snapshot) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// eachFile calls read with the name of each snapshot or record in a folder, without extension, and bad if read returns an error
// about the file.
func (r *Repository) eachFile(ctx context.Context, dir string, bad func(id string, err error), read func(id string) error) error {
	var ids []string
	err := r.store.List(ctx, dir, func(i storage.Info) error {
		id, ok := strings.CutSuffix(strings.TrimPrefix(i.Name, dir+"/"), snapshotEnd)
		if ok && !strings.HasPrefix(id, ".") && !strings.Contains(id, "/") {
			ids = append(ids, id)
		}
		return nil
	})
	for _, id := range ids {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		failed := read(id)
		if storage.IsUnavailable(failed) {
			return failed
		}
		if failed != nil {
			bad(id, failed)
		}
	}
	return err
}

func snapshotFile(id string) string { return dirSnapshots + "/" + id + snapshotEnd }

// summed is a snapshot or a record of removed snapshots, with a checksum.
type summed struct {
	SHA256    string          `json:"sha256"`
	Signature string          `json:"signature,omitempty"`
	Snapshot  json.RawMessage `json:"snapshot"`
}

// sum encodes a snapshot or a record, and signs it for the name of its file if there is a key.
func sum(inner any, name string, key *sealed.SigningKey) ([]byte, summed, error) {
	data, err := json.Marshal(inner)
	if err != nil {
		return nil, summed{}, err
	}
	whole := summed{SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Snapshot: data}
	if key != nil {
		whole.Signature = key.Sign(Root(whole.SHA256).message(name))
	}
	data, err = json.Marshal(whole)
	return data, whole, err
}

// unsum is the inverse of sum.
func unsum(data []byte) (whole summed, err error) {
	if err := json.Unmarshal(data, &whole); err != nil {
		return whole, &fault.Error{Offset: -1, Want: "a snapshot", Got: "damaged JSON", Err: err}
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(whole.Snapshot)); sum != whole.SHA256 {
		return whole, &fault.Error{Offset: -1, Want: "an unchanged snapshot", Got: "a changed file"}
	}
	if again, err := json.Marshal(whole); err != nil || !bytes.Equal(again, data) {
		return whole, &fault.Error{Offset: -1, Want: "an unchanged snapshot", Got: "a changed file"}
	}
	return whole, nil
}

// Snapshot reads a snapshot.
func (r *Repository) Snapshot(id string) (*Snapshot, error) {
	data, err := storage.ReadFile(r.ctx, r.store, snapshotFile(id), effort.SideFile)
	if err != nil {
		return nil, err
	}
	s, err := decodeSnapshot(data)
	if err == nil {
		err = s.refs(r.named)
	}
	if err != nil {
		return nil, fault.InFile(err, r.store.Path(snapshotFile(id)))
	}
	if t, ok := Moment(id); !ok || !t.Equal(s.Time) {
		return nil, &fault.Error{File: r.store.Path(snapshotFile(id)), Offset: -1,
			Want: "a name that begins with the moment " + s.Time.UTC().Format(moments), Got: "another name: the file was renamed"}
	}
	s.ID = id
	return s, nil
}

func decodeSnapshot(data []byte) (*Snapshot, error) {
	whole, err := unsum(data)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Root: Root(whole.SHA256), Signature: whole.Signature}
	if err := json.Unmarshal(whole.Snapshot, s); err != nil {
		return nil, &fault.Error{Offset: -1, Want: "a snapshot", Got: "other JSON", Err: err}
	}
	last := ""
	for i, f := range s.Files {
		if !validPath(f.Path) || f.Path <= last {
			return nil, &fault.Error{Path: fmt.Sprintf("files[%d]", i), Offset: -1, Want: "files in the order of their paths", Got: f.Path}
		}
		if f.Size < 0 || len(f.Hashes) > 0 && len(f.Hashes) != len(f.Pieces) || int64(len(f.Pieces)) != (f.Size+pieceSize-1)/pieceSize {
			return nil, &fault.Error{Path: fmt.Sprintf("files[%d]", i), Offset: -1, Want: fmt.Sprintf("the pieces of %s",
				words.Count(f.Size, "byte")), Got: fmt.Sprint(len(f.Pieces))}
		}
		last = f.Path
	}
	last = ""
	for i, f := range s.Folders {
		if !validPath(f.Path) || f.Path <= last {
			return nil, &fault.Error{Path: fmt.Sprintf("folders[%d]", i), Offset: -1, Want: "folders in the order of their paths", Got: f.Path}
		}
		last = f.Path
	}
	return s, nil
}

// refs returns an error unless all references of a snapshot are those of a repository whose contents are named, or not.
func (s *Snapshot) refs(named bool) error {
	all := slices.Concat(s.Regions, s.Again)
	for _, f := range s.Files {
		all = append(all, f.Pieces...)
	}
	for _, ref := range all {
		if ref.isNamed() != named {
			return &fault.Error{Offset: -1, Want: "references of the version of the repository", Got: ref.String()}
		}
	}
	return nil
}

// maxPath is the length of the longest path in the folder of a world.
const maxPath = 1024

// validPath reports whether a path is valid in the folder of a world on this system.
func validPath(path string) bool {
	_, err := filepath.Localize(path)
	return err == nil && path != "." && len(path) <= maxPath
}

// encodeSnapshot encodes a snapshot, which has an ID, and signs it if there is a key. It returns an error if decodeSnapshot would
// reject the result.
func encodeSnapshot(s *Snapshot, key *sealed.SigningKey) ([]byte, error) {
	data, whole, err := sum(s, snapshotFile(s.ID), key)
	s.Root, s.Signature = Root(whole.SHA256), whole.Signature
	if err == nil && int64(len(data)) > effort.SideFile.Limit(0) {
		err = fmt.Errorf("the snapshot of %s: %w", words.Count(len(s.Files), "file"), effort.SideFile.Check("", int64(len(data))))
	}
	if err == nil {
		_, err = decodeSnapshot(data)
	}
	return data, err
}
