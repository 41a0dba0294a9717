package twmap

import (
	"fmt"

	"trowel.example/internal/bytes/bin"
	"trowel.example/teeworlds/datafile"
	"trowel.example/trace"
)

// Trace reads the bytes of a map, or of another datafile, and reports every field: of the container, of the items
// with their meaning in a map, and of the inflated data blocks. It calls report for anything that cannot be read, as
// [Map.ReportLosses] does. The error states why Trace stopped early.
func Trace(data []byte, t trace.Tracer, report func(message string)) error {
	tr := tracer{field: t}
	if f, err := datafile.Salvage(data); err == nil {
		tr.f, tr.uuids = f, f.UUIDs()
		if m, err := FromDatafile(f); err == nil {
			tr.m = m
			tr.findContents()
		}
		reportLosses(f, tr.m, report)
	}
	return datafile.Trace(data, datafile.Tracing{Field: t, TypeName: tr.typeName, Item: tr.item, Data: tr.data})
}

type tracer struct {
	field    trace.Tracer
	f        *datafile.File
	m        *Map // nil for a datafile that is not a map
	uuids    map[uint16]datafile.UUID
	contents map[int32]func(*bin.Reader) // functions that read the contents of a data block
}

var typeNames = map[uint16]string{
	typeVersion: "version", typeInfo: "info", typeImage: "image", typeEnvelope: "envelope", typeGroup: "group",
	typeLayer: "layer", typeEnvPoints: "envelope points", typeSound: "sound", datafile.TypeUUIDIndex: "UUID index",
}

var uuidNames = map[datafile.UUID]string{
	uuidAutoMapper: "automapper", uuidEnvBezier: "tangents of envelope points", uuidGroupEx: "parallax zoom of a group",
}

func (t *tracer) typeName(typ uint16) string {
	if uuid, ok := t.uuids[typ]; ok {
		if name := uuidNames[uuid]; name != "" {
			return name
		}
		return "UUID " + uuid.String()
	}
	if t.m == nil && typ != datafile.TypeUUIDIndex {
		return ""
	}
	return typeNames[typ]
}

// item returns the fields of an item by its type.
func (t *tracer) item(it datafile.Item) (fields []trace.Field) {
	r := itemReader(&it)
	r.Trace(func(f trace.Field) { fields = append(fields, f) })
	if t.m != nil {
		t.fields(&codec{r: r, file: t.m.file.datafile}, it)
	}
	if t.m == nil || r.Len() > 0 {
		r.Int32s("data", r.Len()/4)
	}
	r.Flush()
	return fields
}

func (t *tracer) fields(c *codec, it datafile.Item) {
	switch it.Type {
	case typeVersion:
		new(Map).fields(c)
	case typeInfo:
		new(Info).fields(c)
	case typeImage:
		new(Image).fields(c)
	case typeSound:
		new(Sound).fields(c)
	case typeEnvelope:
		new(Envelope).fields(c)
	case typeGroup:
		new(Group).fields(c)
	case typeLayer:
		t.layer(c, it)
	case typeEnvPoints:
		for i := 0; c.r.Len() >= 4*envPointInts; i++ {
			c.r.EnterIndex("points", i)
			var p EnvPoint
			p.fields(c)
			if t.m.longPoints() {
				p.bezierFields(c)
			}
			c.r.Leave()
		}
	}
	switch t.uuids[it.Type] {
	case uuidAutoMapper:
		new(AutoMapper).fields(c)
	case uuidGroupEx:
		new(ParallaxZoom).fields(c)
	case uuidEnvBezier:
		for i := 0; c.r.Len() >= 4*envBezierInts; i++ {
			c.r.EnterIndex("points", i)
			new(EnvPoint).bezierFields(c)
			c.r.Leave()
		}
	}
}

