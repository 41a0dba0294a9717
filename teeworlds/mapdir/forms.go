package mapdir

import (
	"cmp"

	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

// The JSON files of the folder. Fields with their usual value are left out. Points and sizes are in pixels (a tile
// has 32), times in milliseconds, angles in degrees, colours [red, green, blue, alpha] from 0 to 255.

const formatMap = "teeworlds-map"

type mapForm struct {
	Format  string      `json:"format"` // formatMap, by which Recognize identifies the folder
	Version *int32      `json:"version,omitempty"`
	Info    *infoForm   `json:"info,omitempty"`
	Extras  []extraForm `json:"extras,omitempty"`
}

type infoForm struct {
	Author   plain   `json:"author,omitempty"`
	Version  plain   `json:"version,omitempty"`
	Credits  plain   `json:"credits,omitempty"`
	License  plain   `json:"license,omitempty"`
	Settings []plain `json:"settings,omitempty"` // only if they do not fit into the lines of a file
}

// imageForm holds what the .png does not state. There is no file for an empty form.
type imageForm struct {
	Name     *plain `json:"name,omitempty"` // if it differs from the name of the file
	External bool   `json:"external,omitempty"`
	Missing  bool   `json:"missing,omitempty"` // embedded, but without pixels
	Width    int32  `json:"width,omitempty"`   // if there is no .png
	Height   int32  `json:"height,omitempty"`
	Version  *int32 `json:"version,omitempty"`
	Variant  *int32 `json:"variant,omitempty"`
}

// soundForm holds what the .opus does not state.
type soundForm struct {
	Name     *plain `json:"name,omitempty"`
	External bool   `json:"external,omitempty"`
	Missing  bool   `json:"missing,omitempty"` // not external, but without data
	Version  *int32 `json:"version,omitempty"`
}

type extraForm struct {
	Type *uint16        `json:"type,omitempty"`
	UUID *datafile.UUID `json:"uuid,omitempty"`
	ID   uint16         `json:"id"`
	Data []int32        `json:"data"`
}

type groupForm struct {
	Name         shortName `json:"name" need:"the name of the group, or \"\" for none"`
	Version      *int32    `json:"version,omitempty"`
	Offset       *pair     `json:"offset,omitempty"`
	Parallax     pair      `json:"parallax" need:"in percent, [100, 100] for a group that moves with the game"`
	Clip         *clipForm `json:"clip,omitempty"`
	ParallaxZoom *int32    `json:"parallaxZoom,omitempty"`
}

type clipForm struct {
	X      int32 `json:"x"`
	Y      int32 `json:"y"`
	Width  int32 `json:"width"`
	Height int32 `json:"height"`
}

// pair is two whole numbers, [x, y].
type pair [2]int32

// baseForm holds the fields that all layers have.
type baseForm struct {
	Type   string    `json:"type"` // a kind of tile layer, "quads", "sounds" or "unknown"
	Name   shortName `json:"name" need:"the name of the layer, or \"\" for none"`
	Detail bool      `json:"detail,omitempty"`
	Flags  int32     `json:"flags,omitempty"` // flags other than detail
}

type tileForm struct {
	baseForm
	Version        *int32          `json:"version,omitempty"`
	Width          int32           `json:"width" need:"the number of columns"`
	Height         int32           `json:"height" need:"the number of rows"`
	Cells          *int32          `json:"cells,omitempty"` // if the text does not have width * height of them
	Color          *colorForm      `json:"color,omitempty"`
	ColorEnv       *ref            `json:"colorEnv,omitempty"`
	ColorEnvOffset int32           `json:"colorEnvOffset,omitempty"`
	Image          *ref            `json:"image,omitempty"`
	AutoMapper     *autoMapperForm `json:"autoMapper,omitempty"`
}

type quadsForm struct {
	baseForm
	Version *int32     `json:"version,omitempty"`
	Image   *ref       `json:"image,omitempty"`
	Quads   []quadForm `json:"quads,omitempty"`
}

type soundsForm struct {
	baseForm
	Version    *int32       `json:"version,omitempty"`
	Deprecated bool         `json:"deprecated,omitempty"`
	Sound      *ref         `json:"sound,omitempty"`
	Sources    []sourceForm `json:"sources,omitempty"`
}

type unknownForm struct {
	baseForm
	Number int32   `json:"number" need:"the number of the type of the layer"`
	Data   []int32 `json:"data,omitempty"`
}

// colorForm is [red, green, blue, alpha].
type colorForm [4]int32

type autoMapperForm struct {
	Config    int32 `json:"config" need:"the number of the configuration in the rules of the image"`
	Seed      int32 `json:"seed,omitempty"`
	Automatic bool  `json:"automatic,omitempty"`
}

type quadForm struct {
	Points         [4]point      `json:"points" need:"top left, top right, bottom left, bottom right"`
	Pivot          point         `json:"pivot" need:"the point that the quad turns around"`
	Colors         *[4]colorForm `json:"colors,omitempty"`  // default: white
	Texture        *[4]point     `json:"texture,omitempty"` // in parts of the image; default: all of it
	PosEnv         *ref          `json:"posEnv,omitempty"`
	PosEnvOffset   int32         `json:"posEnvOffset,omitempty"`
	ColorEnv       *ref          `json:"colorEnv,omitempty"`
	ColorEnvOffset int32         `json:"colorEnvOffset,omitempty"`
}

var (
	allWhite   = [4]colorForm{{255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}}
	wholeImage = [4]point{{0, 0}, {1024, 0}, {0, 1024}, {1024, 1024}}
)

type sourceForm struct {
	Position       point  `json:"position" need:"[x, y] in pixels"`
	Loop           bool   `json:"loop,omitempty"`
	Pan            bool   `json:"pan,omitempty"`
	Delay          int32  `json:"delay,omitempty"` // in seconds
	Falloff        int32  `json:"falloff,omitempty"`
	PosEnv         *ref   `json:"posEnv,omitempty"`
	PosEnvOffset   int32  `json:"posEnvOffset,omitempty"`
	SoundEnv       *ref   `json:"soundEnv,omitempty"`
	SoundEnvOffset int32  `json:"soundEnvOffset,omitempty"`
	Shape          choice `json:"shape" need:"\"rectangle\" or \"circle\""`
	Width          fixed  `json:"width,omitempty"`
	Height         fixed  `json:"height,omitempty"`
	Radius         int32  `json:"radius,omitempty"`
}

// envelopeForm is an envelope with values in the unit T.
type envelopeForm[T any] struct {
	Name         longName       `json:"name" need:"the name of the envelope, or \"\" for none"`
	Type         choice         `json:"type" need:"\"position\", \"color\" or \"sound\""` // or a number of channels
	Version      *int32         `json:"version,omitempty"`
	Synchronized bool           `json:"synchronized,omitempty"`
	Points       []pointForm[T] `json:"points,omitempty"`
}

type pointForm[T any] struct {
	Time   int32        `json:"time" need:"in milliseconds"`
	Curve  choice       `json:"curve" need:"the curve to the next point: step, linear, slow, fast, smooth or bezier"`
	Values []T          `json:"values" need:"one for each channel"`
	In     []tangent[T] `json:"in,omitempty"` // one for each value
	Out    []tangent[T] `json:"out,omitempty"`
}

// version returns nil for the usual version of a part, and for 0, which is written as the usual version.
func version(v, usual int32) *int32 { return unless(cmp.Or(v, usual), usual) }

// unless returns nil if v has its usual value.
func unless[T comparable](v, usual T) *T {
	if v == usual {
		return nil
	}
	return &v
}

// or returns *p, or the usual value if p is nil.
func or[T any](p *T, usual T) T {
	if p == nil {
		return usual
	}
	return *p
}

// layerHasName reports whether a tile layer of a version has room for a name.
func layerHasName(l twmap.Layer) bool {
	switch l := l.(type) {
	case *twmap.TileLayer:
		return l.Version >= 3
	case *twmap.QuadLayer:
		return l.Version >= 2
	case *twmap.UnknownLayer:
		return false
	}
	return true
}
