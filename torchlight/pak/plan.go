package pak

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"trowel.example/internal/limits/effort"
)

// An entry is a record to write.
type entry struct {
	rec  Record         // as in the manifest; offset, size and CRC-32 are set with the block
	was  *ResidueRecord // the record of the residue, or nil
	file *NewFile       // the source of the entry; nil for directories, removed files and lost ones
}

// isFile reports whether the entry is not a directory. Files with the type of directories exist.
func (e *entry) isFile() bool { return e.file != nil || e.was != nil && e.was.Kind == ResidueLost }

// A planSection is a section to write.
type planSection struct {
	name    string
	entries []*entry
}

// A plan is the manifest to write, without the values that depend on the blocks.
type plan struct {
	root     string
	sections []planSection
	removed  int  // number of removed files
	intact   bool // as far as known, the archive of the residue will be reproduced exactly
}

// newPlan joins the list of files with the residue: files in the residue keep their place, new files come after them.
func newPlan(files []NewFile, k *Residue) (*plan, error) {
	byPath := make(map[string]*NewFile, len(files))
	for i := range files {
		f := &files[i]
		if dir, name := split(f.Path); name == "" {
			return nil, fmt.Errorf("pak: %q: the path of a file must end with a name", f.Path)
		} else if err := cmp.Or(checkName(f.Path, dir), checkName(f.Path, name)); err != nil {
			return nil, err
		}
		if byPath[f.Path] != nil {
			return nil, fmt.Errorf("pak: %s: two files have this path", f.Path)
		}
		byPath[f.Path] = f
	}
	p := &plan{root: DefaultRoot, intact: k != nil}
	before := make(map[string]bool) // directories that held files
	if k != nil {
		if k.Root != nil {
			p.root = string(*k.Root)
		}
		p.sections = make([]planSection, len(k.Sections))
		for i := range k.Sections {
			s := &k.Sections[i]
			p.sections[i].name = string(s.Name)
			for j := range s.Records {
				rec := &s.Records[j]
				if rec.Kind != ResidueDirectory {
					before[string(s.Name)] = true
				}
				p.keep(&p.sections[i], rec, byPath)
			}
		}
	}
	p.add(files, byPath)
	after := make(map[string]bool)
	for i := range p.sections {
		if s := &p.sections[i]; slices.ContainsFunc(s.entries, (*entry).isFile) {
			after[s.name] = true
		}
	}
	if k == nil || !sameKeys(before, after) {
		p.intact = false
		if err := p.rebuild(before, after); err != nil {
			return nil, err
		}
	}
	holds := make(map[string]bool) // the directories that have a record of a file, and whether one of them is not removed
	for i := range p.sections {
		s := &p.sections[i]
		for _, e := range s.entries {
			if !e.isFile() {
				continue
			}
			isRemoved := e.file != nil && e.file.Removed
			if isRemoved {
				p.removed++
			}
			holds[s.name] = holds[s.name] || !isRemoved
		}
	}
	if !p.intact {
		p.markRemoved(holds)
	}
	return p, nil
}

// markRemoved sets the types of directories. Those of the residue stay, unless a removed one has files now.
func (p *plan) markRemoved(holds map[string]bool) {
	for dir := range holds { // a directory holds what is in the directories below it
		for at := dir; holds[dir] && at != ""; {
			at, _ = split(strings.TrimSuffix(at, "/"))
			holds[at] = true
		}
	}
	for i := range p.sections {
		for _, e := range p.sections[i].entries {
			path := joinPath(p.sections[i].name, e.rec.Name)
			files, known := holds[path]
			switch {
			case e.isFile():
			case files && e.rec.Type == TypeRemovedDirectory:
				e.rec.Type = TypeDirectory
			case known && !files && e.was == nil:
				e.rec.Type = TypeRemovedDirectory
			}
		}
	}
}

func sameKeys(a, b map[string]bool) bool {
	for key := range a {
		if !b[key] {
			return false
		}
	}
	return len(a) == len(b)
}

// split returns the directory of a path, with its slash, and the name.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i], path[i:]
}

// keep adds a record of the residue to a section if its file still exists.
func (p *plan) keep(s *planSection, was *ResidueRecord, byPath map[string]*NewFile) {
	e := &entry{was: was, rec: Record{Name: was.Name, Type: TypeDirectory}}
	if was.Kind != ResidueDirectory {
		e.rec.Type = TypeOf(was.Name)
		path := joinPath(s.name, was.Name)
		e.file = byPath[path]
		if e.file == nil && was.Kind != ResidueLost {
			p.intact = false // the file was removed
			return
		}
		delete(byPath, path)
		if e.file != nil && (was.Kind == ResidueLost || e.file.Removed != (was.Kind == ResidueRemoved)) {
			p.intact, e.was = false, nil // another kind of entry has this path now
		}
	}
	switch {
	case e.was == nil || was.Kind == ResidueFile: // the fields are set together with the content
	case was.source != nil:
		e.rec = *was.source.Record
		e.rec.Offset = 0
	default:
		e.rec.Time = was.Time
		if was.Odd != nil {
			was.Odd.apply(&e.rec)
		}
	}
	s.entries = append(s.entries, e)
}

