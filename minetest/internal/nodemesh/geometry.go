package nodemesh

import "math"

// matrix moves points. Its numbers are in the order of .gltf and .x files: the last four are the translation and 1.
type matrix [16]float32

var identity = matrix{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}

// times returns the matrix that moves points with b and then with a.
func (a *matrix) times(b *matrix) *matrix {
	var c matrix
	for i := range 16 {
		for k := range 4 {
			c[i] += a[i%4+4*k] * b[i/4*4+k]
		}
	}
	return &c
}

func (a *matrix) point(p [3]float32) [3]float32 {
	p = a.direction(p)
	return [3]float32{p[0] + a[12], p[1] + a[13], p[2] + a[14]}
}

func (a *matrix) direction(p [3]float32) [3]float32 {
	var to [3]float32
	for i := range to {
		to[i] = a[i]*p[0] + a[4+i]*p[1] + a[8+i]*p[2]
	}
	return to
}

// placed returns the matrix that scales, then turns by a quaternion (x, y, z, w), then moves.
func placed(scale [3]float32, q [4]float32, to [3]float32) *matrix {
	if l := float32(math.Sqrt(float64(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]))); l > 0 {
		q = [4]float32{q[0] / l, q[1] / l, q[2] / l, q[3] / l}
	} else {
		q = [4]float32{3: 1}
	}
	x, y, z, w := q[0], q[1], q[2], q[3]
	m := matrix{
		1 - 2*(y*y+z*z), 2 * (x*y + z*w), 2 * (x*z - y*w), 0,
		2 * (x*y - z*w), 1 - 2*(x*x+z*z), 2 * (y*z + x*w), 0,
		2 * (x*z + y*w), 2 * (y*z - x*w), 1 - 2*(x*x+y*y), 0,
		to[0], to[1], to[2], 1,
	}
	for i := range 12 {
		m[i] *= scale[i/4]
	}
	return &m
}

// moved returns a vertex that m moved.
func (v ModelVertex) moved(m *matrix) ModelVertex {
	return ModelVertex{m.point(v.Pos), unit(m.direction(v.Normal)), v.UV}
}

// finite reports whether all numbers of a vertex can be drawn.
func (v *ModelVertex) finite() bool {
	const most = 1e9 // more than any world
	for _, x := range [8]float32{v.Pos[0], v.Pos[1], v.Pos[2], v.Normal[0], v.Normal[1], v.Normal[2], v.UV[0], v.UV[1]} {
		if !(x >= -most && x <= most) {
			return false
		}
	}
	return true
}

// addNormals gives vertices without a normal that of their triangles.
func (m *Model) addNormals() {
	for i := range m.Parts {
		p := &m.Parts[i]
		lacks := make([]bool, len(p.Vertices))
		for j, v := range p.Vertices {
			lacks[j] = v.Normal == [3]float32{}
		}
		for j := 0; j+3 <= len(p.Indices); j += 3 {
			c := p.Indices[j : j+3]
			n := cross(sub(p.Vertices[c[1]].Pos, p.Vertices[c[0]].Pos), sub(p.Vertices[c[2]].Pos, p.Vertices[c[0]].Pos))
			for _, at := range c {
				if lacks[at] {
					for a := range n {
						p.Vertices[at].Normal[a] += n[a]
					}
				}
			}
		}
		for j := range p.Vertices {
			p.Vertices[j].Normal = unit(p.Vertices[j].Normal)
		}
	}
}

func sub(a, b [3]float32) [3]float32 { return [3]float32{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// cross returns a vector that points to the eye for which the directions a and then b are clockwise.
func cross(a, b [3]float32) [3]float32 {
	return [3]float32{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// unit returns a vector with length 1, or 0 as it is.
func unit(v [3]float32) [3]float32 {
	if l := float32(math.Sqrt(float64(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]))); l > 0 {
		return [3]float32{v[0] / l, v[1] / l, v[2] / l}
	}
	return v
}
