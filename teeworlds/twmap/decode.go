package twmap

import (
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/datafile"
)

// Entity is a part of a map that is an item of the file.
type Entity interface{ at() *origin }

// origin records which item an entity was read from.
type origin struct {
	item    *datafile.Item // nil for a new entity
	residue *Residue
}

func (o *origin) at() *origin { return o }

// fileOrigin records which file a map was read from.
type fileOrigin struct {
	src       []byte
	datafile  *datafile.File
	unclaimed []unclaimedBlock         // data blocks that no known item refers to
	uuids     []datafile.UUID          // UUIDs of item types, in the order of their numbers
	numbers   map[datafile.UUID]uint16 // of item types, if the index has entries that are items of the map; else nil
	was       []placed                 // the contents of the map when it was read; nil if only reading it again can restore them
	residue   *FileResidue
}

// Recognize reports whether data is a datafile with a map version item. Data may end after the table of item types.
func Recognize(data []byte) bool {
	return datafile.Recognize(data) && datafile.HasType(data, typeVersion)
}

// Decode reads a map. It keeps data, which must not be changed afterwards.
//
// If parts that the file lists are missing, or a text cannot be read, Decode returns the rest of the map together
// with an error that wraps [fault.ErrShort] for a truncated file and [fault.ErrLost] otherwise. [Map.Encode] of that
// rest fails once the rest was changed; [Salvage] is for programs that accept the losses. Decode returns no map where
// Salvage fails.
//
// Tiles, quads, sources, pictures and sounds are read when they are needed, by functions that return their own
// errors: [Map.Load] reads them all.
func Decode(data []byte) (*Map, error) { return decode(data, datafile.Decode) }

// Salvage reads whatever can be read of a damaged map. It keeps data, which must not be changed afterwards.
// [Map.ReportLosses] reports what is missing, and [Map.Encode] of a changed map writes the rest.
//
// Salvage fails where [datafile.Salvage] does, and with [ErrNoVersion].
func Salvage(data []byte) (*Map, error) { return decode(data, datafile.Salvage) }

func decode(data []byte, read func([]byte) (*datafile.File, error)) (*Map, error) {
	f, err := read(data)
	if f == nil {
		return nil, err
	}
	m, err := FromDatafile(f)
	if m != nil {
		m.file.src = data
	}
	return m, err
}

// FromDatafile reads the map in a datafile: like [Salvage] if f was returned by [datafile.Salvage], and like [Decode]
// otherwise. It keeps f, which must not be changed afterwards.
func FromDatafile(f *datafile.File) (*Map, error) {
	effort.Decoded.Add(1)
	d := decoder{m: &Map{file: fileOrigin{datafile: f}, salvage: f}, f: f, uuids: typesOf(f), used: make(map[uint16]bool),
		indexed: make(map[datafile.UUID]bool)}
	for i := range f.Items {
		it := &f.Items[i]
		d.used[it.Type] = true
		switch {
		case it.Type == typeVersion && (d.version == nil || it.ID == 0 && d.version.ID != 0):
			d.version = it
		case it.Type == typeInfo && it.ID == 0 && d.info == nil:
			d.info = it
		}
	}
	if d.version == nil {
		if lost := f.Lost(); lost != nil && !f.Salvaged() {
			return nil, fmt.Errorf("%w: %w", lost, ErrNoVersion)
		}
		return nil, ErrNoVersion
	}
	if err := d.items(); err != nil {
		return nil, err
	}
	d.assemble()
	if d.m.hasIndexExtras() { // other numbers would give these entries another meaning
		d.m.file.numbers = make(map[datafile.UUID]uint16)
		for typ, uuid := range d.uuids {
			d.m.file.numbers[uuid] = typ
		}
	}
	items := d.m.place(false)
	for i := range items {
		if e, ok := items[i].from.(*Extra); ok {
			e.ID = items[i].id // unlike those of other items
		}
	}
	d.findUnclaimed(items)
	remember(items)
	d.m.file.was = snapshot(items)
	if f.Salvaged() {
		return d.m, nil
	}
	return d.m, f.Lost()
}

// typesOf returns the UUIDs of the item types of a file by their numbers. If two numbers have the same UUID, the game
// reads the items of the first.
func typesOf(f *datafile.File) map[uint16]datafile.UUID {
	uuids, number := f.UUIDs(), make(map[datafile.UUID]uint16)
	for typ := range f.All(datafile.TypeUUIDIndex) {
		uuid, ok := uuids[typ]
		if !ok {
			continue
		}
		if first, again := number[uuid]; again && first != typ {
			delete(uuids, typ)
		} else {
			number[uuid] = typ
		}
	}
	return uuids
}

