package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/format"
	"trowel.example/internal/parallel"
	"trowel.example/internal/regular"
	"trowel.example/internal/tree"
)

func (a *app) searchCommand() *cobra.Command {
	var ignoreCase, literal, asJSON, list bool
	cmd := &cobra.Command{
		Use:   "search PATTERN FILE...",
		Short: "Find text inside files",
		Long: `Search looks through the text of everything that is in game files, compiled
files too, and prints the lines that match: the file, the path inside it, the
number of the line and the line. Folders are searched for files.

PATTERN is a regular expression as RE2 knows them (https://golang.org/s/re2syntax).

With --json it prints an array of {file, path, line, text}; path is "" for a
file that is not a game file but plain text. The exit code is 0 if something was
found and 1 if not.`,
		Example: `  trowel search 'BASEFILE.*WOLF' better.mod
  trowel search -i -F '<STRING>NAME:ember' mods/
  trowel search --list sv_gametype *.map`,
		Args: args(2, -1),
	}
	cmd.Flags().BoolVarP(&ignoreCase, "ignore-case", "i", false, "take upper and lower case for the same")
	cmd.Flags().BoolVarP(&literal, "fixed", "F", false, "take PATTERN as it stands, not as an expression")
	cmd.Flags().BoolVarP(&list, "list", "l", false, "print only where something is, without the lines")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	a.optionFlags(cmd, optionsFor(format.ForTree))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.page()
		pattern := args[0]
		if literal {
			pattern = regexp.QuoteMeta(pattern)
		}
		if ignoreCase {
			pattern = "(?i)" + pattern
		}
		if _, err := regexp.Compile(pattern); err != nil {
			return hint(err, "-F takes PATTERN as it stands")
		}
		re := regexp.MustCompile("(?m)" + pattern) // ^ and $ are those of lines
		s := &search{app: a, cmd: cmd, re: re, paths: list, asJSON: asJSON, list: jsonArray{w: a.out}}
		for _, name := range expand(args[1:]) {
			s.seen = 0
			if err := a.targets(cmd.Context(), name, func(t target) error { return s.safely(cmd.Context(), t) }); err != nil {
				return err
			}
			if s.seen == 0 {
				s.complain(fmt.Errorf("%s: no files in it", name))
			}
		}
		if err := a.unfit(cmd); err != nil {
			return err
		}
		if asJSON {
			if err := s.list.end(); err != nil {
				return err
			}
		}
		switch {
		case s.failed:
			return errQuiet
		case s.found == 0:
			return errFound // nothing, as grep has it
		}
		return nil
	}
	return cmd
}

// search is one run of search.
type search struct {
	*app
	cmd    *cobra.Command
	re     *regexp.Regexp
	paths  bool
	asJSON bool

	list   jsonArray
	files  int
	seen   int // of what the user named last
	found  int
	failed bool
}

// hits is what was found in a file.
type hits struct {
	path  string
	lines []hit
	err   error
}

type hit struct {
	line int
	text string
}

// safely searches a file, and goes on with the others if the search itself fails.
func (s *search) safely(ctx context.Context, t target) (err error) {
	s.seen++
	if p := parallel.Catch(func() { err = s.target(ctx, t) }); p != nil {
		s.complain(named(defect(p), t.name))
	}
	return err
}

// target searches a game file, or a file of text.
func (s *search) target(ctx context.Context, t target) error {
	if t.err != nil {
		s.complain(t.err)
		return nil
	}
	fsys, closer, err := s.openTarget(s.cmd, t)
	if errors.Is(err, format.ErrUnknown) {
		if info, e := os.Stat(t.name); e == nil && info.Size() > maxText {
			return nil // what is as large is not taken for text
		}
		var data []byte
		if data, err = regular.ReadFile(t.name, maxText); err == nil {
			return s.print(t.name, hits{lines: s.lines(data)})
		}
	}
	if err != nil {
		s.complain(err)
		return nil
	}
	defer closer.Close()
	return parallel.Ordered(ctx,
		func(yield func(string) error) error {
			return walk(ctx, fsys, ".", func(name string, e fs.DirEntry) error {
				if e.IsDir() || name == tree.Sidecar {
					return nil
				}
				return yield(name)
			})
		},
		func(name string) hits {
			data, err := fs.ReadFile(fsys, name)
			return hits{path: name, lines: s.lines(data), err: err}
		},
		func(h hits) error { return s.print(t.name, h) })
}

// complain tells an error and goes on: the other files may be fine.
func (s *search) complain(err error) {
	s.failed = true
	s.talk.fail(err)
}

// lines returns the lines of a text that match.
func (s *search) lines(data []byte) []hit {
	text, ok := asText(data)
	if !ok || !s.re.Match(text) {
		return nil
	}
	var found []hit
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimRight(line, "\r\n"); s.re.Match(line) {
			found = append(found, hit{n, string(line)})
		}
	}
	return found
}

func (s *search) print(file string, h hits) error {
	s.files++
	s.talk.progress("searched files", s.files, 0)
	if h.err != nil {
		s.complain(named(h.err, file))
		return nil
	}
	s.found += len(h.lines)
	where := printable(file)
	if h.path != "" {
		where += ":" + printable(h.path)
	}
	if s.paths && !s.asJSON && len(h.lines) > 0 {
		_, err := fmt.Fprintln(s.out, where)
		return err
	}
	for _, l := range h.lines {
		var err error
		if s.asJSON {
			err = s.list.add(object{{"file", file}, {"path", h.path}, {"line", l.line}, {"text", l.text}})
		} else {
			_, err = fmt.Fprintf(s.out, "%s:%d: %s\n", where, l.line, strings.ReplaceAll(l.text, "\r", ""))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
