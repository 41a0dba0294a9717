package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxMeshes is the greatest number of meshes whose size is read for a plan.
const maxMeshes = 1 << 12

// mesh is a mesh with the box around it.
type mesh struct {
	path      string
	low, high [3]float64
}

// mesh sets the mesh of a room piece or a model, if it is available.
func (b *builder) mesh(m *Mark, v values) {
	if b.Bounds == nil {
		return
	}
	var path string
	switch v.d.Name {
	case roomPiece:
		if path, _ = v.text("MESH OVERRIDE"); path != "" || b.Piece == nil {
			break
		}
		number, _ := v.text("GUID")
		guid, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil {
			return
		}
		list, err := b.Piece(guid)
		if err != nil || len(list) == 0 {
			b.lackMesh(fmt.Sprintf("the room piece %d", guid), err)
			return
		}
		chosen, _ := v.text("VISUAL")
		i, _ := strconv.Atoi(strings.TrimSpace(chosen))
		if i < 0 || i >= len(list) {
			i = 0
		}
		path = list[i]
	case genericModel:
		path, _ = v.text("FILE")
	}
	if path == "" {
		return
	}
	key := clean(path)
	own, known := b.meshes[key]
	if !known {
		if len(b.meshes) >= maxMeshes {
			b.lose("limit", "meshes", "the sizes of only %d meshes are read", maxMeshes)
			return
		}
		low, high, err := b.Bounds(key)
		if err != nil {
			b.lackMesh(path, err)
		} else {
			own = &mesh{path, low, high}
		}
		b.meshes[key] = own
	} else if own == nil {
		b.lackMesh(path, fs.ErrNotExist)
	}
	m.mesh = own
}

// lackMesh records that the size of an object is unknown.
func (b *builder) lackMesh(name string, err error) {
	const instead = "boxes that do not show the true size are drawn"
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		b.omit(lackingMeshes[0], lackingMeshes[1], "their meshes are not in the mod or in --base: "+instead)
		return
	}
	b.lose("mesh", name, "%v: "+instead, err)
}

// lackingMeshes is the kind and name under which all meshes are reported that are unavailable.
var lackingMeshes = [2]string{"mesh", "room pieces and models"}

// sized removes the report about unavailable meshes if there are no others: most mods use those of the game, and a plan of
// them shows no sizes at all.
func (b *builder) sized() {
	if !slices.ContainsFunc(b.Marks, func(m Mark) bool { return m.mesh != nil }) {
		delete(b.left, lackingMeshes)
	}
}

// stand sets the rectangle that an object with a mesh covers, seen from above, in the direction of the object. It returns
// false if the rectangle is outside of the world.
func (m *Mark) stand(f frame, scale [3]float64) bool {
	forward := m.forward
	if forward == [2]float64{} {
		forward = [2]float64{0, -1}
	}
	axes := [2][2]float64{{-forward[1], forward[0]}, forward}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for corner := range 8 {
		var p [3]float64
		for i := range p {
			if p[i] = m.mesh.low[i]; corner>>i&1 == 1 {
				p[i] = m.mesh.high[i]
			}
			p[i] *= scale[i]
		}
		at := project(f.rotate(p))
		for i, axis := range axes {
			d := at[0]*axis[0] + at[1]*axis[1]
			low[i], high[i] = min(low[i], d), max(high[i], d)
		}
	}
	if !drawable(low[0], low[1], high[0], high[1]) {
		return false
	}
	m.foot = shape{form: box, at: m.At}
	for i, axis := range axes {
		m.foot.at = plus(m.foot.at, times(axis, (low[i]+high[i])/2))
		half := times(axis, max(minHalf, (high[i]-low[i])/2))
		if i == 0 {
			m.foot.u = half
		} else {
			m.foot.v = half
		}
	}
	return true
}

// above returns 0 for objects whose rectangle is known, which are drawn below all others, since they can cover much.
func (m *Mark) above() int {
	if m.mesh != nil {
		return 0
	}
	return 1
}

// minHalf is half of the smallest side of a rectangle, in units: flat meshes can be seen, too.
const minHalf = 0.01

// Mesh returns the path of the mesh of an object and the size of the box around it, in units of the world, or "" if it is
// unknown.
func (m *Mark) Mesh() (path string, size [3]float64) {
	if m.mesh == nil {
		return "", size
	}
	for i := range size {
		size[i] = m.mesh.high[i] - m.mesh.low[i]
	}
	return m.mesh.path, size
}
