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

// shape returns a Shape. If it is hollow, it contains only the nodes with a neighbour, through a face, that is not in
// the form.
func shape(box Box, in func(v Vec) bool, hollow bool) Shape {
	if !hollow {
		return Shape{box, in}
	}
	whole := func(v Vec) bool { return box.Contains(v) && in(v) }
	return Shape{box, func(v Vec) bool {
		if !in(v) {
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

// Cuboid returns a box or, if hollow, its six sides.
func Cuboid(box Box, hollow bool) Shape {
	return shape(box, func(Vec) bool { return true }, hollow)
}

// Sphere returns the nodes whose center is at most radius from the center of a node. As usual, half a node is added
// at the edge: radius*(radius+1) is the square of the distance.
func Sphere(centre Vec, radius int, hollow bool) (Shape, error) {
	return shape(around(centre, radius), ball(centre, radius), hollow), checkRadius("radius", radius)
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
func Dome(centre Vec, radius int, hollow bool) (Shape, error) {
	far, box := max(radius, -radius), Box{}
	if box = around(centre, far); radius >= 0 {
		box.Min[1] = centre[1]
	} else {
		box.Max[1] = centre[1]
	}
	return shape(box, ball(centre, far), hollow), checkRadius("radius", far)
}

// Cylinder returns a cylinder that begins at the node base and extends along an axis, in the negative direction if
// length is negative. If end, the radius at the other end, differs from radius, the shape is a cone or a part of one;
// end may be 0.
func Cylinder(base Vec, along turn.Axis, length, radius, end int, hollow bool) (Shape, error) {
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
	return shape(box, in, hollow), err
}

// Pyramid returns a pyramid whose base is centered at a node, with the given number of layers along an axis, in the
// negative direction if height is negative. The last layer is one node.
func Pyramid(base Vec, along turn.Axis, height int, hollow bool) (Shape, error) {
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
	return shape(box, in, hollow), checkRadius("height", n)
}
