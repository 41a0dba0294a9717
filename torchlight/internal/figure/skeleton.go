package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"trowel.example/torchlight/internal/ogre"
)

// transform is a position, a turn and a scale in the space of a parent.
type transform struct {
	Position [3]float64
	Turn     [4]float64 // a unit quaternion: x, y, z, w
	Scale    [3]float64
}

// Matrix is an affine map: the rows of a 3 x 4 matrix.
type Matrix [3][4]float64

// Times returns the map that applies n, then m.
func (m *Matrix) Times(n *Matrix) (p Matrix) {
	for r := range p {
		for c := range p[r] {
			p[r][c] = m[r][0]*n[0][c] + m[r][1]*n[1][c] + m[r][2]*n[2][c]
		}
		p[r][3] += m[r][3]
	}
	return p
}

// Point maps a point.
func (m *Matrix) Point(v [3]float64) (w [3]float64) {
	for r := range w {
		w[r] = m[r][0]*v[0] + m[r][1]*v[1] + m[r][2]*v[2] + m[r][3]
	}
	return w
}

// Inverse returns the inverse map, or false if there is none.
func (m *Matrix) Inverse() (n Matrix, ok bool) {
	cofactor := func(r, c int) float64 {
		r1, r2, c1, c2 := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
		return m[r1][c1]*m[r2][c2] - m[r1][c2]*m[r2][c1]
	}
	det := m[0][0]*cofactor(0, 0) + m[0][1]*cofactor(0, 1) + m[0][2]*cofactor(0, 2)
	for r := range n {
		for c := range 3 {
			n[r][c] = cofactor(c, r) / det
		}
	}
	for r := range n {
		n[r][3] = -(n[r][0]*m[0][3] + n[r][1]*m[1][3] + n[r][2]*m[2][3])
		for _, v := range n[r] {
			if !isFinite(v) {
				return n, false
			}
		}
	}
	return n, true
}

func isFinite(v float64) bool { return v-v == 0 }

// Matrix returns the map of a transform: scale, then turn, then move.
func (t *transform) Matrix() (m Matrix) {
	x, y, z, w := t.Turn[0], t.Turn[1], t.Turn[2], t.Turn[3]
	turn := [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - z*w), 2 * (x*z + y*w)},
		{2 * (x*y + z*w), 1 - 2*(x*x+z*z), 2 * (y*z - x*w)},
		{2 * (x*z - y*w), 2 * (y*z + x*w), 1 - 2*(x*x+y*y)},
	}
	for r := range m {
		for c := range 3 {
			m[r][c] = turn[r][c] * t.Scale[c]
		}
		m[r][3] = t.Position[r]
	}
	return m
}

func product(a, b [4]float64) [4]float64 {
	return [4]float64{
		a[3]*b[0] + a[0]*b[3] + a[1]*b[2] - a[2]*b[1],
		a[3]*b[1] - a[0]*b[2] + a[1]*b[3] + a[2]*b[0],
		a[3]*b[2] + a[0]*b[1] - a[1]*b[0] + a[2]*b[3],
		a[3]*b[3] - a[0]*b[0] - a[1]*b[1] - a[2]*b[2],
	}
}

// unit returns a quaternion with length 1. Those without a direction do not turn.
func unit(q [4]float64) [4]float64 {
	l := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	if !(l > 1e-12) || !isFinite(l) {
		return [4]float64{3: 1}
	}
	for i := range q {
		q[i] /= l
	}
	return q
}

func wide3(v [3]float32) [3]float64 { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }
func wide4(v [4]float32) [4]float64 {
	return [4]float64{float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])}
}

func (t *transform) isFinite() bool {
	sum := 0.
	for _, v := range slices.Concat(t.Position[:], t.Turn[:], t.Scale[:]) {
		sum += v * 0
	}
	return sum == 0
}

