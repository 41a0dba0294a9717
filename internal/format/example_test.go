package format_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/format"
)

// note is a file that consists of the letters NOTE and a text.
type note string

func openNote(_ context.Context, _ *format.Job, src *format.Source) (format.File, error) {
	data, err := src.ReadAll()
	if err != nil {
		return nil, err
	}
	return note(data[4:]), nil
}

func (n note) Tree(context.Context, *format.Job) (fs.FS, error) {
	return fstest.MapFS{"note.txt": {Data: []byte(n)}}, nil
}

func (n note) Info(context.Context, *format.Job) (info format.Info, err error) {
	info.Add("bytes", "Bytes", len(n))
	return info, nil
}

func (n note) Check(context.Context, *format.Job, check.Sink) error { return nil }

func (n note) Close() error { return nil }

// Example declares a format and finds the format of a file by its content.
func Example() {
	game := &format.Game{Title: "Notes", Formats: []*format.Format{{
		Name: "note",
		Recognition: format.Recognition{
			Recognize: func(src *format.Source) bool { return string(src.Head(4)) == "NOTE" },
		},
		Open: openNote,
	}}}
	src := format.NewSource("a.note", []byte("NOTEhello"))
	f, err := format.Games{game}.Formats().Find(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := f.Open(context.Background(), new(format.Job), src)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	tree, err := file.Tree(context.Background(), new(format.Job))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := fs.ReadFile(tree, "note.txt")
	fmt.Println(f.Name, string(text), err)
	// Output: note hello <nil>
}
