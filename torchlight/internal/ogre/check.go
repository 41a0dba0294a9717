package ogre

import (
	"fmt"
	"math"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/text"
)

// Catalog lists the findings about meshes and skeletons that [Check] can report.
var Catalog check.Catalog

var (
	foundUnreadable = Catalog.Add("tl-model-unreadable", check.Error,
		"A mesh or skeleton cannot be read.",
		"Export it again from the 3D program, as OGRE 1.7 or 1.8 writes it (OgreMeshUpgrader converts newer meshes).")
	foundLength = Catalog.Add("tl-model-length", check.Info,
		"A part of a mesh or skeleton declares a wrong length. The game ignores it.",
		"Nothing to do; to correct it, delete the word length and its number in the text.")
	foundUnread = Catalog.Add("tl-model-unread-part", check.Warning,
		"A mesh ends with levels of detail, poses or vertex animations, which Trowel keeps but does not check.",
		"Nothing to do.")
	foundNumber = Catalog.Add("tl-model-not-finite", check.Error,
		"A number of a mesh or skeleton is infinite or not a number.",
		"Replace the number.")
	foundGeometry = Catalog.Add("tl-mesh-geometry", check.Error,
		"The vertices of a mesh do not match their declaration, or there are none for a submesh.",
		"Export the mesh again.")
	foundIndex = Catalog.Add("tl-mesh-index", check.Error,
		"A triangle of a mesh has a vertex that does not exist.",
		"Export the mesh again, or correct the number in the text.")
	foundWeight = Catalog.Add("tl-mesh-weight", check.Error,
		"A bone moves a vertex that does not exist, or its weight is not above 0.",
		"Remove the weight from the text, or export the mesh again.")
	foundLink = Catalog.Add("tl-mesh-skeleton", check.Warning,
		"A mesh is marked as skinned but names no skeleton, or the reverse, or the name is not that of a file in the same "+
			"folder.",
		"Correct the mark or the name in the text, or export the mesh again.")
	foundBounds = Catalog.Add("tl-mesh-bounds", check.Warning,
		"The box of a mesh does not contain all its vertices, so the game can hide the mesh while it is in view.",
		"Correct the bounds in the text, or export the mesh again.")
	foundName = Catalog.Add("tl-mesh-name", check.Warning,
		"A mesh has a name for a submesh that does not exist.",
		"Remove the name from the text.")
	foundBone = Catalog.Add("tl-skeleton-bone", check.Error,
		"Two bones of a skeleton have the same name or handle, or a bone has an unknown parent, several parents, or is "+
			"its own ancestor.",
		"Correct the bones in the text, or export the skeleton again.")
	foundRoots = Catalog.Add("tl-skeleton-roots", check.Warning,
		"A skeleton has several bones without a parent. The skeletons of the game have one.",
		"Make the others children of the first bone.")
	foundTrack = Catalog.Add("tl-skeleton-track", check.Error,
		"An animation moves a bone that does not exist, or moves a bone twice.",
		"Correct the tracks in the text, or export the animation again.")
	foundTime = Catalog.Add("tl-skeleton-time", check.Info,
		"The keys of an animation are not in the order of their times, or some are before its start or after its end.",
		"Nothing to do if the animation looks right; otherwise export it again.")
	foundTurn = Catalog.Add("tl-skeleton-rotation", check.Warning,
		"A rotation of a skeleton is not a quaternion of length 1.",
		"Correct the rotation in the text, or export the skeleton again.")
)

// Check reports problems that are visible in a file alone, and returns the model, or nil if it cannot be read.
func Check(data []byte, sink check.Sink) Model {
	sink = text.AtNodes(sink)
	m, err := Decode(data)
	if err != nil {
		sink.Add(foundUnreadable, "", -1, "%v", err)
		return nil
	}
	x := &examiner{sink: sink}
	m.walk(&codec{x})
	x.report()
	switch m := m.(type) {
	case *Mesh:
		m.check(sink)
	case *Skeleton:
		m.check(sink)
	}
	return m
}

// examiner is a form that writes nothing: it finds lengths and numbers.
type examiner struct {
	printer
	sink    check.Sink
	path    []string
	lengths several
	numbers several
}

