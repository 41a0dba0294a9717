package tiles

import (
	"encoding/json"

	"trowel.example/format"
	"trowel.example/internal/output"
)

// What is missing in a tile belongs to the tile: the folder keeps it as notes of the file, and it is
// reported as long as the tile is there, whoever drew the tile and when. What is missing in the whole
// file is found anew in each run.

// notesOf returns what is missing in a tile as the folder keeps it.
func notesOf(missing []format.Missing) (notes []output.Note) {
	for _, m := range missing {
		n := m.Count
		m.Count = 0
		text, err := json.Marshal(m)
		if err != nil {
			panic(err) // nothing here cannot be JSON
		}
		notes = append(notes, output.Note{Text: string(text), Count: n})
	}
	return notes
}

// missingOf is the inverse of notesOf. It reports whether the notes can be read.
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

// Missing returns what the tiles that are in the folder now, and the whole file, had to do without.
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
			_, is := made[name]
			return is || !p.stays(name)
		})
	}
	return all.All()
}
