package worldscene

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
)

// game is the appearance of the nodes of a world. It is read once for all scenes with the same options.
type game struct {
	id     string       // of the game, in world.mt
	nodes  nodedef.List // as a file defines them; nil: there is no file
	engine texture.Engine
	digest []byte // the content of the file
	path   string // of the file

	look func() (*textured.Game, error) // the textured nodes, which are searched at the first call
	sum  func() []byte                  // a hash of the textures and definitions, or nil

	mu    sync.Mutex
	means map[string][]nodecolor.Color
}

// mean returns the mean colours of the top of a node, see [nodecolor.Choice]. Those of missing textures are unknown.
func (g *game) mean(name string) []nodecolor.Color {
	look, err := g.look()
	if err != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	all, known := g.means[name]
	if known {
		return all
	}
	n := 1
	if look.HasPalette(name) {
		n = 256
	}
	for param2 := range n {
		c, from, ok := look.Mean(name, uint8(param2))
		for lost := range look.Missing() {
			ok = ok && !strings.Contains(from, lost)
		}
		if !ok {
			all = nil
			break
		}
		all = append(all, nodecolor.Color{R: c.R, G: c.G, B: c.B, A: c.A})
	}
	if g.means == nil {
		g.means = make(map[string][]nodecolor.Color)
	}
	g.means[name] = all
	return all
}

// openGame reads the definitions of the nodes of a world.
func openGame(job *format.Job, dir string, settings *world.Settings) (*game, error) {
	g := &game{engine: texture.Newest, path: worldjob.OptionNodes.Value(job)}
	g.id, _ = settings.Get("gameid")
	given := g.path != ""
	if !given {
		g.path = nodedef.Find(dir)
	}
	if g.path != "" {
		data, err := regular.ReadFile(g.path, maxInput)
		var file *nodedef.File
		if err == nil {
			file, err = nodedef.Parse(bytes.NewReader(data))
		}
		switch {
		case err == nil:
			g.nodes, g.engine, g.digest = file.Nodes, engineOf(file.Engine), data
		case given:
			return nil, fault.InFile(err, g.path)
		default:
			job.Warn(g.path, "ignoring the definitions of nodes: %v", err)
		}
	}
	g.look = sync.OnceValues(func() (*textured.Game, error) { return g.open(job, dir, settings) })
	g.sum = func() []byte {
		look, err := g.look()
		if err != nil {
			return nil
		}
		textures := look.Digest()
		sum := sha256.Sum256(append(textures[:], g.digest...))
		return sum[:]
	}
	return g, nil
}

// open finds the textures of the game.
func (g *game) open(job *format.Job, dir string, settings *world.Settings) (*textured.Game, error) {
	nodes := g.nodes
	if nodes == nil && g.id != "minetest" && g.id != "minetest_game" {
		return nil, fmt.Errorf("no definitions of the nodes of game %q: copy contrib/minetest/trowel_nodes to worldmods in the folder of "+
			"the world and start its server once, or name a file with --%s", g.id, worldjob.OptionNodes.Name)
	} else if nodes == nil {
		nodes = nodedef.MinetestGame()
	} else {
		job.Done("used the definitions of nodes in %s", g.path)
	}
	sources := texture.ForWorld(dir, settings)
	if paths := optionTextures.Values(job); len(paths) > 0 {
		for _, path := range paths {
			job.Done("used the textures of %s, a %s", path, sources.Add(texture.FolderAt(path)))
		}
	} else if sources.Game.FS == nil {
		return nil, fmt.Errorf("no folder of game %q on this machine: name it with --%s", g.id, optionTextures.Name)
	} else {
		job.Done("used the textures of %s", sources.Game.Path)
	}
	search, err := sources.Search()
	if err != nil {
		return nil, err
	}
	for _, p := range search.Problems() {
		job.Warn(p.File, "%s", p.Text)
	}
	return textured.NewGame(nodes, search, g.engine), nil
}

// engineOf returns the rules for a version of the engine, such as 5.6.1.
func engineOf(version string) texture.Engine {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	if n, err := strconv.Atoi(minor); err == nil && major == "5" {
		return texture.Engine(n)
	}
	return texture.Newest
}

// missingTextures returns the files that are missing for the pictures so far.
func (s *worldScene) missingTextures() []format.Missing {
	s.mu.Lock()
	g := s.textured
	s.mu.Unlock()
	if g == nil {
		return nil
	}
	return missingTextures(g)
}

func missingTextures(g *textured.Game) (list []format.Missing) {
	all := g.Missing()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		err, what := all[name], "the file is in none of the folders of textures"
		if !errors.Is(err, os.ErrNotExist) {
			what = err.Error()
		}
		list = append(list, format.Missing{Kind: "texture", Name: name, What: what})
	}
	return list
}
