package mapblock

// A section is a part of a block.
type section struct {
	name string
	run  func(c *codec, b *Block)
}

var (
	secFlags     = section{"flags", (*codec).flags}
	secLighting  = section{"lighting_complete", (*codec).lighting}
	secTimestamp = section{"timestamp", (*codec).timestamp}
	secWidths    = section{"widths", (*codec).widths}
	secNodes     = section{"nodes", (*codec).nodes}
	secMetadata  = section{"metadata", (*codec).metadata}
	secUnused    = section{"unused", func(c *codec, b *Block) { c.u8("unused", &b.Unused) }}
	secTimers    = section{"timers", (*codec).timers}
	secObjects   = section{"objects", (*codec).objects}
	secNames     = section{"names", (*codec).names}
	secMBO       = section{"mapblock_objects", (*codec).mapBlockObjects}
)

// layouts holds the sections of each version, in order, after the version byte. Version 29 has all sections in one
// zstd frame.
var layouts = func() (all [Newest + 1][]section) {
	for version := range all {
		s := []section{secFlags}
		since := func(first int, sec section) {
			if version >= first {
				s = append(s, sec)
			}
		}
		switch {
		case version >= 29:
			s = append(s, secLighting, secTimestamp, secNames, secWidths, secNodes, secMetadata, secObjects, secTimers)
		case version >= 22:
			since(27, secLighting)
			s = append(s, secWidths, secNodes, secMetadata)
			if version == 23 {
				s = append(s, secUnused)
			}
			if version == 24 {
				s = append(s, secTimers)
			}
			s = append(s, secObjects, secTimestamp, secNames)
			since(25, secTimers)
		default:
			s = append(s, secNodes)
			since(14, secMetadata)
			since(9, secMBO)
			since(15, secObjects)
			since(17, secTimestamp)
			since(21, secNames)
		}
		all[version] = s
	}
	return all
}()

func (c *codec) flags(b *Block) {
	v := uint8(b.Flags)
	if c.u8("flags", &v); !c.writing() {
		b.Flags = Flags(v)
	}
	if b.Version > 10 {
		c.means("%v", Flags(v))
	} else if v != 0 {
		c.means("underground")
	}
}

func (c *codec) lighting(b *Block) {
	c.u16("lighting_complete", &b.LightingComplete)
	if c.tracer != nil {
		c.means("%#04x", b.LightingComplete)
	}
}

func (c *codec) timestamp(b *Block) {
	c.u32("timestamp", &b.Timestamp)
	if b.Timestamp == NoTimestamp {
		c.means("unknown")
	} else {
		c.means("seconds of game time")
	}
}

func (c *codec) widths(b *Block) {
	c.u8("content_width", &b.ContentWidth)
	c.expect("content_width", b.ContentWidth, "1 or 2", b.ContentWidth == 1 || b.ContentWidth == 2)
	c.u8("params_width", &b.ParamsWidth)
	c.expect("params_width", b.ParamsWidth, "2", b.ParamsWidth == 2)
}

func (c *codec) mapBlockObjects(b *Block) {
	c.u16("mapblock_objects", &b.MapBlockObjects)
	if b.MapBlockObjects != 0 {
		c.means("the rest of the block cannot be read")
		c.stopped = true
	}
}

func (c *codec) names(b *Block) {
	c.enterName("names")
	defer c.leavePath()
	version := uint8(0)
	c.u8("version", &version)
	c.expect("version", version, "version 0", version == 0)
	n := c.count16("count", len(b.Names))
	elements(c, "entries", n, 4, &b.Names, func(e *NameID) {
		c.u16("id", &e.ID)
		c.string16("name", &e.Name)
	})
}
