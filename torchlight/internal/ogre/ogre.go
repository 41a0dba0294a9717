// Package ogre reads and writes the models of the Torchlight games: meshes, skeletons and material scripts of the 3D
// engine OGRE, in its versions of those years; and the .ANIMATION files that list the animations of a model.
//
// The writers of the games declare wrong lengths for some chunks, which readers ignore: the content of each chunk shows
// its end. The models keep the difference, so that an unchanged file is written back byte for byte.
package ogre

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// Residue holds everything about a file that its text does not contain.
type Residue struct {
	// Whole is the file itself. It is set if its chunks are in an unusual order, or a name ends in a carriage return.
	Whole []byte `json:"whole,omitempty"`
}

// Options hold information that a file does not contain.
type Options struct {
	Path     string // path of the file for error messages
	FormOnly bool   // Decompile computes no residue
}

// Model is a [*Mesh] or a [*Skeleton].
type Model interface {
	// Encode returns the file. It fails with a [*fault.Error] if the model contradicts itself.
	Encode() ([]byte, error)
	walk(c *codec)
	head() *string
	kinds() []kind
	// rest returns the field for the chunks that are not read, or nil.
	rest() *[]byte
	// complete returns a description of a missing part that every file has, or "".
	complete() string
}

// signatures begin the files; the version and a bracket follow.
const (
	signMesh     = "[MeshSerializer_v"
	signSkeleton = "[Serializer_v"
)

var versions = map[string][]string{
	signMesh:     {"1.30", "1.40", "1.41", "1.8", "1.100"},
	signSkeleton: {"1.10", "1.80"},
}

// versionOf returns the version in the first line of a file, and the empty model for the file.
func versionOf(line string) (version string, m Model) {
	for _, sign := range []string{signMesh, signSkeleton} {
		rest, is := strings.CutPrefix(line, sign)
		version, closed := strings.CutSuffix(rest, "]")
		if !is || !closed || !slices.Contains(versions[sign], version) {
			continue
		}
		if sign == signMesh {
			return version, new(Mesh)
		}
		return version, new(Skeleton)
	}
	return "", nil
}

// Recognize reports whether head, the first bytes of a file, can be those of a mesh or a skeleton.
func Recognize(head []byte) bool {
	if len(head) < 2 || head[0]^head[1] != headerID>>8 || head[0]&head[1] != 0 { // in one of both byte orders
		return false
	}
	return bytes.HasPrefix(head[2:], []byte(signMesh)) || bytes.HasPrefix(head[2:], []byte(signSkeleton))
}

// Decode reads a mesh or a skeleton. It allocates memory only for what is in the data. Every error is a [*fault.Error].
func Decode(data []byte) (Model, error) {
	effort.Decompiled.Add(1)
	return decode(newDecoder(data))
}

