package texture

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"trowel.example/internal/files/host"
	"trowel.example/minetest/world"
)

// A Folder is a folder with its path, which is used in messages.
type Folder struct {
	Path string
	FS   fs.FS
}

// FolderAt returns the folder at a path of this machine.
func FolderAt(dir string) Folder { return Folder{filepath.ToSlash(filepath.Clean(dir)), os.DirFS(dir)} }

func (f Folder) sub(name string) Folder {
	sub, err := fs.Sub(f.FS, name)
	if err != nil { // the name is invalid
		panic(err)
	}
	return Folder{path.Join(f.Path, name), sub}
}

func (f Folder) has(name string) bool { return f.FS != nil && exists(f.FS, name) }

// Sources are the folders in which the engine finds the textures of a world. All of them are optional.
type Sources struct {
	Packs    []Folder // texture packs, the one with precedence first
	Game     Folder
	World    Folder          // its worldmods are loaded
	Settings *world.Settings // world.mt: the mods of User and Share that are loaded
	User     []Folder        // folders of the user: mods, textures/server, games
	Share    []Folder        // folders of an installed engine: mods, games
	Mods     []Folder        // other mods, or folders of mods; all mods in them are loaded
}

// Game is the kind of a folder that is a game.
const Game = "game"

// Add adds a folder that the user names: a game, a mod, a folder of mods, or else a texture pack. The result is the kind in
// words.
func (s *Sources) Add(f Folder) string {
	switch {
	case f.has("game.conf") || f.has("mods"):
		s.Game = f
		return Game
	case isMod(f.FS, "."):
		s.Mods = append(s.Mods, f)
		return "mod"
	case isModpack(f.FS, "."):
		s.Mods = append(s.Mods, f)
		return "modpack"
	}
	list, _ := fs.ReadDir(f.FS, ".")
	for _, entry := range list {
		if isMod(f.FS, entry.Name()) || isModpack(f.FS, entry.Name()) {
			s.Mods = append(s.Mods, f)
			return "folder of mods"
		}
	}
	s.Packs = append(s.Packs, f)
	return "texture pack"
}

func isMod(fsys fs.FS, dir string) bool {
	return exists(fsys, path.Join(dir, "init.lua")) || exists(fsys, path.Join(dir, "mod.conf"))
}

// Search returns a Search of all sources in the order of the engine.
func (s *Sources) Search() (*Search, error) {
	found := new(Search)
	for _, f := range s.Packs {
		if err := found.addPack(f.Path, f.FS); err != nil {
			return nil, err
		}
	}
	for _, f := range s.User {
		if f = f.sub("textures/server"); f.has(".") {
			if err := found.addFolder(f.Path, f.FS); err != nil {
				return nil, err
			}
		}
	}
	if s.Game.FS != nil {
		if err := found.AddGame(s.Game.Path, s.Game.FS); err != nil {
			return nil, err
		}
	}
	mods, problems := s.mods()
	found.problems = append(found.problems, problems...)
	for _, m := range slices.Backward(mods) {
		if err := found.AddMod(m.Path, m.FS); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// mods returns the mods in the order in which the engine loads them.
func (s *Sources) mods() ([]Mod, []Problem) {
	var game, own, rest []ModFolder
	if s.Game.has("mods") {
		f := s.Game.sub("mods")
		game = append(game, ModFolder{Name: f.Path, FS: f.FS})
	}
	if s.World.has("worldmods") {
		f := s.World.sub("worldmods")
		own = append(own, ModFolder{Name: f.Path, FS: f.FS})
	}
	settings := s.Settings
	if settings == nil {
		settings = world.ParseSettings(nil, "")
	}
	for _, f := range slices.Concat(s.User, s.Share) {
		if f.has("mods") {
			f = f.sub("mods")
			rest = append(rest, ModFolder{Name: f.Path, FS: f.FS, Enabled: EnabledMods(settings)})
		}
	}
	var named []ModFolder
	for _, f := range s.Mods {
		named = append(named, ModFolder{Name: f.Path, FS: f.FS})
	}
	return OrderMods(game, own, rest, named)
}

// FindGame returns the folder of the game of a world by its gameid, in the folders of the user and of the engine, and in
// extra folders of games. It reports whether the game exists.
func (s *Sources) FindGame(id string, games ...Folder) (Folder, bool) {
	if id == "" || id == "." || id == ".." || !isMediaName(id) {
		return Folder{}, false
	}
	places := slices.Clone(games)
	for _, f := range slices.Concat(s.User, s.Share) {
		if f.has("games") {
			places = append(places, f.sub("games"))
		}
	}
	for _, f := range places {
		for _, name := range []string{id, id + "_game"} {
			if f.has(name+"/game.conf") || f.has(name+"/mods") {
				return f.sub(name), true
			}
		}
	}
	return Folder{}, false
}

// ForWorld returns the sources of the world in a folder on this machine: its game and the mods that it loads, from the world and the
// folders where engines are installed. A game in the world's folder "game" comes before all others, as in the engine. The caller
// adds texture packs.
func ForWorld(dir string, settings *world.Settings) *Sources {
	s := &Sources{World: FolderAt(dir), Settings: settings}
	s.User, s.Share = installed()
	if s.World.has("game") {
		s.Game = s.World.sub("game")
		return s
	}
	id, _ := settings.Get("gameid")
	s.Game, _ = s.FindGame(id, gameFolders()...)
	return s
}

// installed returns the existing folders of users and engines on this machine.
func installed() (user, share []Folder) {
	var users []string
	for _, name := range []string{"LUANTI_USER_PATH", "MINETEST_USER_PATH"} {
		if dir := host.Env(name); dir != "" {
			users = append(users, dir)
		}
	}
	if home := host.HomeFolder(); home != "" {
		for _, dir := range []string{".luanti", ".minetest", "Library/Application Support/luanti", "Library/Application Support/minetest",
			".var/app/org.luanti.luanti/.minetest", ".var/app/net.minetest.Minetest/.minetest"} {
			users = append(users, filepath.Join(home, filepath.FromSlash(dir)))
		}
	}
	for _, name := range []string{"Luanti", "Minetest"} {
		if dir := host.Env("APPDATA"); dir != "" {
			users = append(users, filepath.Join(dir, name))
		}
	}
	return existing(users), existing(host.Folders("/usr/local/share/luanti", "/usr/local/share/minetest", "/usr/share/luanti",
		"/usr/share/minetest", "/usr/share/games/luanti", "/usr/share/games/minetest"))
}

// gameFolders returns the folders of games that variables name.
func gameFolders() []Folder {
	var dirs []string
	for _, name := range []string{"LUANTI_GAME_PATH", "MINETEST_GAME_PATH"} {
		dirs = append(dirs, filepath.SplitList(host.Env(name))...)
	}
	return existing(dirs)
}

func existing(dirs []string) (list []Folder) {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			list = append(list, FolderAt(dir))
		}
	}
	return list
}

// Installed returns the existing folders of users, engines and games on this machine.
func Installed() (dirs []string) {
	users, share := installed()
	for _, f := range slices.Concat(users, share, gameFolders()) {
		dirs = append(dirs, filepath.FromSlash(f.Path))
	}
	return dirs
}
