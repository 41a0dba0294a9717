package modedit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"path"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/expr"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// Cloning describes clones of files.
type Cloning struct {
	// To is the path of a clone. Without a slash it is a name in the folder of the original. {file} is replaced by the
	// name of the original without extension, {n} by the number of the clone, and {KEY} by a value of the original, also
	// one that it inherits.
	To string
	// Numbers are the first and the last number of the clones of each file.
	Numbers [2]int
	// Set are values of the form KEY=TEXT, in which braces are replaced as in To. The key may be a path as in
	// LEVEL1.MANACOST.
	Set []string
	// Calculate are values of the form KEY=EXPRESSION, see [Editor.SetExpression]. The key n is the number of the clone.
	Calculate []string
	// Derive makes units that have the original as their base file, instead of copies of its values. They have only a name, a GUID
	// and the values of Set and Calculate; affixes of the base file apply, too.
	Derive bool
}

// maxClones is the greatest number of clones of one step.
const maxClones = 1_000_000

// clone is a new file that is made from another.
type clone struct {
	*original
	n      int
	derive bool
	path   string // in the game
	name   string // for NAME: the name of the file without extension, as the user wrote it
	guids  []int64
	set    []assignment
	along  *cloned // the clones with the same number

	data   []byte
	change check.Change
	err    error
}

// cloned are the new paths and GUIDs of all clones with the same number.
type cloned struct {
	*renaming
	guids map[int64]int64 // by the old ones
}

// original is a file of the mod or of the game that is cloned.
type original struct {
	*file
	data  []byte
	chain inherit.Chain // no links if the file is not a data file or a layout
	guids []int64
}

// assignment is a value of the options of a step.
type assignment struct {
	key, text string
	value     *expr.Expr // nil for a text
}

// Clone copies the files that match a pattern, of the mod or of the game, to new files of the mod. Each gets GUIDs that no
// other file has, and its file name as NAME. References between files that are cloned together, by path and by GUID, lead
// to the clones. Grids (.MPP, .MPD) are cloned with their layouts. Clone fails, and changes nothing, if the path of a
// clone already exists or a value does not fit its key. It returns the number of clones.
func (e *Editor) Clone(files string, c Cloning) (int, error) {
	if e.archive == nil && e.folder == nil {
		return 0, errSingle
	}
	set, err := c.assignments()
	if err != nil {
		return 0, err
	}
	originals, err := e.originals(files)
	if err != nil {
		return 0, err
	}
	count := (int64(c.Numbers[1]) - int64(c.Numbers[0]) + 1) * int64(len(originals))
	if count < 1 || count > maxClones {
		return 0, fmt.Errorf("expected 1 to %d clones, not %d", maxClones, count)
	}
	clones, err := e.planClones(originals, c, set)
	if err != nil {
		return 0, err
	}
	parallel.Each(len(clones), func(i int) { e.makeClone(clones[i]) })
	for _, c := range clones {
		if c.err != nil {
			return 0, fmt.Errorf("%s: %w", c.path, c.err)
		}
	}
	for _, c := range clones {
		e.add(c.path, c.data)
		e.Report(c.change)
	}
	return len(clones), nil
}

// assignments parses the values of the options.
func (c *Cloning) assignments() ([]assignment, error) {
	var list []assignment
	for _, s := range c.Set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q: expected KEY=TEXT", s)
		}
		list = append(list, assignment{key: key, text: value})
	}
	for _, s := range c.Calculate {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q: expected KEY=EXPRESSION", s)
		}
		x, err := expr.Parse(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		list = append(list, assignment{key: key, value: x})
	}
	return list, nil
}

