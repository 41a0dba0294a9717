package worldrepo

import (
	"bytes"
	"context"
	"testing"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
)

// UseOldVersion makes new repositories have version 1, or 2 if they are encrypted.
func UseOldVersion(t testing.TB) {
	newVersion = placedVersion
	t.Cleanup(func() { newVersion = namedVersion })
}

// Places returns the places of contents: references with the number of the pack and of the content in it, for each pack that
// contains it.
func Places(r *Repository, refs ...Ref) (list []Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ref := range refs {
		if !r.named {
			list = append(list, ref)
			continue
		}
		x, err := r.indexed()
		if err != nil {
			panic(err)
		}
		for _, e := range x.find(ref.ID) {
			list = append(list, Ref{x.packs[e.pack].number, e.n, ref.ID})
		}
	}
	return list
}

// Place returns the offset of a content in its pack, and its stored size.
func Place(r *Repository, ref Ref) (at, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.pack(ref.Pack)
	if err != nil {
		panic(err)
	}
	return p.table[ref.N].offset, p.table[ref.N].size
}

// Exchange returns a pack with two contents exchanged, and a matching table.
func Exchange(t testing.TB, data []byte, i, j uint32) []byte {
	t.Helper()
	p, err := readPack(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var contents []string
	for k := range p.table {
		content, err := p.get(uint32(k))
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(content))
	}
	contents[i], contents[j] = contents[j], contents[i]
	return aPack(t, contents...)
}

// Contents returns references to the regions of a snapshot, and to some blocks of the first region.
func Contents(t testing.TB, r *Repository, s *Snapshot) (regions, blocks []Ref) {
	t.Helper()
	b, err := r.Blocks(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range b.regions {
		regions = append(regions, one.ref)
	}
	list, err := r.region(b.regions[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		blocks = append(blocks, one.ref)
	}
	return Places(r, regions...), Places(r, blocks...)
}

// Seal returns the file of a snapshot.
func Seal(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	data, _, err := sum(s, snapshotFile(s.ID), nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Create creates a repository in an empty store, encrypted if there are readers. It does nothing if the store already
// contains a repository.
func Create(ctx context.Context, s storage.Store, readers sealed.Readers) error {
	_, err := create(ctx, s, readers)
	return err
}
