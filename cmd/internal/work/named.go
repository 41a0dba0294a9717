package work

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// named are the files that the results of parts name. A hundred thousand take 2.4 MB.
type named []name

// name is a file that a result names, in few bytes.
type name struct {
	hash  uint64 // the first bytes of the SHA-256
	size  int64
	part  uint32 // its number
	found bool
}

func (n *named) add(part int, ref Ref) {
	one := nameOf(ref)
	one.part = uint32(part)
	*n = append(*n, one)
}

func nameOf(ref Ref) name { return name{hash: binary.BigEndian.Uint64(ref.SHA256[:]), size: ref.Size} }

func byHash(a, b name) int { return cmp.Compare(a.hash, b.hash) }

// Left are the files of killed workers that no result names.
type Left struct {
	Files int
	Bytes int64
}

// compare compares the named files with those in the store, removes those that no result names, and returns an error if a
// named one is missing. All parts must have results: otherwise it would remove files that a result will name.
func (n named) compare(ctx context.Context, store Store) (left Left, err error) {
	slices.SortFunc(n, byHash)
	n = slices.CompactFunc(n, func(a, b name) bool { return a.hash == b.hash })
	var remove []string
	if err = store.List(ctx, filesFolder, func(at string, size int64) error {
		ref, err := ParseRef(path.Base(at), size)
		if err != nil || ref.Name() != filesFolder+"/"+at {
			return nil // not ours
		}
		i, ok := slices.BinarySearchFunc(n, nameOf(ref), byHash)
		switch {
		case ok && n[i].size == size:
			n[i].found = true
		case !ok:
			left.Files++
			left.Bytes += size
			if remove = append(remove, ref.Name()); len(remove) < 1000 {
				return nil
			}
			// The list may continue while files are removed from it.
			err = removeAll(ctx, store, remove)
			remove = remove[:0]
		}
		return err
	}); err == nil {
		err = removeAll(ctx, store, remove)
	}
	if err != nil {
		return left, err
	}
	if i := slices.IndexFunc(n, func(f name) bool { return !f.found }); i >= 0 {
		return left, &missing{int(n[i].part), n[i].hash}
	}
	return left, nil
}

func removeAll(ctx context.Context, store Store, names []string) error {
	for _, name := range names {
		if err := store.Remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// missing is the error of a file that a result names and that is not as it was stored.
type missing struct {
	part int
	hash uint64
}

func (m *missing) Error() string {
	return fmt.Sprintf("%s/%02x/%016x...: the file of part number %d is missing, or was changed: remove the result of the part "+
		"to repeat it", filesFolder, m.hash>>56, m.hash, m.part)
}
func (m *missing) Unwrap() error { return fs.ErrNotExist }

// Missing calls lacks with the parts of a plan, and their numbers, that have no results in the store, and returns the number
// of all parts.
func Missing(ctx context.Context, plan *Stored, lacks func(i int, p Part)) (all int, err error) {
	var there []uint64
	if err := plan.store.List(ctx, resultFolder, func(at string, _ int64) error {
		there = append(there, hashOf(at))
		return nil
	}); err != nil {
		return 0, err
	}
	slices.Sort(there)
	for p, err := range plan.All(ctx) {
		if err != nil {
			return all, err
		}
		if _, ok := slices.BinarySearch(there, hashOf(strings.TrimPrefix(ResultName(p), resultFolder+"/"))); !ok {
			lacks(all, p)
		}
		all++
	}
	return all, nil
}
