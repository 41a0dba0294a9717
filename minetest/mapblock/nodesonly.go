package mapblock

import "slices"

// DecodeNodes is [Block.Decode] for the nodes and their names only. Metadata, objects and timers stay empty, and
// errors in sections that can be skipped are not reported. The block cannot be encoded afterwards.
func (b *Block) DecodeNodes(data []byte) error {
	d := decoder{data: data, b: b, nodesOnly: true}
	d.decode()
	return d.err
}

// nodeLayouts are the sections of each version up to the last one that DecodeNodes needs. Sections between the needed
// ones are skipped.
var nodeLayouts = func() (all [Newest + 1][]section) {
	for version, layout := range layouts {
		end := 0
		for i, s := range layout {
			if s.name == secNodes.name || s.name == secNames.name {
				end = i + 1
			}
		}
		layout = slices.Clone(layout[:end])
		for i, s := range layout {
			switch s.name {
			case secMetadata.name:
				layout[i].run = (*codec).skipMetadata
			case secObjects.name:
				layout[i].run = (*codec).skipObjects
			}
		}
		all[version] = layout
	}
	return all
}()

func (c *codec) skipMetadata(b *Block) {
	if b.Version < 16 {
		c.metadata(b)
		return
	}
	c.packed("metadata", packZlib, &b.source.metadata, func(*codec) {})
}

func (c *codec) skipObjects(*Block) {
	c.r.U8("version")
	for range c.r.Count16("count", objectSize) {
		c.r.Bytes("object", objectSize-2)
		c.r.Bytes("data", int(c.r.U16("data_size")))
		if c.failed() {
			return
		}
	}
}
