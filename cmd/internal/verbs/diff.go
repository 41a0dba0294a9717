package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"trowel.example/check"
	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/terminal"
	"trowel.example/cmd/internal/treediff"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
	"trowel.example/internal/stores/server"
	"trowel.example/internal/text/words"
)

func diffCommand(a *Tool) *cobra.Command {
	c := &comparison{Tool: a, trees: treediff.Trees{Label: words.Printable}}
	cmd := &cobra.Command{
		Use:   "diff A [B]",
		Short: "Show how two files differ",
		Long: `Diff compares two game files, or folders in tree form.
` + commitsHelp + `

For two maps it lists the groups, layers, images and other parts that were added, removed, moved or
renamed, and the changes within parts that both maps have, even if they have moved:

  groups/Tree: moved 4 -> 5
  groups/Tree/Leaves: 12 x 3 tiles at 40,7: 1 -> 9
  groups/Game/Game: height 716 -> 667: 49 rows removed at the bottom

Parts are named as in the folder made by "trowel extract A". If very many tiles changed, only the
largest areas are shown; --json has all: an array of {path, part, change, field, old, new, by, area,
at}.

With --physics, two maps are compared only by what affects gameplay: the tiles of the physics layers
that have an effect, the size of the map, and the settings. All else is design. With --json that is
an array of {path, what, count, unit, at}, with all places of tiles.

For two worlds it lists added and removed blocks, which nodes of the others became which, and
changes in node data, players, accounts, mod storage and settings:

  blocks/z-3/y0/12,0,-3.txt: 3 nodes (default:dirt -> air 3); 1 node keeps something else
  players/ann.json: hp 20 -> 11

With --json that is an array of {part, path, change, block, nodes, kinds, boxes, metadata,
timers, objects, light, unread, fields}: kinds are {old, new, count}, boxes {min, max} contain
these nodes, fields are {name, old, new}. Passwords are never shown.

For a repository of backups and a world, or two snapshots of a repository, it lists the places where
something was destroyed, built or taken, the largest first, each with the command that puts it back:

  -12,3,40:9,17,61 (22 x 15 x 22): removed 912 default:wood, 88 default:glass; by bob (1,000, ...)

See docs/backup.md. With --json that is an array of {box, blocks, nodes, removed, placed, metadata,
timers, objects, gone, unread, by, putBack}, followed by the changes outside of blocks.

For two manifests, or a manifest and a world, it lists added, removed and changed blocks.

For two files of different formats it prints one line, or with --json one
{path, change, old, new}, where change is format, and old and new are the names of the formats.

For all other formats, for folders of extracted worlds, and with --files, --stat or --sidecar, the
trees are compared file by file: a file is only in A (-), only in B (+), or differs (~); changed
lines of text follow. With --json that is an array of {path, change, oldSize, newSize, diff}: change
is added, removed or changed, and the other keys are present if they apply.

The exit code is 0 if the files are the same, and 1 if they differ or a part cannot be read: that is
reported, and the rest is compared.`,
		Example: `  trowel diff climb.map climb2.map
  trowel diff --stat climb.map climb/
  trowel diff --physics climb.map climb2.map
  trowel diff main:maps/climb.map maps/climb.map
  trowel diff backups/world world --moment 2d --min-nodes 20
  trowel diff backups/world --moment 2026-11-20 --to 2026-11-21`,
		Args: args(1, 2),
	}
	colorFlag(a, cmd)
	OptionFlags(a, cmd, optionsFor(format.ForTree|format.ForCompare), c)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		startPager(a)
		c.trees.Sidecar, c.Files = c.Sidecar, c.Files || c.Stat || c.Sidecar
		if c.single = len(args) == 1; c.single {
			args = append(args, args[0])
		}
		if c.Physics && c.Files {
			return errors.New("--physics cannot be combined with --files, --stat or --sidecar")
		}
		files, _, remove, err := a.checkOut(cmd.Context(), args)
		if err != nil {
			return err
		}
		defer remove()
		differ, err := c.run(cmd.Context(), files[0], files[1])
		if err != nil {
			return err
		}
		if !differ {
			return nil
		}
		_ = a.out.Flush()
		if c.Physics {
			a.talk.Say("the game changes: %s", wording.Count(c.parts, "change"))
		} else if c.parts > 0 {
			a.talk.Say("%s", wording.Count(c.parts, "change"))
		} else {
			a.talk.Say("%s changed, %d added, %d removed", wording.Count(c.counts[treediff.Changed], "file"),
				c.counts[treediff.Added], c.counts[treediff.Removed])
		}
		return errFound
	}
	return needs(cmd, needPager, needCommits)
}

