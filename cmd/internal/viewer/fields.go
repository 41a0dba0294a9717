package viewer

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"trowel.example/cmd/internal/service"
	"trowel.example/trace"
)

const (
	maxSpace   = 64 << 20 // bytes shown of an inflated space
	pageBytes  = 64 << 10 // bytes in an answer
	pageFields = 1000
	keptDumps  = 2
	keptSpaces = 3
)

// outline returns the fields of the file, or of the part of the file that path names. The outline is built
// once.
func (e *edition) outline(ctx context.Context, path string) (*outline, func(), error) {
	return e.of.server.panels.dumps.get(ctx, e.key()+"\n"+path, func(ctx context.Context) (*outline, error) {
		own, release, err := e.lease(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		return own.makeOutline(ctx, path)
	})
}

func (e *edition) makeOutline(ctx context.Context, name string) (*outline, error) {
	if e.Format.Dump != nil {
		// In the tree, a converted file has an additional extension.
		for _, inside := range []string{name, strings.TrimSuffix(name, path.Ext(name))} {
			o := &outline{inside: inside, base: inside}
			if !e.Source.IsDir() && inside == "" {
				o.account.Size = e.Source.Size
			}
			err := e.Format.Dump(ctx, e.job(nil), e.Source, inside, o.add)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if inside == "" || o.ofBase() {
				if err != nil {
					o.broken = e.of.failure(err)
				}
				o.end(e.Source)
				return o, nil
			}
			if err != nil && e.Source.IsDir() {
				return nil, err
			}
		}
	}
	o := &outline{base: name}
	if name == "" {
		if e.Source.IsDir() {
			return nil, problem{http.StatusNotFound, "a folder has no bytes of its own"}
		}
		o.spaceOf("").size = e.Source.Size
		return o, nil
	}
	data, err := e.treeFile(ctx, name)
	if err != nil {
		return nil, err
	}
	s := o.spaceOf(name)
	s.size, s.data = int64(len(data)), data
	return o, nil
}

// treeFile returns the content of a file of the tree.
func (e *edition) treeFile(ctx context.Context, name string) ([]byte, error) {
	fsys, err := e.files(ctx)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(fsys, name)
	return data[:min(len(data), maxSpace)], err
}

// listFields returns fields. Parameters: path, as for dump; space, by default the space of that path; from, to
// and skip of the group to open; start, the first row of the group, and n, the number of rows; at, an offset,
// to find the field there; length, to find the field with exactly this offset and length. The result contains
// in parents the fields in which the space is nested, the outermost first; opens of a parent is the space that
// contains it.
func listFields(ctx context.Context, e *edition, r *http.Request) (any, error) {
	q := r.URL.Query()
	o, release, err := e.outline(ctx, q.Get("path"))
	if err != nil {
		return nil, err
	}
	defer release()
	name := o.base
	if q.Has("space") {
		name = q.Get("space")
	}
	s, ok := o.spaces[name]
	if !ok {
		return nil, problem{http.StatusNotFound, "no space " + strconv.Quote(name)}
	}
	answer := map[string]any{"base": o.base, "space": name, "size": s.size, "total": len(s.fields), "error": o.broken,
		"left": o.left, "parents": o.parents(name)}
	if q.Has("at") {
		at, err := offsetOf(q.Get("at"))
		if err != nil {
			return nil, err
		}
		length := int64(0)
		if q.Has("length") {
			if length, err = offsetOf(q.Get("length")); err != nil {
				return nil, err
			}
		}
		if i, ok := s.find(o, at, length); ok {
			path := o.path(s.fields[i])
			answer["trail"], answer["field"] = s.trail(o, i), s.row(o, group{i, i + 1, len(path)}, 0)
		}
		return answer, nil
	}
	g := group{from: 0, to: len(s.fields)}
	for _, part := range []struct {
		name string
		to   *int
	}{{"from", &g.from}, {"to", &g.to}, {"skip", &g.skip}} {
		if *part.to, err = wholeOr(q.Get(part.name), *part.to, 0, max(len(s.fields), maxPath+3)); err != nil {
			return nil, err
		}
	}
	start, err := wholeOr(q.Get("start"), 0, 0, maxFields)
	if err != nil {
		return nil, err
	}
	n, err := wholeOr(q.Get("n"), pageFields, 1, pageFields)
	if err != nil {
		return nil, err
	}
	if g.to > len(s.fields) || g.from > g.to {
		return nil, problem{http.StatusBadRequest, "no such group of fields"}
	}
	rows := s.rows(o, g)
	list := []fieldRow{}
	for _, one := range rows[min(start, len(rows)):min(start+n, len(rows))] {
		list = append(list, s.row(o, one, g.skip))
	}
	answer["rows"], answer["of"] = list, len(rows)
	return answer, nil
}

func offsetOf(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, problem{http.StatusBadRequest, fmt.Sprintf("expected an offset, not %q", text)}
	}
	return n, nil
}

