package schematic

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
)

func (s *Schematic) encodeWorldEdit() ([]byte, error) {
	v := s.version()
	if v < 1 || v > WorldEdit.Newest() {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: "1 to 5", Got: fmt.Sprint(v), Err: fault.ErrVersion}
	}
	if strings.ContainsAny(s.Header, ":\n") {
		return nil, &fault.Error{Path: "header", Offset: -1, Want: "fields without a colon", Got: strconv.Quote(s.Header), Err: fault.ErrFormat}
	}
	if err := s.spendText(); err != nil {
		return nil, err
	}
	var dst []byte
	if v == 5 || s.Header != "" {
		dst = strconv.AppendInt(dst, int64(v), 10)
		if s.Header != "" {
			dst = append(append(dst, ','), s.Header...)
		}
		dst = append(dst, ':')
	}
	w := luaWriter{dst: dst, version: v}
	switch v {
	case 1, 2:
		w.flat(s)
	case 3:
		for i := range s.inWorldEdit() {
			at := s.place(i)
			if strings.ContainsFunc(s.At(i), func(r rune) bool { return r <= ' ' }) || s.At(i) == "" {
				return nil, &fault.Error{Path: "names", Offset: -1, Want: "names without spaces", Got: strconv.Quote(s.At(i)), Err: fault.ErrFormat}
			}
			w.dst = fmt.Appendf(w.dst, "%d %d %d %s %d %d\n", at[0], at[1], at[2], s.At(i), s.light(i), s.Param2[i])
		}
	default:
		w.dst = append(w.dst, "return {"...)
		for i := range s.inWorldEdit() {
			w.node(s, i)
			w.dst = append(w.dst, ',')
		}
		w.dst = append(bytes.TrimSuffix(w.dst, []byte{','}), '}')
	}
	return w.dst, nil
}

// place returns the position of a node in .we.
func (s *Schematic) place(i int) [3]int {
	x, y, z := s.Coordinates(i)
	return [3]int{s.Origin[0] + x, s.Origin[1] + y, s.Origin[2] + z}
}

// inWorldEdit yields the nodes of a .we file in its order: by x, then y, then z.
func (s *Schematic) inWorldEdit() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for x := range s.Size[0] {
			for y := range s.Size[1] {
				for z := range s.Size[2] {
					if i := s.Index(x, y, z); s.Prob[i] != Never && !yield(i) {
						return
					}
				}
			}
		}
	}
}

// luaWriter writes Lua tables.
type luaWriter struct {
	dst     []byte
	version int
}

func (w *luaWriter) node(s *Schematic, i int) {
	at := s.place(i)
	w.dst = fmt.Appendf(w.dst, "{x=%d,y=%d,z=%d,name=", at[0], at[1], at[2])
	w.text(s.At(i))
	if p := s.light(i); p != 0 || w.version < 5 {
		w.dst = fmt.Appendf(w.dst, ",param1=%d", p)
	}
	if p := s.Param2[i]; p != 0 || w.version < 5 {
		w.dst = fmt.Appendf(w.dst, ",param2=%d", p)
	}
	m := s.MetaOf(i)
	if m == nil && w.version == 4 {
		m = new(Meta)
	}
	if m != nil {
		w.dst = append(w.dst, ",meta={fields={"...)
		for k, f := range m.Fields {
			w.pair(k, f.Key)
			w.text(f.Value)
		}
		w.dst = append(w.dst, "},inventory={"...)
		for k, l := range m.Lists {
			w.pair(k, l.Name)
			w.dst = append(w.dst, '{')
			for n, item := range l.Items {
				if n > 0 {
					w.dst = append(w.dst, ',')
				}
				w.text(item)
			}
			w.dst = append(w.dst, '}')
		}
		w.dst = append(w.dst, "}}"...)
	}
	w.dst = append(w.dst, '}')
}

// pair writes the key of entry n of a table and the characters before its value.
func (w *luaWriter) pair(n int, key string) {
	if n > 0 {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '[')
	w.text(key)
	w.dst = append(w.dst, "]="...)
}

// text writes a string like %q in Lua.
func (w *luaWriter) text(s string) {
	w.dst = append(w.dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			w.dst = append(w.dst, '\\', c)
		case '\r':
			w.dst = append(w.dst, `\r`...)
		case 0:
			w.dst = append(w.dst, `\000`...)
		default:
			w.dst = append(w.dst, c)
		}
	}
	w.dst = append(w.dst, '"')
}

// flat writes versions 1 and 2, in which tables are not nested.
func (w *luaWriter) flat(s *Schematic) {
	nodes := slices.Collect(s.inWorldEdit())
	w.dst = append(w.dst, "return {\n-- Table: {1}\n{\n"...)
	parts, next := 3, 2 // tables of a node, the next number
	if w.version == 2 {
		parts = 1
	}
	for _, i := range nodes {
		w.dst = fmt.Appendf(w.dst, "   {%d},\n", next)
		next += parts
		if w.version == 2 {
			next += 3 + len(s.metaOf(i).Lists)
		}
	}
	w.dst = append(w.dst, "},\n"...)
	next = 2
	start := func() {
		w.dst = fmt.Appendf(w.dst, "-- Table: {%d}\n{\n", next)
		next++
	}
	end := func() { w.dst = append(w.dst, "},\n"...) }
	for _, i := range nodes {
		at := s.place(i)
		start()
		if w.version == 1 {
			w.dst = fmt.Appendf(w.dst, "   {%d},\n   {%d},\n", next, next+1)
			end()
			start()
		}
		w.dst = fmt.Appendf(w.dst, "   [\"x\"]=%d,\n   [\"y\"]=%d,\n   [\"z\"]=%d,\n", at[0], at[1], at[2])
		if w.version == 1 {
			end()
			start()
		}
		w.dst = append(w.dst, `   ["name"]=`...)
		w.text(s.At(i))
		w.dst = fmt.Appendf(w.dst, ",\n   [\"param1\"]=%d,\n   [\"param2\"]=%d,\n", s.light(i), s.Param2[i])
		if w.version == 1 {
			end()
			continue
		}
		w.dst = fmt.Appendf(w.dst, "   [\"meta\"]={%d},\n", next)
		end()
		m := s.metaOf(i)
		start()
		w.dst = fmt.Appendf(w.dst, "   [\"fields\"]={%d},\n   [\"inventory\"]={%d},\n", next, next+1)
		end()
		start()
		for _, f := range m.Fields {
			w.dst = append(w.dst, "   "...)
			w.pair(0, f.Key)
			w.text(f.Value)
			w.dst = append(w.dst, ",\n"...)
		}
		end()
		start()
		for k, l := range m.Lists {
			w.dst = append(w.dst, "   "...)
			w.pair(0, l.Name)
			w.dst = fmt.Appendf(w.dst, "{%d},\n", next+k)
		}
		end()
		for _, l := range m.Lists {
			start()
			for _, item := range l.Items {
				w.dst = append(w.dst, "   "...)
				w.text(item)
				w.dst = append(w.dst, ",\n"...)
			}
			end()
		}
	}
	w.dst = append(w.dst, "}\n"...)
}

func (s *Schematic) metaOf(i int) *Meta {
	if m := s.MetaOf(i); m != nil {
		return m
	}
	return new(Meta)
}