var marks = map[treediff.Change]string{treediff.Added: "+", treediff.Removed: "-", treediff.Changed: "~"}

// comparison is one run of diff.
type comparison struct {
	*Tool
	jsonOption
	Physics bool `option:"physics" help:"compare only what affects gameplay, in maps"`
	Files   bool `option:"files" help:"compare the files of the trees"`
	Stat    bool `option:"stat" help:"show only which files differ, not how"`
	Sidecar bool `option:"sidecar" help:"compare .trowel.json, which only matters for byte-identical files"`

	trees  treediff.Trees
	counts map[treediff.Change]int
	parts  int  // number of changes that the format found
	single bool // compare two states of one repository

	nameA, nameB string
}

func (c *comparison) run(ctx context.Context, nameA, nameB string) (bool, error) {
	list := terminal.Array{W: c.out}
	c.nameA, c.nameB = nameA, nameB
	c.counts = make(map[treediff.Change]int)
	same := false
	var err error
	if len(c.Options.Given) == 0 && !c.single { // given options must be checked against the formats of the files
		if same, err = c.sameBytes(ctx, nameA, nameB); err != nil {
			return false, err
		}
	}
	if !same {
		sides, err := c.open(ctx)
		if err != nil {
			return false, err
		}
		defer func() {
			for _, s := range sides {
				s.Close()
			}
		}()
		if c.Physics {
			return c.byPhysics(ctx, sides, &list)
		}
		if f := comparing(sides[0].format, sides[1].format); f != nil && !c.Files {
			differ, err := c.byParts(ctx, f, sides, &list)
			if !errors.Is(err, format.ErrByTrees) {
				return differ, err
			}
		}
		// Formats that can only be compared as trees may differ, such as a mod and an archive.
		if a, b := sides[0].format, sides[1].format; a != nil && b != nil && a != b &&
			(a.Compare != nil || b.Compare != nil) && comparing(a, b) == nil && !c.Files {
			c.parts++
			if c.AsJSON {
				if err := list.Add(terminal.Object{{"path", ""}, {"change", "format"}, {"old", a.Name}, {"new", b.Name}}); err != nil {
					return false, err
				}
				return true, list.End()
			}
			fmt.Fprintf(c.out, "%s is a %s and %s is a %s: compare their files with --files\n", words.Printable(c.talk.Plain(nameA)), a.Title,
				words.Printable(c.talk.Plain(nameB)), b.Title)
			return true, nil
		}
		if err := c.openTrees(ctx, &sides); err != nil {
			return false, err
		}
		err = c.trees.Compare(ctx, func(d treediff.Difference) error {
			d.Err = c.namedSide(d.Err)
			if d.Err != nil && (ctx.Err() != nil || server.Failed(d.Err)) {
				return d.Err
			}
			if d.Err != nil { // the other files are still compared
				c.talk.Miss("", d.Err.Error())
				return nil
			}
			if d.Same {
				return nil
			}
			c.counts[d.Change]++
			if c.AsJSON {
				return list.Add(differenceObject(d))
			}
			return c.print(d)
		})
		if err != nil {
			return false, c.namedSide(err)
		}
	}
	if c.AsJSON {
		err = list.End()
	}
	return len(c.counts) > 0, err
}