// originals reads the files that match a pattern, of the mod and of the game.
func (e *Editor) originals(pattern string) ([]*original, error) {
	game := make(map[string]*file)
	if e.Base != nil {
		for name := range e.Base.Files() {
			if e.find(name) == nil {
				game[gameName(name)] = &file{path: name, read: func() ([]byte, error) { return e.Base.Content(name) }}
			}
		}
	}
	files, err := e.selected(pattern, func(string) bool { return true })
	files = append(files, matchingIn(game, pattern)...)
	if len(files) == 0 {
		return nil, err
	}
	there := make(map[*file]bool)
	for _, f := range files {
		there[f] = true
	}
	for _, f := range files {
		for _, ext := range []string{".MPP", ".MPD"} {
			grid := strings.TrimSuffix(gameName(f.path), ".LAYOUT") + ext
			if g := cmp.Or(e.find(grid), game[grid]); g != nil && !there[g] {
				files, there[g] = append(files, g), true
			}
		}
	}
	list := make([]*original, len(files))
	errs := make([]error, len(files))
	bases := bases{resolver: e.newResolver()}
	parallel.Each(len(files), func(i int) {
		o := &original{file: files[i]}
		list[i] = o
		if o.data, errs[i] = o.read(); errs[i] != nil || !isTree(o.path) {
			return
		}
		var root *text.Node
		if root, errs[i] = e.tree(o.path, o.data); errs[i] == nil {
			o.chain = bases.chain(o.path, root)
			ownGUIDs(o.path, root, func(p *text.Property) {
				id, _ := text.ParseInt64(p.Value)
				o.guids = append(o.guids, id)
			})
		}
	})
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[i].path, err)
		}
	}
	return list, nil
}

// ownGUIDs calls see for each GUID that a file defines.
func ownGUIDs(name string, root *text.Node, see func(p *text.Property)) {
	if key, _ := guidOf(name); key != "" {
		guids(name, root, func(p *text.Property, _ nodePlace) { see(p) })
		return
	}
	for p := range root.Properties() {
		if key := strings.ToUpper(p.Key); isData(name) && (key == "GUID" || strings.HasSuffix(key, "_GUID")) {
			see(p)
		}
	}
}

// planClones chooses the paths and the GUIDs of all clones.
func (e *Editor) planClones(originals []*original, c Cloning, set []assignment) ([]*clone, error) {
	var clones []*clone
	made := make(map[string]*clone)
	taken := e.takenGUIDs()
	for n := c.Numbers[0]; n <= c.Numbers[1]; n++ {
		along := &cloned{newRenaming(), make(map[int64]int64)}
		for _, o := range originals {
			one := &clone{original: o, n: n, derive: c.Derive, set: set, along: along}
			to, err := one.fill(c.To)
			if err == nil {
				err = e.placeClone(one, to)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", o.path, err)
			}
			if other := made[one.path]; other != nil {
				return nil, fmt.Errorf("%s: would be the clone of %s and of %s: write {file} or {n} into its name",
					one.path, other.file.path, o.path)
			}
			made[one.path] = one
			along.move(o.file, one.path)
			guids := o.guids
			if c.Derive {
				guids = []int64{0} // a base file may have none
			}
			for _, was := range guids {
				id := e.fresh(one.path, was, taken)
				taken[id], along.guids[was] = true, id
				one.guids = append(one.guids, id)
			}
			clones = append(clones, one)
		}
	}
	return clones, nil
}

// takenGUIDs returns the GUIDs of all files of the mod and of the game.
func (e *Editor) takenGUIDs() map[int64]bool {
	taken := make(map[int64]bool)
	for _, numbers := range e.numbersOf(e.matching(func(name string) bool { key, _ := guidOf(name); return key != "" && isData(name) })) {
		for _, id := range numbers.own {
			taken[id] = true
		}
	}
	e.takenByGame(taken)
	return taken
}