func (t *tracer) layer(c *codec, it datafile.Item) {
	if len(it.Data) < 2 {
		return
	}
	switch it.Data[1] {
	case layerTiles:
		new(TileLayer).fields(c)
	case layerQuads:
		new(QuadLayer).fields(c)
	case layerSounds, layerDeprecatedSounds:
		new(SoundLayer).fields(c)
	default:
		new(UnknownLayer).fields(c)
	}
}

func (t *tracer) data(n int, _ *datafile.Block) {
	if t.f == nil {
		return
	}
	content, _ := t.f.Data[n].Bytes()
	read := t.contents[int32(n)]
	if read == nil {
		return
	}
	r := bin.NewReader(content, bin.LittleEndian).InSpace(fmt.Sprintf("data[%d]", n))
	r.Trace(t.field)
	read(r)
	if r.Err() == nil && r.Len() > 0 {
		r.Span("surplus", r.Len())
	}
	r.Flush()
}

// findContents determines the contents of the data blocks from the references to them.
func (t *tracer) findContents() {
	t.contents = make(map[int32]func(*bin.Reader))
	add := func(ref *dataRef, read func(*bin.Reader)) {
		if ref.block != nil {
			t.contents[ref.index] = read
		}
	}
	texts := func(r *bin.Reader) {
		for i := 0; r.Len() > 0 && r.Err() == nil; i++ {
			r.EnterIndex("text", i)
			r.CString("")
			r.Leave()
		}
	}
	if i := t.m.Info; i != nil {
		for _, ref := range []*dataRef{&i.author, &i.version, &i.credits, &i.license, &i.settings} {
			add(ref, texts)
		}
	}
	for _, im := range t.m.Images {
		add(&im.name, texts)
		add(&im.data, func(r *bin.Reader) { rows(r, "pixels", 4*im.width, im.height) })
	}
	for _, s := range t.m.Sounds {
		add(&s.name, texts)
		add(&s.data, func(r *bin.Reader) { r.Span("opus", r.Len()) })
	}
	for _, l := range t.m.Layers() {
		switch l := l.(type) {
		case *TileLayer:
			for kind := range l.data {
				size := l.cellSize(Kind(kind))
				add(&l.data[kind], func(r *bin.Reader) {
					if l.packed() {
						r.Span("packed_tiles", r.Len())
						return
					}
					rows(r, "tiles", size*l.Width(), l.Height())
				})
			}
		case *QuadLayer:
			add(&l.data, func(r *bin.Reader) {
				entries(r, "quads", l.num, quadSize, func(c *codec) { new(Quad).fields(c) })
			})
		case *SoundLayer:
			size, fields := l.sourceForm()
			add(&l.data, func(r *bin.Reader) {
				entries(r, "sources", l.num, size, func(c *codec) { fields(new(SoundSource), c) })
			})
		}
	}
}

// cellSize returns the size in bytes of the cells that the reference of a kind points to.
func (l *TileLayer) cellSize(kind Kind) int {
	block, n := l.data[kind].block, l.Width()*l.Height()
	of2010 := func(size int) bool { return block != nil && n > 0 && int(block.Size()) == n*size }
	switch kind {
	case KindTele:
		return cellSize[TeleTile]()
	case KindSpeedup:
		if of2010(speedupSize2010) {
			return speedupSize2010
		}
		return cellSize[SpeedupTile]()
	case KindSwitch:
		if of2010(switchSize2010) {
			return switchSize2010
		}
	case KindTune:
		return cellSize[TuneTile]()
	}
	return cellSize[Tile]()
}

// rows reads rows of size bytes, as far as there are bytes.
func rows(r *bin.Reader, name string, size, height int) {
	for y := 0; y < height && r.Len() > 0; y++ {
		r.EnterIndex(name+".row", y)
		r.Span("", min(size, r.Len()))
		r.Leave()
	}
}

func entries(r *bin.Reader, name string, num, size int, read func(*codec)) {
	for i := 0; i < num && r.Len() >= size; i++ {
		r.EnterIndex(name, i)
		read(&codec{r: r})
		r.Leave()
	}
}
