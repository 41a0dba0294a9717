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
	"trowel.example/internal/files/host"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
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
	digest []byte // a hash of the file
	path   string // of the file
	named  bool   // the user names folders of textures

	search func() (*texture.Search, error) // the textures, which are searched at the first call
	look   func() (*textured.Game, error)  // the textured nodes
	sum    func() []byte                   // a hash of the textures and definitions; nil if they cannot be used
	lack   func()                          // reports, once, that there are no definitions

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
		data, err := regular.ReadFile(g.path, effort.TextFile)
		var file *nodedef.File
		if err == nil {
			file, err = nodedef.Parse(bytes.NewReader(data))
		}
		switch {
		case err == nil:
			sum := sha256.Sum256(data)
			g.nodes, g.engine, g.digest = file.Nodes, engineOf(file.Engine), sum[:]
		case given:
			return nil, fault.InFile(err, g.path)
		default:
			job.Warn(g.path, "ignoring the definitions of nodes: %v", err)
		}
	}
	g.named = len(optionTextures.Values(job)) > 0
	g.search = sync.OnceValues(func() (*texture.Search, error) { return g.find(job, dir, settings) })
	g.look = sync.OnceValues(func() (*textured.Game, error) { return g.open(job) })
	g.lack = sync.OnceFunc(func() {
		if err := g.undefined(); err != nil && job.Part == nil {
			job.Done("drawn without textures: %v", err)
		}
	})
	g.sum = sync.OnceValue(func() []byte {
		if _, err := g.look(); err != nil && !g.named { // named textures have colours without definitions, too
			return nil
		}
		search, err := g.search()
		if err != nil {
			return nil
		}
		textures := search.Digest()
		sum := sha256.Sum256(append(textures[:], g.digest...))
		return sum[:]
	})
	return g, nil
}

// find finds the textures of the game.
func (g *game) find(job *format.Job, dir string, settings *world.Settings) (*texture.Search, error) {
	sources := texture.ForWorld(dir, settings)
	paths := optionTextures.Values(job)
	if len(paths) == 0 && sources.Game.FS == nil {
		return nil, fmt.Errorf("no folder of game %q %s", g.id, host.Advice("on this machine: name it with --"+optionTextures.Name,
			"here: put it as game into the folder of the world, and open this folder"))
	}
	used := []string{sources.Game.Path}
	if len(paths) > 0 {
		used = nil
	}
	game := ""
	for _, path := range paths {
		if err := checkTextures(path); err != nil {
			return nil, err
		}
		kind := sources.Add(texture.FolderAt(path))
		if kind == texture.Game && game != "" {
			return nil, fmt.Errorf("--%s: %s and %s are both games: a world has one game", optionTextures.Name, game, path)
		} else if kind == texture.Game {
			game = path
		}
		used = append(used, path+", a "+kind)
	}
	search, err := sources.Search()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if !search.Uses(texture.FolderAt(path).Path) {
			return nil, fmt.Errorf("--%s: no texture in %s: %s", optionTextures.Name, path, expectedTextures)
		}
	}
	for _, what := range used {
		job.Done("used the textures of %s", what)
	}
	for _, p := range search.Problems() {
		if p.Line > 0 {
			p.Text = fmt.Sprintf("line %d: %s", p.Line, p.Text)
		}
		job.Warn(p.File, "%s", p.Text)
	}
	return search, nil
}

// undefined returns an error if there are no definitions of the nodes.
func (g *game) undefined() error {
	if g.nodes != nil || g.id == "minetest" || g.id == "minetest_game" {
		return nil
	}
	return fmt.Errorf("no definitions of the nodes of game %q: copy contrib/minetest/trowel_nodes to worldmods in the folder of "+
		"the world and start its server once, or name a file with --%s", g.id, worldjob.OptionNodes.Name)
}

// open returns the textured nodes of the game.
func (g *game) open(job *format.Job) (*textured.Game, error) {
	if err := g.undefined(); err != nil {
		return nil, err
	}
	search, err := g.search()
	if err != nil {
		return nil, err
	}
	nodes := g.nodes
	if nodes == nil {
		nodes = nodedef.MinetestGame()
	} else {
		job.Done("used the definitions of nodes in %s", g.path)
	}
	return textured.NewGame(nodes, search, g.engine), nil
}

const expectedTextures = "expected a folder of a game, of mods or of textures"

// checkTextures returns an error if the path that a user names is not that of a folder.
func checkTextures(path string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("--%s %s: no such folder: %s", optionTextures.Name, path, expectedTextures)
	case err != nil:
		return fmt.Errorf("--%s: %w", optionTextures.Name, err)
	case !st.IsDir():
		return fmt.Errorf("--%s %s: is a file, not a folder: %s", optionTextures.Name, path, expectedTextures)
	}
	return nil
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
		list = append(list, missingTexture(name, all[name]))
	}
	return list
}

func missingTexture(name string, err error) format.Missing {
	m := format.Missing{Kind: "texture", Name: words.Cut(name, 100), What: "the file is in none of the folders of textures", Adds: true}
	if texture.IsModel(name) {
		m.Kind = "model"
	}
	if !errors.Is(err, os.ErrNotExist) {
		m.What = err.Error()
	}
	return m
}
