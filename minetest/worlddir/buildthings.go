package worlddir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"trowel.example/minetest/world"
)

// merge makes the contents of a store equal to the files of a folder. names contains the paths of the files by the
// names of the things.
func merge[T any](b *builder, dir string, store world.Store[T], names map[string]string,
	read func(at, name string) (T, error), same func(was, now T) bool) error {
	old := make(map[string]bool)
	for name, err := range store.Names(b.ctx) {
		if err != nil {
			return err
		}
		old[name] = true
	}
	if len(old) > 0 && same == nil {
		return fmt.Errorf("%s: the database is not empty: entries: %d: %w", dir, len(old), fs.ErrExist)
	}
	changed := false
	for name := range old {
		if _, ok := names[name]; !ok {
			if err := store.Delete(b.ctx, name); err != nil {
				return err
			}
			changed = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		thing, err := read(names[name], name)
		if err != nil {
			return err
		}
		if old[name] {
			if was, err := store.Get(b.ctx, name); err == nil && same(was, thing) {
				continue
			}
		}
		if err := store.Put(b.ctx, thing); err != nil {
			return inFile(err, names[name])
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return store.Commit(b.ctx)
}

// form reads the file of a thing into f. If the file is unchanged and has a residue, form returns the residue
// instead.
func (b *builder) form(at string, f any) (*thingResidue, error) {
	data, err := b.text(at)
	if err != nil {
		return nil, err
	}
	if r, ok := b.side.Things[at]; ok && r.valid(data) {
		return &r, nil
	}
	return nil, decodeJSON(at, data, f)
}

func (b *builder) player(at, name string) (*world.Player, error) {
	form := playerForm{HP: 20, Breath: 10}
	residue, err := b.form(at, &form)
	if err != nil {
		return nil, err
	}
	if residue == nil {
		return form.player(name), nil
	}
	p, err := residue.player(name)
	if err == nil && p.Name != name {
		err = errors.New("the sidecar names another player for this file")
	}
	if err != nil {
		return nil, inFile(err, at)
	}
	return p, nil
}

func (b *builder) account(at, name string) (*world.Account, error) {
	form := accountForm{LastLogin: -1}
	if _, err := b.form(at, &form); err != nil {
		return nil, err
	}
	var kept *value
	if v, ok := b.side.Verifiers[at]; ok {
		kept = &v
	}
	a, err := form.account(name, kept)
	if err != nil {
		return nil, inFile(err, at)
	}
	return a, nil
}

func (b *builder) mod(at, name string) (*world.ModData, error) {
	var form pairs
	residue, err := b.form(at, &form)
	if err != nil {
		return nil, err
	}
	if residue != nil {
		m, err := world.ParseModFile(name, residue.file())
		if err != nil {
			return nil, inFile(err, at)
		}
		return m, nil
	}
	m := &world.ModData{Mod: name}
	for _, e := range form {
		m.Entries = append(m.Entries, world.Entry{Key: e.Key, Value: e.Value})
	}
	return m, nil
}

// file returns the original file in the residue.
func (r *thingResidue) file() []byte {
	if r.File == nil {
		return nil
	}
	return *r.File
}
