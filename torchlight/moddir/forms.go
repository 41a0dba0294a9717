package moddir

import (
	"encoding/json"
	"strings"

	"trowel/check"
	"trowel/internal/bin"
	"trowel/torchlight/dat"
	"trowel/torchlight/layout"
	"trowel/torchlight/mpp"
	"trowel/torchlight/raw"
	"trowel/torchlight/text"
)

// A form is how a kind of compiled files looks in the folder.
type form struct {
	suffix   string // behind the name of the file in the folder
	compiled string // behind the name of a file that GUTS compiled; "" if it keeps no such files

	// is tells whether content is in the form for people.
	is func(content []byte) bool
	// decompile makes the form, and the relic as JSON, if there is one.
	decompile func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error)
	compile   func(content []byte, relic json.RawMessage, name string, o *Options) ([]byte, error)
	check     func(data []byte, name string, o *Options, sink check.Sink)
	dump      func(data []byte, name string, t bin.Tracer) error
}

var (
	dataForm = &form{
		compiled: ".BINDAT",
		is:       text.Recognize,
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return withRelic(dat.Decompile(data, dat.Options{Names: o.names(), Floats: o.Floats, Path: name}))
		},
		compile: func(content []byte, relic json.RawMessage, name string, o *Options) ([]byte, error) {
			return compileWith(dat.Compile, content, relic, dat.Options{Names: o.names(), Floats: o.Floats, Path: name})
		},
	}
	layoutForm = &form{
		compiled: ".BINLAYOUT",
		is:       text.Recognize,
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return withRelic(layout.Decompile(data, layout.Options{Floats: o.Floats, Path: name}))
		},
		compile: func(content []byte, relic json.RawMessage, name string, o *Options) ([]byte, error) {
			return compileWith(layout.Compile, content, relic, layout.Options{Floats: o.Floats, Path: name})
		},
	}
	tableForm = &form{
		suffix: ".json",
		is:     func(content []byte) bool { return strings.HasPrefix(strings.TrimSpace(string(content)), "{") },
		decompile: func(data []byte, name string, _ *Options) ([]byte, json.RawMessage, error) {
			return withRelic(raw.Decompile(data, raw.Options{Path: name}))
		},
		compile: func(content []byte, relic json.RawMessage, name string, _ *Options) ([]byte, error) {
			return compileWith(raw.Compile, content, relic, raw.Options{Path: name})
		},
	}
	gridForm = &form{
		suffix: ".pgm",
		is:     func(content []byte) bool { return strings.HasPrefix(string(content), "P5") },
		decompile: func(data []byte, name string, _ *Options) ([]byte, json.RawMessage, error) {
			return withRelic(mpp.Decompile(data, mpp.Options{Path: name}))
		},
		compile: func(content []byte, relic json.RawMessage, name string, _ *Options) ([]byte, error) {
			return compileWith(mpp.Compile, content, relic, mpp.Options{Path: name})
		},
	}
)

// formOf returns the form of a file of the archive, by its name; nil for what
// is in the folder as it is.
func formOf(name string) *form {
	switch extension(name) {
	case ".DAT", ".TEMPLATE", ".HIE", ".ANIMATION":
		return dataForm
	case ".LAYOUT":
		return layoutForm
	case ".RAW":
		if _, known := raw.KindOf(name); known {
			return tableForm
		}
	case ".MPP":
		return gridForm
	}
	return nil
}

// withRelic turns what Decompile of a package returns into JSON.
func withRelic[R any](form []byte, relic *R, err error) ([]byte, json.RawMessage, error) {
	if err != nil || relic == nil {
		return form, nil, err
	}
	data, err := json.Marshal(relic)
	return form, data, err
}

// compileWith calls Compile of a package with the relic that was kept as JSON.
func compileWith[R, O any](compile func([]byte, *R, O) ([]byte, error), content []byte, kept json.RawMessage, o O) ([]byte, error) {
	var relic *R
	if kept != nil {
		relic = new(R)
		if err := json.Unmarshal(kept, relic); err != nil {
			return nil, err
		}
	}
	return compile(content, relic, o)
}
