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
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/raw"
)

// Merge applies the changes of theirs since base to ours. The three are mods or archives, each open in a separate
// editor that must stay open until ours is written. Merge ignores case in file names.
func Merge(base, ours, theirs *modedit.Editor, o Options) error {
	mg := &threeWay{Options: o, base: base, ours: ours, theirs: theirs, sides: make(map[string]From)}
	before := clashes(ours, theirs)
	for _, name := range names(base, ours, theirs) {
		if err := mg.file(name); err != nil {
			return err
		}
	}
	mg.header()
	ours.Follow(base, theirs)
	if err := ours.UpdateTables(); err != nil {
		return err
	}
	o.tellClashes(ours, before)
	return nil
}

// threeWay is a merge of mods.
type threeWay struct {
	Options
	base, ours, theirs *modedit.Editor
	sides              map[string]From // for files that both sides changed
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
	b, o, t := mg.base.Has(name), mg.ours.Has(name), mg.theirs.Has(name)
	same := func(x, y *modedit.Editor) (bool, error) { return modedit.SameFile(x, y, name) }
	if ot, err := same(mg.ours, mg.theirs); err != nil || ot {
		return err
	}
	if bt, err := same(mg.base, mg.theirs); err != nil || bt {
		return err
	}
	bo, err := same(mg.base, mg.ours)
	if err != nil {
		return err
	}
	if bo {
		return mg.takeTheirs(name, "")
	}
	switch {
	case !o || !t:
		what := "the file was removed by ours, changed by theirs"
		if o {
			what = "the file was changed by ours, removed by theirs"
		}
		mg.conflict(check.Conflict{Path: name, What: what, Took: mg.winner()})
		mg.sides[name] = mg.side()
		if mg.Theirs {
			return mg.takeTheirs(name, what)
		}
		return nil
	case isGrid(name):
		side, known := mg.sides[strings.TrimSuffix(name, path.Ext(name))+".LAYOUT"]
		if !known || side == Merged {
			side = mg.side()
		}
		took := "ours"
		if side == Theirs {
			took = "theirs"
		}
		mg.conflict(check.Conflict{Path: name, What: "the grid was changed on both sides", Took: took})
		if side == Theirs {
			return mg.takeTheirs(name, "grid")
		}
		return nil
	}
	var was []byte
	if b {
		if was, err = mg.base.Content(name); err != nil {
			return err
		}
	}
	mine, err := mg.ours.Content(name)
	if err != nil {
		return err
	}
	its, err := mg.theirs.Content(name)
	if err != nil {
		return err
	}
	data, from, err := File(name, was, mine, its, mg.Options)
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

func (o *Options) winner() string {
	if o.Theirs {
		return "theirs"
	}
	return "ours"
}

// takeTheirs makes a file equal to that of theirs, removed or not. It does not report a conflict that was reported
// already.
func (mg *threeWay) takeTheirs(name, told string) error {
	what := "took from theirs"
	switch {
	case !mg.theirs.Has(name):
		what = "removed, as in theirs"
		mg.ours.Remove(name)
	default:
		if !mg.ours.Has(name) {
			what = "added, as in theirs"
		}
		if err := mg.ours.Adopt(mg.theirs, name); err != nil {
			return err
		}
	}
	if mg.sides[name] = Theirs; told == "" {
		mg.took(check.Change{Path: name, What: what, Count: 1, Unit: "files"})
	}
	return nil
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
	mine, its := slices.Clone(o.Required), t.Required
	o.Required = merged(b.Required, mine, its, func(r mod.Required) any { return r.ID })
	o.Removed = merged(b.Removed, o.Removed, t.Removed, func(s string) any { return gameName(s) })
	o.Removed = slices.DeleteFunc(o.Removed, func(s string) bool { return mg.ours.Has(s) })
	switch {
	case slices.Equal(o.Required, mine):
	case slices.Equal(o.Required, its):
		o.RequiredHash = t.RequiredHash
	default: // the algorithm for the hash of the list is unknown
		mg.conflict(check.Conflict{What: "both sides changed which mods are needed: the hash of that list cannot be made, so that it is as in " + mg.winner(), Took: mg.winner()})
		if o.Required = mine; mg.Theirs {
			o.Required, o.RequiredHash = its, t.RequiredHash
		}
	}
	switch { // the list of releases depends on the version
	case o.Version != 1:
		o.Releases = nil
	case len(o.Releases) != int(o.ModVersion)+1 && len(t.Releases) == int(o.ModVersion)+1:
		o.Releases = t.Releases
	}
}

func field[T comparable](mg *threeWay, name string, base T, ours *T, theirs T) {
	switch {
	case theirs == base || theirs == *ours:
	case base == *ours:
		mg.took(check.Change{What: name + " as in theirs", Count: 1})
		*ours = theirs
	default:
		mg.conflict(check.Conflict{What: "the " + name + " of the mod was changed on both sides", Base: base, Ours: *ours, Theirs: theirs, Took: mg.winner()})
		if mg.Theirs {
			*ours = theirs
		}
	}
}

// merged returns a set after the changes of both sides.
func merged[T comparable](base, ours, theirs []T, key func(T) any) []T {
	find := func(list []T, k any) int { return slices.IndexFunc(list, func(v T) bool { return key(v) == k }) }
	var out []T
	for _, v := range ours {
		i, j := find(base, key(v)), find(theirs, key(v))
		switch {
		case i >= 0 && j < 0: // theirs removed it
			continue
		case i >= 0 && base[i] == v:
			v = theirs[j]
		}
		out = append(out, v)
	}
	for _, v := range theirs {
		if find(base, key(v)) < 0 && find(ours, key(v)) < 0 {
			out = append(out, v)
		}
	}
	return out
}
