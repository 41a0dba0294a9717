package modmerge

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// Input is one of the mods in a pack.
type Input struct {
	Name   string // file name, for example A.MOD
	Editor *modedit.Editor
}

// title returns the title of the mod.
func (in *Input) title() string {
	if h := in.Editor.Header(); h != nil && h.Title != "" {
		return h.Title
	}
	return in.stem()
}

func (in *Input) stem() string { return strings.TrimSuffix(in.Name, path.Ext(in.Name)) }

// PackOptions control how a pack is built.
type PackOptions struct {
	Options
	Base   moddir.Files // the game's files; nil if unknown
	Winner string       // the mod that wins conflicts: "last" (the default), "first", or the name of a mod
	Union  bool         // without a base, keep parts of a file that only one mod has

	Title    string // "" for a title made from those of the mods
	ID       int64  // 0 for a new ID
	Version  uint16 // 0 means 1
	NewGUIDs bool   // if two files have one GUID, give a new one to that of the lower priority
	Versions bool   // allow several versions of one mod

	// OnFile receives each file of which several mods have different versions, or which one mod removes, with the use of each mod's
	// version. It may be nil.
	OnFile func(path string, uses []Use)
}

// Use is the use of a mod's version of a file.
type Use struct{ Mod, Use string }

// The uses.
const (
	Used       = "used"
	Combined   = "merged"
	Overridden = "overridden"
	Identical  = "identical" // to the used version
	Removed    = "removed"   // another mod removes the file
	Removes    = "removes"   // the mod removes the file
)

// pack is a pack that is being built.
type pack struct {
	PackOptions
	log                    merge3.Log
	mods                   []Input // in ascending priority
	made                   *modedit.Editor
	taken, covered, equals []int            // numbers of files for each mod
	merged                 map[string][]int // the mods of each merged file
	owner                  map[string]int   // for each file, the mod that it comes from
	uses                   map[string]map[int]string
	wholes                 int // files that were taken as a whole because there is no base
}

// Pack combines several unrelated mods, in ascending priority. The editors must stay open until the result is written.
// Files that only one mod has, or that are identical in all, are copied unchanged. Others are merged key by key if the
// file of the game is known, and the mod with the highest priority wins where the mods differ. Otherwise its whole file
// wins, as in the game.
func Pack(mods []Input, o PackOptions) (*modedit.Editor, []check.Conflict, error) {
	p := &pack{PackOptions: o, log: merge3.Log{Options: o.Options.Options}, owner: make(map[string]int),
		merged: make(map[string][]int), uses: make(map[string]map[int]string)}
	conflicts, err := p.log.End(p.pack(mods))
	return p.made, conflicts, err
}

func (p *pack) pack(mods []Input) (err error) {
	if p.mods, err = ranked(mods, p.Winner); err != nil {
		return err
	}
	if err := p.fits(); err != nil {
		return err
	}
	n := len(p.mods)
	p.taken, p.covered, p.equals = make([]int, n), make([]int, n), make([]int, n)
	var editors []*modedit.Editor
	for _, m := range p.mods {
		editors = append(editors, m.Editor)
	}
	known := clashes(editors...)
	if p.NewGUIDs {
		if err := p.renumber(); err != nil {
			return err
		}
	}
	p.made = modedit.NewMod(p.header(), modedit.Options{Names: p.Names, Base: p.Base})
	for _, name := range names(editors...) {
		if err := p.file(name); err != nil {
			return err
		}
	}
	p.removed()
	if err := p.made.UpdateTables(); err != nil {
		return err
	}
	p.reportUses()
	for i, m := range p.mods {
		parts, merged := 0, ""
		for _, list := range p.merged {
			if slices.Contains(list, i) {
				parts++
				merged = fmt.Sprintf(", %d merged", parts)
			}
		}
		p.log.Change(check.Change{What: fmt.Sprintf("%s: %s used%s, %d overridden, %d identical in another mod", m.Name,
			words.Count(p.taken[i], "file"), merged, p.covered[i], p.equals[i]), Count: int64(p.taken[i] + parts), Unit: "files"})
	}
	p.reportClashes(&p.log, p.made, known)
	return nil
}

