package worldedit

import (
	"fmt"

	"trowel.example/minetest/turn"
)

// A Shape is a set of nodes with a geometric form.
type Shape struct {
	Box Box
	In  func(v Vec) bool
}

// Hollow returns the nodes of the shape with a neighbour, through a face, that is not in the shape.
func (s Shape) Hollow() Shape {
	whole := func(v Vec) bool { return s.Box.Contains(v) && s.In(v) }
	return Shape{s.Box, func(v Vec) bool {
		if !s.In(v) {
			return false
		}
		for axis := range v {
			for _, by := range [2]int{-1, 1} {
				beside := v
				if beside[axis] += by; !whole(beside) {
					return true
				}
			}
		}
		return false
	}}
}

// around returns the box that extends far nodes from v in all directions.
func around(v Vec, far int) Box { return Box{v.Sub(Vec{far, far, far}), v.Add(Vec{far, far, far})} }

// maxRadius is the largest radius of a shape: half of a world.
const maxRadius = 1 << 15

func checkRadius(what string, r int) error {
	if r < 1 || r > maxRadius {
		return fmt.Errorf("expected a %s from 1 to %d, not %d", what, maxRadius, r)
	}
	return nil
}

// Cuboid returns a box. Its Hollow is its six sides.
func Cuboid(box Box) Shape {
	return Shape{box, func(Vec) bool { return true }}
}

// Sphere returns the nodes whose center is at most radius from the center of a node. As usual, half a node is added
// at the edge: radius*(radius+1) is the square of the distance.
func Sphere(centre Vec, radius int) (Shape, error) {
	return Shape{around(centre, radius), ball(centre, radius)}, checkRadius("radius", radius)
}

func ball(centre Vec, radius int) func(Vec) bool {
	most := radius * (radius + 1)
	return func(v Vec) bool {
		d := v.Sub(centre)
		return d[0]*d[0]+d[1]*d[1]+d[2]*d[2] <= most
	}
}

// Dome returns the upper half of a sphere, including the layer of its centre, or the lower half if the radius is
// negative.
func Dome(centre Vec, radius int) (Shape, error) {
	far, box := max(radius, -radius), Box{}
	if box = around(centre, far); radius >= 0 {
		box.Min[1] = centre[1]
	} else {
		box.Max[1] = centre[1]
	}
	return Shape{box, ball(centre, far)}, checkRadius("radius", far)
}

// Cylinder returns a cylinder that begins at the node base and extends along an axis, in the negative direction if
// length is negative. If end, the radius at the other end, differs from radius, the shape is a cone or a part of one;
// end may be 0.
func Cylinder(base Vec, along turn.Axis, length, radius, end int) (Shape, error) {
	far := max(radius, end)
	box := around(base, far)
	far2 := max(length, -length)
	if length >= 0 {
		box.Min[along], box.Max[along] = base[along], base[along]+length-1
	} else {
		box.Min[along], box.Max[along] = base[along]+length+1, base[along]
	}
	in := func(v Vec) bool {
		d := v.Sub(base)
		at := max(d[along], -d[along])
		d[along] = 0
		square := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
		if radius == end || far2 < 2 {
			return square <= radius*(radius+1)
		}
		// The radius at this layer is (radius*(n-at) + end*at) / n.
		n := far2 - 1
		r := radius*(n-at) + end*at
		return square*n*n <= r*(r+n)
	}
	err := checkRadius("length", far2)
	if err == nil {
		err = checkRadius("radius", far)
	}
	if err == nil && (radius < 0 || end < 0) {
		err = checkRadius("radius", min(radius, end))
	}
	return Shape{box, in}, err
}

// Pyramid returns a pyramid whose base is centered at a node, with the given number of layers along an axis, in the
// negative direction if height is negative. The last layer is one node.
func Pyramid(base Vec, along turn.Axis, height int) (Shape, error) {
	n := max(height, -height)
	box := around(base, n-1)
	if height >= 0 {
		box.Min[along] = base[along]
	} else {
		box.Max[along] = base[along]
	}
	in := func(v Vec) bool {
		d := v.Sub(base)
		at := max(d[along], -d[along])
		d[along] = 0
		for _, c := range d {
			if max(c, -c) > n-1-at {
				return false
			}
		}
		return true
	}
	return Shape{box, in}, checkRadius("height", n)
}
