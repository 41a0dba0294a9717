package format

import (
	"cmp"
	"fmt"
	"slices"
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

var registered Games

// Register registers a game for package trowel. The package of each game calls it from init. It panics if a command
// reads an option that it does not declare, or declares one that it does not read.
func Register(game *Game) {
	if err := game.checkCommands(); err != nil {
		panic(err)
	}
	registered = append(registered, game)
}

func (g *Game) checkCommands() error {
	for _, f := range g.Formats {
		var commands []*Command
		if f.Editing != nil {
			commands = append(commands, f.Editing.Commands...)
		}
		if f.Finder != nil {
			commands = append(commands, f.Finder.Commands...)
		}
		for _, c := range commands {
			if err := checkFields(c.Fields, slices.Concat(c.Args, c.Options)); err != nil {
				return fmt.Errorf("%s: %s: %w", f.Name, c.Name, err)
			}
		}
	}
	return nil
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
