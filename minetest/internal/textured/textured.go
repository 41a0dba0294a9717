// Package textured draws worlds as the game's client does.
package textured

import (
	"context"
	"crypto/sha256"
	"image"
	"strings"
	"sync"

	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/nodedef"
)

// Game is what is needed to draw the nodes of a game. It is safe for concurrent use.
type Game struct {
	*nodemesh.Looks
	files *files
}

// NewGame returns the appearance of nodes with some files, as a version of the engine draws them.
func NewGame(nodes nodedef.List, search *texture.Search, engine texture.Engine) *Game {
	f := &files{search: search, maker: texture.NewMaker(search, engine), engine: engine, lost: make(map[string]error)}
	return &Game{Looks: nodemesh.NewLooks(Override(nodes, search.Overrides()), f, engine), files: f}
}

// Digest returns a hash of all textures and models.
func (g *Game) Digest() [sha256.Size]byte { return g.files.search.Digest() }

// Missing returns, by name, why files that nodes need could not be used.
func (g *Game) Missing() map[string]error {
	g.files.mu.Lock()
	defer g.files.mu.Unlock()
	for _, m := range g.files.maker.Missing() {
		g.files.lost[m.Name] = m.Err
	}
	all := make(map[string]error, len(g.files.lost))
	for name, err := range g.files.lost {
		all[name] = err
	}
	return all
}

// lack calls do with the files that could not be used, among those that models and texture strings name.
func (g *Game) lack(used []string, do func(name string, err error)) {
	missing := g.Missing()
	if len(missing) == 0 {
		return
	}
	report := func(name string) {
		if err := missing[name]; err != nil {
			do(name, err)
			delete(missing, name)
		}
	}
	for _, text := range used {
		report(text)
		for _, name := range strings.FieldsFunc(text, notInName) {
			report(name)
		}
	}
}

// notInName reports whether names of textures cannot contain a character.
func notInName(r rune) bool {
	return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// files are the images and models of a game.
type files struct {
	search *texture.Search
	maker  *texture.Maker
	engine texture.Engine

	mu   sync.Mutex
	lost map[string]error
}

func (f *files) lose(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lost[name] = err
}

func (f *files) Image(text string) *image.NRGBA {
	img, err := f.maker.Make(context.Background(), text)
	if err != nil {
		f.lose(text, err)
	}
	return img
}

func (f *files) Model(name string) *nodemesh.Model {
	data, err := f.search.File(context.Background(), name)
	if err == nil {
		var m *nodemesh.Model
		if m, err = nodemesh.ParseModel(name, data, f.engine); err == nil {
			return m
		}
	}
	f.lose(name, err)
	return nil
}
