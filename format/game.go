package format

import (
	"cmp"
	"slices"
)

// Game is a game whose files are known. Each has a package of its own that declares
// it, its front door; a tool is given those that it is to open.
type Game struct {
	Title   string    // for people, such as "Teeworlds/DDNet"
	Formats []*Format // the more particular before the more general
	Hash    *Hash     // nil: its files hold names as they are

	Programs []*Program // of other people, that the tool can stand in for
}

// Hash is how the files of a game hold a name in 32 bits.
type Hash struct {
	Of func(name string) uint32
	// Names returns a function that returns the known names of a hash, and a name
	// that stands for it where none is known. The names in dictionary, a file with
	// one on each line, count too; "" is none.
	Names func(dictionary string) (func(uint32) (known []string, standIn string), error)
}

// Games is a list of games.
type Games []*Game

var registered Games

// Register makes a game known to package trowel. Each front door calls it when it is imported.
func Register(game *Game) { registered = append(registered, game) }

// Registered returns the games whose front doors are in the program, by their titles.
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

// Hashing returns the games whose files hold names as hashes.
func (g Games) Hashing() Games {
	return slices.DeleteFunc(slices.Clone(g), func(game *Game) bool { return game.Hash == nil })
}

// Of returns the game of a format, or nil.
func (g Games) Of(f *Format) *Game {
	for _, game := range g {
		if slices.Contains(game.Formats, f) {
			return game
		}
	}
	return nil
}
