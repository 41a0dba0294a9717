// Package modmerge merges mods of Torchlight II.
//
// [Merge] merges two mods, or archives, with a common base. It matches files by their paths; nodes of data files by
// their names and identifying keys; keys of nodes by their names; objects of layouts by their IDs; images of image sets
// by their names. Unchanged parts are copied, and tables (.RAW) follow the merged files.
//
// [Pack] combines any number of unrelated mods into one, by the same rules.
//
// [File] is [Merge] for a single file. See docs/merging.md for the rules.
package modmerge

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/raw"
)

// Merge applies the changes of theirs since base to ours, and returns ours. The three are mods or archives, each open
// in a separate editor that must stay open until ours is written. Merge ignores case in file names.
func Merge(base, ours, theirs *modedit.Editor, o Options) (*modedit.Editor, []check.Conflict, error) {
	mg := &threeWay{Options: o, log: &merge3.Log{Options: o.Options}, base: base, ours: ours, theirs: theirs, sides: make(map[string]From)}
	conflicts, err := mg.log.End(mg.merge())
	return ours, conflicts, err
}

// threeWay is a merge of mods.
type threeWay struct {
	Options
	log                *merge3.Log
	base, ours, theirs *modedit.Editor
	sides              map[string]From // for files that both sides changed
}

func (mg *threeWay) merge() error {
	before := clashes(mg.ours, mg.theirs)
	for _, name := range names(mg.base, mg.ours, mg.theirs) {
		if err := mg.file(name); err != nil {
			return err
		}
	}
	mg.header()
	mg.ours.Follow(mg.base, mg.theirs)
	if err := mg.ours.UpdateTables(); err != nil {
		return err
	}
	mg.reportClashes(mg.log, mg.ours, before)
	return nil
}

