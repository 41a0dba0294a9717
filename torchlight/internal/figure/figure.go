// Package figure puts models of the Torchlight games together: the mesh, its skeleton, its materials with their textures,
// and its animations are files of their own that name each other. It draws models, and writes them as glTF.
package figure

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/text"
)

// Files finds the files of a model by their paths in the game, in any case.
type Files struct {
	Read func(path string) ([]byte, error)    // the error for a missing file is fs.ErrNotExist
	List func(folder string) (names []string) // the files of a folder
}

// Limits of a model.
const (
	maxPixels = 1 << 26 // of all textures
	maxClips  = 1 << 13
)

// Figure is a model that is put together.
type Figure struct {
	Path  string // of the mesh
	Parts []Part
	Bones *Skeleton // nil: nothing moves the model
	Scale float64
	Lacks []Lack

	Meshes []string // the names of the meshes of a unit, the usual one first

	Low, High [3]float64 // the box around all vertices that are drawn, without Scale

	files     Files
	list      []clipFile
	skeletons map[string]*ogre.Skeleton // by file; nil: unreadable
	scripts   []scriptFile
	textures  map[string]*Texture
	materials map[string]*Material
	pixels    int          // of the textures
	poses     effort.Meter // of animations
	texels    effort.Meter // of the textures of all materials
}

// Lack is something that a model lacks.
type Lack struct {
	Kind string // texture, material, skeleton, animation, vertices, triangles
	Name string
	Why  string
	Loss bool // it exists, but is beyond a budget of work
}

func (f *Figure) lack(kind, name, why string) { f.note(Lack{Kind: kind, Name: name, Why: why}) }

// over notes that a budget of work was met.
func (f *Figure) over(kind, name string, err error, otherwise string) {
	f.note(Lack{kind, name, err.Error() + otherwise, true})
}

func (f *Figure) note(l Lack) {
	if !slices.Contains(f.Lacks, l) && len(f.Lacks) < 1000 {
		f.Lacks = append(f.Lacks, l)
	}
}

// errNotFound is the reason for a file that does not exist.
var errNotFound = errors.New("not found in the mod, in --base or next to the file")

func (f *Figure) read(name string) ([]byte, error) {
	data, err := f.files.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errNotFound
	}
	return data, err
}

// beside returns the path of a file in the folder of the mesh.
func (f *Figure) beside(name string) string { return path.Join(path.Dir(f.Path), name) }

// stem returns the name of the mesh without its extension.
func (f *Figure) stem() string { return strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path)) }

