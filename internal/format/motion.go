package format

import (
	"context"
	"image/color"
)

// Mover is a scene that can describe a view with [View.Film] as still blocks of pixels and moving triangles, so that a
// viewer can draw any moment of it.
type Mover interface {
	Scene
	// Motion returns the picture of a look, which has a size, at all times, over a background. An error that wraps
	// [fault.ErrLimit] means that too much moves there.
	//
	// The result is, in little endian: a length, 32 bits; JSON of this length, padded with spaces to a multiple of four;
	// the corners, 32 bytes each: x, y, the x and y of the pivot, u and v as 32-bit floats, red, green, blue and alpha as
	// bytes, and the number of its move, 32 bits; the pixels of the blocks, in RGBA, multiplied by alpha; and those of the
	// textures, not multiplied by alpha, each in all sizes. The JSON has these values:
	//
	//	side      the width and height of a block in pixels
	//	blocks    x and y of each block, in blocks
	//	parts     from back to front: the numbers of the next blocks and corners that it consists of, its texture, the move
	//	          that tints its blocks (-1: none), and the clips in which its triangles are visible: left, top, right,
	//	          bottom in pixels
	//	textures  the width, height and number of sizes of each
	//	curves    the period in milliseconds of each, and its pieces: start, length, and four cubic polynomials of the part
	//	          of the length that has passed, each with its coefficients from the constant one upwards
	//	moves     the curve and the time offset of the place (right and down, multiplied by a scale, and degrees clockwise),
	//	          those of the colour, the scale, and a tint; a curve of -1 is 0, or 1 for a colour
	//
	// Corners turn around their pivot, then move. Their colour is multiplied by that of the move, and the result is that of
	// the texture multiplied by it, at most 1.
	Motion(ctx context.Context, look Look, background color.NRGBA) ([]byte, error)
}
