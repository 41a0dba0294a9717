package mapdir

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"

	"trowel/teeworlds/datafile"
	"trowel/teeworlds/twmap"
)

// The JSON files of the folder. Fields that have their usual value are left out.

const formatMap = "teeworlds-map"

type mapForm struct {
	Format  string      `json:"format"` // formatMap: how the folder is recognised
	Version *int32      `json:"version,omitempty"`
	Info    *infoForm   `json:"info,omitempty"`
	Images  []imageForm `json:"images,omitempty"`
	Sounds  []soundForm `json:"sounds,omitempty"`
	Extras  []extraForm `json:"extras,omitempty"`
}

type infoForm struct {
	Author   string   `json:"author,omitempty"`
	Version  string   `json:"version,omitempty"`
	Credits  string   `json:"credits,omitempty"`
	License  string   `json:"license,omitempty"`
	Settings []string `json:"settings,omitempty"` // only if they do not fit in the lines of a file
}

type imageForm struct {
	Name     string `json:"name"`
	File     string `json:"file,omitempty"` // name of the .png file without extension, if not Name
	External bool   `json:"external,omitempty"`
	Missing  bool   `json:"missing,omitempty"` // embedded, but there are no pixels
	Width    int    `json:"width,omitempty"`   // where no .png tells it
	Height   int    `json:"height,omitempty"`
	Version  *int32 `json:"version,omitempty"`
	Variant  *int32 `json:"variant,omitempty"`
}

type soundForm struct {
	Name     string `json:"name"`
	File     string `json:"file,omitempty"`
	External bool   `json:"external,omitempty"`
	Missing  bool   `json:"missing,omitempty"` // not external, but there are no data
	Version  *int32 `json:"version,omitempty"`
}

type extraForm struct {
	Type *uint16        `json:"type,omitempty"`
	UUID *datafile.UUID `json:"uuid,omitempty"`
	ID   uint16         `json:"id"`
	Data []int32        `json:"data"`
}

type groupForm struct {
	Name         string    `json:"name,omitempty"`
	Version      *int32    `json:"version,omitempty"`
	Offset       *pair     `json:"offset,omitempty"`
	Parallax     pair      `json:"parallax"`
	Clip         *clipForm `json:"clip,omitempty"`
	ParallaxZoom *int32    `json:"parallaxZoom,omitempty"`
}

type clipForm struct {
	X      int32 `json:"x"`
	Y      int32 `json:"y"`
	Width  int32 `json:"width"`
	Height int32 `json:"height"`
}

// pair is a point: [x, y].
type pair [2]int32

// layerForm is a layer of any type.
type layerForm struct {
	Type    string `json:"type"` // a kind of tile layers, "quads", "sounds" or "unknown"
	Name    string `json:"name,omitempty"`
	Detail  bool   `json:"detail,omitempty"`
	Flags   int32  `json:"flags,omitempty"` // others than detail
	Version *int32 `json:"version,omitempty"`

	// of tile layers
	Width          int             `json:"width,omitempty"`
	Height         int             `json:"height,omitempty"`
	Cells          *int            `json:"cells,omitempty"` // if the text has not width * height of them
	Color          *colorForm      `json:"color,omitempty"`
	ColorEnv       *ref            `json:"colorEnv,omitempty"`
	ColorEnvOffset int32           `json:"colorEnvOffset,omitempty"`
	AutoMapper     *autoMapperForm `json:"autoMapper,omitempty"`

	Image *ref `json:"image,omitempty"` // of tile and quad layers
	Sound *ref `json:"sound,omitempty"` // of sound layers

	Deprecated bool `json:"deprecated,omitempty"` // of sound layers

	// of unknown layers
	Number *int32  `json:"number,omitempty"`
	Data   []int32 `json:"data,omitempty"`

	Quads   []quadForm   `json:"quads,omitempty"`
	Sources []sourceForm `json:"sources,omitempty"`
}

// colorForm is [red, green, blue, alpha].
type colorForm [4]int32

func colorOf(c twmap.Color) colorForm  { return colorForm{c.R, c.G, c.B, c.A} }
func (c colorForm) color() twmap.Color { return twmap.Color{R: c[0], G: c[1], B: c[2], A: c[3]} }
func pointOf(p twmap.Point) pair       { return pair{p.X, p.Y} }
func (p pair) point() twmap.Point      { return twmap.Point{X: p[0], Y: p[1]} }

