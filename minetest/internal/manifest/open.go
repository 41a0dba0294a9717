package manifest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"

	"trowel.example/check"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapdb"
	"trowel.example/trace"
)

// Catalog lists the kinds of findings that Check reports.
var Catalog check.Catalog

var foundDamaged = Catalog.Add("mt-manifest-damaged", check.Error,
	"The manifest is damaged: the former state of the world is unknown.",
	"Make a new manifest of a backup of the world, or use an older one.")

// Check reports a finding if the manifest has changed since it was written.
func (m *Manifest) Check(ctx context.Context, sink check.Sink) error {
	err := m.Verify(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	sink.Add(foundDamaged, "", -1, "%v", err)
	return nil
}

// Tree returns the manifest as a folder with a text file for each page, which has a line for each block with its
// position and hash. The name of a text file is the position of its first block.
func (m *Manifest) Tree() fs.FS {
	t := new(tree.FS)
	for i, p := range m.pages {
		pos, _ := mapdb.PosOfKey(p.first)
		t.Add(fmt.Sprintf("%d,%d,%d.txt", pos.X, pos.Y, pos.Z),
			tree.Meta{Stored: int64(p.size), Note: words.Count(p.blocks, "block")}, func() ([]byte, error) {
				entries, err := m.read(i, nil)
				if err != nil {
					return nil, err
				}
				var text []byte
				for _, e := range entries {
					text = fmt.Appendf(text, "%d,%d,%d %v\n", e.Pos.X, e.Pos.Y, e.Pos.Z, e.Hash)
				}
				return text, nil
			})
	}
	return t
}

// Dump reports every field of the manifest.
func (m *Manifest) Dump(ctx context.Context, t trace.Tracer) error {
	t(trace.Field{Path: "magic", Len: int64(len(magic)), Value: magic})
	t(trace.Field{Path: "version", Offset: int64(len(magic)), Len: 1, Value: version})
	var entries []Entry
	for i, p := range m.pages {
		err := ctx.Err()
		if err == nil {
			entries, err = m.read(i, entries[:0])
		}
		if err != nil {
			return err
		}
		at, last := p.offset, p.first
		for k, e := range entries {
			key := e.Pos.Key()
			step := uint64(key - last)
			n := int64(len(binary.AppendUvarint(nil, step)))
			path := fmt.Sprintf("pages[%d].blocks[%d]", i, k)
			t(trace.Field{Path: path + ".step", Offset: at, Len: n, Value: step, Meaning: e.Pos.String()})
			t(trace.Field{Path: path + ".hash", Offset: at + n, Len: 8, Value: uint64(e.Hash), Meaning: e.Hash.String()})
			at, last = at+n+8, key
		}
	}
	at, last := m.index, lowest
	for i, p := range m.pages {
		pos, _ := mapdb.PosOfKey(p.first)
		for _, f := range []struct {
			name    string
			value   uint64
			meaning string
		}{{"blocks", uint64(p.blocks), ""}, {"size", uint64(p.size), ""}, {"step", uint64(p.first - last), pos.String()}} {
			n := int64(len(binary.AppendUvarint(nil, f.value)))
			t(trace.Field{Path: fmt.Sprintf("index[%d].%s", i, f.name), Offset: at, Len: n, Value: f.value, Meaning: f.meaning})
			at += n
		}
		last = p.first
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"index", m.index}, {"pages", int64(len(m.pages))}, {"blocks", m.count}} {
		t(trace.Field{Path: "footer." + f.name, Offset: at, Len: 8, Value: f.value})
		at += 8
	}
	var sum [8]byte
	if _, err := m.r.ReadAt(sum[:], at); err != nil {
		return err
	}
	t(trace.Field{Path: "footer.hash", Offset: at, Len: 8, Value: sum[:], Meaning: "of all before it"})
	t(trace.Field{Path: "footer.magic", Offset: at + 8, Len: int64(len(magic)), Value: magic})
	return nil
}