// placeClone gives a clone its path.
func (e *Editor) placeClone(c *clone, to string) error {
	to = strings.ReplaceAll(to, `\`, "/")
	from := gameName(c.file.path)
	if !strings.Contains(to, "/") {
		to = path.Dir(from) + "/" + to
	}
	if ext := extension(from); extension(to) != ext {
		switch {
		case ext == ".MPP" || ext == ".MPD":
			to = strings.TrimSuffix(to, path.Ext(to)) + ext
		case path.Ext(to) == "" || !isTree(to):
			to += strings.ToLower(ext)
		default:
			return fmt.Errorf("a clone of this file cannot be called %s", path.Base(to))
		}
	}
	if c.path = gameName(to); !strings.HasPrefix(c.path, "MEDIA/") {
		c.path = "MEDIA/" + c.path
	}
	c.name = strings.TrimSuffix(path.Base(to), path.Ext(to))
	switch {
	case !fs.ValidPath(c.path) || c.name == "":
		return fmt.Errorf("%s: not the path of a file below MEDIA/", c.path)
	case e.find(c.path) != nil:
		return fmt.Errorf("%s: already exists", c.path)
	case c.derive && !(isData(from) && strings.HasPrefix(from, "MEDIA/UNITS/") && strings.HasPrefix(c.path, "MEDIA/UNITS/")):
		return errors.New("only files of units (.DAT below MEDIA/UNITS) have base files")
	}
	return nil
}

// fill replaces the words in braces of a text.
func (c *clone) fill(s string) (string, error) {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(s, "{")
		b.WriteString(before)
		if !open {
			return b.String(), nil
		}
		word, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q: a brace is not closed", s)
		}
		switch {
		case word == "n":
			b.WriteString(strconv.Itoa(c.n))
		case word == "file":
			base := path.Base(c.file.path)
			b.WriteString(strings.TrimSuffix(base, path.Ext(base)))
		default:
			v, ok := c.chain.Find(word)
			if !ok {
				return "", fmt.Errorf("{%s}: expected {file}, {n} or a key of the original in braces", word)
			}
			b.WriteString(v.Property.Value)
		}
		s = after
	}
}

// makeClone makes the content of a clone.
func (e *Editor) makeClone(c *clone) {
	c.change = check.Change{Path: c.path, What: "cloned from " + c.file.path, Count: 1, Unit: "files"}
	switch extension(c.path) {
	case ".IMAGESET":
		c.data = c.along.inSet(c.original.data)
	case ".MATERIAL":
		c.data, _ = c.along.inMaterial(&file{path: c.path}, c.original.data)
	default:
		if c.data = c.original.data; isTree(c.path) {
			c.data, c.err = e.edited(c.path, c.original.data, func(root *text.Node) error { return c.rename(root) })
		}
	}
	if c.err == nil {
		c.data, c.err = e.stored(c.path, c.data)
	}
}

// makeDerived makes the tree of a clone one that inherits everything from the original.
func (c *clone) makeDerived(root *text.Node) {
	root.Items = nil
	root.Add(text.String, inherit.Key, strings.ToLower(c.file.path))
	root.Add(text.String, "NAME", c.name)
	root.Add(text.Integer64, "UNIT_GUID", strconv.FormatInt(c.guids[0], 10))
}

// rename gives the tree of a clone its names, GUIDs and values.
func (c *clone) rename(root *text.Node) error {
	if c.derive {
		c.makeDerived(root)
		return c.assignAll(root)
	}
	if _, err := c.along.inTree(&file{path: c.path}, root); err != nil {
		return err
	}
	i := 0
	ownGUIDs(c.file.path, root, func(p *text.Property) {
		p.Value = strconv.FormatInt(c.guids[i], 10)
		i++
	})
	for n, at := range new(chooser).nodes(root) {
		for p := range n.Properties() {
			if was, may := reference(p, at); may {
				if now, has := c.along.guids[was]; has {
					p.Value = strconv.FormatInt(now, 10)
				}
			}
		}
	}
	if old := inherit.Property(root, "NAME"); old != nil {
		if strings.EqualFold(old.Value, root.Name) { // a type of units
			root.Name = strings.ToUpper(c.name)
		}
		old.Value = c.name
	}
	return c.assignAll(root)
}

// assignAll sets the values of the options.
func (c *clone) assignAll(root *text.Node) error {
	for _, a := range c.set {
		if err := c.assign(root, a); err != nil {
			return fmt.Errorf("%s: %w", a.key, err)
		}
	}
	return nil
}

// assign sets a value of a clone. A key that the original inherits is added.
func (c *clone) assign(root *text.Node, a assignment) error {
	p := inherit.Property(root, a.key)
	if p == nil {
		v, ok := c.chain.Find(a.key)
		if !ok || strings.Contains(a.key, ".") {
			return errors.New("no key of this name in the original: add it with add-key")
		}
		addProperty(root, v.Type, v.Key, v.Property.Value)
		p = inherit.Property(root, a.key)
	}
	var err error
	if a.value == nil {
		var s string
		if s, err = c.fill(a.text); err == nil {
			p.Value, err = typed(p.Type, s)
		}
		return err
	}
	v, err := a.value.Eval(func(name string) (*big.Rat, error) {
		if name == "n" {
			return big.NewRat(int64(c.n), 1), nil
		}
		return numberIn(c.chain, name)
	})
	if err == nil {
		p.Value, err = numberText(p.Type, v)
	}
	return err
}
