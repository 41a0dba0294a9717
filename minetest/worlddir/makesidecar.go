package worlddir

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func (s *shown) sidecarNode() tree.Node {
	return tree.Node{Name: tree.Sidecar, Meta: tree.Meta{Stored: -1, Last: true, Owner: s.secret || s.players.owner ||
		s.auth.owner || s.storage.owner}, Content: s.sidecar}
}

// sidecar creates the sidecar. Residues of blocks that were read before are not computed again.
func (s *shown) sidecar() ([]byte, error) {
	s.Keep()
	side := &sidecar{TrueNames: make(map[string]value), Verifiers: make(map[string]value), Things: make(map[string]thingResidue)}
	if mapdb.SchemaOf(s.w.Map) == mapdb.SchemaXYZ {
		side.Schema = schemaXYZ
	}
	if len(s.w.Settings.Append(nil)) == 0 {
		side.Backends = &s.w.Backends
	}
	for _, t := range []*things{&s.players, &s.storage, &s.auth} {
		if err := t.load(); err != nil {
			return nil, err
		}
		for _, file := range t.files {
			at := t.dir + "/" + file
			if name := t.names[file]; nameOf(file) != name {
				side.TrueNames[at] = value(name)
			}
			if t == &s.auth {
				continue // only the verifiers of accounts are kept
			}
			_, residue, err := t.make(file, true)
			if err != nil && s.w.missed != nil {
				s.w.miss(at, err)
				continue
			}
			if err != nil {
				return nil, inFile(err, at)
			}
			if residue != nil {
				side.Things[at] = *residue
			}
		}
	}
	if err := errors.Join(missOrphans(s, playersDir, s.w.Players), missOrphans(s, authDir, s.w.Auth)); err != nil {
		return nil, err
	}
	if err := s.keepAccounts(side); err != nil {
		return nil, err
	}
	if err := s.makeResidues(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	side.Blocks = maps.Clone(s.residues)
	s.mu.Unlock()
	return side.encode()
}

// nameOf returns the name of the player, account or mod of a file.
func nameOf(file string) string {
	return safename.FromTreePath(file[:len(file)-len(thingEnding)])
}

// missOrphans reports rows of a store that belong to no player or account, and are therefore in no file.
func missOrphans[T any](s *shown, dir string, store world.Store[T]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, err := world.Orphans(s.ctx, store)
	if err != nil && s.w.missed != nil && !world.Failed(err) {
		s.w.miss(dir, err)
		return nil
	}
	for _, table := range slices.Sorted(maps.Keys(count)) {
		s.w.miss(dir, fmt.Errorf("rows of %s without a player or account: %d; a repair deletes them", table, count[table]))
	}
	return err
}

// keepAccounts adds the data that the files of accounts do not contain.
func (s *shown) keepAccounts(side *sidecar) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*world.Account
	for _, file := range s.auth.files {
		a, err := s.w.Auth.Get(s.ctx, s.auth.names[file])
		if err != nil && s.w.missed != nil {
			s.w.miss(authDir+"/"+file, err)
			continue
		}
		if err != nil {
			return inFile(err, authDir+"/"+file)
		}
		if a.Password != "" {
			side.Verifiers[authDir+"/"+file] = value(a.Password)
		}
		all = append(all, a)
	}
	if s.w.Backends.Auth != world.Files {
		return nil
	}
	text, err := regular.ReadFile(filepath.Join(s.w.Dir, "auth.txt"), effort.TextFile)
	if err == nil {
		side.AuthFile = authFile(text, all)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return err
}

// residuePage is the number of blocks in memory while residues are computed.
const residuePage = 256

// makeResidues computes the residues of the blocks that have not been read yet.
func (s *shown) makeResidues() error {
	if err := s.load(); err != nil {
		return err
	}
	var page []mapdb.Block
	flush := func() {
		parallel.Each(len(page), func(i int) {
			s.blockText(page[i].Pos, page[i].Data)
		})
		page = page[:0]
	}
	for block, err := range s.w.Map.Blocks(s.ctx, s.area) {
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			continue // opening the file returns the error
		}
		if err != nil {
			return err
		}
		at, ok := s.blocks.find(block.Pos)
		without := len(block.Data) > 0 && block.Data[0] == mapblock.Newest && !s.o.Exact
		if !ok || without || s.blocks.isMade(at) {
			continue
		}
		if page = append(page, block); len(page) == residuePage {
			flush()
		}
	}
	flush()
	return nil
}