// ranked returns mods in ascending priority.
func ranked(mods []Input, prefer string) ([]Input, error) {
	mods = slices.Clone(mods)
	switch prefer {
	case "", "last":
	case "first":
		slices.Reverse(mods)
	default:
		i := slices.IndexFunc(mods, func(m Input) bool {
			return strings.EqualFold(m.Name, prefer) || strings.EqualFold(m.stem(), prefer) || strings.EqualFold(m.title(), prefer)
		})
		if i < 0 {
			return nil, fmt.Errorf("expected last, first or the name of the preferred mod, not %q", prefer)
		}
		mods = append(slices.Delete(slices.Clone(mods), i, i+1), mods[i])
	}
	return mods, nil
}

// fits returns an error if the mods cannot be combined.
func (p *pack) fits() error {
	if len(p.mods) < 2 {
		return errors.New("expected two or more mods")
	}
	versions := make(map[int64]Input)
	for _, m := range p.mods {
		h := m.Editor.Header()
		if h == nil || h.ID == 0 {
			continue
		}
		other, twice := versions[h.ID]
		switch {
		case twice && other.Editor.Header().ModVersion == h.ModVersion:
			return fmt.Errorf("%s and %s are the same mod in the same version", other.Name, m.Name)
		case twice && !p.Versions:
			return fmt.Errorf("%s and %s are versions %d and %d of the same mod: leave one of them out", other.Name, m.Name,
				other.Editor.Header().ModVersion, h.ModVersion)
		}
		versions[h.ID] = m
	}
	for _, m := range p.mods {
		if h := m.Editor.Header(); h != nil {
			for _, r := range h.Required {
				if _, ok := versions[r.ID]; !ok {
					return fmt.Errorf("%s requires the mod %s (id %d), but the hash of required mods cannot be "+
						"computed: include that mod in the merge", m.Name, cmp.Or(r.Name, "without a name"), r.ID)
				}
			}
		}
	}
	return nil
}

// header returns the header of the pack.
func (p *pack) header() *mod.Header {
	h := mod.NewHeader()
	h.Game = mod.GameVersion{}
	h.ModVersion = cmp.Or(p.Version, 1)
	var titles, authors, about []string
	for _, m := range p.mods {
		titles = append(titles, m.title())
		of := m.Editor.Header()
		if of == nil {
			about = append(about, m.title())
			continue
		}
		if slices.Compare(h.Game[:], of.Game[:]) < 0 {
			h.Game = of.Game
		}
		if of.Author != "" && !slices.Contains(authors, of.Author) {
			authors = append(authors, of.Author)
		}
		line := fmt.Sprintf("%s, version %d", m.title(), of.ModVersion)
		if of.Author != "" {
			line += ", by " + of.Author
		}
		about = append(about, line)
	}
	if h.Game == (mod.GameVersion{}) {
		h.Game = mod.LastGame
	}
	const long = 60
	if h.Title = cmp.Or(p.Title, strings.Join(titles, " + ")); p.Title == "" && len(h.Title) > long {
		h.Title = fmt.Sprintf("Pack of %d mods", len(p.mods))
	}
	h.Author, h.Description = strings.Join(authors, ", "), "Made of: "+strings.Join(about, "; ")
	for h.ID = p.ID; h.ID == 0; {
		var b [8]byte
		_, _ = rand.Read(b[:])
		h.ID = int64(binary.LittleEndian.Uint64(b[:]) & math.MaxInt64)
	}
	return h
}

