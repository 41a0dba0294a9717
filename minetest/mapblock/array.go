package mapblock

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// nodeBytes returns how many of the three numbers of a node (param0, param1, param2) a version stores.
func nodeBytes(version int) int {
	switch {
	case version == 0:
		return 1
	case version <= 9:
		return 2
	}
	return 3
}

// nodes reads or writes the three arrays in the form of the version.
func (c *codec) nodes(b *Block) {
	switch v := b.Version; {
	case v <= 3, v == 5, v == 6:
		c.interleaved(b, nodeBytes(v))
	case v <= 10:
		c.enterName("nodes")
		defer c.leavePath()
		c.packed("param0", packRLE, &b.source.runs[0], func(c *codec) { c.array8of16("", b) })
		c.packed("param1", packRLE, &b.source.runs[1], func(c *codec) { c.array8("", &b.Param1) })
		if v >= 10 {
			c.packed("param2", packRLE, &b.source.runs[2], func(c *codec) { c.array8("", &b.Param2) })
		}
	case v >= 29:
		c.arrays(b)
	case b.ContentWidth == 1:
		c.packed("nodes", packNodes1, &b.source.nodes, func(c *codec) { c.arrays(b) })
	default:
		c.packed("nodes", packNodes2, &b.source.nodes, func(c *codec) { c.arrays(b) })
	}
}

func (c *codec) arrays(b *Block) {
	if b.ContentWidth == 1 {
		c.array8of16("param0", b)
	} else {
		c.array16("param0", b)
	}
	c.array8("param1", &b.Param1)
	c.array8("param2", &b.Param2)
}

// array8 reads or writes an array with 1 byte for each node.
func (c *codec) array8(name string, p *[NodeCount]uint8) {
	if c.writing() {
		c.w = append(c.w, p[:]...)
		return
	}
	copy(p[:], c.span(name, 1, nil))
}

// array8of16 reads or writes Param0 with 1 byte per id.
func (c *codec) array8of16(name string, b *Block) {
	if c.writing() {
		for i, v := range &b.Param0 {
			if v > 0xff {
				c.fail(fmt.Sprintf("param0[%d]", i), "at most 255", fmt.Sprint(v))
				return
			}
			c.w = append(c.w, byte(v))
		}
		return
	}
	for i, v := range c.span(name, 1, c.meaning) {
		b.Param0[i] = uint16(v)
	}
}

// array16 reads or writes Param0 with 2 bytes per id.
func (c *codec) array16(name string, b *Block) {
	if c.writing() {
		for _, v := range &b.Param0 {
			c.w = append(c.w, byte(v>>8), byte(v))
		}
		return
	}
	// Most nodes equal those before them: compare whole planes first, then parts of a row.
	const plane, part = 2 * Side * Side, 16
	raw := c.span(name, 2, c.meaning)
	for z := 0; z < len(raw); z += plane {
		if z > 0 && bytes.Equal(raw[z:z+plane], raw[z-plane:z]) {
			copy(b.Param0[z/2:], b.Param0[(z-plane)/2:z/2])
			continue
		}
		for i := z; i < z+plane; i += part {
			in, out := (*[part]byte)(raw[i:i+part]), (*[part / 2]uint16)(b.Param0[i/2:(i+part)/2])
			if i > 0 && *in == *(*[part]byte)(raw[i-part : i]) {
				*out = *(*[part / 2]uint16)(b.Param0[(i-part)/2 : i/2])
				continue
			}
			for k := 0; k < part/2; k += 4 {
				v := binary.BigEndian.Uint64(in[2*k : 2*k+8])
				out[k], out[k+1], out[k+2], out[k+3] = uint16(v>>48), uint16(v>>32), uint16(v>>16), uint16(v)
			}
			if c.ids != nil {
				c.ids.add(out[:])
			}
		}
	}
}

// interleaved reads or writes the form of versions 0 to 3, 5 and 6: node by node, uncompressed.
func (c *codec) interleaved(b *Block, n int) {
	if c.writing() {
		for i := range NodeCount {
			if b.Param0[i] > 0xff {
				c.fail(fmt.Sprintf("param0[%d]", i), "at most 255", fmt.Sprint(b.Param0[i]))
				return
			}
			c.w = append(c.w, []byte{byte(b.Param0[i]), b.Param1[i], b.Param2[i]}[:n]...)
		}
		return
	}
	raw := c.span("nodes", n, nil)
	for i := range len(raw) / n {
		b.Param0[i] = uint16(raw[n*i])
		if n > 1 {
			b.Param1[i] = raw[n*i+1]
		}
	}
}

// span reads an array of size bytes for each node. A tracer receives one field for each run of equal elements instead
// of 4096 fields.
func (c *codec) span(name string, size int, meaning func(uint16) string) []byte {
	if c.tracer == nil {
		return c.r.Bytes(name, size*NodeCount)
	}
	c.r.Flush()
	at := c.r.Offset()
	c.r.Trace(nil)
	raw := c.r.Bytes(name, size*NodeCount)
	c.r.Trace(c.tracer)
	if raw == nil {
		return nil
	}
	c.r.SeekTo(at)
	for i := 0; i < NodeCount; {
		v, n := string(raw[size*i:size*(i+1)]), 1
		for i+n < NodeCount && string(raw[size*(i+n):size*(i+n+1)]) == v {
			n++
		}
		c.r.Span(fmt.Sprintf("%s[%d..%d]", name, i, i+n-1), size*n)
		switch {
		case size == 1 && meaning == nil:
			c.means("%d", v[0])
		case size == 1:
			c.means("%d %s", v[0], meaning(uint16(v[0])))
		case meaning != nil:
			id := uint16(v[0])<<8 | uint16(v[1])
			c.means("%d %s", id, meaning(id))
		default:
			c.means("% x", v)
		}
		i += n
	}
	return raw
}
