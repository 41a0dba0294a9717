package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/parallel"
	"trowel.example/trace"
)

// The verbs have no knowledge of specific games, so their tests use two toy formats.
//
// A toy box is an archive: "TOYB", a version, a count, then for each toy its name, a length and its bytes.
// Names are arbitrary text, including malicious names.
//
// A toy shelf is a folder with shelf.txt, in which each file is a toy.

type toy struct {
	name string
	data []byte
}

const (
	boxMagic    = "TOYB"
	boxTextName = "toy-text"
)

var (
	toyKinds   check.Catalog
	foundEmpty = toyKinds.Add("toy-empty", check.Warning, "A toy has no bytes.", "Put something into it.")
	foundTwice = toyKinds.Add("toy-twice", check.Error, "Two toys have the same name.", "Rename one of them.")
	foundMany  = toyKinds.Add("toy-many", check.Info, "There are more than three toys.", "Nothing.")
)

var toys = &format.Game{Title: "Toys", Formats: []*format.Format{toyBox, toyShelf}}

var toyBox = &format.Format{
	Name: "toy-box", Title: "Box of toys",
	Doc: "docs/formats/toys.md",
	Recognition: format.Recognition{
		Extensions: []string{".box", ".toys"},
		Recognize:  func(src *format.Source) bool { return string(src.Head(4)) == boxMagic },
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return hasFile(fsys, "box.txt") },
		Build:         buildBox,
	},
	Open: openBox,
	Dump: func(_ context.Context, _ *format.Job, src *format.Source, _ string, t trace.Tracer) error {
		_, err := readBox(src, t)
		return err
	},
	Conversions: []format.Conversion{{
		To: boxTextName, Title: "Names of the toys", Extension: ".txt",
		Options: []format.Option{{Name: "upper", Help: "write names in capitals", Type: format.Bool}},
		Convert: convertBox,
	}},
	Editing: toyEditing,
	Merging: toyMerging,
	Kinds:   toyKinds.Kinds(),
	Finder:  toyFinder,
	Options: []format.Option{{Name: "box-version", Help: "version to write", Default: ""}},
}

type box struct {
	version uint16
	toys    []toy
	tail    []byte
}

func readBox(src *format.Source, t trace.Tracer) (*box, error) {
	data, err := src.ReadAll()
	if err != nil {
		return nil, err
	}
	r := bin.NewReader(data, bin.LittleEndian)
	if t != nil {
		r.Trace(t)
		defer r.Flush()
	}
	b := new(box)
	r.Bytes("magic", 4)
	b.version = r.U16("version")
	if b.version > 9 {
		r.FailAt(4, "version", fault.ErrVersion, "a version up to 9", strconv.Itoa(int(b.version)))
	}
	for i := range r.Count("count", 6) {
		r.EnterIndex("toys", i)
		one := toy{name: r.String16("name")}
		n := r.Count("size", 1)
		one.data = r.Bytes("data", n)
		if strings.HasSuffix(one.name, ".nest") && t != nil {
			r.Flush()
			inner := bin.NewReader(one.data, bin.LittleEndian).InSpace(r.Path("data"))
			inner.Trace(t)
			inner.U8("color")
			inner.MeansText("red")
			inner.Span("rest", inner.Len())
			inner.Flush()
		}
		r.Leave()
		b.toys = append(b.toys, one)
	}
	b.tail = data[min(int(r.Offset()), len(data)):]
	if err := r.Err(); err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	return b, nil
}

func (b *box) encode() []byte {
	w := bin.NewWriter(bin.LittleEndian, 0)
	w.Bytes([]byte(boxMagic))
	w.U16(b.version)
	w.Int32(int32(len(b.toys)))
	for _, one := range b.toys {
		w.U16(uint16(len(one.name)))
		w.Bytes([]byte(one.name))
		w.Int32(int32(len(one.data)))
		w.Bytes(one.data)
	}
	w.Bytes(b.tail)
	return w.Data()
}

// boxSidecar has the data to rebuild an identical box.
type boxSidecar struct {
	Order []string `json:"order"`
	Tail  []byte   `json:"tail,omitempty"`
}