type decoder struct {
	version, info *datafile.Item // those that the game reads: it finds them by the id 0
	m             *Map
	f             *datafile.File
	named         int64 // bytes of contents that the items so far name
	layers        []Layer
	autos         []*AutoMapper
	groupExs      []*ParallaxZoom
	envPoints     *datafile.Item
	bezier        *datafile.Item
	uuids         map[uint16]datafile.UUID // by type number
	used          map[uint16]bool          // types that have items
	indexed       map[datafile.UUID]bool   // UUIDs whose index entry was read
}

// items reads all items. Parts of a map may share data blocks, so a small file can have contents of any size: more than
// the budget is an error.
func (d *decoder) items() error {
	stored := int64(0)
	for _, b := range d.f.Data {
		stored += int64(b.StoredSize())
	}
	meter := effort.MapContents.Start(stored)
	for i := range d.f.Items {
		it, before := &d.f.Items[i], d.named
		err := d.item(it)
		if err == nil {
			err = meter.Spend(d.named - before)
		}
		if err != nil {
			err.(*fault.Error).Path = fmt.Sprintf("items[%d]", i)
			return err
		}
	}
	return nil
}

// codecOf returns a codec that reads an item.
func (d *decoder) codecOf(it *datafile.Item) *codec {
	return &codec{r: itemReader(it), file: d.f, named: &d.named}
}

// itemReader reads the integers of an item.
func itemReader(it *datafile.Item) *bin.Reader {
	w := bin.NewWriter(bin.LittleEndian, 4*len(it.Data))
	w.Int32s(it.Data)
	return bin.NewReader(w.Data(), bin.LittleEndian)
}

// item reads an item. The error is that of an item which is too large.
func (d *decoder) item(it *datafile.Item) error {
	m := d.m
	from := origin{item: it}
	c := d.codecOf(it)
	switch {
	case it == d.version:
		m.origin = from
		m.fields(c)
	case it == d.info:
		m.Info = &Info{origin: from}
		m.Info.fields(c)
	case it.Type == typeImage:
		im := &Image{origin: from, Variant: 1}
		im.fields(c)
		m.Images = append(m.Images, im)
	case it.Type == typeSound:
		s := &Sound{origin: from}
		s.fields(c)
		m.Sounds = append(m.Sounds, s)
	case it.Type == typeEnvelope:
		e := &Envelope{origin: from}
		e.fields(c)
		m.Envelopes = append(m.Envelopes, e)
	case it.Type == typeGroup:
		g := &Group{origin: from}
		g.fields(c)
		m.Groups = append(m.Groups, g)
	case it.Type == typeLayer:
		d.layers = append(d.layers, d.layer(it, c))
	case it.Type == typeEnvPoints && d.envPoints == nil:
		d.envPoints, m.points.item = it, it
	case it.Type == datafile.TypeUUIDIndex:
		d.uuid(it)
	default:
		d.uuidItem(it, c)
	}
	return c.err
}

// uuid reads an entry of the UUID index. Redundant entries are kept as items of the map.
func (d *decoder) uuid(it *datafile.Item) {
	uuid, ok := d.uuids[it.ID]
	if is, _ := datafile.IndexUUID(it.Data); !ok || is != uuid || !d.used[it.ID] || len(it.Data) != 4 || d.indexed[uuid] {
		d.extra(it)
		return
	}
	d.indexed[uuid] = true
	d.m.file.uuids = append(d.m.file.uuids, uuid)
}

func (d *decoder) uuidItem(it *datafile.Item, c *codec) {
	uuid, ok := d.uuids[it.Type]
	from := origin{item: it}
	switch {
	case ok && uuid == uuidAutoMapper && autoMapperKnown(it.Data):
		a := &AutoMapper{origin: from}
		a.fields(c)
		d.autos = append(d.autos, a)
	case ok && uuid == uuidGroupEx:
		z := &ParallaxZoom{origin: from, group: int32(it.ID)}
		z.fields(c)
		d.groupExs = append(d.groupExs, z)
	case ok && uuid == uuidEnvBezier && d.bezier == nil:
		d.bezier = it
	default:
		d.extra(it)
	}
}

// hasIndexExtras reports whether entries of the UUID index are among the extras.
func (m *Map) hasIndexExtras() bool {
	return slices.ContainsFunc(m.Extras, func(e *Extra) bool { return e.UUID == nil && e.Type == datafile.TypeUUIDIndex })
}

func (d *decoder) extra(it *datafile.Item) {
	e := &Extra{origin: origin{item: it}, ID: it.ID, Data: it.Data}
	if uuid, ok := d.uuids[it.Type]; ok {
		e.UUID = &uuid
	} else {
		e.Type = it.Type
	}
	d.m.Extras = append(d.m.Extras, e)
}

