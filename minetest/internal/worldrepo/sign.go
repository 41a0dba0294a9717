package worldrepo

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
)

// Root is the SHA-256 of a snapshot or of a record, in hexadecimal digits. A snapshot contains the SHA-256 of each of its
// contents, so its root identifies the whole state of the world.
type Root string

// message returns what is signed: the name of a file in the repository, and its root.
func (r Root) message(name string) []byte {
	return fmt.Appendf(nil, "trowel-backup %s %s\n", name, r)
}

// Link names a snapshot.
type Link struct {
	ID   string `json:"id"`
	Root Root   `json:"root,omitempty"` // "": the snapshot could not be read
}

// Record states which snapshots were removed.
type Record struct {
	ID        string    `json:"-"` // the name of its file without extension
	Root      Root      `json:"-"`
	Signature string    `json:"-"`
	Time      time.Time `json:"time"`
	Removed   []removed `json:"removed"`
}

// removed is a snapshot that was removed.
type removed struct {
	Link
	Parents []Link `json:"parents,omitempty"`
}

func recordFile(id string) string { return dirRecords + "/" + id + snapshotEnd }

// newID returns the name of a new snapshot or record.
func newID(t time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%x", t.Format(moments), b)
}

func decodeRecord(data []byte) (*Record, error) {
	whole, err := unsum(data)
	if err != nil {
		return nil, err
	}
	r := &Record{Root: Root(whole.SHA256), Signature: whole.Signature}
	if err := json.Unmarshal(whole.Snapshot, r); err != nil {
		return nil, &fault.Error{Offset: -1, Want: "a record of removed snapshots", Got: "other JSON", Err: err}
	}
	return r, nil
}

// records returns all records. It calls bad for a record that cannot be read.
func (r *Repository) records(ctx context.Context, bad func(id string, err error)) (list []*Record, err error) {
	err = r.eachFile(ctx, dirRecords, bad, func(id string) error {
		data, err := storage.ReadFile(ctx, r.store, recordFile(id), effort.SideFile)
		if err != nil {
			return err
		}
		one, err := decodeRecord(data)
		if err != nil {
			return fault.InFile(err, r.store.Path(recordFile(id)))
		}
		one.ID = id
		list = append(list, one)
		return nil
	})
	return list, err
}

// heads returns the snapshots, with those that were removed, that no other one names as a parent.
func heads(list []*Snapshot, records []*Record) (links []Link) {
	inner := make(map[Link]bool)
	add := func(l Link, parents []Link) {
		links = append(links, l)
		for _, p := range parents {
			inner[p] = true
		}
	}
	for _, s := range list {
		add(Link{s.ID, s.Root}, s.Parents)
	}
	for _, r := range records {
		for _, one := range r.Removed {
			add(one.Link, one.Parents)
		}
	}
	links = slices.DeleteFunc(links, func(l Link) bool { return inner[l] || l.Root == "" })
	slices.SortFunc(links, func(a, b Link) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Root, b.Root)) })
	return slices.Compact(links)
}

// Errors of signing.
var (
	ErrOld      = errors.New("the repository was created before snapshots could be signed: only a new repository can have signatures")
	ErrUnsigned = errors.New("its snapshots are signed, so their removal must be signed, too: --sign KEYFILE")
)

// descend sets the parents of a new snapshot, and warns if it will not be signed and the others are.
func (r *Repository) descend(ctx context.Context, snap *Snapshot, list []*Snapshot, key *sealed.SigningKey, sink check.Sink) error {
	if !r.named {
		return nil
	}
	records, err := r.records(ctx, func(string, error) {}) // check reports them
	snap.Parents = heads(list, records)
	if key == nil && len(list) > 0 && list[len(list)-1].Signature != "" {
		sink.Add(foundUnsigned, "snapshots", -1, "the newest snapshot %s is signed, and the new one is not", list[len(list)-1].ID)
	}
	return err
}