type autoMapperForm struct {
	Config    int32 `json:"config"`
	Seed      int32 `json:"seed,omitempty"`
	Automatic bool  `json:"automatic,omitempty"`
}

type quadForm struct {
	Points         [4]pair       `json:"points"`
	Pivot          pair          `json:"pivot"`
	Colors         *[4]colorForm `json:"colors,omitempty"`  // white
	Texture        *[4]pair      `json:"texture,omitempty"` // the whole image
	PosEnv         *ref          `json:"posEnv,omitempty"`
	PosEnvOffset   int32         `json:"posEnvOffset,omitempty"`
	ColorEnv       *ref          `json:"colorEnv,omitempty"`
	ColorEnvOffset int32         `json:"colorEnvOffset,omitempty"`
}

var (
	allWhite   = [4]colorForm{{255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}}
	wholeImage = [4]pair{{0, 0}, {1024, 0}, {0, 1024}, {1024, 1024}}
)

type sourceForm struct {
	Position       pair  `json:"position"`
	Loop           bool  `json:"loop,omitempty"`
	Pan            bool  `json:"pan,omitempty"`
	Delay          int32 `json:"delay,omitempty"`
	Falloff        int32 `json:"falloff,omitempty"`
	PosEnv         *ref  `json:"posEnv,omitempty"`
	PosEnvOffset   int32 `json:"posEnvOffset,omitempty"`
	SoundEnv       *ref  `json:"soundEnv,omitempty"`
	SoundEnvOffset int32 `json:"soundEnvOffset,omitempty"`
	Shape          any   `json:"shape"` // "rectangle", "circle" or a number
	Width          int32 `json:"width,omitempty"`
	Height         int32 `json:"height,omitempty"`
	Radius         int32 `json:"radius,omitempty"`
}

type envelopeForm struct {
	Name         string      `json:"name,omitempty"`
	Type         any         `json:"type"` // "position", "color", "sound" or a number of channels
	Version      *int32      `json:"version,omitempty"`
	Synchronized bool        `json:"synchronized,omitempty"`
	Points       []pointForm `json:"points,omitempty"`
}

type pointForm struct {
	Time   int32   `json:"time"`
	Curve  any     `json:"curve"` // a name or a number
	Values []int32 `json:"values"`
	In     []pair  `json:"in,omitempty"` // tangents, one for each value
	Out    []pair  `json:"out,omitempty"`
}

// ref names an image, a sound or an envelope by its file: "02-sun". A number
// stands where there is none of that number.
type ref struct {
	key   string
	index int32
}

func (r ref) MarshalJSON() ([]byte, error) {
	if r.key != "" {
		return json.Marshal(r.key)
	}
	return strconv.AppendInt(nil, int64(r.index), 10), nil
}

func (r *ref) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &r.key)
	}
	return json.Unmarshal(b, &r.index)
}

// refTo makes a reference to entry index of a list with the given keys; -1 is none.
func refTo(index int32, keys []string) *ref {
	switch {
	case index == -1:
		return nil
	case index >= 0 && int(index) < len(keys):
		return &ref{key: keys[index]}
	}
	return &ref{index: index}
}

// unless returns nil if v has its usual value.
func unless[T comparable](v, usual T) *T {
	if v == usual {
		return nil
	}
	return &v
}

// or returns what p points at, or the usual value.
func or[T any](p *T, usual T) T {
	if p == nil {
		return usual
	}
	return *p
}

// marshal writes v as indented JSON, and behind its fields a list with one item on each line.
func marshal[T any](v any, list string, items []T) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	b = *bytes.NewBuffer(joinNumbers(b.Bytes()))
	if len(items) == 0 {
		return b.Bytes(), nil
	}
	b.Truncate(b.Len() - len("\n}\n"))
	b.WriteString(",\n  \"" + list + "\": [")
	for i := range items {
		line, err := json.Marshal(items[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		b.Write(line)
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes(), nil
}

// numbers is a list of numbers in indented JSON.
var numbers = regexp.MustCompile(`\[\s+-?\d+(,\s+-?\d+)*\s+\]`)

// joinNumbers puts each list of numbers in indented JSON on one line.
func joinNumbers(b []byte) []byte {
	return numbers.ReplaceAllFunc(b, func(list []byte) []byte {
		list = bytes.Join(bytes.Fields(list), nil)
		return bytes.ReplaceAll(list, []byte(","), []byte(", "))
	})
}