func (d *decoder) layer(it *datafile.Item, c *codec) Layer {
	base := LayerBase{origin: origin{item: it}}
	typ := int32(-1)
	if len(it.Data) >= 2 {
		typ = it.Data[1]
	}
	switch typ {
	case layerTiles:
		l := &TileLayer{LayerBase: base, ColorEnv: -1, Image: -1}
		l.fields(c)
		if sizeOK(l.Width(), l.Height()) && CheckSize(l.Width(), l.Height()) == nil {
			return l
		}
	case layerQuads:
		l := &QuadLayer{LayerBase: base, Image: -1}
		l.fields(c)
		return l
	case layerSounds, layerDeprecatedSounds:
		l := &SoundLayer{LayerBase: base, Sound: -1, Deprecated: typ == layerDeprecatedSounds}
		l.fields(c)
		return l
	}
	l := &UnknownLayer{LayerBase: base, Type: typ}
	l.fields(d.codecOf(it))
	return l
}

// assemble connects the parts that refer to each other.
func (d *decoder) assemble() {
	m := d.m
	taken := make([]bool, len(d.layers))
	budget := 2 * len(d.layers) // limits the work for groups that claim the same layers
	for _, g := range m.Groups {
		first, last := max(int64(g.start), 0), min(int64(g.start)+int64(g.nLayers), int64(len(d.layers)))
		for n := first; n < last && budget > 0; n++ {
			budget--
			if !taken[n] {
				taken[n] = true
				g.Layers = append(g.Layers, d.layers[n])
			}
		}
	}
	for n, l := range d.layers {
		if !taken[n] {
			m.Orphans = append(m.Orphans, l)
		}
	}
	for _, a := range d.autos {
		if t := m.designLayer(a.group, a.layer); t == nil {
			d.extra(a.item)
		} else { // the last one of a layer counts
			if t.AutoMapper != nil {
				d.extra(t.AutoMapper.item)
			}
			t.AutoMapper = a
		}
	}
	for _, z := range d.groupExs {
		if int(z.group) < len(m.Groups) && m.Groups[z.group].ParallaxZoom == nil {
			m.Groups[z.group].ParallaxZoom = z
		} else {
			d.extra(z.item)
		}
	}
	d.points()
}

// designLayer returns layer number layer of a group if it is a tile layer that automappers can draw, and nil otherwise.
func (m *Map) designLayer(group, layer int32) *TileLayer {
	if group < 0 || int(group) >= len(m.Groups) {
		return nil
	}
	layers := m.Groups[group].Layers
	if layer < 0 || int(layer) >= len(layers) {
		return nil
	}
	if t, ok := layers[layer].(*TileLayer); ok && t.Kind() == KindTiles {
		return t
	}
	return nil
}

// points distributes the points among the envelopes (section "Envelope points").
func (d *decoder) points() {
	if d.envPoints == nil {
		if d.bezier != nil {
			d.extra(d.bezier)
		}
		return
	}
	size := envPointInts
	if d.m.longPoints() {
		size += envBezierInts
	}
	all := make([]EnvPoint, len(d.envPoints.Data)/size)
	c := d.codecOf(d.envPoints)
	for i := range all {
		all[i].fields(c)
		if size > envPointInts {
			all[i].bezierFields(c)
		}
	}
	if d.bezier != nil && len(d.bezier.Data) == envBezierInts*len(all) && size == envPointInts {
		d.m.bezier.item = d.bezier
		c := d.codecOf(d.bezier)
		for i := range all {
			all[i].bezierFields(c)
		}
	} else if d.bezier != nil {
		d.extra(d.bezier) // the game does not use it either
	}
	// Envelopes may share points, but the total is limited so that a small file cannot take much memory.
	budget := 2 * len(all)
	for _, e := range d.m.Envelopes {
		first, last := int64(e.start), int64(e.start)+int64(e.num)
		if first < 0 || e.num < 0 || last > int64(len(all)) || int(e.num) > budget {
			continue
		}
		budget -= int(e.num)
		e.Points = slices.Clone(all[first:last])
	}
}

// longPoints reports whether the envelope points contain their tangents: this holds for all envelopes if any has
// version 3.
func (m *Map) longPoints() bool {
	return slices.ContainsFunc(m.Envelopes, func(e *Envelope) bool { return e.Version >= 3 })
}

// findUnclaimed finds the data blocks that no known item refers to.
func (d *decoder) findUnclaimed(items []placed) {
	claimed := make(map[*datafile.Block]bool)
	for _, p := range items {
		for _, r := range p.refs {
			claimed[r.ref.block] = true
		}
	}
	for i, b := range d.f.Data {
		if !claimed[b] {
			d.m.file.unclaimed = append(d.m.file.unclaimed, unclaimedBlock{b, int32(i)})
		}
	}
}
