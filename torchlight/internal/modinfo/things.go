package modinfo

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/torchlight/internal/codex"
	"trowel.example/torchlight/internal/imageset"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// chains finds the base files of files.
type chains struct {
	e       *modedit.Editor
	bases   map[string]*text.Node
	missing []string // base files that are unavailable
}

// of returns a file with its base files.
func (c *chains) of(file string) (inherit.Chain, error) {
	root, err := c.e.Tree(file)
	if err != nil {
		return inherit.Chain{}, err
	}
	chain := inherit.Follow(file, root, func(base string) (*text.Node, error) {
		n, known := c.bases[base]
		if known {
			return n, nil
		}
		n, err := c.e.Tree(base)
		if errors.Is(err, fs.ErrNotExist) && c.e.Base != nil {
			n, err = c.e.Base.Tree(base)
		}
		if err == nil {
			c.bases[base] = n
		}
		return n, err
	})
	if chain.Err != nil && !errors.Is(chain.Err, inherit.ErrLoop) && !slices.Contains(c.missing, chain.Missing) {
		c.missing = append(c.missing, chain.Missing)
	}
	return chain, nil
}

// Thing is a skill, an item or another thing that is defined in one data file, with the values of its base files.
type Thing struct {
	File string // path in the game
	inherit.Chain
}

// Node returns a node with the effective values of all keys.
func (t Thing) Node() *text.Node {
	n := new(text.Node)
	for _, v := range t.Values() {
		if v.Key == inherit.Affixes { // the last ones
			v, _ = t.Find(v.Key)
			n.Items = append(n.Items, v.Property)
			break
		}
		n.Items = append(n.Items, v.Property)
	}
	return n
}

// Things calls yield with each thing of a table. Missing are the base files that are unavailable: the things lack their
// values.
func Things(ctx context.Context, e *modedit.Editor, t modedit.Table, yield func(Thing) error) (missing []string, err error) {
	c := &chains{e: e, bases: make(map[string]*text.Node)}
	for _, file := range e.Paths() {
		if err := ctx.Err(); err != nil {
			return c.missing, err
		}
		if !t.Has(file) {
			continue
		}
		chain, err := c.of(file)
		if err != nil {
			e.Miss(file, fmt.Sprintf("cannot be read: %v", err))
			continue
		}
		if err := yield(Thing{file, chain}); err != nil {
			return c.missing, err
		}
	}
	return c.missing, nil
}

// sources are the files of a mod that is edited, as sources.
type sources struct{ *modedit.Editor }

func (s sources) Files() iter.Seq[string] { return slices.Values(s.Paths()) }

// Graphs returns the graphs of the game's own files and of the mod.
func Graphs(e *modedit.Editor) codex.Graphs {
	list := []moddir.Sources{sources{e}}
	if e.Base != nil {
		list = []moddir.Sources{e.Base, sources{e}}
	}
	return codex.ReadGraphs(list, func(file string, err error) { e.Miss(file, fmt.Sprintf("cannot be read: %v", err)) })
}

// ThingIn returns the thing that a data file defines.
func ThingIn(e *modedit.Editor, file string) (Thing, error) {
	c := &chains{e: e, bases: make(map[string]*text.Node)}
	chain, err := c.of(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = &fault.NameError{Kind: "file", Name: file, Names: e.Paths()}
	}
	return Thing{file, chain}, err
}

// Icon is a part of a picture of the mod.
type Icon struct {
	File string // path of the picture in the game
	Rect image.Rectangle
}

// Icons are the sprites of the image sets of a mod and of the game's files.
type Icons struct {
	byName map[string]Icon // by names in upper case
	base   moddir.Files    // the game's files, until they are read; nil if they are unavailable
}

// NewIcons reads the image sets of a mod. Those of the game's files are read when an icon is not in the mod.
func NewIcons(ctx context.Context, e *modedit.Editor) (*Icons, error) {
	icons := &Icons{byName: make(map[string]Icon), base: e.Base}
	err := modedit.LookAtFiles(ctx, e, "**", isImageSet, func(file string, content []byte) []*imageset.Set {
		set, err := imageset.Parse(content)
		if err != nil {
			e.Miss(file, fmt.Sprintf("not all sprites can be read: %v", err))
		}
		return []*imageset.Set{set}
	}, func(set *imageset.Set) error {
		icons.add(set)
		return nil
	})
	return icons, err
}

func isImageSet(path string) bool { return strings.HasSuffix(strings.ToUpper(path), ".IMAGESET") }

// add adds the sprites of a set, which may be nil. If several sprites have a name, the first one counts.
func (c *Icons) add(set *imageset.Set) {
	if set == nil {
		return
	}
	for _, s := range set.Sprites {
		name := strings.ToUpper(s.Name)
		if _, known := c.byName[name]; !known {
			c.byName[name] = Icon{gamePath(set.File), s.Rect}
		}
	}
}

// Find returns the sprite with a name, in any case.
func (c *Icons) Find(name string) (Icon, bool) {
	name = strings.ToUpper(strings.TrimSpace(name))
	icon, known := c.byName[name]
	if known || name == "" || c.base == nil {
		return icon, known
	}
	for _, file := range slices.Sorted(c.base.Files()) {
		if !isImageSet(file) {
			continue
		}
		if data, err := c.base.Content(file); err == nil { // the game's own files are not reported
			set, _ := imageset.Parse(data)
			c.add(set)
		}
	}
	c.base = nil
	icon, known = c.byName[name]
	return icon, known
}
