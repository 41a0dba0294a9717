package merge3

import (
	"iter"
	"slices"
)

// Maybe is an item that a version may lack.
type Maybe[T any] struct {
	Item  T // the zero value if the version lacks it
	There bool
}

// get returns the item with a key.
func get[K, T comparable](m map[K]T, key K) Maybe[T] {
	v, there := m[key]
	return Maybe[T]{v, there}
}

// Store merges lists of items that are identified by keys. Items of a list with the same key are numbered.
type Store[K, T comparable] struct {
	Key      func(T) K
	Compare  func(x, y K) int // of the keys; nil: items have the order of ours, followed by those that only theirs has
	Took     func(K)          // for each item that only theirs changed; may be nil
	Conflict func(key K, base, ours, theirs Maybe[T]) Side
}

// Merge returns the merged list.
func (s Store[K, T]) Merge(base, ours, theirs []T) []T {
	b, _ := Number(base, s.Key)
	o, keysO := Number(ours, s.Key)
	t, keysT := Number(theirs, s.Key)
	keys := Union(slices.Values(keysO), slices.Values(keysT))
	if s.Compare != nil {
		slices.SortStableFunc(keys, func(x, y Nth[K]) int { return s.Compare(x.Key, y.Key) })
	}
	var merged []T
	for _, k := range keys {
		b, o, t := get(b, k), get(o, k), get(t, k)
		took := func() {
			if s.Took != nil {
				s.Took(k.Key)
			}
		}
		if v := Value(b, o, t, took, func() Side { return s.Conflict(k.Key, b, o, t) }); v.There {
			merged = append(merged, v.Item)
		}
	}
	return merged
}

// Nth identifies an item by its key, and the number of earlier items with that key.
type Nth[K comparable] struct {
	Key K
	N   int
}

// Number returns the items of a list by their numbered keys, and those keys in the order of the list.
func Number[K comparable, T any](list []T, key func(T) K) (map[Nth[K]]T, []Nth[K]) {
	seen, items, keys := make(map[K]int), make(map[Nth[K]]T, len(list)), make([]Nth[K], 0, len(list))
	for _, v := range list {
		k := Nth[K]{key(v), seen[key(v)]}
		seen[k.Key]++
		items[k], keys = v, append(keys, k)
	}
	return items, keys
}

// Union returns the elements of all sequences, each once, in the order of their first occurrence.
func Union[T comparable](seqs ...iter.Seq[T]) []T {
	var all []T
	seen := make(map[T]bool)
	for _, seq := range seqs {
		for v := range seq {
			if !seen[v] {
				seen[v], all = true, append(all, v)
			}
		}
	}
	return all
}
