package mapblock

import (
	"bytes"
	"cmp"
	"fmt"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/trace"
)

// Decode reads a block. The block refers to data, which must not be changed afterwards.
//
// Decode returns a [fault.Error] if games of the version's time would fail to load the block, or if following bytes
// have no meaning. It keeps other irregularities, which [Block.Check] reports. [Salvage] reads the remains of a block
// that Decode rejects.
func Decode(data []byte) (*Block, error) {
	b := new(Block)
	if err := b.Decode(data); err != nil {
		return nil, err
	}
	return b, nil
}

// Decode reads a block into b as the function [Decode] does, for callers that read many blocks. It overwrites the old
// content of b; lists taken from b before stay valid.
func (b *Block) Decode(data []byte) error { return b.decode(data, nil) }

// decode is Decode and adds the values of Param0 to ids, if they have 16 bits.
func (b *Block) decode(data []byte, ids *idSet) error {
	d := decoder{data: data, b: b, ids: ids}
	d.decode()
	return d.err
}

// Dump reports every field of a block to t, in reading order, up to the point where reading fails; it returns the
// error. The fields of compressed sections are in separate spaces, named after the section: "nodes", "metadata", or
// "block" for all of version 29.
func Dump(data []byte, t trace.Tracer) error {
	d := decoder{data: data, tracer: t}
	if b, _ := Salvage(data); b != nil { // for the names, which follow the nodes
		d.meaning = b.meaning()
	}
	d.decode()
	return d.err
}

// meaning returns a function that describes the values of Param0 for people.
func (b *Block) meaning() func(value uint16) string {
	nameOf := b.nameOf()
	return func(value uint16) string {
		switch {
		case b.Version <= 19:
			value = fromOld[uint8(value)]
		case b.ContentWidth == 1 && value >= 0x80:
			return fmt.Sprintf("upper part of an id from %d to %d", value<<4, value<<4+15)
		}
		name, _ := nameOf(value)
		return name
	}
}

// A decoder reads a block, section by section.
type decoder struct {
	data    []byte
	tracer  trace.Tracer
	meaning func(uint16) string
	ids     *idSet // may be nil

	nodesOnly bool // see [Block.DecodeNodes]

	b    *Block // nil until the version is known, unless the caller provides a block
	next int    // the section that could not be read, or the number of sections
	err  error
}

func (d *decoder) decode() {
	c := newReader(d.data, "").trace(d.tracer, d.meaning)
	c.ids = d.ids
	defer func() {
		c.r.Flush()
		c.free()
	}()
	version := c.r.U8("version")
	if d.err = c.fault(); d.err != nil {
		return
	}
	if version > Newest {
		c.r.FailAt(0, "version", fault.ErrVersion, fmt.Sprintf("version 0 to %d", Newest), fmt.Sprint(version))
		d.err = c.fault()
		return
	}
	if d.b == nil {
		d.b = new(Block)
	}
	d.b.clear(int(version))
	if version < 29 {
		d.sections(c)
		if d.err == nil && !d.nodesOnly {
			c.rest("trailing", &d.b.Trailing)
		}
		d.b.inflated = len(d.data) + c.grown
		return
	}
	stream := c.left()
	withFrame(stream, func(content []byte, used int, err error) {
		if err != nil {
			c.r.Fail("block", err, "a zstd frame", err.Error())
			d.err = c.fault()
			if len(content) == 0 {
				return
			}
		} else {
			if d.b.source.body = stream[:used:used]; d.tracer != nil {
				content = bytes.Clone(content) // tracers may keep the values of fields
			}
			c.r.Span("block", used)
			if d.tracer != nil {
				c.means("zstd, %s inflated", words.Count(len(content), "byte"))
			}
			c.r.Flush()
			c.rest("trailing", &d.b.Trailing)
			d.b.inflated = len(d.data) + len(content) - used
		}
		in := newReader(content, "block").trace(d.tracer, d.meaning)
		in.ids = d.ids
		frame := d.err
		d.sections(in)
		if d.err == nil && !d.nodesOnly {
			in.rest("trailing", &d.b.Inner)
		}
		in.r.Flush()
		in.free()
		d.err = cmp.Or(frame, d.err)
	})
}

// sections reads the sections of the block, beginning with section d.next.
func (d *decoder) sections(c *codec) {
	layout := layouts[d.b.Version]
	if d.nodesOnly {
		layout = nodeLayouts[d.b.Version]
	}
	for ; d.next < len(layout) && !c.stopped; d.next++ {
		layout[d.next].run(c, d.b)
		if d.err = c.fault(); d.err != nil {
			return
		}
	}
}
