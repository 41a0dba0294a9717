package worldrepo

import (
	"bytes"
	"crypto/sha256"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/stores/storage"
)

// storing is a run that stores contents.
type storing struct {
	*Repository
	data   packWriter         // data of blocks, and pieces of files
	lists  packWriter         // regions and lists of regions, which each backup reads, so they are stored together
	old    *Blocks            // the newest snapshot, of this world if possible; nil if there is none
	have   map[[16]byte]place // by the beginning of the ID; if contents are named, only those of this run; nil if not loaded yet
	intact map[uint64]bool    // packs of earlier runs that were checked, with whether their tables can be read
	verify bool
	partly bool // a copy of the database is incomplete
	report *Report
}

// maxHave is the maximum number of contents whose IDs are kept in memory. In a larger repository these are the
// newest, so some old contents may be stored again.
const maxHave = 1 << 20

// keep stores a content if the repository does not contain it.
func (s *storing) keep(w *packWriter, data []byte, id ID, compress bool) (Ref, error) {
	if s.have == nil {
		if err := s.learn(); err != nil {
			return Ref{}, err
		}
	}
	short := [16]byte(id[:])
	at, ok := s.have[short]
	exists := ok
	if s.named && !ok {
		var err error
		if exists, err = s.has(id); err != nil {
			return Ref{}, err
		}
	}
	if exists {
		if ref := s.ref(at, id); s.own(at.Pack) {
			return ref, nil
		} else if sound, err := s.sound(ref, data); sound || err != nil {
			return ref, err
		}
	}
	at, err := w.put(data, id, compress)
	if err != nil {
		return Ref{}, err
	}
	s.report.Stored++
	if ok || len(s.have) < maxHave {
		s.have[short] = at
	}
	return s.ref(at, id), nil
}

// ref returns the reference to a content.
func (s *storing) ref(at place, id ID) Ref {
	if s.named {
		return Ref{ID: id}
	}
	return Ref{Pack: at.Pack, N: at.N}
}

// keepPiece stores a piece of a file. was is the file in the previous snapshot, which usually has most of the pieces.
func (s *storing) keepPiece(was *File, i int, data []byte) (Ref, error) {
	id := ID(sha256.Sum256(data))
	if !s.named && was != nil && i < len(was.Pieces) {
		there, err := s.id(was.Pieces[i])
		if err = unavailable(err); err == nil && there == id {
			if sound, err := s.sound(was.Pieces[i], data); sound || err != nil {
				return was.Pieces[i], err
			}
		}
		if err != nil {
			return Ref{}, err
		}
	}
	return s.keep(&s.data, data, id, true)
}

// own reports whether this run has written a pack.
func (s *storing) own(pack uint64) bool { return s.data.made[pack] || s.lists.made[pack] }

// sound reports whether a stored content equals data: a pack can be damaged.
func (s *storing) sound(ref Ref, data []byte) (bool, error) {
	if s.own(ref.Pack) || !isNear(s.store) && !s.verify {
		return true, nil // this run has written it, or reading is too expensive
	}
	there, err := s.get(ref)
	return err == nil && bytes.Equal(there, data), unavailable(err)
}

// isNear reports whether reading a store is cheap: it is a folder.
func isNear(s storage.Store) bool {
	if e, ok := s.(*sealed.Store); ok {
		s = e.Base()
	}
	_, near := s.(storage.Folder)
	return near
}

// keeps reports whether the repository still contains what a snapshot refers to: a block, or another content if the
// hash is 0. It reads the content only if verify is set.
func (s *storing) keeps(b block) (bool, error) {
	if s.named {
		if has, err := s.has(b.ref.ID); !has || err != nil || !s.verify {
			return has, err
		}
		_, err := s.getBlock(b)
		return err == nil, unavailable(err)
	}
	if s.own(b.ref.Pack) {
		return true, nil
	}
	intact, known := s.intact[b.ref.Pack]
	if !known {
		p, err := openPack(s.ctx, s.store, b.ref.Pack)
		if err = unavailable(err); err == nil && p != nil {
			err = p.close()
		}
		if err != nil {
			return false, err
		}
		intact = p != nil // otherwise a check reports the pack, and its contents are stored again
		s.intact[b.ref.Pack] = intact
	}
	if !intact || !s.verify {
		return intact, nil
	}
	_, err := s.getBlock(b)
	return err == nil, unavailable(err)
}

// unavailable returns err if it says little about the stored data, and nil otherwise.
func unavailable(err error) error {
	if storage.IsUnavailable(err) {
		return err
	}
	return nil
}

// learn loads the IDs of the stored contents.
func (s *storing) learn() error {
	s.have = make(map[[16]byte]place)
	if s.named {
		return nil
	}
	packs, err := s.packList(s.ctx)
	if err != nil {
		return err
	}
	for _, one := range packs {
		n := one.number
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if len(s.have) >= maxHave {
			break
		}
		p, err := openPack(s.ctx, s.store, n)
		if storage.IsUnavailable(err) {
			return err
		}
		s.intact[n] = err == nil
		if err != nil {
			continue
		}
		for i, c := range p.table {
			if _, ok := s.have[[16]byte(c.id[:])]; !ok { // of duplicates, use the newest, which is sound
				s.have[[16]byte(c.id[:])] = place{n, uint32(i)}
			}
		}
		if err := p.close(); err != nil {
			return err
		}
	}
	return nil
}