// Forget removes snapshots by their IDs. Contents that only they need remain until [Prune]. With a key it writes a signed record
// of what it removes; signed snapshots are removed only with a key.
func Forget(ctx context.Context, s storage.Store, ids []string, key *sealed.SigningKey) (err error) {
	r, err := Open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if !r.named && key != nil {
		return fmt.Errorf("%s: %w", s.Path(""), ErrOld)
	}
	lock, err := s.Lock(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if r.named {
		if err := r.record(ctx, ids, key); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := s.Remove(ctx, snapshotFile(id)); err != nil {
			return err
		}
	}
	return nil
}

// record writes a record of snapshots that will be removed, if there is a key.
func (r *Repository) record(ctx context.Context, ids []string, key *sealed.SigningKey) error {
	record := &Record{Time: time.Now().UTC().Truncate(time.Millisecond), Removed: []removed{}}
	for _, id := range ids {
		one := removed{Link: Link{ID: id}}
		snap, err := r.Snapshot(id)
		if storage.IsUnavailable(err) {
			return err
		}
		if err == nil {
			if snap.Signature != "" && key == nil {
				return fmt.Errorf("%s: %w", r.store.Path(""), ErrUnsigned)
			}
			one.Root, one.Parents = snap.Root, snap.Parents
		}
		record.Removed = append(record.Removed, one)
	}
	if key == nil {
		return nil
	}
	id := newID(record.Time)
	data, _, err := sum(record, recordFile(id), key)
	if err != nil {
		return err
	}
	return storage.WriteFile(ctx, r.store, recordFile(id), data)
}

// Verify returns an error unless a snapshot was signed with the key that belongs to trust; nil accepts all.
func (r *Repository) Verify(s *Snapshot, trust *sealed.Trust) error {
	if trust == nil {
		return nil
	}
	name := snapshotFile(s.ID)
	if err := trust.Verify(s.Root.message(name), s.Signature); err != nil {
		return fmt.Errorf("%s: %w", r.store.Path(name), err)
	}
	return nil
}

// Has returns an error unless each root is that of a snapshot of the repository, or of one whose removal is recorded, signed with
// the key that belongs to trust. Otherwise the repository is older than the root.
func (r *Repository) Has(ctx context.Context, trust *sealed.Trust, roots []Root) error {
	if len(roots) == 0 {
		return nil
	}
	list, err := r.Snapshots(ctx, func(string, error) {})
	if err != nil {
		return err
	}
	records, err := r.records(ctx, func(string, error) {})
	if err != nil {
		return err
	}
	signed := signedBy(trust, list, records, func(string, error) {})
	for _, root := range roots {
		if !signed.known[root] {
			return fmt.Errorf("%s: "+rolledBack, r.store.Path(dirSnapshots), root)
		}
	}
	return nil
}

const rolledBack = "no signed snapshot or record has the root %s: the repository is older, or its newest snapshots were removed"

// claims are the contents of the snapshots and records that a trusted key has signed.
type claims struct {
	list     []claim
	known    map[Root]bool
	nameless map[string]bool // snapshots that could not be read when they were removed
}

// claim is the parents that a file names.
type claim struct {
	file    string
	parents []Link
}

// signedBy returns the claims of snapshots and records, and calls bad for those that are not signed by the trusted key.
func signedBy(trust *sealed.Trust, list []*Snapshot, records []*Record, bad func(name string, err error)) claims {
	c := claims{known: make(map[Root]bool), nameless: make(map[string]bool)}
	verify := func(name string, root Root, signature string) bool {
		err := trust.Verify(root.message(name), signature)
		if err != nil {
			bad(name, err)
		}
		return err == nil
	}
	for _, s := range list {
		if name := snapshotFile(s.ID); verify(name, s.Root, s.Signature) {
			c.known[s.Root] = true
			c.list = append(c.list, claim{name, s.Parents})
		}
	}
	for _, r := range records {
		name := recordFile(r.ID)
		if !verify(name, r.Root, r.Signature) {
			continue
		}
		for _, one := range r.Removed {
			if one.Root != "" {
				c.known[one.Root] = true
			} else {
				c.nameless[one.ID] = true
			}
			c.list = append(c.list, claim{name, one.Parents})
		}
	}
	return c
}

// trust reports snapshots and records that are not signed by the trusted key, and snapshots that are missing.
func (c *checking) trust(ctx context.Context, list []*Snapshot, o CheckOptions) error {
	if o.Trust == nil {
		return nil
	}
	bad := false
	add := func(kind *check.Kind, name, format string, args ...any) {
		bad = true
		c.sink.AddAt(kind, []check.Place{check.File(name)}, name, -1, format, args...)
	}
	unsigned := func(name string, err error) { add(foundSignature, name, "%v", err) }
	records, err := c.records(ctx, func(id string, err error) { unsigned(recordFile(id), err) })
	if err != nil {
		return err
	}
	signed := signedBy(o.Trust, list, records, unsigned)
	present := make(map[Root]bool) // with those that are reported already
	for _, s := range list {
		present[s.Root] = true
	}
	for _, one := range signed.list {
		for _, p := range one.parents {
			if !signed.known[p.Root] && !present[p.Root] && !signed.nameless[p.ID] {
				add(foundMissing, one.file, "the snapshot %q, which it names, is missing or was replaced, and no signed record removes it", p.ID)
			}
		}
	}
	for _, root := range o.Since {
		if !signed.known[root] {
			add(foundRollback, dirSnapshots, rolledBack, root)
		}
	}
	if bad || o.OnHeads == nil {
		return nil
	}
	var roots []Root
	for _, l := range heads(list, records) {
		roots = append(roots, l.Root)
	}
	if len(roots) == 0 {
		return nil
	}
	return o.OnHeads(roots)
}