func openBox(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	b, err := readBox(src, nil)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (b *box) Tree(ctx context.Context, _ *format.Job) (fs.FS, error) {
	var t tree.FS
	side := boxSidecar{Tail: b.tail}
	for _, one := range b.toys {
		name := "toys/" + safename.TreePath(one.name)
		side.Order = append(side.Order, name)
		t.Add(name, tree.Meta{Stored: int64(len(one.data)), Note: "a toy"}, func() ([]byte, error) {
			switch string(one.data) {
			case "broken":
				return nil, errors.New("the toy is broken")
			case "panic":
				panic("a toy that bites")
			case "endless": // until the user interrupts
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return one.data, nil
		})
	}
	t.AddBytes("box.txt", fmt.Appendf(nil, "version %d\n", b.version))
	data, err := json.Marshal(side)
	t.AddBytes(tree.Sidecar, data)
	return &t, err
}

func (b *box) Info(_ context.Context, _ *format.Job) (format.Info, error) {
	names := []string{}
	for _, one := range b.toys {
		names = append(names, one.name)
	}
	return format.Info{Fields: []format.InfoField{
		{Key: "version", Value: int(b.version)},
		{Key: "toyNames", Label: "toys", Value: names},
		{Key: "content", Value: []format.InfoField{{Key: "count", Value: len(b.toys)}, {Key: "full", Value: len(b.toys) > 3}}},
	}}, nil
}

func (b *box) Check(_ context.Context, _ *format.Job, sink check.Sink) error {
	seen := map[string]bool{}
	for i, one := range b.toys {
		path := fmt.Sprintf("toys[%d]", i)
		if len(one.data) == 0 {
			sink.Add(foundEmpty, path, 10, "%q is empty", one.name)
		}
		if string(one.data) == "panic" {
			parallel.Each(2, func(int) { panic("a toy that bites") })
		}
		if seen[one.name] {
			sink.Add(foundTwice, path, -1, "%q is there already", one.name)
		}
		seen[one.name] = true
	}
	if len(b.toys) > 3 {
		sink.Add(foundMany, "", -1, "%d toys", len(b.toys))
	}
	return nil
}

func (b *box) Close() error { return nil }

func buildBox(_ context.Context, job *format.Job, fsys fs.FS, out format.Output) error {
	b := new(box)
	text, err := fs.ReadFile(fsys, "box.txt")
	if err != nil {
		return err
	}
	if _, err := fmt.Sscanf(string(text), "version %d", &b.version); err != nil {
		return &fault.Error{Path: "box.txt", Offset: -1, Want: `"version" and a number`, Got: strconv.Quote(string(text))}
	}
	if v := job.Value("box-version"); v != "" {
		n, _ := strconv.Atoi(v)
		b.version = uint16(n)
	}
	var side boxSidecar
	if data, err := fs.ReadFile(fsys, tree.Sidecar); err == nil {
		if err := json.Unmarshal(data, &side); err != nil {
			return err
		}
		b.tail = side.Tail
	}
	var names []string
	err = fs.WalkDir(fsys, "toys", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	place := func(name string) int { return slices.Index(side.Order, name) }
	slices.SortStableFunc(names, func(x, y string) int { return place(x) - place(y) })
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		if len(data) > 100 {
			job.Warn(name, "a large toy")
		}
		b.toys = append(b.toys, toy{safename.FromTreePath(strings.TrimPrefix(name, "toys/")), data})
	}
	w, err := out.Create("")
	if err == nil {
		_, err = w.Write(b.encode())
	}
	return err
}

func convertBox(_ context.Context, job *format.Job, src *format.Source, out format.Output) error {
	b, err := readBox(src, nil)
	if err != nil {
		return err
	}
	w, err := out.Create("")
	for _, one := range b.toys {
		name := one.name
		if job.Value("upper") == "true" {
			name = strings.ToUpper(name)
		}
		if err == nil {
			_, err = fmt.Fprintln(w, name)
		}
	}
	return err
}

var toyShelf = &format.Format{
	Name: "toy-shelf", Title: "Shelf of toys",
	Recognition: format.Recognition{
		Folder:    true,
		Recognize: func(src *format.Source) bool { return hasFile(os.DirFS(src.Dir), "shelf.txt") },
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return hasFile(fsys, "shelf.tree") },
		Build: func(_ context.Context, _ *format.Job, fsys fs.FS, out format.Output) error {
			dir, err := out.Dir()
			if err != nil {
				return err
			}
			if hasFile(fsys, "fails") {
				return os.WriteFile(filepath.Join(dir, "nowhere", "shelf.txt"), nil, 0o666)
			}
			return os.WriteFile(filepath.Join(dir, "shelf.txt"), []byte("shelf\n"), 0o666)
		},
	},
	Open: func(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
		return shelf(src.Dir), nil
	},
}

type shelf string

func (s shelf) Tree(_ context.Context, _ *format.Job) (fs.FS, error) {
	var t tree.FS
	t.AddBytes("shelf.tree", []byte("shelf\n"))
	return &t, nil
}
func (s shelf) Info(_ context.Context, _ *format.Job) (format.Info, error) { return format.Info{}, nil }
func (s shelf) Check(context.Context, *format.Job, check.Sink) error       { return nil }
func (s shelf) Close() error                                               { return nil }

func hasFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && !info.IsDir()
}

// makeBox is a command for scripts: it writes a box of toys NAME=DATA, where names and data may contain
// escapes.
func makeBox(args []string, stderr io.Writer) int {
	b := &box{version: 1}
	for _, arg := range args[1:] {
		text, err := strconv.Unquote(`"` + arg + `"`)
		if err != nil {
			fmt.Fprintln(stderr, arg, err)
			return 2
		}
		name, data, ok := strings.Cut(text, "=")
		if !ok {
			b.tail = []byte(text)
			continue
		}
		b.toys = append(b.toys, toy{name, []byte(data)})
	}
	if err := os.WriteFile(args[0], b.encode(), 0o666); err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	return 0
}
