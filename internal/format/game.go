package format

import (
	"cmp"
	"slices"
)

// Game is a game whose files are supported. Each game has a package that declares it; a tool is given the games whose
// files it opens.
type Game struct {
	Title   string    // for people, such as "Teeworlds/DDNet"
	Formats []*Format // more specific formats before more general ones
	Hash    *Hash     // nil: the files contain names as text

	Programs []*Program // programs of other projects whose command lines the tool accepts
}

// Hash describes how the files of a game store names as 32-bit hashes.
type Hash struct {
	Of func(name string) uint32
	// Names returns a function that returns the known names of a hash, and a stand-in for the name if none is known.
	// Dictionary is the path of a file with additional names, one a line; "" for none.
	Names func(dictionary string) (func(uint32) (known []string, standIn string), error)
}

// Games is a list of games.
type Games []*Game

var registered Games

// Register registers a game for package trowel. The package of each game calls it from init.
func Register(game *Game) { registered = append(registered, game) }

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