// file adds a file to the pack, from one mod or merged.
func (p *pack) file(name string) error {
	var has []int
	for i, m := range p.mods {
		if m.Editor.Has(name) {
			has = append(has, i)
		}
	}
	winner := has[len(has)-1]
	if isGrid(name) { // packed with its layout
		if i, ok := p.owner[strings.TrimSuffix(name, path.Ext(name))+".LAYOUT"]; ok && slices.Contains(has, i) {
			winner = i
		}
	}
	p.owner[name] = winner
	p.taken[winner]++
	if err := p.made.Adopt(p.mods[winner].Editor, name); err != nil {
		return err
	}
	uses := map[int]string{winner: Used}
	var others []int // mods whose file has another content
	for _, i := range has {
		if i == winner {
			continue
		}
		same, err := p.same(i, winner, name)
		switch {
		case err != nil:
			return err
		case same:
			p.equals[i]++
			uses[i] = Identical
		default:
			p.covered[i]++
			uses[i] = Overridden
			others = append(others, i)
		}
	}
	if len(others) == 0 {
		return nil
	}
	p.uses[name] = uses
	return p.differing(name, others, winner)
}

// same reports whether two mods have the same file, ignoring the IDs of strings.
func (p *pack) same(i, j int, name string) (bool, error) {
	a, b := p.mods[i].Editor, p.mods[j].Editor
	if same, err := modedit.SameFile(a, b, name); err != nil || same {
		return same, err
	}
	x, errX := a.Tree(name)
	y, errY := b.Tree(name)
	return errX == nil && errY == nil && signature(x) == signature(y), nil
}