// several is a problem that can be in many places.
type several struct {
	count int
	path  string // of the first place
	what  string
}

func (s *several) add(path, what string) {
	if s.count++; s.count == 1 {
		s.path, s.what = path, what
	}
}

// more returns " (and N more)" if there are more places.
func (s *several) more() string {
	if s.count < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", s.count-1)
}

func (x *examiner) report() {
	if x.lengths.count > 0 {
		x.sink.Add(foundLength, x.lengths.path, -1, "declares %s%s", x.lengths.what, x.lengths.more())
	}
	if x.numbers.count > 0 {
		x.sink.Add(foundNumber, x.numbers.path, -1, "is %s%s", x.numbers.what, x.numbers.more())
	}
}

func (x *examiner) open(k kind, index int, excess *int64) {
	name := k.name
	if index >= 0 {
		name = fmt.Sprintf("%s[%d]", name, index)
	}
	x.path = append(x.path, name)
	if *excess == 0 || k.slack == anyLength {
		return
	}
	amount, side := *excess, "more"
	if amount < 0 {
		amount, side = -amount, "fewer"
	}
	x.lengths.add(x.place(""), words.Count(int(amount), side+" byte")+" than it has")
}

func (x *examiner) close() { x.path = x.path[:len(x.path)-1] }

// place returns the path of a field.
func (x *examiner) place(name string) string {
	if name = strings.TrimPrefix(name, "_"); name != "" {
		return strings.Join(x.path, ".") + "." + name
	}
	return strings.Join(x.path, ".")
}

func isFinite(v float32) bool { return v-v == 0 }

func (x *examiner) float(name string, v *float32) {
	if !isFinite(*v) {
		x.numbers.add(x.place(name), fmt.Sprint(*v))
	}
}

func (x *examiner) unsigned(string, int, *uint32)             {}
func (x *examiner) choice(string, *uint16, map[uint16]string) {}
func (x *examiner) text(string, *string)                      {}
func (x *examiner) row()                                      {}
func (x *examiner) indices(int, int, *[]uint32)               {}
func (x *examiner) vertices(int, int, []column, *[]byte)      {}

func (m *Mesh) check(sink check.Sink) {
	if len(m.Rest) > 0 {
		sink.Add(foundUnread, "rest", -1, "has %s from a chunk %#04x on that are not checked", words.Count(len(m.Rest), "byte"),
			uint16(m.Rest[0])|uint16(m.Rest[1])<<8)
	}
	if m.Skinned != (m.Skeleton != nil) && len(m.Rest) == 0 {
		if m.Skinned {
			sink.Add(foundLink, "skinned", -1, "is marked as skinned, but names no skeleton")
		} else {
			sink.Add(foundLink, "skeleton", -1, "names the skeleton %q, but is not marked as skinned", m.Skeleton.File)
		}
	}
	if m.Skeleton != nil && !IsFileName(m.Skeleton.File) {
		sink.Add(foundLink, "skeleton", -1, "names the skeleton %q, which is not a file in the same folder", m.Skeleton.File)
	}
	if m.Shared != nil {
		m.Shared.check("mesh.geometry", sink)
		checkWeights("mesh.shared_weight", m.Weights, m.Shared.Count, sink)
	} else if len(m.Weights) > 0 {
		checkWeights("mesh.shared_weight", m.Weights, 0, sink)
	}
	for i := range m.SubMeshes {
		s := &m.SubMeshes[i]
		path := fmt.Sprintf("mesh.submesh[%d]", i)
		if s.Geometry != nil {
			s.Geometry.check(path+".geometry", sink)
		}
		g := m.geometryOf(s)
		if g == nil {
			sink.Add(foundGeometry, path, -1, "uses the shared geometry, which does not exist")
			continue
		}
		var wrong several
		for n, index := range s.Indices {
			if index >= g.Count {
				wrong.add(fmt.Sprintf("%s.indices[%d]", path, n), fmt.Sprint(index))
			}
		}
		if wrong.count > 0 {
			sink.Add(foundIndex, wrong.path, -1, "is vertex %s%s, of %d", wrong.what, wrong.more(), g.Count)
		}
		checkWeights(path+".weight", s.Weights, g.Count, sink)
	}
	m.checkBounds(sink)
	if m.Names != nil {
		for i, n := range m.Names.List {
			if int(n.SubMesh) >= len(m.SubMeshes) {
				sink.Add(foundName, fmt.Sprintf("mesh.names.name[%d]", i), -1, "is %q of submesh %d, of %d", n.Name, n.SubMesh, len(m.SubMeshes))
			}
		}
	}
}