// serveBytes sends bytes of a space. Parameters: path, space, offset and length. The answer ends early where
// the next bytes are unknown; the header Next-Known is then the offset of the next known bytes.
func (s *Server) serveBytes(w http.ResponseWriter, r *http.Request) error {
	e, release, err := s.editionOf(r)
	if err != nil {
		return err
	}
	defer release()
	q := r.URL.Query()
	offset, err := offsetOf(q.Get("offset"))
	if err != nil {
		return err
	}
	length, err := whole(q.Get("length"), 1, pageBytes)
	if err != nil {
		return err
	}
	sp, done, err := e.space(r.Context(), q.Get("path"), q.Get("space"))
	if err != nil {
		return err
	}
	defer done()
	h := w.Header()
	data := make([]byte, length)
	if sp == nil {
		n, err := e.Source.ReadAt(data, offset)
		if data = data[:n]; err != nil && err != io.EOF {
			return err
		}
	} else {
		n, next := sp.known.From(offset)
		data = sp.data[min(offset, int64(len(sp.data))):][:min(n, int64(length))]
		if next > 0 {
			h.Set("Next-Known", strconv.FormatInt(next, 10))
		}
	}
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="bytes.bin"`)
	_, err = w.Write(data)
	return err
}

// content is the known bytes of a space.
type content struct {
	data  []byte
	known service.FieldSpans
}

func (c *content) Close() error { return nil }

// space returns the bytes of a space, or nil if the space is the file itself.
func (e *edition) space(ctx context.Context, path, name string) (*content, func(), error) {
	o, release, err := e.outline(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	s, ok := o.spaces[name]
	if !ok {
		release()
		return nil, nil, problem{http.StatusNotFound, "no space " + strconv.Quote(name)}
	}
	if name == "" {
		if e.Source.IsDir() {
			release()
			return nil, nil, problem{http.StatusNotFound, "a folder has no bytes of its own"}
		}
		return nil, release, nil
	}
	if s.data != nil {
		return &content{s.data, service.FieldSpans{{Start: 0, End: int64(len(s.data))}}}, release, nil
	}
	defer release()
	return e.of.server.panels.contents.get(ctx, e.key()+"\n"+path+"\n"+name, func(ctx context.Context) (*content, error) {
		own, release, err := e.lease(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		c := new(content)
		err = own.Format.Dump(ctx, own.job(nil), own.Source, o.inside, func(f trace.Field) {
			if f.Space == name {
				c.add(f.Offset, f.Bytes)
			}
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(c.data) == 0 && err != nil {
			return nil, err
		}
		return c, nil
	})
}

// add adds the bytes of a field.
func (c *content) add(offset int64, b []byte) {
	if offset < 0 || offset >= maxSpace || len(b) == 0 {
		return
	}
	b = b[:min(int64(len(b)), maxSpace-offset)]
	end := offset + int64(len(b))
	if more := end - int64(len(c.data)); more > 0 {
		c.data = append(c.data, make([]byte, more)...)
	}
	copy(c.data[offset:], b)
	c.known.Add(offset, int64(len(b)))
}