// differing merges a file that has different contents in several mods.
func (p *pack) differing(name string, others []int, winner int) error {
	var base []byte
	if p.Base != nil {
		data, err := p.Base.Content(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		base = data
	}
	best := p.mods[winner]
	isSet := path.Ext(name) == ".IMAGESET"
	if base == nil && !p.Union && !isSet {
		if p.Base == nil {
			p.wholes++
		}
		p.whole(name, others, winner, "the mods have different files, so one is taken as a whole")
		return nil
	}
	if isSet {
		for _, i := range others {
			if sheet := sheetOf(best.Editor, name); sheet != "" && p.mods[i].Editor.Has(sheet) && best.Editor.Has(sheet) {
				same, err := modedit.SameFile(p.mods[i].Editor, best.Editor, sheet)
				if err != nil {
					return err
				}
				if !same {
					p.whole(name, others, winner, "its picture "+sheet+" differs between the mods, so the images cannot "+
						"be merged; rename picture and image set in one of the mods first to keep both")
					return nil
				}
			}
		}
	}
	data, from := []byte(nil), others[0]
	for k, i := range append(slices.Clone(others), winner) {
		content, err := p.mods[i].Editor.Content(name)
		if err != nil {
			return err
		}
		if k == 0 {
			data = content
			continue
		}
		log := &merge3.Log{Options: merge3.Options{Prefer: merge3.Theirs}} // the mod of higher priority
		if data, _, err = mergeFile(log, name, base, data, content, p.Names); err != nil {
			return err
		}
		conflicts, _ := log.End(nil)
		for _, c := range conflicts {
			c.What += fmt.Sprintf(" (%s and %s)", p.mods[from].Name, p.mods[i].Name)
			c.Took = p.mods[i].Name
			p.log.Report(c)
		}
		from = i
	}
	if own, err := best.Editor.Content(name); err != nil || string(own) == string(data) {
		return err
	}
	p.made.Replace(name, data)
	p.merged[name] = append(slices.Clone(others), winner)
	for _, i := range p.merged[name] {
		p.uses[name][i] = Combined
	}
	p.taken[winner]--
	for _, i := range others {
		p.covered[i]--
	}
	p.log.Change(check.Change{Path: name, What: "merged of " + p.namesOf(append(others, winner)), Count: 1, Unit: "files"})
	return nil
}

// reportUses reports the files of which several mods have different versions, and once that there is no base.
func (p *pack) reportUses() {
	for _, name := range slices.Sorted(maps.Keys(p.uses)) {
		var uses []Use
		for i := range p.mods {
			if use := p.uses[name][i]; use != "" {
				uses = append(uses, Use{p.label(i), use})
			}
		}
		if p.OnFile != nil {
			p.OnFile(name, uses)
		}
	}
	if p.wholes > 0 && p.OnWarn != nil {
		differ := "differ"
		if p.wholes == 1 {
			differ = "differs"
		}
		p.OnWarn("", fmt.Sprintf("%s that %s between the mods: one version was taken as a whole. With the game's files (--base), "+
			"changes of different keys are merged", words.Count(p.wholes, "file"), differ))
	}
}

// label returns the name of a mod, with a number if an earlier one has the same name.
func (p *pack) label(i int) string {
	name, before := p.mods[i].Name, 0
	for _, m := range p.mods[:i] {
		if m.Name == name {
			before++
		}
	}
	if before > 0 {
		name += fmt.Sprintf(" (%d)", before+1)
	}
	return name
}

// whole reports that a file is taken from one mod as a whole.
func (p *pack) whole(name string, others []int, winner int, why string) {
	p.log.Report(check.Conflict{Path: name, What: fmt.Sprintf("%s (%s)", why,
		p.namesOf(append(slices.Clone(others), winner))), Took: p.mods[winner].Name})
}

func (p *pack) namesOf(list []int) string {
	var all []string
	for _, i := range list {
		all = append(all, p.mods[i].Name)
	}
	return strings.Join(all, ", ")
}

// sheetOf returns the path of the picture of an image set.
func sheetOf(e *modedit.Editor, name string) string {
	data, err := e.Content(name)
	if err != nil {
		return ""
	}
	t, ok := tagsOf(data)
	if !ok {
		return ""
	}
	file, _ := t.root.Get("IMAGEFILE")
	return gameName(file)
}

// removed makes the pack remove the files of the game that its mods remove, except those that a later mod has.
func (p *pack) removed() {
	h := p.made.Header()
	seen := make(map[string]bool)
	for i, m := range p.mods {
		of := m.Editor.Header()
		if of == nil {
			continue
		}
		for _, file := range of.Removed {
			name := gameName(file)
			if owner, provided := p.owner[name]; provided && owner > i {
				continue
			} else if provided && p.made.Has(name) {
				p.log.Report(check.Conflict{Path: name, What: fmt.Sprintf("%s removes this file, which %s contains",
					m.Name, p.mods[owner].Name), Took: m.Name})
				p.made.Remove(name)
				if p.uses[name] == nil {
					p.uses[name] = make(map[int]string)
				}
				for j, other := range p.mods {
					if other.Editor.Has(name) {
						p.uses[name][j] = Removed
					}
				}
				p.uses[name][i] = Removes
				if p.merged[name] == nil {
					p.taken[owner]--
					p.covered[owner]++
				}
				for _, j := range p.merged[name] {
					p.covered[j]++
				}
				delete(p.merged, name)
			}
			if !seen[name] {
				seen[name] = true
				h.Removed = append(h.Removed, name)
			}
		}
	}
}

// renumber gives new GUIDs to files whose GUIDs clash with a mod of higher priority.
func (p *pack) renumber() error {
	type number struct {
		kind string
		guid int64
	}
	taken := make(map[number]string)
	for i, m := range slices.Backward(p.mods) {
		var clash []string
		for x := range entries(m.Editor) {
			if x.guid == 0 || x.guid == -1 {
				continue
			}
			k := number{x.kind, x.guid}
			if other, ok := taken[k]; ok && other != x.file {
				clash = append(clash, x.file)
			} else if !ok {
				taken[k] = x.file
			}
		}
		slices.Sort(clash)
		clash = slices.DeleteFunc(slices.Compact(clash), func(file string) bool {
			return slices.ContainsFunc(p.mods[i+1:], func(other Input) bool { return other.Editor.Has(file) })
		})
		if _, err := m.Editor.NewGUIDsOf(clash); err != nil {
			return err
		}
	}
	return nil
}
