package modedit

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// The folders of items and sets.
const (
	itemsFolder = "MEDIA/UNITS/ITEMS/"
	setsFolder  = "MEDIA/SETS/"
)

// NewItem adds an item that inherits everything from another item, of the mod or of the game, except its GUID, its name, and the
// values KEY=TEXT of set and KEY=EXPRESSION of calculate, see [Cloning]. The other item is given by its NAME, the name of its file or
// its path. Name is the NAME of the new item and the name of its file in the folder of the other one; it may be a path. The
// DISPLAYNAME is made from the name unless set has one.
func (e *Editor) NewItem(name, like string, set, calculate []string) error {
	original, err := e.item(like)
	if err != nil {
		return err
	}
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))
	if err := checkThingName(base); err != nil {
		return err
	}
	if owners := e.withName(itemsIn(append(e.Paths(), e.gamePaths()...)), base); owners != nil {
		return fmt.Errorf("%s: is already the NAME of %s", base, owners[0])
	}
	root, err := e.treeOfAny(original)
	if err != nil {
		return fmt.Errorf("%s: %w", original, err)
	}
	isShown := func(s string) bool { key, _, _ := strings.Cut(s, "="); return text.Named("DISPLAYNAME")(key) }
	if _, has := e.newResolver().chain(original, root).Find("DISPLAYNAME"); has && !slices.ContainsFunc(set, isShown) {
		set = append(slices.Clone(set), "DISPLAYNAME="+titleOf(base))
	}
	_, err = e.Clone(original, Cloning{To: name, Numbers: [2]int{1, 1}, Set: set, Calculate: calculate, Derive: true})
	return err
}

// A SetBonus is an affix that the wearer of enough items of a set has.
type SetBonus struct {
	Count int // number of items
	Affix string
}

// ParseSetBonus parses COUNT=AFFIX.
func ParseSetBonus(s string) (SetBonus, error) {
	count, affix, _ := strings.Cut(s, "=")
	n, err := strconv.ParseUint(count, 10, 8)
	if err != nil || n == 0 || affix == "" || fitsValue(affix) != nil {
		return SetBonus{}, fmt.Errorf("expected the number of items and an affix, such as 2=FROST_BONUS, not %q", s)
	}
	return SetBonus{int(n), affix}, nil
}

