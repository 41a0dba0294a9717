package format

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
)

// Game is a game whose files are supported. Each game has a package that declares it; a tool is given the games whose
// files it opens.
type Game struct {
	Title   string    // for people, such as "Teeworlds/DDNet"
	Formats []*Format // more specific formats before more general ones
	Hash    *Hash     // nil: the files contain names as text

	// Findings has a line for each kind of finding that only this game has: its ID, a tab, and an example of a message,
	// as tests provoke it.
	Findings string

	// Around returns the files and folders that opening, drawing or changing the file or folder at a path may read in addition to
	// its own folder: those of installed games, and those at known places near it. They need not exist. nil: none.
	Around func(path string) []string
	// Servers reports whether the data of the game file in a folder is on a server. nil: it never is.
	Servers func(dir string) bool

	Programs []*Program // programs of other projects whose command lines the tool accepts

	Codex *Codex // nil: mods of the game cannot be described for players
}

// Codex describes everything in mods for players.
type Codex struct {
	Title string // what the mods belong to
	// Open reads mods, in the order in which the game loads them: later ones win.
	Open func(ctx context.Context, job *Job, mods []string, o CodexOptions) (OpenCodex, error)
	// Owns returns an error unless a folder is a site that OpenCodex.Write made, with nothing else in it.
	Owns func(dir string) error
}

// CodexOptions are the options of a codex.
type CodexOptions struct {
	Base      string   `option:"base,input" help:"the game's own {files}: a folder or an archive"`
	Languages []string `option:"language,commas" help:"a {language} to include, such as DE"`
	Public    bool     `option:"public" help:"leave out internal names, paths and holes"`
	NoModels  bool     `option:"no-models" help:"leave out the models of items and monsters, which take most of the time and space"`
	Program   string   // identifies the program: parts of a site that another one made are made again
}

// OpenCodex is the codex of some mods.
type OpenCodex interface {
	// JSON writes the data.
	JSON(ctx context.Context, out io.Writer) error
	// Write writes a static site to an empty folder.
	Write(ctx context.Context, job *Job, dir string) error
	io.Closer
}

// Hash describes how the files of a game store names as 32-bit hashes.
type Hash struct {
	Of func(name string) uint32
	// Names returns a function that returns the known names of a hash, and a placeholder for the name if none is known.
	// Dictionary is the path of a file with additional names, one a line; "" for none.
	Names func(dictionary string) (func(uint32) (known []string, standIn string), error)
}

// Games is a list of games.
type Games []*Game

// Spellings returns the other names that texts may have for a name, because a file contains only its hash.
func (g Games) Spellings(name string) (other []string) {
	for _, game := range g {
		if game.Hash == nil {
			continue
		}
		names, err := game.Hash.Names("")
		if err != nil {
			continue // without a dictionary there is nothing to read
		}
		known, standIn := names(game.Hash.Of(name))
		if len(known) == 0 {
			known = []string{standIn}
		}
		for _, spelling := range known {
			if !strings.EqualFold(spelling, name) {
				other = append(other, spelling)
			}
		}
	}
	return other
}

var registered Games

// Register registers a game for package trowel. The package of each game calls it from init.
func Register(game *Game) {
	registered = append(registered, game)
}

// Registered returns the games whose packages are imported, sorted by title.
func Registered() Games {
	return slices.SortedFunc(slices.Values(registered), func(a, b *Game) int { return cmp.Compare(a.Title, b.Title) })
}

// Formats returns the formats of all games.
func (g Games) Formats() Set {
	var all Set
	for _, game := range g {
		all = append(all, game.Formats...)
	}
	return all
}

// Hashing returns the games whose files store names as hashes.
func (g Games) Hashing() Games {
	return slices.DeleteFunc(slices.Clone(g), func(game *Game) bool { return game.Hash == nil })
}

// Of returns the game that the format belongs to, or nil.
func (g Games) Of(f *Format) *Game {
	for _, game := range g {
		if slices.Contains(game.Formats, f) {
			return game
		}
	}
	return nil
}
