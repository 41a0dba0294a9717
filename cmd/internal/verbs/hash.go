package verbs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/internal/format"
	"trowel.example/internal/text/words"
)

// hashCommand returns the verb that prints the hashes of names as games compute them.
func hashCommand(a *Tool, games format.Games) *cobra.Command {
	h := &hashing{Tool: a, several: len(games) > 1, list: terminal.Array{W: a.out}}
	var titles []string
	for _, game := range games {
		titles = append(titles, game.Title)
	}
	cmd := &cobra.Command{
		Use:   "hash NAME... | hash --find NUMBER...",
		Short: "Print the hash of a name, or the names of a hash",
		Long: `Hash prints the number by which compiled files of ` + strings.Join(titles, " and ") + ` know a name: the
number in decimal and in hexadecimal, and the name. Upper and lower case are the
same.

With --find it goes the other way and prints the known names of a number, given
in decimal or, with 0x, in hexadecimal; --names adds names that you know, one on
each line of a file. For a number without a known name it prints a made-up
name that has this hash. The exit code is 1 if a number has no known name.

With --json it prints an array of {game, hash, name, known}.`,
		Example: `  trowel hash DISPLAYNAME
  trowel hash --find 2200927350 0x0E0F7C84
  trowel hash --find 2770992901 --names mynames.txt`,
		Args: args(1, -1),
	}
	Bind(a, cmd, h)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if h.Dictionary != "" && !h.Find {
			return errors.New("--names requires --find")
		}
		for _, game := range games {
			err := error(nil)
			if h.Find {
				err = h.find(game, args)
			} else {
				err = h.hash(game, args)
			}
			if err != nil {
				return err
			}
		}
		if h.AsJSON {
			if err := h.list.End(); err != nil {
				return err
			}
		}
		if h.unknown {
			return errFound
		}
		return nil
	}
	return cmd
}

// hashing is one run of the verb.
type hashing struct {
	*Tool
	jsonOption
	Find       bool   `option:"find" help:"find the names for numbers"`
	Dictionary string `option:"names,input" help:"a {file} with more names, one on each line"`

	several bool // several games hash names, in different ways
	list    terminal.Array
	unknown bool // there was a number without a known name
}

func (h *hashing) hash(game *format.Game, names []string) error {
	for _, name := range names {
		if service.IsFile(name) {
			h.talk.Say("%s is also a file: this is the hash of the name, and `trowel info` prints those of the file", name)
		}
		if err := h.print(game, game.Hash.Of(name), name, true); err != nil {
			return err
		}
	}
	return nil
}

func (h *hashing) find(game *format.Game, numbers []string) error {
	names, err := game.Hash.Names(h.Dictionary)
	if err != nil {
		return err
	}
	for _, arg := range numbers {
		number, err := parseHash(arg)
		if err != nil {
			return err
		}
		found, standIn := names(number)
		if len(found) == 0 {
			h.unknown = true
			if err := h.print(game, number, standIn, false); err != nil {
				return err
			}
		}
		for _, name := range found {
			if err := h.print(game, number, name, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *hashing) print(game *format.Game, number uint32, name string, known bool) error {
	if h.AsJSON {
		return h.list.Add(terminal.Object{{"game", game.Title}, {"hash", number}, {"name", name}, {"known", known}})
	}
	note := ""
	if !known {
		note = "  (no known name; this one has the same hash)"
	}
	if h.several {
		note = "  " + game.Title + note
	}
	_, err := fmt.Fprintf(h.out, "%-10d  0x%08x  %s%s\n", number, number, words.Printable(name), note)
	return err
}

// parseHash parses a 32-bit number, signed or unsigned.
func parseHash(s string) (uint32, error) {
	if n, err := strconv.ParseInt(s, 0, 32); err == nil {
		return uint32(n), nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%q: not a 32-bit number", s)
	}
	return uint32(n), nil
}
