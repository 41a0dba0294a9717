package format

import "context"

// Modeler is a scene with views of a model in three dimensions, which a viewer can draw itself from any direction.
type Modeler interface {
	Scene
	// Model returns the model that a view with [View.Turning] shows, with its movement if the view moves, as a glTF 2.0
	// binary file with at most one animation. Textures show their nearest texel.
	Model(ctx context.Context, look Look) ([]byte, error)
}

// Turning describes how a view shows its model: along parallel lines, under a lamp that turns with the eye.
type Turning struct {
	// Axes are the directions in the model, each of length 1, of right, up and toward the eye. The position in the picture
	// of a point of the model is its distance along the first axis, and, downwards, against the second one.
	Axes [3][3]float64
	// Bounds is the whole model along the first axis and, downwards, against the second one.
	Bounds Rect
	// Lamp is the direction towards the lamp along these axes. The brightness of a surface is Ambient plus Direct times
	// the cosine of its angle to the lamp, at most 1.
	Lamp            [3]float64
	Ambient, Direct float64
}
