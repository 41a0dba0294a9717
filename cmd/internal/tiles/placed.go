package tiles

import (
	"bytes"
	"context"

	"trowel.example/cmd/internal/work"
)

// maxPNG is the most bytes that a tile can have: those of its pixels, and a margin.
const maxPNG = 8 * side * side

// placing stores the files of tiles in their final place before it passes their records to put.
func (p *Pyramid) placing(ctx context.Context, put func(Tile) error) func(Tile) error {
	return func(t Tile) error {
		if len(t.PNG) > 0 && !t.Aside {
			t.File = work.RefOf(t.PNG)
			if err := p.Place.Put(ctx, t.File, bytes.NewReader(t.PNG)); err != nil {
				return err
			}
			t.PNG = nil
		}
		return put(t)
	}
}

// place writes the file of a new tile. A tile that others are made of, or that cannot be adopted, is copied.
func (p *Pyramid) place(ctx context.Context, t Tile) (err error) {
	if level, _, _ := placeOf(t.Name); t.PNG == nil && p.Adopt != nil && level < p.level {
		p.note(t.Name)
		if err := p.Adopt(t.Name, t.File); err != nil {
			return err
		}
		return p.folder.Adopt(t.Name, t.Key, t.Content, t.File.Size, notesOf(t.Missing)...)
	}
	if t.PNG == nil {
		if t.PNG, err = p.Files.Read(ctx, t.File, maxPNG); err != nil {
			return err
		}
	}
	return p.write(t.Name, t.Key, t.Content, t.PNG, notesOf(t.Missing)...)
}