// apply sets the odd fields of a record. The offset is set later, when it is known whether it is still valid.
func (o *OddRecord) apply(rec *Record) {
	if o.Type != nil {
		rec.Type = *o.Type
	}
	if o.CRC32 != nil {
		rec.CRC32 = *o.CRC32
	}
	if o.Size != nil {
		rec.Size = *o.Size
	}
}

// add appends the files that are not in the residue to the sections of their directories: first those with content,
// then removed ones, each group sorted by name.
func (p *plan) add(files []NewFile, byPath map[string]*NewFile) {
	if len(byPath) == 0 {
		return
	}
	p.intact = false
	section := make(map[string]int) // index of the section for the files of each directory
	for i := range p.sections {
		s := &p.sections[i]
		if _, ok := section[s.name]; !ok && slices.ContainsFunc(s.entries, (*entry).isFile) {
			section[s.name] = i
		}
	}
	var added []*NewFile
	for i := range files {
		if f := &files[i]; byPath[f.Path] == f {
			added = append(added, f)
		}
	}
	slices.SortStableFunc(added, func(a, b *NewFile) int {
		if a.Removed != b.Removed {
			if b.Removed {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Path, b.Path)
	})
	for _, f := range added {
		dir, name := split(f.Path)
		i, ok := section[dir]
		if !ok {
			i = len(p.sections)
			section[dir] = i
			p.sections = append(p.sections, planSection{name: dir})
		}
		p.sections[i].entries = append(p.sections[i].entries, &entry{rec: Record{Name: name, Type: TypeOf(name)}, file: f})
	}
}

// rebuild orders the sections as the editor does: the root; the directories that hold files, with the files in their
// current order; the directories that hold directories. Directories of the residue keep their fields, and those that
// held no file before stay.
func (p *plan) rebuild(before, dirs map[string]bool) error {
	files := make(map[string][]*entry)
	children := map[string]map[string]bool{"": {}}
	known := make(map[[2]string]*entry) // directories of the residue, by section and name
	held := make(map[string]bool)       // directories that held files, directly or deeper
	for dir := range before {
		for dir != "" && !held[dir] {
			held[dir] = true
			dir, _ = split(strings.TrimSuffix(dir, "/"))
		}
	}
	for _, s := range p.sections {
		for _, e := range s.entries {
			if e.isFile() {
				files[s.name] = append(files[s.name], e)
				continue
			}
			known[[2]string{s.name, e.rec.Name}] = e
			if !held[joinPath(s.name, e.rec.Name)] || e.rec.Name == "" {
				if children[s.name] == nil {
					children[s.name] = make(map[string]bool)
				}
				children[s.name][e.rec.Name] = true
			}
		}
	}
	if len(known) == 0 || known[[2]string{"", p.root}] != nil { // an archive may lack the record of its root
		children[""][p.root] = true
	}
	for dir := range dirs {
		if err := effort.ModPathDepth.Check(dir[:min(len(dir), 64)]+"...", int64(strings.Count(dir, "/"))); err != nil {
			return err
		}
		for dir != "" {
			parent, _ := split(strings.TrimSuffix(dir, "/"))
			name := dir[len(parent):]
			if children[parent] == nil {
				children[parent] = make(map[string]bool)
			}
			if children[parent][name] {
				break
			}
			children[parent][name] = true
			dir = parent
		}
	}
	p.sections = p.sections[:0]
	directories := func(name string) planSection {
		s := planSection{name: name}
		for _, child := range sortedKeys(children[name]) {
			e := known[[2]string{name, child}]
			if e == nil {
				e = &entry{rec: Record{Name: child, Type: TypeDirectory}}
			}
			s.entries = append(s.entries, e)
		}
		return s
	}
	p.sections = append(p.sections, directories(""))
	for _, dir := range sortedKeys(files) {
		p.sections = append(p.sections, planSection{dir, files[dir]})
	}
	for _, dir := range sortedKeys(children) {
		if dir != "" {
			p.sections = append(p.sections, directories(dir))
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// blocks returns the entries that have a block to write, in the order of the archive.
func (p *plan) blocks() []*entry {
	var all []*entry
	for i := range p.sections {
		for _, e := range p.sections[i].entries {
			switch {
			case e.file != nil && !e.file.Removed && !(p.intact && e.was != nil && e.was.borrows()),
				e.file == nil && e.was != nil && e.was.Kind == ResidueLost && (e.was.Block >= 0 || !p.intact && e.was.readable()):
				all = append(all, e)
			}
		}
	}
	place := func(e *entry) int {
		if e.was == nil || e.was.Block < 0 {
			return math.MaxInt // new files come last
		}
		return e.was.Block
	}
	slices.SortStableFunc(all, func(a, b *entry) int { return cmp.Compare(place(a), place(b)) })
	return all
}