// IsFileName reports whether a name in a model is that of a file in the same folder: no path, no drive.
func IsFileName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\:\x00")
}

func checkWeights(path string, weights []Weight, count uint32, sink check.Sink) {
	var wrong several
	for i, w := range weights {
		switch {
		case w.Vertex >= count:
			wrong.add(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("moves vertex %d, of %d", w.Vertex, count))
		case isFinite(w.Weight) && w.Weight <= 0:
			wrong.add(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("has the weight %v", w.Weight))
		}
	}
	if wrong.count > 0 {
		sink.Add(foundWeight, wrong.path, -1, "%s%s", wrong.what, wrong.more())
	}
}

// boundsTolerance is the part of its size by which a box may miss a vertex, because of rounding.
const boundsTolerance = 1e-4

func (m *Mesh) checkBounds(sink check.Sink) {
	if m.Bounds == nil {
		return
	}
	all := make([]*Geometry, 0, 1+len(m.SubMeshes))
	if m.Shared != nil {
		all = append(all, m.Shared)
	}
	for i := range m.SubMeshes {
		if g := m.SubMeshes[i].Geometry; g != nil {
			all = append(all, g)
		}
	}
	var wrong several
	for _, g := range all {
		values, width := g.Floats(Position, 0)
		if width != 3 {
			continue
		}
		for i := 0; i+3 <= len(values); i += 3 {
			for axis, v := range values[i : i+3] {
				low, high := m.Bounds.Min[axis], m.Bounds.Max[axis]
				slack := boundsTolerance * max(1, high-low)
				if v < low-slack || v > high+slack {
					wrong.add("mesh.bounds", fmt.Sprintf("is %v to %v in %c, but a vertex is at %v", low, high, 'x'+rune(axis), v))
				}
			}
		}
	}
	if wrong.count > 0 {
		sink.Add(foundBounds, wrong.path, -1, "%s%s", wrong.what, wrong.more())
	}
}

func (g *Geometry) check(path string, sink check.Sink) {
	binds := make(map[uint16]bool)
	for i := range g.Buffers {
		b := &g.Buffers[i]
		if binds[b.Bind] {
			sink.Add(foundGeometry, fmt.Sprintf("%s.buffer[%d]", path, i), -1, "is a second buffer with the number %d", b.Bind)
			continue
		}
		binds[b.Bind] = true
		if _, problem := g.describe(b); problem != "" {
			sink.Add(foundGeometry, fmt.Sprintf("%s.buffer[%d]", path, i), -1, "%s", problem)
		}
	}
	if g.Declaration != nil {
		for i, e := range g.Declaration.Elements {
			if !binds[e.Source] {
				sink.Add(foundGeometry, fmt.Sprintf("%s.declaration.element[%d]", path, i), -1, "is in buffer %d, which does not exist", e.Source)
			}
		}
	}
	for _, semantic := range []uint16{Position, Normal, TexCoord, Tangent} {
		values, width := g.Floats(semantic, 0)
		for i, v := range values {
			if !isFinite(v) {
				sink.Add(foundNumber, path, -1, "has the %s %v at vertex %d", semanticNames[semantic], v, i/width)
				break
			}
		}
	}
}