func decode(d *decoder) (Model, error) {
	var line string
	if id := d.U16("id"); d.ok() && id != headerID {
		want := fmt.Sprintf("%#04x", headerID)
		if id == headerID>>8 {
			want = "a little-endian model, which begins with " + want
		}
		d.FailAt(0, "id", fault.ErrFormat, want, fmt.Sprintf("%#04x", id))
	}
	d.text("version", &line)
	version, m := versionOf(line)
	if d.ok() && m == nil {
		d.FailAt(2, "version", fault.ErrVersion, "a mesh of version "+anyOf(versions[signMesh])+", or a skeleton of version "+
			anyOf(versions[signSkeleton]), fmt.Sprintf("%.40q", line))
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	*m.head() = version
	d.known = make(map[uint16]string)
	for _, k := range m.kinds() {
		d.known[k.id] = k.name
	}
	m.walk(&codec{d})
	if d.ok() && m.rest() != nil && d.Len() > 1 {
		if id := uint16(d.data[d.Offset()]) | uint16(d.data[d.Offset()+1])<<8; slices.Contains(unread, id) ||
			id == kindEdges.id {
			d.rest(m.rest())
		}
	}
	if missing := m.complete(); d.ok() && d.Len() == 0 && missing != "" {
		d.Fail("", fault.ErrShort, missing, "the end of the data")
	}
	if d.ok() && d.Len() > 0 {
		err, got := fault.ErrShort, fmt.Sprintf("%d bytes", d.Len())
		if d.Len() >= chunkHead {
			err, got = fault.ErrFormat, fmt.Sprintf("%#04x", d.U16("id"))
		}
		d.Fail("", err, "a known chunk", got)
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

func anyOf(list []string) string {
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// signOf returns the signature of the files of a model.
func signOf(m Model) string {
	if _, is := m.(*Mesh); is {
		return signMesh
	}
	return signSkeleton
}

func encode(m Model) ([]byte, error) {
	e := newEncoder(1 << 10)
	e.U16(headerID)
	line := signOf(m) + *m.head() + "]"
	if version, known := versionOf(line); known == nil || version == "" {
		e.fail("version", anyOf(versions[signOf(m)]), *m.head())
	}
	e.text("version", &line)
	m.walk(&codec{e})
	if m.rest() != nil {
		e.rest(m.rest())
	}
	if missing := m.complete(); missing != "" {
		e.fail("_", missing, "none")
	}
	if e.err != nil {
		return nil, e.err
	}
	return e.Data(), nil
}

// Dump reports every field of a file to t, up to the first error.
func Dump(data []byte, t trace.Tracer) error {
	d := newDecoder(data)
	d.Trace(t)
	_, err := decode(d)
	d.Flush()
	return err
}

// Format returns the text of a model.
func Format(m Model) []byte {
	p := new(printer)
	sign := "mesh"
	if signOf(m) == signSkeleton {
		sign = "skeleton"
	}
	p.out = fmt.Appendf(p.out, "# OGRE %s. Numbers and names can be edited; `trowel pack` or `trowel convert` builds the file.\n", sign)
	p.out = fmt.Appendf(p.out, "%s %q", keywordVersion, signOf(m)+*m.head()+"]")
	m.walk(&codec{p})
	if m.rest() != nil {
		p.rest(m.rest())
	}
	return append(p.out, '\n')
}

// keywordVersion begins a text.
const keywordVersion = "version"

// IsText reports whether data is the text of a model.
func IsText(data []byte) bool {
	utf8, err := text.ToUTF8(data)
	if err != nil {
		return false
	}
	p := &parser{src: utf8}
	if !p.skip(keywordVersion) {
		return false
	}
	word := strings.TrimPrefix(string(p.peek()), `"`)
	return strings.HasPrefix(word, signMesh) || strings.HasPrefix(word, signSkeleton)
}

// Parse reads a text of Format, possibly edited. The error is a [*text.Error] with the line.
func Parse(src []byte) (Model, error) {
	src, err := text.ToUTF8(src)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, ids: make(map[string]uint16)}
	p.name(keywordVersion)
	var line string
	p.text("_", &line)
	version, m := versionOf(line)
	if m == nil {
		p.fail("", `a version such as "[MeshSerializer_v1.40]" or "[Serializer_v1.10]"`, fmt.Sprintf("%.40q", line))
		return nil, p.err
	}
	*m.head() = version
	for _, k := range m.kinds() {
		p.ids[k.name] = k.id
	}
	m.walk(&codec{p})
	if m.rest() != nil {
		p.rest(m.rest())
	}
	if p.ok() && p.peek() != nil {
		p.fail("", "a keyword of this place", p.found())
	}
	if p.err != nil {
		return nil, p.err
	}
	return m, nil
}

// Decompile returns the text of a file and its residue: everything that the text does not contain, or nil.
func Decompile(data []byte, o Options) (form []byte, residue *Residue, err error) {
	m, err := Decode(data)
	if err != nil {
		return nil, nil, fault.InFile(err, o.Path)
	}
	form = Format(m)
	if !o.FormOnly {
		if back, err := Compile(form, nil, o); err != nil || !bytes.Equal(back, data) {
			residue = &Residue{bytes.Clone(data)}
		}
	}
	return form, residue, nil
}

// Compile returns the file of a text. With the residue of exactly that text it reproduces the original file byte for
// byte.
func Compile(form []byte, residue *Residue, o Options) ([]byte, error) {
	if residue != nil && residue.Whole != nil {
		return residue.Whole, nil
	}
	m, err := Parse(form)
	if err != nil {
		return nil, err
	}
	data, err := m.Encode()
	return data, fault.InFile(err, o.Path)
}