// names returns the paths of all files in upper case, without tables, which are rebuilt. Grids come after their
// layouts.
func names(editors ...*modedit.Editor) []string {
	var list []string
	for _, e := range editors {
		for _, name := range e.Paths() {
			list = append(list, gameName(name))
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		if x, y := isGrid(a), isGrid(b); x != y {
			if x {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	return slices.DeleteFunc(slices.Compact(list), isTable)
}

func gameName(name string) string { return strings.ToUpper(strings.ReplaceAll(name, `\`, "/")) }

func isGrid(name string) bool { return path.Ext(name) == ".MPP" || path.Ext(name) == ".MPD" }

func isTable(name string) bool {
	return slices.ContainsFunc(raw.Kinds(), func(k raw.Kind) bool { return k.File() == name })
}

// file merges one file.
func (mg *threeWay) file(name string) error {
	var failed error
	same := func(x, y *modedit.Editor) bool {
		ok, err := modedit.SameFile(x, y, name)
		failed = cmp.Or(failed, err)
		return ok || err != nil
	}
	side, both := merge3.Compare(mg.base, mg.ours, mg.theirs, same)
	switch {
	case failed != nil || !both && side == merge3.Ours:
		return failed
	case !both:
		what, err := mg.takeTheirs(name)
		if err == nil {
			mg.log.Change(check.Change{Path: name, What: what, Count: 1, Unit: "files"})
		}
		return err
	case !mg.theirs.Has(name):
		return mg.take(name, mg.log.Conflict(check.Conflict{Path: name, What: "the file was changed by ours, removed by theirs"}))
	case !mg.ours.Has(name):
		return mg.take(name, mg.log.Conflict(check.Conflict{Path: name, What: "the file was removed by ours, changed by theirs"}))
	case isGrid(name): // from the side of its layout
		side = mg.log.Prefer
		layout, known := mg.sides[strings.TrimSuffix(name, path.Ext(name))+".LAYOUT"]
		if known && layout != Merged {
			side = merge3.Side(layout)
		}
		mg.log.Report(check.Conflict{Path: name, What: "the grid was changed on both sides", Took: side.String()})
		return mg.take(name, side)
	}
	var was []byte
	var err error
	if mg.base.Has(name) {
		if was, err = mg.base.Content(name); err != nil {
			return err
		}
	}
	mine, err := mg.ours.Content(name)
	if err != nil {
		return err
	}
	theirContent, err := mg.theirs.Content(name)
	if err != nil {
		return err
	}
	data, from, err := mergeFile(mg.log, name, was, mine, theirContent, mg.Names)
	if err != nil {
		return err
	}
	mg.sides[name] = from
	switch from {
	case Theirs:
		return mg.ours.Adopt(mg.theirs, name)
	case Merged:
		mg.ours.Replace(name, data)
	}
	return nil
}

// take resolves a conflict of a file.
func (mg *threeWay) take(name string, side merge3.Side) error {
	mg.sides[name] = From(side)
	if side == merge3.Ours {
		return nil
	}
	_, err := mg.takeTheirs(name)
	return err
}

// takeTheirs makes a file equal to that of theirs, removed or not, and describes the change.
func (mg *threeWay) takeTheirs(name string) (what string, err error) {
	mg.sides[name] = Theirs
	switch {
	case !mg.theirs.Has(name):
		mg.ours.Remove(name)
		return "removed, as in theirs", nil
	case !mg.ours.Has(name):
		what = "added, as in theirs"
	default:
		what = "took from theirs"
	}
	return what, mg.ours.Adopt(mg.theirs, name)
}

// header merges the headers of the mods, field by field.
func (mg *threeWay) header() {
	b, o, t := mg.base.Header(), mg.ours.Header(), mg.theirs.Header()
	if b == nil || o == nil || t == nil {
		return
	}
	field(mg, "format", b.Version, &o.Version, t.Version)
	field(mg, "version", b.ModVersion, &o.ModVersion, t.ModVersion)
	field(mg, "game", b.Game, &o.Game, t.Game)
	field(mg, "title", b.Title, &o.Title, t.Title)
	field(mg, "author", b.Author, &o.Author, t.Author)
	field(mg, "description", b.Description, &o.Description, t.Description)
	field(mg, "website", b.Website, &o.Website, t.Website)
	field(mg, "download", b.DownloadURL, &o.DownloadURL, t.DownloadURL)
	field(mg, "id", b.ID, &o.ID, t.ID)
	field(mg, "flags", b.Flags, &o.Flags, t.Flags)
	mine := slices.Clone(o.Required)
	o.Required = merged(b.Required, mine, t.Required, func(r mod.Required) int64 { return r.ID })
	o.Removed = merged(b.Removed, o.Removed, t.Removed, gameName)
	o.Removed = slices.DeleteFunc(o.Removed, func(s string) bool { return mg.ours.Has(s) })
	switch {
	case slices.Equal(o.Required, mine):
	case slices.Equal(o.Required, t.Required):
		o.RequiredHash = t.RequiredHash
	default: // the algorithm for the hash of the list is unknown
		side := mg.log.Conflict(check.Conflict{What: "both sides changed the required mods: the hash of that list " +
			"cannot be computed, so the list is as in " + mg.log.Prefer.String()})
		o.Required, o.RequiredHash = merge3.Of(side, mine, t.Required), merge3.Of(side, o.RequiredHash, t.RequiredHash)
	}
	switch { // the list of releases depends on the version
	case o.Version != 1:
		o.Releases = nil
	case len(o.Releases) != int(o.ModVersion)+1 && len(t.Releases) == int(o.ModVersion)+1:
		o.Releases = t.Releases
	}
}

func field[T comparable](mg *threeWay, name string, base T, ours *T, theirs T) {
	*ours = merge3.Value(base, *ours, theirs, func() {
		mg.log.Change(check.Change{What: name + " as in theirs", Count: 1})
	}, func() merge3.Side {
		return mg.log.Conflict(check.Conflict{What: "the " + name + " of the mod was changed on both sides",
			Base: base, Ours: *ours, Theirs: theirs})
	})
}

// merged returns a list after the changes of both sides. It has no conflicts: what one side removed is removed, and
// otherwise the version of ours is taken.
func merged[K, T comparable](base, ours, theirs []T, key func(T) K) []T {
	return merge3.Store[K, T]{Key: key, Conflict: func(_ K, _, _, theirs merge3.Maybe[T]) merge3.Side {
		if !theirs.There {
			return merge3.Theirs
		}
		return merge3.Ours
	}}.Merge(base, ours, theirs)
}