// comparing returns the format that can compare the two files part by part, or nil.
func comparing(a, b *format.Format) *format.Format {
	switch {
	case a == nil || b == nil:
		return nil
	case a == b && a.Compare != nil, a.CompareTo == b.Name:
		return a
	case b.CompareTo == a.Name:
		return b
	}
	return nil
}

// side is one of the two files.
type side struct {
	format.Side
	io.Closer
	format *format.Format // nil for a folder that is not the tree form of a file
}

// open opens both files and detects their formats.
func (c *comparison) open(ctx context.Context) (sides [2]side, err error) {
	for i, name := range []string{c.nameA, c.nameB} {
		if sides[i], err = c.openSide(ctx, service.Target{Name: name, Found: true}); err != nil {
			if i > 0 {
				sides[0].Close()
			}
			return sides, err
		}
	}
	if err = c.Unfit(); err == nil && c.single && (sides[0].format == nil || !sides[0].format.IsRepository()) {
		err = fmt.Errorf("diff needs two files: %s is not a repository of backups, which has several states", c.nameA)
	}
	if err != nil {
		sides[0].Close()
		sides[1].Close()
	}
	return sides, err
}

func (c *comparison) openSide(ctx context.Context, t service.Target) (side, error) {
	src, err := c.Source(ctx, t.Name)
	if err != nil {
		return side{}, err
	}
	f, err := c.FormatOf(src, t)
	switch {
	case err == nil:
		if err := c.Fits(f, t); err != nil {
			src.Close()
			return side{}, err
		}
		return side{format.Side{Source: src}, src, f}, nil
	case !src.IsDir():
		src.Close()
		return side{}, err
	}
	src.Close()
	fsys, closer, err := c.FolderTree(ctx, t)
	if err != nil {
		return side{}, err
	}
	f, _ = c.Formats.FindTree(fsys)
	return side{format.Side{Tree: fsys, Folder: t.Name}, closer, f}, nil
}