// NewSet adds a set, with a name for players, and makes items of the mod its members, which are given as for [Editor.NewItem]. An
// item that belongs to another set is an error.
func (e *Editor) NewSet(name, title string, members []string, bonuses []SetBonus) error {
	if e.archive == nil && e.folder == nil {
		return errSingle
	}
	if err := checkThingName(name); err != nil {
		return err
	}
	title = cmp.Or(title, titleOf(name))
	if err := fitsValue(title); err != nil {
		return err
	}
	if owner := e.setNamed(name); owner != "" {
		return fmt.Errorf("%s: is already a set, in %s", name, owner)
	}
	at := setsFolder + strings.ToUpper(name) + ".DAT"
	if e.find(at) != nil {
		return fmt.Errorf("%s: already exists", at)
	}
	var join []string
	for _, member := range members {
		item, err := e.item(member)
		if err != nil {
			return err
		}
		in, err := e.setOf(item)
		switch {
		case err != nil:
			return err
		case in != "" && !strings.EqualFold(in, name):
			return fmt.Errorf("%s: already belongs to the set %s", item, in)
		case e.find(item) == nil:
			return fmt.Errorf("%s: is an item of the game: make one like it in the mod", item)
		case in == "":
			join = append(join, item)
		}
	}
	set := &text.Node{Name: "SET"}
	set.Add(text.String, "NAME", strings.ToUpper(name))
	set.Add(text.Translate, "DISPLAYNAME", title)
	for _, b := range bonuses {
		n := set.AddNode("AFFIX")
		n.Add(text.Integer, "COUNT", strconv.Itoa(b.Count))
		n.Add(text.String, "AFFIX", b.Affix)
		n.Add(text.Integer, "AFFIXLEVEL", "1")
	}
	data, err := e.stored(at, text.Format(set))
	if err != nil {
		return err
	}
	e.add(at, data)
	e.Report(check.Change{Path: at, What: "added", Count: 1, Unit: "files"})
	for _, item := range join {
		n, err := e.AddKey(item, text.String, "SET", strings.ToUpper(name), Choice{})
		if err == nil && n == 0 { // the key is there, without a value
			_, err = e.Set(item, "SET", strings.ToUpper(name), Choice{Top: true})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkThingName returns an error unless a name can be both a NAME and the name of a file.
func checkThingName(name string) error {
	valid := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r == '-'
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !valid(r) }) {
		return fmt.Errorf("%q: expected a name of letters A to Z, digits, _ and -, such as FROST_RING", name)
	}
	return nil
}

// fitsValue returns an error if a text cannot be a value of a source.
func fitsValue(s string) error {
	_, err := typed(text.String, s)
	return err
}

// titleOf returns a name for players, such as Frost Ring for FROST_RING.
func titleOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// item returns the path of an item of the mod, or else of the game, by its path, the name of its file or its NAME.
func (e *Editor) item(like string) (string, error) {
	asked := gameName(strings.TrimSpace(like))
	if strings.Contains(asked, "/") {
		for _, name := range []string{asked, "MEDIA/" + asked, asked + ".DAT", "MEDIA/" + asked + ".DAT"} {
			if strings.HasPrefix(name, itemsFolder) && isData(name) && e.has(name) {
				return name, nil
			}
		}
	}
	var stems []string
	for _, names := range [][]string{e.Paths(), e.gamePaths()} {
		names = itemsIn(names)
		var found []string
		for _, name := range names {
			stem := strings.TrimSuffix(gameName(path.Base(name)), ".DAT")
			if stems = append(stems, stem); stem == strings.TrimSuffix(asked, ".DAT") {
				found = append(found, name)
			}
		}
		if found == nil {
			found = e.withName(names, like)
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", fmt.Errorf("%s: several items have this name: give the path of one, such as %s", like, found[0])
		}
	}
	slices.Sort(stems)
	missing := &fault.NameError{Kind: "item", Name: like, Names: slices.Compact(stems)}
	if e.Base == nil {
		missing.Advice = "the game's own items are found with --base"
	}
	return "", missing
}

// itemsIn returns the files of a list that are items.
func itemsIn(names []string) []string { return dataIn(itemsFolder, names) }

// dataIn returns the data files of a list that are below a folder.
func dataIn(folder string, names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(gameName(name), folder) || extension(name) != ".DAT"
	})
}

// withName returns the files, of a list, whose NAME is name.
func (e *Editor) withName(files []string, name string) (found []string) {
	is := make([]bool, len(files))
	parallel.Each(len(files), func(i int) {
		if root, err := e.treeOfAny(files[i]); err == nil {
			value, _ := root.Get("NAME")
			is[i] = strings.EqualFold(value, name)
		}
	})
	for i, file := range files {
		if is[i] {
			found = append(found, file)
		}
	}
	return found
}

// has reports whether the mod or the game has a file.
func (e *Editor) has(name string) bool {
	if e.find(name) != nil {
		return true
	}
	return slices.ContainsFunc(e.gamePaths(), func(other string) bool { return gameName(other) == name })
}

// gamePaths returns the sorted paths of the files of the game that the mod does not replace.
func (e *Editor) gamePaths() (names []string) {
	if e.Base == nil {
		return nil
	}
	for name := range e.Base.Files() {
		if e.find(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// setNamed returns the file of a set, or "".
func (e *Editor) setNamed(name string) string {
	for _, at := range e.withName(dataIn(setsFolder, append(e.Paths(), e.gamePaths()...)), name) {
		return at
	}
	return ""
}

// setOf returns the set of an item, also one that it inherits.
func (e *Editor) setOf(item string) (string, error) {
	root, err := e.treeOfAny(item)
	if err != nil {
		return "", fmt.Errorf("%s: %w", item, err)
	}
	chain := e.newResolver().chain(item, root)
	if errors.Is(chain.Err, inherit.ErrLoop) {
		return "", fmt.Errorf("%s: %w", item, chain.Err)
	}
	return chain.Get("SET"), nil
}