func (s *Skeleton) check(sink check.Sink) {
	names, handles := make(map[string]int), make(map[uint16]int)
	var turns several
	for i, b := range s.Bones {
		path := fmt.Sprintf("bone[%d]", i)
		if other, twice := names[strings.ToUpper(b.Name)]; twice {
			sink.Add(foundBone, path, -1, "has the name %q of bone[%d]", b.Name, other)
		} else {
			names[strings.ToUpper(b.Name)] = i
		}
		if other, twice := handles[b.Handle]; twice {
			sink.Add(foundBone, path, -1, "has the handle %d of bone[%d]", b.Handle, other)
		} else {
			handles[b.Handle] = i
		}
		checkTurn(b.Rotation, path, &turns)
	}
	s.checkParents(handles, sink)
	for i, a := range s.Animations {
		path := fmt.Sprintf("animation[%d]", i)
		moved := make(map[uint16]int)
		var times several
		for n, t := range a.Tracks {
			track := fmt.Sprintf("%s.track[%d]", path, n)
			if _, known := handles[t.Bone]; !known {
				sink.Add(foundTrack, track, -1, "moves bone %d, which does not exist", t.Bone)
			}
			if other, twice := moved[t.Bone]; twice {
				sink.Add(foundTrack, track, -1, "moves bone %d, as track[%d] does", t.Bone, other)
			} else {
				moved[t.Bone] = n
			}
			for j, k := range t.Keys {
				key := func() string { return fmt.Sprintf("%s.key[%d]", track, j) }
				switch {
				case k.Time < 0:
					times.add(key(), fmt.Sprintf("is at %v s", k.Time))
				case j > 0 && k.Time <= t.Keys[j-1].Time:
					times.add(key(), fmt.Sprintf("is at %v s, after a key at %v s", k.Time, t.Keys[j-1].Time))
				case k.Time > a.Length+1e-4:
					times.add(key(), fmt.Sprintf("is at %v s of %v s", k.Time, a.Length))
				}
				if !isUnit(k.Rotation) {
					checkTurn(k.Rotation, key(), &turns)
				}
			}
		}
		if times.count > 0 {
			sink.Add(foundTime, times.path, -1, "%s%s", times.what, times.more())
		}
	}
	if turns.count > 0 {
		sink.Add(foundTurn, turns.path, -1, "%s%s", turns.what, turns.more())
	}
}

// turnTolerance is how far the length of a rotation may be from 1.
const turnTolerance = 1e-2

// isUnit reports whether a rotation has the length 1, or is not finite, which is another finding.
func isUnit(q [4]float32) bool {
	sum := 0.0
	for _, v := range q {
		sum += float64(v) * float64(v)
	}
	return math.IsNaN(sum) || math.IsInf(sum, 0) || math.Abs(math.Sqrt(sum)-1) <= turnTolerance
}

func checkTurn(q [4]float32, path string, wrong *several) {
	if !isUnit(q) {
		wrong.add(path, fmt.Sprintf("has the rotation %v", q))
	}
}

// checkParents checks the tree of bones. Handles are the indices of bones.
func (s *Skeleton) checkParents(handles map[uint16]int, sink check.Sink) {
	parents := make(map[uint16]uint16)
	for i, p := range s.Parents {
		path := fmt.Sprintf("parent[%d]", i)
		for _, h := range []uint16{p.Child, p.Parent} {
			if _, known := handles[h]; !known {
				sink.Add(foundBone, path, -1, "names bone %d, which does not exist", h)
			}
		}
		if other, twice := parents[p.Child]; twice {
			sink.Add(foundBone, path, -1, "gives bone %d a second parent, after bone %d", p.Child, other)
			continue
		}
		parents[p.Child] = p.Parent
	}
	const walking, done = 1, 2
	state := make(map[uint16]int)
	roots := 0
	for _, b := range s.Bones {
		var way []uint16
		at := b.Handle
		for state[at] == 0 {
			state[at] = walking
			way = append(way, at)
			parent, has := parents[at]
			if _, known := handles[at]; !has && known {
				roots++
			}
			if !has {
				break
			}
			if at = parent; state[at] == walking {
				sink.Add(foundBone, fmt.Sprintf("bone[%d]", handles[at]), -1, "is its own ancestor")
			}
		}
		for _, h := range way {
			state[h] = done
		}
	}
	if roots > 1 {
		sink.Add(foundRoots, "", -1, "%d bones have no parent", roots)
	}
}