// byParts compares two files with the comparison of their format.
func (c *comparison) byParts(ctx context.Context, f *format.Format, sides [2]side, list *terminal.Array) (bool, error) {
	lines, err := f.Compare(ctx, c.Job(f), sides[0].Side, sides[1].Side, func(change any) error {
		c.parts++
		if c.AsJSON {
			return list.Add(change)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if c.AsJSON {
		return c.parts > 0, list.End()
	}
	for i, line := range lines {
		lines[i] = words.Printable(line)
	}
	for i := range lines {
		if _, err := fmt.Fprintln(c.out, c.painted(lines, i)); err != nil {
			return false, err
		}
	}
	return c.parts > 0, nil
}

// painted returns line i of a comparison for the screen. In colors, the path of a part stands once above its changes.
func (c *comparison) painted(lines []string, i int) string {
	line := lines[i]
	path, text, ok := strings.Cut(line, ": ")
	if !ok || !c.screen.Colored() || strings.HasPrefix(line, " ") {
		return line
	}
	isSame := func(k int) bool {
		return k >= 0 && k < len(lines) && strings.HasPrefix(lines[k], path+": ")
	}
	head, text := c.screen.Paint(terminal.ColorHead, path), c.screen.Change(text)
	switch {
	case isSame(i - 1):
		return "  " + text
	case isSame(i + 1):
		return head + ":\n  " + text
	}
	return head + ": " + text
}

// byPhysics compares what affects gameplay.
func (c *comparison) byPhysics(ctx context.Context, sides [2]side, list *terminal.Array) (bool, error) {
	for i, name := range []string{c.nameA, c.nameB} {
		switch f := sides[i].format; {
		case f == nil:
			return false, fmt.Errorf("%s: not a game file", name)
		case f.Decides == nil:
			return false, fmt.Errorf("%s: a %s has no physics to compare", name, f.Title)
		}
	}
	err := sides[0].format.Decides(ctx, c.Job(sides[0].format), sides[0].Side, sides[1].Side, func(change check.Change) error {
		c.parts++
		if c.AsJSON {
			return list.Add(change)
		}
		_, err := fmt.Fprintln(c.out, words.Printable(change.String()))
		return err
	})
	if err == nil && c.AsJSON {
		err = list.End()
	}
	return c.parts > 0, err
}

// openTrees opens the trees of both sides. Files in B get the names they have in A, or the other way round if
// only B is a folder, as far as the format supports this.
func (c *comparison) openTrees(ctx context.Context, sides *[2]side) error {
	like := map[string]string{}
	for i, to := range []*fs.FS{&c.trees.Old, &c.trees.New} {
		s := sides[i]
		if *to = s.Tree; s.Tree != nil {
			continue
		}
		name := []string{c.nameA, c.nameB}[i]
		switch other := []string{c.nameB, c.nameA}[i]; {
		case other == "-" || sides[0].format != sides[1].format:
		case i == 1 || sides[1].Tree != nil: // names in a folder are unchanged
			like["like"] = other
		}
		fsys, closer, err := c.TreeOfSource(ctx, service.Target{Name: name}, s.Source, like)
		if err != nil {
			return err
		}
		sides[i].Closer, *to = closer, fsys
	}
	return nil
}

// sameBytes reports whether both names refer to byte-identical files. The formats of such files need not be
// detected.
func (c *comparison) sameBytes(ctx context.Context, nameA, nameB string) (bool, error) {
	if nameA == "-" || nameB == "-" {
		if nameA == nameB {
			return false, errors.New("only one of two files can be standard input")
		}
		return false, nil
	}
	a, err := c.Source(ctx, nameA)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := c.Source(ctx, nameB)
	if err != nil {
		return false, err
	}
	defer b.Close()
	return treediff.SameBytes(a, b)
}

// namedSide adds the file name to an error from one of the trees.
func (c *comparison) namedSide(err error) error {
	var of *treediff.Error
	switch {
	case !errors.As(err, &of):
		return err
	case of.New:
		return wording.Named(of.Err, c.nameB)
	}
	return wording.Named(of.Err, c.nameA)
}

func (c *comparison) print(d treediff.Difference) error {
	color := ""
	switch {
	case d.Change == treediff.Added:
		color = terminal.ColorAdded
	case d.Change == treediff.Removed:
		color = terminal.ColorRemoved
	case d.Text != "" && !c.Stat:
		return c.printText(d.Text)
	}
	_, err := fmt.Fprintln(c.out, c.screen.Paint(color, words.Printable(headline(d))))
	return err
}

// headline describes a difference of a file in one line.
func headline(d treediff.Difference) string {
	head := marks[d.Change] + " " + d.Path
	switch {
	case d.Change != treediff.Changed:
	case d.Text == "":
		head += fmt.Sprintf("  (binary, %s to %s bytes)", words.Thousands(d.OldSize), words.Thousands(d.NewSize))
	default:
		head += fmt.Sprintf("  (+%d -%d lines)", d.Plus, d.Minus)
	}
	return head
}

// printText prints a unified diff in the usual colors.
func (c *comparison) printText(text string) error {
	if !c.screen.Colored() {
		_, err := io.WriteString(c.out, text)
		return err
	}
	head := true // the lines with file names precede the first hunk
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		color := ""
		switch {
		case strings.HasPrefix(line, "@@"):
			color, head = terminal.ColorPlace, false
		case head:
			color = terminal.ColorHead
		case strings.HasPrefix(line, "+"):
			color = terminal.ColorAdded
		case strings.HasPrefix(line, "-"):
			color = terminal.ColorRemoved
		}
		line = c.screen.Paint(color, line)
		if end {
			line += "\n"
		}
		if _, err := io.WriteString(c.out, line); err != nil {
			return err
		}
	}
	return nil
}

func differenceObject(d treediff.Difference) terminal.Object {
	o := terminal.Object{{"path", d.Path}, {"change", d.Change}}
	if d.Change == treediff.Changed {
		o = append(o, terminal.Member{"oldSize", d.OldSize}, terminal.Member{"newSize", d.NewSize})
	}
	if d.Text != "" {
		o = append(o, terminal.Member{"diff", d.Text})
	}
	return o
}