// between returns the transform at a part of the way to another one, as OGRE does: turns are mixed and scaled to length 1.
func (t *transform) between(to *transform, part float64) (m transform) {
	for i := range 3 {
		m.Position[i] = t.Position[i] + (to.Position[i]-t.Position[i])*part
		m.Scale[i] = t.Scale[i] + (to.Scale[i]-t.Scale[i])*part
	}
	dot := 0.
	for i := range 4 {
		dot += t.Turn[i] * to.Turn[i]
	}
	sign := 1.
	if dot < 0 {
		sign = -1
	}
	for i := range 4 {
		m.Turn[i] = t.Turn[i] + (sign*to.Turn[i]-t.Turn[i])*part
	}
	m.Turn = unit(m.Turn)
	return m
}

// Bone is a bone of a skeleton in its binding pose.
type Bone struct {
	Name   string
	Parent int // -1: none
	transform
}

// Skeleton is a tree of bones.
type Skeleton struct {
	Bones   []Bone
	order   []int    // parents before their children
	inverse []Matrix // from the model to the bone, in the binding pose
	joints  map[uint16]int
	names   map[string]int // in upper case
}

// newSkeleton checks that bones form trees.
func newSkeleton(file *ogre.Skeleton) (*Skeleton, error) {
	s := &Skeleton{joints: make(map[uint16]int), names: make(map[string]int)}
	if len(file.Bones) == 0 {
		return nil, fmt.Errorf("has no bones")
	}
	for i, b := range file.Bones {
		if _, twice := s.joints[b.Handle]; twice {
			return nil, fmt.Errorf("has two bones with the handle %d", b.Handle)
		}
		bone := Bone{b.Name, -1, binding(&b)}
		if !bone.isFinite() {
			return nil, fmt.Errorf("the bone %q has a position, rotation or scale that is not a number", b.Name)
		}
		s.Bones = append(s.Bones, bone)
		s.joints[b.Handle] = i
		if name := strings.ToUpper(b.Name); !has(s.names, name) {
			s.names[name] = i
		}
	}
	children := make([][]int, len(s.Bones))
	for _, p := range file.Parents {
		child, known := s.joints[p.Child]
		parent, alsoKnown := s.joints[p.Parent]
		switch {
		case !known || !alsoKnown:
			return nil, fmt.Errorf("a parent names the bones %d and %d, one of which does not exist", p.Child, p.Parent)
		case s.Bones[child].Parent >= 0:
			return nil, fmt.Errorf("the bone %q has two parents", s.Bones[child].Name)
		}
		s.Bones[child].Parent = parent
		children[parent] = append(children[parent], child)
	}
	for i, b := range s.Bones {
		if b.Parent < 0 {
			s.order = append(s.order, i)
		}
	}
	for i := 0; i < len(s.order); i++ {
		s.order = append(s.order, children[s.order[i]]...)
	}
	if len(s.order) < len(s.Bones) {
		return nil, fmt.Errorf("bones are children of their own children")
	}
	world := s.world(func(i int) transform { return s.Bones[i].transform })
	for i := range world {
		inverse, ok := world[i].Inverse()
		if !ok {
			return nil, fmt.Errorf("the bone %q is scaled to nothing, or out of the world", s.Bones[i].Name)
		}
		s.inverse = append(s.inverse, inverse)
	}
	return s, nil
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, has := m[key]
	return has
}

func binding(b *ogre.Bone) transform {
	return transform{wide3(b.Position), unit(wide4(b.Rotation)), scaleOf(b.Scale)}
}

func scaleOf(s *[3]float32) [3]float64 {
	if s == nil {
		return [3]float64{1, 1, 1}
	}
	return wide3(*s)
}

// Roots returns the bones without a parent.
func (s *Skeleton) Roots() (roots []int) {
	for i, b := range s.Bones {
		if b.Parent < 0 {
			roots = append(roots, i)
		}
	}
	return roots
}

// world returns the maps from bones to the model.
func (s *Skeleton) world(local func(bone int) transform) []Matrix {
	all := make([]Matrix, len(s.Bones))
	for _, i := range s.order {
		t := local(i)
		all[i] = t.Matrix()
		if p := s.Bones[i].Parent; p >= 0 {
			all[i] = all[p].Times(&all[i])
		}
	}
	return all
}

// World returns the maps from bones to the model at a time of a clip, which may be nil.
func (s *Skeleton) World(c *Clip, seconds float64) []Matrix {
	return s.world(func(bone int) transform {
		if c != nil {
			if i := c.track[bone]; i >= 0 {
				return c.Tracks[i].at(c.wrap(seconds))
			}
		}
		return s.Bones[bone].transform
	})
}

