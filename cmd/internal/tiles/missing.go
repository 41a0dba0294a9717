package tiles

import (
	"encoding/json"

	"trowel.example/internal/files/output"
	"trowel.example/internal/format"
)

// Missing data of a tile is stored with the tile: the folder keeps it as notes of the file. It is reported in
// every run while the tile exists, whichever run drew the tile. Missing data of the whole file is determined in
// each run.

// notesOf encodes the missing data of a tile as notes of the file.
func notesOf(missing []format.Missing) (notes []output.Note) {
	for _, m := range missing {
		n := m.Count
		m.Count = 0
		text, err := json.Marshal(m)
		if err != nil {
			panic(err) // all values can be encoded as JSON
		}
		notes = append(notes, output.Note{Text: string(text), Count: n})
	}
	return notes
}

// missingOf decodes the notes of notesOf. It reports whether the notes are valid.
func missingOf(piece output.Piece) (missing []format.Missing, ok bool) {
	for _, note := range piece.Notes {
		var m format.Missing
		if json.Unmarshal([]byte(note.Text), &m) != nil {
			return nil, false
		}
		m.Count = note.Count
		missing = append(missing, m)
	}
	return missing, true
}

// Missing returns the missing data of the tiles in the folder and of the whole file.
func (p *Pyramid) Missing() []format.Missing {
	all := new(format.Missed)
	for _, m := range p.Scene.Missing() {
		if !m.Adds {
			all.Add(m)
		}
	}
	add := func(folder *output.Collection, skip func(name string) bool) {
		if folder == nil {
			return
		}
		for name, piece := range folder.All() {
			if missing, ok := missingOf(piece); ok && !skip(name) {
				all.Add(missing...)
			}
		}
	}
	add(p.folder, func(string) bool { return false })
	if p.was != nil && p.folder != nil {
		made := p.folder.All()
		add(p.was, func(name string) bool {
			_, ok := made[name]
			return ok || !p.stays(name)
		})
	}
	return all.All()
}
