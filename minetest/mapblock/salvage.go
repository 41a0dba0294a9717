package mapblock

import (
	"errors"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/text/words"
)

// searchBudget is the number of bytes that the search for sections after damaged data may read and inflate.
const searchBudget = 4 << 20

// Salvage reads the remains of a damaged block, section by section, and reports its problems. The returned block can
// be encoded, and every game that supports the version can load the result, except when [Decode] accepts the block:
// then Salvage returns it unchanged. The block is nil if no part of the nodes is readable.
//
// Unreadable parts are left out; unreadable nodes become ignore. If a section is damaged and its end is unknown,
// Salvage looks for an offset from which the following sections are readable up to the last byte.
func Salvage(data []byte) (*Block, []check.Finding) {
	d := decoder{data: data}
	d.decode()
	if d.err == nil {
		return d.b, check.Collect(func(sink check.Sink) { d.b.Check(sink) })
	}
	var found []check.Finding
	s := salvager{decoder: &d, checker: checker{Sink: func(f check.Finding) { found = append(found, f) }, b: d.b}}
	if d.b == nil {
		s.add(foundVersion, "version", 0, "%v", d.err)
		return nil, found
	}
	s.add(foundUnreadable, "", fault.OffsetOf(d.err), "%v%s", d.err, tolerance(data[0], d.err))
	if !s.recover() {
		s.add(foundNodesLost, "nodes", -1, "no node is left")
		return nil, found
	}
	d.b.Check(s.Sink)
	d.b.settle()
	return d.b, found
}

// tolerance describes which game loads a block that Decode rejects, and how; "" if none is known.
func tolerance(version byte, err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
	case e.Path == "nodes" && version >= 22 && errors.Is(err, deflate.ErrTooLong):
		return "; game 5.6.1 loads the block, and ignores the surplus bytes"
	case e.Path == "nodes" && version >= 22 && errors.Is(err, deflate.ErrTooShort):
		return "; game 5.6.1 loads the block, with undefined values for the missing bytes"
	case e.Path == "metadata" && version >= 20 && version <= 24:
		return "; game 5.6.1 can load the block, without this part and the following parts"
	case strings.Contains(e.Path, "timers.") && !strings.HasSuffix(e.Path, "timers.size") && version >= 25 && errors.Is(err, fault.ErrShort):
		return "; game 5.6.1 loads the block without the missing timers"
	}
	return ""
}

// salvager continues where a decoder has failed.
type salvager struct {
	*decoder
	checker
}

// recover salvages what is readable. It reports whether any nodes are readable.
func (s *salvager) recover() (ok bool) {
	b, layout := s.decoder.b, layouts[s.decoder.b.Version]
	failed := s.next
	if failed == len(layout) {
		return true // only the frame around it is damaged
	}
	data := s.data
	if b.Version >= 29 {
		data = s.content()
	}
	nodes := slices.IndexFunc(layout, func(sec section) bool { return sec.name == "nodes" })
	lost := 0
	if failed < nodes {
		b.ContentWidth, b.ParamsWidth = contentWidth(b.Version), 2
	}
	if failed == nodes {
		if lost = s.partialNodes(data); lost == NodeCount {
			return false
		}
	}
	s.clear(layout[failed+1:])
	if first := s.resume(data, failed); failed < nodes && (first < 0 || first > nodes) {
		return false
	}
	if lost > 0 {
		s.ignoreFrom(NodeCount - lost)
		s.add(foundNodesLost, "nodes", -1, "%d of %d nodes", lost, NodeCount)
	}
	return true
}

// content inflates the readable part of the frame of version 29.
func (s *salvager) content() (content []byte) {
	withFrame(s.data[1:], func(c []byte, _ int, _ error) { content = append(content, c...) })
	return content
}

// clear resets the sections after the damaged one. The readable part of the damaged one stays.
func (s *salvager) clear(sections []section) {
	b := s.decoder.b
	b.take(empty(b.Version), sections)
	b.source = source{}
}