// Clip is an animation of a skeleton. Its tracks hold transforms in the space of the parents.
type Clip struct {
	Name   string
	Length float64 // in seconds
	Tracks []Track
	Keys   []Key // what happens when

	track []int // the track of each bone, or -1
}

// Key is something that happens at a time of a clip.
type Key struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Track is the movement of a bone: its transforms at ascending times.
type Track struct {
	Bone  int
	Times []float64
	Poses []transform
}

// newClip joins an animation to a skeleton by the names of bones. Its keys are relative to the binding pose in its own file.
func (s *Skeleton) newClip(own *ogre.Skeleton, a *ogre.Animation) (*Clip, error) {
	c := &Clip{Name: a.Name, Length: float64(a.Length), track: slices.Repeat([]int{-1}, len(s.Bones))}
	if !isFinite(c.Length) || c.Length < 0 || c.Length > maxSeconds {
		return nil, fmt.Errorf("the animation %q has a length of %v seconds, expected 0 to %d", a.Name, a.Length, maxSeconds)
	}
	tracks := make(map[uint16]*ogre.Track)
	for i := range a.Tracks {
		if t := &a.Tracks[i]; !has(tracks, t.Bone) {
			tracks[t.Bone] = t
		}
	}
	for i := range own.Bones {
		b := &own.Bones[i]
		bone, known := s.names[strings.ToUpper(b.Name)]
		if !known || c.track[bone] >= 0 {
			continue
		}
		t := Track{Bone: bone}
		if from := tracks[b.Handle]; from != nil {
			t.keys(binding(b), from.Keys, c.Length)
		}
		if t.Times == nil { // the bone holds the binding pose of the file
			t.Times, t.Poses = []float64{0}, []transform{binding(b)}
		}
		for k := range t.Poses {
			if !t.Poses[k].isFinite() {
				return nil, fmt.Errorf("the animation %q moves the bone %q to a place that is not a number", a.Name, b.Name)
			}
		}
		c.track[bone] = len(c.Tracks)
		c.Tracks = append(c.Tracks, t)
	}
	return c, nil
}

// maxSeconds is the greatest length of an animation.
const maxSeconds = 86400

// keys sets the keys of a track: absolute transforms at ascending times from 0 to length.
func (t *Track) keys(b transform, list []ogre.Key, length float64) {
	for _, k := range list {
		pose := transform{Turn: unit(product(b.Turn, unit(wide4(k.Rotation)))), Scale: scaleOf(k.Scale)}
		for i := range 3 {
			pose.Position[i] = b.Position[i] + float64(k.Translation[i])
			pose.Scale[i] *= b.Scale[i]
		}
		seconds := max(0, float64(k.Time))
		last := len(t.Times) - 1
		if last >= 0 && !(seconds > t.Times[last]) || last < 0 && !isFinite(seconds) {
			continue
		}
		if last >= 0 && seconds > length {
			if t.Times[last] < length {
				t.add(length, t.Poses[last].between(&pose, (length-t.Times[last])/(seconds-t.Times[last])))
			}
			return
		}
		t.add(min(seconds, length), pose)
	}
	// After its last key, the game blends to the first one.
	if n := len(t.Times); n > 1 && t.Times[n-1] < length {
		t.add(length, t.Poses[0])
	}
}

func (t *Track) add(seconds float64, pose transform) {
	t.Times, t.Poses = append(t.Times, seconds), append(t.Poses, pose)
}

// wrap returns the time within a clip that repeats.
func (c *Clip) wrap(seconds float64) float64 {
	if c.Length > 0 && seconds > c.Length {
		return math.Mod(seconds, c.Length)
	}
	return max(0, seconds)
}

func (t *Track) at(seconds float64) transform {
	i, exact := slices.BinarySearch(t.Times, seconds)
	switch {
	case exact || i == 0:
		return t.Poses[i]
	case i == len(t.Times):
		return t.Poses[i-1]
	}
	return t.Poses[i-1].between(&t.Poses[i], (seconds-t.Times[i-1])/(t.Times[i]-t.Times[i-1]))
}