// Open puts the model of a mesh together. Everything that it lacks is in [Figure.Lacks].
func Open(files Files, name string) (*Figure, error) {
	f := &Figure{Path: strings.ReplaceAll(name, `\`, "/"), files: files, Scale: 1,
		poses: effort.ModelPoses.Start(0), texels: effort.ModelTexels.Start(0)}
	data, err := f.read(f.Path)
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, err)
	}
	m, err := decode[*ogre.Mesh](data, "mesh")
	if err != nil {
		return nil, fmt.Errorf("mesh %s: %w", name, err)
	}
	f.skeletons, f.textures, f.materials = make(map[string]*ogre.Skeleton), make(map[string]*Texture), make(map[string]*Material)
	if m.Skeleton != nil {
		f.openSkeleton(m)
	}
	f.parts(m)
	if f.Bones != nil {
		f.listClips(m)
	}
	return f, nil
}

// decode reads a model or its text.
func decode[M ogre.Model](data []byte, kind string) (m M, err error) {
	var any ogre.Model
	if ogre.IsText(data) {
		any, err = ogre.Parse(data)
	} else {
		any, err = ogre.Decode(data)
	}
	if err != nil {
		return m, err
	}
	m, is := any.(M)
	if !is {
		err = fmt.Errorf("this is not a %s", kind)
	}
	return m, err
}

func (f *Figure) openSkeleton(m *ogre.Mesh) {
	name := m.Skeleton.File
	own, err := f.skeleton(name)
	if err == nil {
		f.Bones, err = newSkeleton(own)
	}
	if err != nil {
		f.lack("skeleton", name, fmt.Sprintf("%v; the model does not move", err))
	}
}

// skeleton reads a skeleton in the folder of the mesh.
func (f *Figure) skeleton(name string) (*ogre.Skeleton, error) {
	if !ogre.IsFileName(name) {
		return nil, fmt.Errorf("%q is not the name of a file in the same folder", name)
	}
	name = skeletonFile(name)
	key := strings.ToUpper(name)
	s, known := f.skeletons[key]
	if known && s == nil {
		return nil, errors.New("unreadable, as above")
	}
	if known {
		return s, nil
	}
	f.skeletons[key] = nil
	data, err := f.read(f.beside(name))
	if err == nil {
		s, err = decode[*ogre.Skeleton](data, "skeleton")
	}
	if err == nil {
		f.skeletons[key] = s
	}
	return s, err
}

// parts reads the parts of the mesh with their materials.
func (f *Figure) parts(m *ogre.Mesh) {
	names := make(map[int]string)
	if m.Names != nil {
		for _, n := range m.Names.List {
			names[int(n.SubMesh)] = n.Name
		}
	}
	bind := func(g *Geometry, weights []ogre.Weight) {
		if f.Bones != nil && !g.bind(weights, f.Bones) {
			f.lack("skeleton", m.Skeleton.File, "the skeleton lacks bones of the mesh, which belongs to another skeleton; the model does not move")
			f.Bones = nil
		}
	}
	var shared *Geometry
	if m.Shared != nil {
		shared = f.geometry(m.Shared, "shared geometry")
		bind(shared, m.Weights)
	}
	for i := range m.SubMeshes {
		s := &m.SubMeshes[i]
		p := Part{Name: names[i], Index: i, Geometry: shared}
		place := fmt.Sprintf("submesh %d", i)
		switch {
		case !s.Shared && s.Geometry != nil:
			p.Geometry = f.geometry(s.Geometry, place)
			bind(p.Geometry, s.Weights)
		case shared == nil || !s.Shared:
			f.lack("vertices", place, "the mesh has no geometry for it, so it is not drawn")
			continue
		}
		var bad int
		if p.Triangles, bad = triangles(s, len(p.Positions)); bad > 0 && len(p.Positions) > 0 {
			f.lack("triangles", place, fmt.Sprintf("%d triangles have a corner that does not exist", bad))
		} else if p.Triangles == nil && len(s.Indices) > 0 && bad == 0 {
			f.lack("triangles", place, "points or lines, which are not drawn")
		}
		if len(p.Triangles) == 0 {
			continue
		}
		p.Material = f.material(s.Material)
		f.Parts = append(f.Parts, p)
	}
	if f.Bones == nil { // perhaps not before a later part
		for _, p := range f.Parts {
			p.Joints, p.Weights = nil, nil
		}
	}
	f.Low, f.High = f.box(nil)
}

// box returns the box around all drawn vertices in a pose.
func (f *Figure) box(pose []Matrix) (low, high [3]float64) {
	for i := range 3 {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
	}
	for _, p := range f.Parts {
		positions, _ := p.Posed(pose)
		for _, t := range p.Triangles {
			for _, corner := range t {
				for k, v := range positions[corner] {
					if v-v == 0 {
						low[k], high[k] = min(low[k], float64(v)), max(high[k], float64(v))
					}
				}
			}
		}
	}
	if low[0] > high[0] || low[1] > high[1] || low[2] > high[2] {
		return [3]float64{}, [3]float64{}
	}
	return low, high
}

// Pose returns the maps of the bones, from the model in its binding pose to the model at a time of a clip. It returns nil
// without a clip or a skeleton.
func (f *Figure) Pose(c *Clip, seconds float64) []Matrix {
	if c == nil || f.Bones == nil {
		return nil
	}
	pose := f.Bones.World(c, seconds)
	for i := range pose {
		pose[i] = pose[i].Times(&f.Bones.inverse[i])
	}
	return pose
}

// clipFile is an animation that can be read.
type clipFile struct {
	name, file string
	index      int // of the animation in the file
	keys       []ogre.ClipEvent
}

// listClips lists the animations: those of the .ANIMATION with the name of the mesh, then those in its own skeleton.
func (f *Figure) listClips(m *ogre.Mesh) {
	name := f.beside(f.stem() + ".ANIMATION")
	data, err := f.files.Read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.lack("animation", name, err.Error())
	}
	if err == nil {
		root, err := Tree(data)
		if err != nil {
			f.lack("animation", name, err.Error())
		} else {
			for _, c := range ogre.ParseAnimation(root) {
				f.addClip(clipFile{name: c.Name, file: c.File, keys: c.Keys})
			}
		}
	}
	own, _ := f.skeleton(m.Skeleton.File)
	for i, a := range own.Animations {
		if a.Length > 0 {
			f.addClip(clipFile{name: a.Name, file: m.Skeleton.File, index: i})
		}
	}
}

func (f *Figure) addClip(c clipFile) {
	if c.name == "" {
		c.name = strings.TrimSuffix(c.file, path.Ext(c.file))
	}
	same := func(o clipFile) bool {
		return strings.EqualFold(o.file, c.file) && o.index == c.index && o.name == c.name
	}
	switch {
	case len(f.list) >= maxClips:
		f.lack("animation", "others", fmt.Sprintf("only %d animations are read", maxClips))
	case !slices.ContainsFunc(f.list, same):
		f.list = append(f.list, c)
	}
}

// ClipNames returns the names of the animations, whether or not their files exist.
func (f *Figure) ClipNames() (names []string) {
	for _, c := range f.list {
		if !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// Available returns the names of the animations whose files exist.
func (f *Figure) Available() (names []string) {
	here := make(map[string]bool)
	if f.files.List != nil {
		for _, name := range f.files.List(path.Dir(f.Path)) {
			here[strings.ToUpper(name)] = true
		}
	}
	for _, c := range f.list {
		if here[strings.ToUpper(skeletonFile(c.file))] && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// skeletonFile returns the name of a skeleton's file: the extension may be omitted where it is named.
func skeletonFile(name string) string {
	if !strings.EqualFold(path.Ext(name), ".skeleton") {
		name += ".SKELETON"
	}
	return name
}

// Usual returns an animation that shows the model as players usually see it: the first one whose name begins with IDLE,
// else the first one. It returns nil if there is none.
func (f *Figure) Usual() *Clip {
	list := slices.Clone(f.list)
	slices.SortStableFunc(list, func(a, b clipFile) int { return isIdle(b.name) - isIdle(a.name) })
	for _, from := range list {
		if c, err := f.load(from); err == nil && c.Length > 0 {
			return c
		}
	}
	return nil
}

func isIdle(name string) int {
	if strings.HasPrefix(strings.ToUpper(name), "IDLE") {
		return 1
	}
	return 0
}

// Clip returns the first animation with a name, in any case.
func (f *Figure) Clip(name string) (*Clip, error) {
	clips, err := f.ClipsOf([]string{name})
	if err == nil && len(clips) == 0 {
		err = errors.New(f.Lacks[len(f.Lacks)-1].Why)
	}
	if err != nil {
		return nil, err
	}
	return clips[0], nil
}

// ClipsOf returns the animations with some names, in any case, or all if there are no names. Those that cannot be read
// are in [Figure.Lacks].
func (f *Figure) ClipsOf(names []string) (clips []*Clip, err error) {
	list := f.list
	if len(names) > 0 {
		list = nil
	}
	for _, name := range names {
		before := len(list)
		for _, c := range f.list {
			if strings.EqualFold(c.name, name) || strings.EqualFold(strings.TrimSuffix(c.file, path.Ext(c.file)), name) {
				list = append(list, c)
			}
		}
		if len(list) == before {
			return nil, f.noClip(name)
		}
	}
	for _, from := range list {
		c, err := f.load(from)
		if errors.Is(err, effort.ErrMet) {
			break
		}
		if err != nil {
			f.lack("animation", from.name, fmt.Sprintf("%s: %v", from.file, err))
			continue
		}
		clips = append(clips, c)
	}
	return clips, nil
}

func (f *Figure) noClip(name string) error {
	const most = 20
	names := f.ClipNames()
	switch {
	case f.Bones == nil:
		return fmt.Errorf("no animation %q: the model has no skeleton", name)
	case names == nil:
		return fmt.Errorf("no animation %q: the model has none (they are listed in %s.ANIMATION next to the mesh)", name, f.stem())
	case len(names) > most:
		names = append(names[:most:most], fmt.Sprintf("%d others", len(names)-most))
	}
	return fmt.Errorf("no animation %q: the model has %s", name, strings.Join(names, ", "))
}

func (f *Figure) load(from clipFile) (*Clip, error) {
	own, err := f.skeleton(from.file)
	if err != nil {
		return nil, err
	}
	if from.index >= len(own.Animations) {
		return nil, errors.New("the skeleton contains no animation")
	}
	a := &own.Animations[from.index]
	work := len(f.Bones.Bones) + len(own.Bones) + len(a.Tracks)
	for _, t := range a.Tracks {
		work += len(t.Keys)
	}
	if err := f.poses.Spend(int64(work)); err != nil {
		f.over("animation", "others", err, "")
		return nil, err
	}
	c, err := f.Bones.newClip(own, a)
	if err != nil {
		return nil, err
	}
	c.Name = from.name
	for _, k := range from.keys {
		if seconds := float64(k.Frame) / ogre.FramesPerSecond; isFinite(seconds) {
			c.Keys = append(c.Keys, Key{k.Name, seconds})
		}
	}
	return c, nil
}

// Tree returns the tree of a data file, compiled or not.
func Tree(data []byte) (*text.Node, error) {
	if text.Recognize(data) {
		file, err := text.Parse(data)
		if err != nil {
			return nil, err
		}
		return file.Root, nil
	}
	file, err := dat.Decode(data)
	if err != nil {
		return nil, err
	}
	return file.Text(dat.Options{}), nil
}
