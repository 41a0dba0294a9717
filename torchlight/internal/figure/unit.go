package figure

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/text"
)

// ErrNoMesh is the error for a data file that names no mesh, or one that does not exist.
var ErrNoMesh = errors.New("no mesh")

// maxScale is the greatest scale of a unit.
const maxScale = 1e4

// OpenUnit puts the model of a unit together: its mesh, in the size and with the texture that its data file states. Values
// that the file lacks are those of its base files. If a mesh is given, which must be one of [Figure.Meshes], it is used
// instead of the first one.
func OpenUnit(files Files, name, mesh string) (*Figure, error) {
	tree := func(name string) (*text.Node, error) {
		data, err := files.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = errNotFound
		}
		if err != nil {
			return nil, err
		}
		return Tree(data)
	}
	root, err := tree(name)
	if err != nil {
		return nil, err
	}
	chain := inherit.Follow(name, root, tree)
	file, err := meshOf(chain, mesh)
	if err != nil {
		return nil, err
	}
	f, err := Open(files, file)
	if errors.Is(err, errNotFound) {
		err = fmt.Errorf("%w: %w", ErrNoMesh, err)
	}
	if err != nil {
		return nil, err
	}
	if chain.Err != nil {
		f.lack("base", chain.Missing, fmt.Sprintf("%v; values from it may be missing", chain.Err))
	}
	if value := chain.Get("SCALE"); value != "" {
		if v, _ := text.ParseFloat(value); v > 0 && v <= maxScale {
			f.Scale = float64(v)
		} else {
			f.lack("scale", value, "not a scale above 0; the mesh keeps its size")
		}
	}
	f.Meshes = meshes(chain)
	if name := strings.TrimSpace(chain.Get("TEXTURE_OVERRIDE")); name != "" {
		f.Override(name)
	}
	return f, nil
}

// meshOf returns the path of the mesh of a unit: of MESHFILE, or of another one of its names.
func meshOf(chain inherit.Chain, other string) (string, error) {
	mesh := strings.TrimSpace(chain.Get("MESHFILE"))
	if other != "" {
		names := meshes(chain)
		mesh = ""
		for _, name := range names {
			if strings.EqualFold(name, other) {
				mesh = name
			}
		}
		if mesh == "" && names == nil {
			return "", fmt.Errorf("no mesh %q: the unit names no meshes", other)
		} else if mesh == "" {
			return "", fmt.Errorf("no mesh %q: the unit has %s", other, strings.Join(names, ", "))
		}
	}
	dir := strings.TrimSpace(chain.Get("RESOURCEDIRECTORY"))
	lacking := ""
	switch {
	case mesh == "":
		lacking = "MESHFILE"
	case !strings.ContainsAny(mesh, `/\`) && dir == "":
		lacking = "RESOURCEDIRECTORY"
	default:
		if !strings.ContainsAny(mesh, `/\`) {
			mesh = dir + "/" + mesh
		}
		if !strings.EqualFold(path.Ext(mesh), ".MESH") {
			mesh += ".MESH"
		}
		return inherit.Path(mesh), nil
	}
	if chain.Err != nil {
		return "", fmt.Errorf("%w: %s is missing, and so is the base file %s: %w", ErrNoMesh, lacking, chain.Missing, chain.Err)
	}
	return "", fmt.Errorf("%w: %s is missing", ErrNoMesh, lacking)
}

// meshes returns the names of the meshes of a unit: MESHFILE, then those of the blocks MESHFILES, from which the game chooses.
func meshes(chain inherit.Chain) (names []string) {
	add := func(name string) {
		name = strings.TrimSpace(name)
		if same := func(n string) bool { return strings.EqualFold(n, name) }; name != "" && !slices.ContainsFunc(names, same) {
			names = append(names, name)
		}
	}
	add(chain.Get("MESHFILE"))
	blocks, _ := chain.Nodes("MESHFILES")
	for _, block := range blocks {
		for p := range block.Keys("MESHFILE") {
			add(p.Value)
		}
	}
	return names
}

// Bounds returns the corners of the box that a mesh states.
func Bounds(data []byte) (low, high [3]float64, err error) {
	m, err := decode[*ogre.Mesh](data, "mesh")
	if err != nil {
		return low, high, err
	}
	if m.Bounds == nil {
		return low, high, errors.New("the mesh states no bounds")
	}
	for i := range low {
		low[i], high[i] = float64(m.Bounds.Min[i]), float64(m.Bounds.Max[i])
		if !(low[i] <= high[i]) || !isFinite(high[i]-low[i]) {
			return low, high, fmt.Errorf("the bounds of the mesh are %v to %v", m.Bounds.Min, m.Bounds.Max)
		}
	}
	return low, high, nil
}
