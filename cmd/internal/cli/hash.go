package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/format"
)

// hashCommand makes the verb for the names that a game hashes.
func (a *app) hashCommand(game *format.Game) *cobra.Command {
	var find, asJSON bool
	var dictionary string
	cmd := &cobra.Command{
		Use:   "hash NAME... | hash --find NUMBER...",
		Short: "Tell the hash of a name, or the names of a hash",
		Long: `Hash prints the number by which compiled files of ` + game.Title + ` know a name: the
number in decimal and in hexadecimal, and the name. Upper and lower case are the
same.

With --find it goes the other way and prints the known names of a number, given
in decimal or, with 0x, in hexadecimal; --names adds names that you know, one on
each line of a file. For a number without a known name it prints one that
compiles to it all the same. The exit code is 1 if there was such a number.

With --json it prints an array of {hash, name, known}.`,
		Example: `  trowel hash DISPLAYNAME
  trowel hash --find 2200927350 0x0E0F7C84
  trowel hash --find 2770992901 --names mynames.txt`,
		Args: args(1, -1),
	}
	cmd.Flags().BoolVar(&find, "find", false, "find the names of numbers")
	cmd.Flags().StringVar(&dictionary, "names", "", "a `file` with more names, one on each line")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dictionary != "" && !find {
			return errors.New("--names is of use only with --find")
		}
		list := jsonArray{w: a.out}
		print := func(h uint32, name string, known bool) error {
			if asJSON {
				return list.add(object{{"hash", h}, {"name", name}, {"known", known}})
			}
			note := ""
			if !known {
				note = "  (no known name; this one has the same hash)"
			}
			_, err := fmt.Fprintf(a.out, "%-10d  0x%08x  %s%s\n", h, h, printable(name), note)
			return err
		}
		unknown := false
		if !find {
			for _, name := range args {
				if err := print(game.Hash.Of(name), name, true); err != nil {
					return err
				}
			}
		} else {
			names, err := game.Hash.Names(dictionary)
			if err != nil {
				return err
			}
			for _, arg := range args {
				h, err := parseHash(arg)
				if err != nil {
					return err
				}
				found, stand := names(h)
				for _, name := range found {
					if err := print(h, name, true); err != nil {
						return err
					}
				}
				if len(found) == 0 {
					unknown = true
					if err := print(h, stand, false); err != nil {
						return err
					}
				}
			}
		}
		if asJSON {
			if err := list.end(); err != nil {
				return err
			}
		}
		if unknown {
			return errFound
		}
		return nil
	}
	return cmd
}

// parseHash reads a number of 32 bits, signed or not.
func parseHash(s string) (uint32, error) {
	if n, err := strconv.ParseInt(s, 0, 32); err == nil {
		return uint32(n), nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%q: not a number of 32 bits", s)
	}
	return uint32(n), nil
}
