package twmap

import (
	"fmt"
	"sync"
	"unsafe"
	"weak"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// Layer types, the type of a layer item.
const (
	layerTiles            = 2
	layerQuads            = 3
	layerDeprecatedSounds = 9
	layerSounds           = 10
)

// LayerFlags are the flags that a layer of any type has.
type LayerFlags int32

// Detail marks a layer that is hidden for players with the low detail setting.
const Detail LayerFlags = 1

func (f LayerFlags) String() string {
	return flagNames(int32(f), []string{"detail"})
}

// Layer is a layer of a group: a *[TileLayer], *[QuadLayer], *[SoundLayer] or
// *[UnknownLayer] (section "Layers").
type Layer interface {
	Entity
	Base() *LayerBase
}

// LayerBase holds the fields that all layers have.
type LayerBase struct {
	origin
	Name  string // up to 11 bytes
	Flags LayerFlags
}

// Base returns the LayerBase of a layer.
func (b *LayerBase) Base() *LayerBase { return b }

// fields of a layer item that come before those of its type.
func (b *LayerBase) fields(c *codec, typ int32) {
	c.unused("_version")
	c.int32("type", &typ)
	if !c.writing() {
		c.r.MeansText(layerTypeName(typ))
	}
	c.int32("flags", (*int32)(&b.Flags))
	if !c.writing() {
		c.r.Means(b.Flags)
	}
}

func layerTypeName(typ int32) string {
	switch typ {
	case layerTiles:
		return "tiles"
	case layerQuads:
		return "quads"
	case layerDeprecatedSounds:
		return "deprecated sounds"
	case layerSounds:
		return "sounds"
	}
	return "unknown"
}

// UnknownLayer is a layer of an unknown type, or one with an impossible size. It is kept unchanged.
type UnknownLayer struct {
	LayerBase
	Type int32
	Data []int32 // the integers after the flags
}

// Damaged reports whether the type of the layer is known, and its item is too short or states an impossible size.
func (l *UnknownLayer) Damaged() bool { return layerTypeName(l.Type) != "unknown" }

// unread names the layer for a conversion, which must leave it out: it may refer to data.
func (l *UnknownLayer) unread() string {
	switch {
	case l.huge():
		return fmt.Sprintf("layer of %d x %d tiles, which is not read", l.Data[1], l.Data[2])
	case l.Damaged():
		return "layer whose item is damaged"
	}
	return fmt.Sprintf("layer of the type %d, which is not known", l.Type)
}

// huge reports whether the layer is one of tiles that is larger than a limit.
func (l *UnknownLayer) huge() bool {
	return l.Type == layerTiles && len(l.Data) >= 3 && l.Data[1] >= 2 && l.Data[2] >= 2
}

func (l *UnknownLayer) fields(c *codec) {
	l.LayerBase.fields(c, l.Type)
	c.rest("data", &l.Data)
}

// QuadLayer is a layer of quads (section "Quads"). [NewQuadLayer] makes one; the zero value shows the first image of
// the map.
type QuadLayer struct {
	LayerBase
	Version int32 // 1 or 2; has a name since 2; 0 is written as 2
	Image   int   // index of its image, -1 for none

	num   int
	data  dataRef
	quads list[Quad]
}

// Quad is a textured quadrilateral. [NewQuad] makes one; the zero value is black and animated by the first envelope.
type Quad struct {
	Points  [4]Point // top left, top right, bottom left, bottom right; 22.10 fixed-point, 1024 units = 1/32 tile
	Pivot   Point    // the centre of rotation for its position envelope
	Colors  [4]Color
	Texture [4]Point // texture coordinates, 1024 = the width or height of the image

	PosEnv         int32 // index of its position envelope, -1 for none
	PosEnvOffset   int32 // in milliseconds
	ColorEnv       int32 // index of its colour envelope, -1 for none
	ColorEnvOffset int32 // in milliseconds
}

// NewQuad returns a white rectangle that shows the whole image, without envelopes, with its pivot in the middle. All
// numbers are in pixels: a tile has 32, and 0, 0 is the top left of the group.
func NewQuad(left, top, width, height int32) Quad {
	right, bottom := left+width, top+height
	point := func(x, y int32) Point { return Point{x * unit, y * unit} }
	return Quad{
		Points:   [4]Point{point(left, top), point(right, top), point(left, bottom), point(right, bottom)},
		Pivot:    Point{(left + right) * (unit / 2), (top + bottom) * (unit / 2)},
		Colors:   [4]Color{White, White, White, White},
		Texture:  [4]Point{{0, 0}, {unit, 0}, {0, unit}, {unit, unit}},
		PosEnv:   -1,
		ColorEnv: -1,
	}
}

// unit is 1 in 22.10 fixed-point.
const unit = 1024

// Point is a position or a distance.
type Point struct{ X, Y int32 }

const quadSize = 152

// NewQuadLayer returns a layer of quads.
func NewQuadLayer(quads ...Quad) *QuadLayer {
	l := &QuadLayer{Version: usualQuadVersion, Image: -1}
	l.quads.set(quads)
	return l
}

// NumQuads returns the number of quads without reading them.
func (l *QuadLayer) NumQuads() int {
	if l.quads.changed {
		return len(l.quads.items)
	}
	return l.num
}

// Quads returns the quads, which must not be changed. On an error it also returns the quads that could be read.
func (l *QuadLayer) Quads() ([]Quad, error) {
	return l.quads.get(&l.data, l.num, quadSize, (*Quad).fields)
}

// SetQuads replaces the quads.
func (l *QuadLayer) SetQuads(quads []Quad) { l.quads.set(quads) }

func (l *QuadLayer) fields(c *codec) {
	l.LayerBase.fields(c, layerQuads)
	version := c.version(&l.Version, usualQuadVersion)
	num := l.NumQuads()
	if c.detached || c.writing() && !l.data.read { // the list is written again, as far as it can be read
		num = l.quads.count(&l.data, num, quadSize)
	}
	c.int("num_quads", &num)
	if !c.writing() {
		l.num = num
	}
	c.data("data", &l.data, l.quads.changed, func() ([]byte, bool) {
		quads, _ := l.Quads()
		return encodeList(quads, quadSize, (*Quad).fields), true
	})
	c.int("image", &l.Image)
	if version >= 2 {
		c.name("name", &l.Name, 3)
	}
}

func (p *Point) fields(name string, c *codec) {
	c.int32(name+".x", &p.X)
	c.int32(name+".y", &p.Y)
}

var (
	quadPointNames   = [4]string{"position[0]", "position[1]", "position[2]", "position[3]"}
	quadColorNames   = [4]string{"color[0]", "color[1]", "color[2]", "color[3]"}
	quadTextureNames = [4]string{"texture[0]", "texture[1]", "texture[2]", "texture[3]"}
)

func (q *Quad) fields(c *codec) {
	for i := range q.Points {
		q.Points[i].fields(quadPointNames[i], c)
	}
	q.Pivot.fields("pivot", c)
	for i := range q.Colors {
		q.Colors[i].fields(quadColorNames[i], c)
	}
	for i := range q.Texture {
		q.Texture[i].fields(quadTextureNames[i], c)
	}
	c.int32("pos_env", &q.PosEnv)
	c.int32("pos_env_offset", &q.PosEnvOffset)
	c.int32("color_env", &q.ColorEnv)
	c.int32("color_env_offset", &q.ColorEnvOffset)
}

// SoundLayer is a layer of sound sources (section "Sounds layers"). [NewSoundLayer] makes one; the zero value plays
// the first sound of the map.
type SoundLayer struct {
	LayerBase
	Version    int32 // 1 or 2; 0 is written as 2
	Deprecated bool  // the format of early 2015, with fewer fields per source
	Sound      int   // index of its sound, -1 for none

	num     int
	data    dataRef
	sources list[SoundSource]
}

// SoundSource is an area in which a sound is heard. [NewSoundSource] makes one; the zero value is moved and muted by
// the first envelope.
type SoundSource struct {
	Position       Point // 22.10 fixed-point, as for quads
	Loop           bool
	Pan            bool  // louder on the side of the source
	Delay          int32 // before the sound starts, in seconds
	Falloff        int32 // 0 to 255: the share of the distance from the middle to the edge that has full volume
	PosEnv         int32 // index of its position envelope, -1 for none
	PosEnvOffset   int32 // in milliseconds
	SoundEnv       int32 // index of its sound envelope, -1 for none
	SoundEnvOffset int32 // in milliseconds
	Shape          SoundShape
	Width, Height  int32 // of a rectangle, 22.10 fixed-point; Width is the radius of a circle, in pixels
}

// NewSoundSource returns a circle in which the sound loops, louder towards the middle and on the side of the source.
// All numbers are in pixels, as for [NewQuad].
func NewSoundSource(x, y, radius int32) SoundSource {
	return SoundSource{Position: Point{x * unit, y * unit}, Loop: true, Pan: true, PosEnv: -1, SoundEnv: -1, Shape: ShapeCircle, Width: radius}
}

// SoundShape is the shape of the area in which a source is heard.
type SoundShape int32

// Shapes of sound sources.
const (
	ShapeRectangle SoundShape = 0
	ShapeCircle    SoundShape = 1
)

func (s SoundShape) String() string {
	switch s {
	case ShapeRectangle:
		return "rectangle"
	case ShapeCircle:
		return "circle"
	}
	return fmt.Sprintf("shape %d", int32(s))
}

const (
	soundSourceSize           = 52
	deprecatedSoundSourceSize = 36
)

// NewSoundLayer returns a layer of sound sources.
func NewSoundLayer(sources ...SoundSource) *SoundLayer {
	l := &SoundLayer{Version: usualSoundVersion, Sound: -1}
	l.sources.set(sources)
	return l
}

// NumSources returns the number of sources without reading them.
func (l *SoundLayer) NumSources() int {
	if l.sources.changed {
		return len(l.sources.items)
	}
	return l.num
}

// Sources returns the sound sources, which must not be changed. On an error it also returns the sources that could be
// read. A source of a deprecated layer is a panning circle without falloff.
func (l *SoundLayer) Sources() ([]SoundSource, error) {
	size, fields := l.sourceForm()
	return l.sources.get(&l.data, l.num, size, fields)
}

// SetSources replaces the sources.
func (l *SoundLayer) SetSources(sources []SoundSource) { l.sources.set(sources) }

// Modernize converts a deprecated layer to the current format.
func (l *SoundLayer) Modernize() error {
	if !l.Deprecated {
		return nil
	}
	sources, err := l.Sources()
	if err != nil {
		return err
	}
	l.Deprecated = false
	l.SetSources(sources)
	return nil
}

func (l *SoundLayer) sourceForm() (size int, fields func(*SoundSource, *codec)) {
	if l.Deprecated {
		return deprecatedSoundSourceSize, (*SoundSource).deprecatedFields
	}
	return soundSourceSize, (*SoundSource).fields
}

func (l *SoundLayer) fields(c *codec) {
	typ := int32(layerSounds)
	if l.Deprecated {
		typ = layerDeprecatedSounds
	}
	l.LayerBase.fields(c, typ)
	c.version(&l.Version, usualSoundVersion)
	num := l.NumSources()
	if c.detached || c.writing() && !l.data.read {
		size, _ := l.sourceForm()
		num = l.sources.count(&l.data, num, size)
	}
	c.int("num_sources", &num)
	if !c.writing() {
		l.num = num
	}
	c.data("data", &l.data, l.sources.changed, func() ([]byte, bool) {
		sources, _ := l.Sources()
		size, fields := l.sourceForm()
		return encodeList(sources, size, fields), true
	})
	c.int("sound", &l.Sound)
	c.name("name", &l.Name, 3)
}

func (s *SoundSource) fields(c *codec) {
	s.Position.fields("position", c)
	c.bool("looping", &s.Loop)
	c.bool("panning", &s.Pan)
	c.int32("delay", &s.Delay)
	c.int32("falloff", &s.Falloff)
	c.int32("pos_env", &s.PosEnv)
	c.int32("pos_env_offset", &s.PosEnvOffset)
	c.int32("sound_env", &s.SoundEnv)
	c.int32("sound_env_offset", &s.SoundEnvOffset)
	c.int32("shape.kind", (*int32)(&s.Shape))
	if !c.writing() {
		c.r.Means(s.Shape)
	}
	c.int32("shape.width", &s.Width)
	c.int32("shape.height", &s.Height)
}

// isNew reports whether the deprecated format has no room for the source.
func (s SoundSource) isNew() bool {
	return !s.Pan || s.Shape != ShapeCircle || s.Falloff != 0 || s.Height != 0
}

func (s *SoundSource) deprecatedFields(c *codec) {
	s.Position.fields("position", c)
	c.bool("looping", &s.Loop)
	c.int32("delay", &s.Delay)
	c.int32("radius", &s.Width)
	c.int32("pos_env", &s.PosEnv)
	c.int32("pos_env_offset", &s.PosEnvOffset)
	c.int32("sound_env", &s.SoundEnv)
	c.int32("sound_env_offset", &s.SoundEnvOffset)
	if !c.writing() {
		s.Pan, s.Shape = true, ShapeCircle
	}
}

// list is the contents of a data block that holds a sequence of things, as it was read or as it was set.
type list[T any] struct {
	mu      sync.Mutex
	items   []T
	err     error
	read    bool
	changed bool

	large weak.Pointer[T] // the first of num items that were read, if only their users keep them in memory
	num   int
}

// maxList is the size in bytes of the largest list that its layer keeps after reading.
const maxList = 1 << 20

func (l *list[T]) set(items []T) {
	l.items, l.err, l.changed, l.large = items, nil, true, weak.Pointer[T]{}
}

// get returns the num things of size bytes each. It reads them on the first call.
func (l *list[T]) get(ref *dataRef, num, size int, fields func(*T, *codec)) ([]T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.large.Value(); first != nil {
		return unsafe.Slice(first, l.num), l.err
	}
	if l.read || l.changed {
		return l.items, l.err
	}
	var data []byte
	if ref.block != nil {
		data, l.err = ref.block.Bytes()
	}
	if n := len(data) / size; num < 0 || num > n {
		if l.err == nil {
			l.err = &fault.Error{Path: "data", Offset: -1, Want: fmt.Sprintf("%s for %d", words.Count(num*size, "byte"), num),
				Got: fmt.Sprint(len(data)), Err: fault.ErrShort}
		}
		num = n
	}
	c := codec{r: bin.NewReader(data, bin.LittleEndian)}
	items := make([]T, num)
	for i := range items {
		fields(&items[i], &c)
	}
	if l.read = num*size <= maxList; l.read {
		l.items = items
	} else {
		l.large, l.num = weak.Make(&items[0]), num
	}
	return items, l.err
}

// count returns the number of things that get returns.
func (l *list[T]) count(ref *dataRef, num, size int) int {
	if ref.block == nil || l.changed {
		return len(l.items)
	}
	ref.block.Look(func(data []byte, _ error) {
		if n := len(data) / size; num < 0 || num > n {
			num = n
		}
	})
	return num
}

// encodeList is the inverse of list.get. An empty list is written as one zeroed thing that is not counted, because
// data blocks must not be empty.
func encodeList[T any](items []T, size int, fields func(*T, *codec)) []byte {
	var c codec
	w := bin.NewWriter(bin.LittleEndian, max(len(items), 1)*size)
	for i := range items {
		c.ints = c.ints[:0]
		fields(&items[i], &c)
		w.Int32s(c.ints)
	}
	if len(items) == 0 {
		w.Bytes(make([]byte, size))
	}
	return w.Data()
}
