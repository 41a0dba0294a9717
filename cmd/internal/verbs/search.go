package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/pattern"
	"trowel.example/internal/text/words"
)

func searchCommand(a *Tool) *cobra.Command {
	s := &search{Tool: a, list: terminal.Array{W: a.out}}
	cmd := &cobra.Command{
		Use:   "search PATTERN FILE...",
		Short: "Find text inside files",
		Long: `Search searches the text of all contents of game files, including compiled files, and prints the
matching lines: the file, the path inside it, the line number and the line. It searches folders for
files. Only contents that may match are decoded: the tiles of a map for digits, signs and the letters
of flags, a block of a world if PATTERN matches its node names or its node data.

PATTERN is a regular expression in RE2 syntax (https://golang.org/s/re2syntax). If it is the name of a
key, such as LEVEL_REQUIRE, keys of compiled files with its hash match as well.

With --json it prints an array of {file, path, line, text}; path is "" for a
file that is not a game file but plain text. The exit code is 0 if something was
found and 1 if not.`,
		Example: `  trowel search 'BASEFILE.*WOLF' better.mod
  trowel search -i -F '<STRING>NAME:ember' mods/
  trowel search --list sv_gametype *.map`,
		Args: args(2, -1),
	}
	OptionFlags(a, cmd, optionsFor(format.ForTree), s)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		startPager(a)
		var err error
		if s.pattern, err = treediff.Pattern(args[0], s.Fixed, s.IgnoreCase, a.Games); err != nil {
			return wording.Hint(err, "-F treats PATTERN as plain text")
		}
		if err := s.run(cmd.Context(), Expand(args[1:])); err != nil {
			return err
		}
		if err := a.Unfit(); err != nil {
			return err
		}
		if s.AsJSON {
			if err := s.list.End(); err != nil {
				return err
			}
		}
		switch {
		case s.failed:
			return errQuiet
		case s.found == 0:
			return errFound // no hits: the same exit code as grep
		}
		return nil
	}
	return needs(cmd, needPager)
}

// search is one run of search.
type search struct {
	*Tool
	jsonOption
	IgnoreCase bool `option:"ignore-case,i" help:"ignore case"`
	Fixed      bool `option:"fixed,F" help:"treat PATTERN as plain text, not as an expression"`
	List       bool `option:"list,l" help:"print only the places, without the lines"`

	pattern *pattern.Pattern
	list    terminal.Array
	files   int
	found   int
	failed  bool
}

// hits are the hits in a file.
type hits struct {
	path  string
	lines []pattern.Hit
	err   error
}

// searched is the result for a target.
type searched struct {
	service.Target
	hits  []hits // files with hits, in order
	files int    // number of files searched
	err   error  // why the search failed or ended early
	many  bool   // too many matches: the target must be searched again
}

// maxKept is the maximum number of lines that are kept for a target while the targets before it are printed.
const maxKept = 10_000

var errMany = errors.New("too many matches")

// run searches all files that the names refer to, several at a time.
func (s *search) run(ctx context.Context, names []string) error {
	seen := make(map[string]bool)
	err := parallel.Ordered(ctx,
		func(yield func(service.Target) error) error {
			for _, name := range names {
				if err := s.Targets(ctx, name, yield); err != nil {
					return err
				}
			}
			return nil
		},
		func(t service.Target) searched { return s.collect(ctx, t) },
		func(r searched) error {
			seen[r.From] = true
			if r.many {
				return s.reportError(ctx, r.Target, s.safely(ctx, r.Target, func(h hits) error { return s.print(r.Name, h) }))
			}
			s.files += r.files - len(r.hits) // print counts the others
			for _, h := range r.hits {
				if err := s.print(r.Name, h); err != nil {
					return err
				}
			}
			return s.reportError(ctx, r.Target, r.err)
		})
	for _, name := range names {
		if err == nil && !seen[name] {
			s.complain(noFiles(name, "files"))
		}
	}
	return err
}

// reportError prints the error of a target, if there is one. The run continues.
func (s *search) reportError(ctx context.Context, t service.Target, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var p printing
	if errors.As(err, &p) {
		return p.error
	}
	s.complain(err)
	return nil
}

// printing is an error of the function that prints hits.
type printing struct{ error }

func (p printing) Unwrap() error { return p.error }

// collect searches a target and keeps the hits.
func (s *search) collect(ctx context.Context, t service.Target) searched {
	r := searched{Target: t}
	lines := 0
	r.err = s.safely(ctx, t, func(h hits) error {
		r.files++
		if lines += len(h.lines); lines > maxKept {
			return errMany
		}
		if h.err != nil || len(h.lines) > 0 {
			r.hits = append(r.hits, h)
		}
		return nil
	})
	if errors.Is(r.err, errMany) {
		return searched{Target: t, many: true}
	}
	return r
}

// safely searches a target and converts a panic into an error.
func (s *search) safely(ctx context.Context, t service.Target, found func(hits) error) (err error) {
	if p := parallel.Catch(func() { err = s.target(ctx, t, found) }); p != nil {
		return wording.Named(service.Defect(p), t.Name)
	}
	return err
}

// target searches a game file or a text file and calls found for each file in it. An error of found is a
// printing error.
func (s *search) target(ctx context.Context, t service.Target, found func(hits) error) error {
	if t.Err != nil {
		return t.Err
	}
	give := func(h hits) error {
		if err := found(h); err != nil {
			return printing{err}
		}
		return nil
	}
	fsys, closer, err := s.TreeOf(ctx, t)
	if errors.Is(err, format.ErrUnknown) {
		if info, e := os.Stat(t.Name); e == nil && info.Size() > treediff.MaxText {
			return nil // a file of this size is not treated as text
		}
		var data []byte
		if data, err = regular.ReadFile(t.Name, effort.SideFile); err == nil {
			return give(hits{lines: treediff.MatchingLines(s.pattern, data)})
		}
	}
	if err != nil {
		return err
	}
	defer closer.Close()
	return parallel.Ordered(ctx,
		func(yield func(treediff.File) error) error { return treediff.EachFile(ctx, fsys, yield) },
		func(f treediff.File) hits {
			lines, err := f.Search(s.pattern)
			return hits{path: f.Name, lines: lines, err: err}
		},
		give)
}

// complain prints an error. The run continues with the other files.
func (s *search) complain(err error) {
	s.failed = true
	s.talk.Fail(err)
}

func (s *search) print(file string, h hits) error {
	s.files++
	s.talk.Progress("searched files", s.files, 0)
	if h.err != nil {
		s.complain(wording.Named(h.err, file))
		return nil
	}
	s.found += len(h.lines)
	where := words.Printable(file)
	if h.path != "" {
		where += ":" + words.Printable(h.path)
	}
	if s.List && !s.AsJSON && len(h.lines) > 0 {
		_, err := fmt.Fprintln(s.out, where)
		return err
	}
	for _, l := range h.lines {
		var err error
		if s.AsJSON {
			err = s.list.Add(terminal.Object{{"file", file}, {"path", h.path}, {"line", l.Line}, {"text", l.Text}})
		} else {
			_, err = fmt.Fprintf(s.out, "%s:%d: %s\n", where, l.Line, strings.ReplaceAll(l.Text, "\r", ""))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
