package modscene

import (
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// levelSets is the folder of the files that define room pieces.
const levelSets = "MEDIA/LEVELSETS"

// pieces finds the meshes of room pieces by their GUIDs. Files are read as far as needed.
type pieces struct {
	read  func(path string) ([]byte, error)
	list  func() []string // the files below MEDIA/LEVELSETS; nil once they are in left
	left  []string        // files that are not read yet
	known map[int64][]string
}

func newPieces(s *subject, read func(path string) ([]byte, error)) *pieces {
	return &pieces{read: read, known: make(map[int64][]string), list: func() []string { return s.below(levelSets) }}
}

// meshes returns the paths of the meshes of a piece, of which a level chooses one.
func (p *pieces) meshes(guid int64) ([]string, error) {
	for p.known[guid] == nil {
		if p.list != nil {
			p.left, p.list = p.list(), nil
		}
		if len(p.left) == 0 {
			return nil, fs.ErrNotExist
		}
		name := p.left[0]
		p.left = p.left[1:]
		if extensionOf(name) != unitType {
			continue
		}
		data, err := p.read(name)
		var root *text.Node
		if err == nil {
			root, err = figure.Tree(data)
		}
		if err != nil || root == nil {
			continue // check reports it
		}
		p.add(root)
	}
	return p.known[guid], nil
}

// add adds the pieces in a tree. The first definition of a piece counts.
func (p *pieces) add(n *text.Node) {
	for child := range n.Children() {
		p.add(child)
	}
	if !strings.EqualFold(n.Name, "PIECE") {
		return
	}
	value, _ := n.Get("GUID")
	guid, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil || p.known[guid] != nil {
		return
	}
	files := []string{}
	for property := range n.Keys("FILE") {
		if file := strings.TrimSpace(property.Value); file != "" {
			files = append(files, file)
		}
	}
	p.known[guid] = files
}

// below returns the paths of files that are in a folder of the game or in one inside it: those in a list, then those of
// the base, which may be nil.
func below(folder string, base moddir.Files, list []string) (files []string) {
	seen := make(map[string]bool)
	add := func(list iter.Seq[string]) {
		var own []string
		for name := range list {
			name = strings.ToUpper(name)
			if strings.HasPrefix(name, folder+"/") && !seen[name] {
				seen[name] = true
				own = append(own, name)
			}
		}
		slices.Sort(own)
		files = append(files, own...)
	}
	add(slices.Values(list))
	if base != nil {
		add(base.Files())
	}
	return files
}