// partialNodes fills in the readable nodes of a damaged section and returns the number of lost nodes.
func (s *salvager) partialNodes(data []byte) (lost int) {
	b := s.decoder.b
	var raw []byte
	switch {
	case b.Version >= 29:
		raw = data[s.nodesAt(data):]
	case b.Version >= 11:
		raw, _, _ = deflate.DecompressUpTo(data[s.nodesAt(data):], 4*NodeCount)
	}
	width := int(b.ContentWidth)
	known := min(len(raw)/width, NodeCount)
	for i := range known {
		if width == 1 {
			b.Param0[i] = uint16(raw[i])
		} else {
			b.Param0[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
		}
	}
	rest := raw[known*width:]
	copy(b.Param1[:], rest)
	copy(b.Param2[:], rest[min(NodeCount, len(rest)):])
	return NodeCount - known
}

// nodesAt returns the offset of the nodes in the file, or in the content of version 29.
func (s *salvager) nodesAt(data []byte) int64 {
	c := newReader(data, "")
	head := empty(s.decoder.b.Version)
	if head.Version < 29 {
		c.r.U8("version")
	}
	for _, sec := range layouts[head.Version] {
		if sec.name == "nodes" {
			break
		}
		sec.run(c, head)
	}
	return c.r.Offset()
}

// ignoreFrom replaces all nodes from index first by ignore.
func (s *salvager) ignoreFrom(first int) {
	b := s.decoder.b
	id := uint16(contentIgnore)
	if b.Version >= 21 {
		id = b.idFor(Ignore)
	}
	for i := first; i < NodeCount; i++ {
		b.Param1[i], b.Param2[i] = 0, 0
		b.setID(i, id)
	}
}

// idFor returns the id of a name in Names and adds the name if it is missing.
func (b *Block) idFor(name string) uint16 {
	used := make(map[uint16]bool, len(b.Names))
	for _, e := range b.Names {
		if e.Name == name {
			return e.ID
		}
		used[e.ID] = true
	}
	id := uint16(0)
	for used[id] {
		if id++; id == 0x80 && b.ContentWidth == 1 {
			id = extendedID
		}
	}
	b.Names = append(b.Names, NameID{id, name})
	return id
}

// resume looks for an offset after the damaged data from which the sections after the damaged one, or all but the
// first few of them, are readable up to the last byte. It returns the index of the first section that could be read,
// or -1.
func (s *salvager) resume(data []byte, failed int) (first int) {
	b, layout := s.decoder.b, layouts[s.decoder.b.Version]
	budget := searchBudget
	start := max(fault.OffsetOf(s.err), 1)
	try := empty(b.Version)
	try.ContentWidth, try.ParamsWidth = b.ContentWidth, b.ParamsWidth
	for first = failed + 1; first < len(layout); first++ {
		for at := start; at < int64(len(data)) && budget > 0; at++ {
			if !layout[first].couldStart(b.Version, data[at]) {
				continue
			}
			try.Names, try.Metadata, try.Objects, try.Timers, try.fault = nil, Metadata{}, Objects{}, Timers{}, nil
			d := decoder{data: data, next: first, b: try}
			c := newReader(data, "")
			c.r.SeekTo(at)
			d.sections(c)
			budget -= 64 + int(c.r.Offset()-at) + c.work
			if d.err != nil || c.r.Len() > 0 || c.stopped || !try.plausible(layout[first:]) {
				continue
			}
			b.take(try, layout[first:])
			s.add(foundResumed, layout[first].name, at, "%s can be read from offset %d on", words.Count(len(layout)-first, "section"), at)
			return first
		}
	}
	return -1
}

// couldStart reports whether c can be the first byte of a section in a version. It rules out most offsets of the
// search quickly.
func (sec section) couldStart(version int, c byte) bool {
	switch sec.name {
	case "nodes", "metadata":
		if version >= 29 {
			return sec.name == "nodes" || c <= maxMetaVersion
		}
		return c == 0x78 || version < 16
	case "widths":
		return c == contentWidth(version)
	case "timers":
		return c == timerSize || version == 24 && c <= 1
	case "objects", "names", "unused":
		return c == 0
	}
	return true
}

// plausible reports whether sections that were found by search look like sections of a block and not like bytes that
// match by chance.
func (b *Block) plausible(sections []section) bool {
	for _, sec := range sections {
		switch sec.name {
		case "objects":
			if b.Objects.Version != 0 {
				return false
			}
		case "metadata":
			if b.fault != nil {
				return false
			}
		case "names":
			if len(b.Names) == 0 {
				return false
			}
			for _, e := range b.Names {
				if !validName(e.Name) {
					return false
				}
			}
		}
	}
	return true
}

// take moves sections from another block to b.
func (b *Block) take(from *Block, sections []section) {
	for _, sec := range sections {
		switch sec.name {
		case "nodes":
			b.Param0, b.Param1, b.Param2 = from.Param0, from.Param1, from.Param2
		case "metadata":
			b.Metadata = from.Metadata
		case "objects":
			b.Objects = from.Objects
		case "timers":
			b.Timers = from.Timers
		case "timestamp":
			b.Timestamp = from.Timestamp
		case "names":
			b.Names = from.Names
		case "unused":
			b.Unused = from.Unused
		}
	}
}

// settle makes a salvaged block loadable: it removes unreadable metadata and trailing bytes and names unmapped ids.
func (b *Block) settle() {
	m := &b.Metadata
	m.Missing, m.Rest, b.fault = 0, nil, nil
	if m.Raw != nil {
		*m = empty(b.Version).Metadata
	}
	b.Trailing, b.Inner = nil, nil
	b.NameUnmapped()
}
