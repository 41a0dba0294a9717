package figure

import (
	"fmt"
	"math"

	"trowel.example/torchlight/internal/ogre"
)

// Geometry is a list of vertices.
type Geometry struct {
	Positions [][3]float32
	Normals   [][3]float32 // of length 1; nil: none
	Places    [][2]float32 // on the texture; nil: none
	Colors    [][4]uint8   // red, green, blue, alpha; nil: all white

	// Joints and Weights are the bones that move a vertex: at most four, the others have a weight of 0. The sum of the
	// weights is 1. Nil: no bone does.
	Joints  [][4]uint16
	Weights [][4]float32
}

// Part is a part of a model with one material.
type Part struct {
	Name     string // "" if it has none
	Index    int    // of the submesh
	Material *Material
	*Geometry
	Triangles [][3]uint32
}

// geometry reads the vertices of a geometry.
func (f *Figure) geometry(g *ogre.Geometry, place string) *Geometry {
	positions, width := g.Floats(ogre.Position, 0)
	if width < 3 {
		f.lack("vertices", place, "no positions, so the part is not drawn")
		return &Geometry{}
	}
	made := &Geometry{Positions: make([][3]float32, g.Count)}
	bad := vectors(made.Positions, positions, width)
	if normals, width := g.Floats(ogre.Normal, 0); width >= 3 {
		made.Normals = make([][3]float32, g.Count)
		bad += vectors(made.Normals, normals, width)
		for i := range made.Normals {
			straighten(&made.Normals[i])
		}
	}
	if places, width := g.Floats(ogre.TexCoord, 0); width >= 2 {
		made.Places = make([][2]float32, g.Count)
		for i := range made.Places {
			for k := range 2 {
				if v := places[i*width+k]; v-v == 0 {
					made.Places[i][k] = v
				} else {
					bad++
				}
			}
		}
	}
	made.Colors = g.Colors()
	if bad > 0 {
		f.lack("vertices", place, fmt.Sprintf("%d values are not numbers and count as 0", bad))
	}
	return made
}

// vectors fills a list with the first three of each width numbers, and returns how many are not numbers.
func vectors(list [][3]float32, from []float32, width int) (bad int) {
	for i := range list {
		for k := range 3 {
			if v := from[i*width+k]; v-v == 0 {
				list[i][k] = v
			} else {
				bad++
			}
		}
	}
	return bad
}

// straighten gives a normal the length 1. Those without a direction point upwards.
func straighten(n *[3]float32) {
	v := wide3(*n)
	l := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if !(l > 1e-12) {
		*n = [3]float32{0, 1, 0}
		return
	}
	for i := range n {
		n[i] = float32(v[i] / l)
	}
}

// bind sets the joints of a geometry. It returns false if weights name a bone that the skeleton does not have.
func (g *Geometry) bind(weights []ogre.Weight, s *Skeleton) bool {
	g.Joints, g.Weights = make([][4]uint16, len(g.Positions)), make([][4]float32, len(g.Positions))
	for _, w := range weights {
		joint, known := s.joints[w.Bone]
		if !known {
			g.Joints, g.Weights = nil, nil
			return false
		}
		if int64(w.Vertex) >= int64(len(g.Positions)) || !(w.Weight > 0) || !isFinite(float64(w.Weight)) {
			continue
		}
		// The four greatest are kept, in descending order.
		own, joints := &g.Weights[w.Vertex], &g.Joints[w.Vertex]
		weight, joint16 := w.Weight, uint16(joint)
		for i := range own {
			if weight > own[i] {
				own[i], weight = weight, own[i]
				joints[i], joint16 = joint16, joints[i]
			}
		}
	}
	for i := range g.Weights {
		own, sum := &g.Weights[i], float64(0)
		for _, w := range own {
			sum += float64(w)
		}
		if sum == 0 {
			*own, g.Joints[i] = [4]float32{1}, [4]uint16{}
			continue
		}
		for k := range own {
			own[k] = float32(float64(own[k]) / sum)
		}
	}
	return true
}

// triangles returns the triangles of a part, and how many have corners that do not exist.
func triangles(s *ogre.SubMesh, vertices int) (list [][3]uint32, bad int) {
	kind := ogre.Triangles
	if s.Operation != nil {
		kind = s.Operation.Kind
	}
	add := func(a, b, c uint32) {
		if max(uint64(a), uint64(b), uint64(c)) >= uint64(vertices) {
			bad++
		} else {
			list = append(list, [3]uint32{a, b, c})
		}
	}
	n := s.Indices
	switch kind {
	case ogre.Triangles:
		for i := 0; i+2 < len(n); i += 3 {
			add(n[i], n[i+1], n[i+2])
		}
	case ogre.TriangleStrip:
		for i := 0; i+2 < len(n); i++ {
			add(n[i+i%2], n[i+1-i%2], n[i+2])
		}
	case ogre.TriangleFan:
		for i := 1; i+1 < len(n); i++ {
			add(n[0], n[i], n[i+1])
		}
	}
	return list, bad
}

// Posed returns positions and normals moved by bones. The maps are those of [Figure.Pose]; nil: none.
func (g *Geometry) Posed(bones []Matrix) (positions, normals [][3]float32) {
	if bones == nil || g.Joints == nil {
		return g.Positions, g.Normals
	}
	positions = make([][3]float32, len(g.Positions))
	if g.Normals != nil {
		normals = make([][3]float32, len(g.Normals))
	}
	for i, p := range g.Positions {
		var m Matrix
		for k, w := range g.Weights[i] {
			if w == 0 {
				break
			}
			bone := &bones[g.Joints[i][k]]
			for r := range m {
				for c := range m[r] {
					m[r][c] += float64(w) * bone[r][c]
				}
			}
		}
		positions[i] = narrow(m.Point(wide3(p)))
		if normals != nil {
			for r := range m {
				m[r][3] = 0
			}
			normals[i] = narrow(m.Point(wide3(g.Normals[i])))
			straighten(&normals[i])
		}
	}
	return positions, normals
}

// poser returns [Geometry.Posed] with one pose, which moves vertices that parts share only once.
func poser(bones []Matrix) func(*Geometry) (positions, normals [][3]float32) {
	moved := make(map[*Geometry][2][][3]float32)
	return func(g *Geometry) (positions, normals [][3]float32) {
		m, known := moved[g]
		if !known {
			m[0], m[1] = g.Posed(bones)
			moved[g] = m
		}
		return m[0], m[1]
	}
}

func narrow(v [3]float64) [3]float32 { return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} }
