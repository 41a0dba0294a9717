package moddir

import (
	"bytes"
	"encoding/json"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// A form describes how a kind of compiled files is represented in the folder.
type form struct {
	name     string // name of the format for single files of this kind
	suffix   string // appended to the name of the file in the folder
	compiled string // appended by GUTS to the name of a compiled file; "" if GUTS keeps no such files

	// recognize reports whether data is a whole compiled file.
	recognize func(data []byte) bool
	// isText reports whether content is in the editable form.
	isText func(content []byte) bool
	// decompile returns the editable form, and the residue as JSON if there is one.
	decompile func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error)
	compile   func(content []byte, residue json.RawMessage, name string, o *Options) ([]byte, error)
	// residueOf returns the residue of data with respect to content, and whether their contents are the same with six
	// digits. If it is nil, only identical compiled bytes count as the same.
	residueOf func(data, content []byte, name string, o *Options) (json.RawMessage, bool)
	check     func(data []byte, name string, o *Options, sink check.Sink)
	dump      func(data []byte, name string, t trace.Tracer) error
}

var (
	dataForm = &form{
		name:      "torchlight-dat",
		compiled:  ".BINDAT",
		recognize: func(data []byte) bool { return dat.Recognize(data) && decodes(dat.Decode(data)) },
		isText:    text.Recognize,
		residueOf: residueOfData,
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return withResidue(dat.Decompile(data, dat.Options{Names: o.names(), Floats: o.Floats, Path: name, FormOnly: o.formOnly}))
		},
		compile: func(content []byte, residue json.RawMessage, name string, o *Options) ([]byte, error) {
			return compileWith(dat.Compile, content, residue, dat.Options{Names: o.names(), Floats: o.Floats,
				Path: name, Warn: o.problems(name)})
		},
		check: func(data []byte, name string, o *Options, sink check.Sink) {
			checkData(data, name, o, sink)
		},
		dump: func(data []byte, _ string, t trace.Tracer) error { return dat.Dump(data, t) },
	}
	// Compiled files of Torchlight I, both data files and layouts.
	admForm = &form{
		name: "torchlight-adm",
		recognize: func(data []byte) bool {
			f, err := dat.Decode(data)
			return err == nil && f.Version == dat.Torchlight1
		},
		isText: text.Recognize,
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return dataForm.decompile(data, asADM(name), o)
		},
		compile: func(content []byte, residue json.RawMessage, name string, o *Options) ([]byte, error) {
			return dataForm.compile(content, residue, asADM(name), o)
		},
		check: func(data []byte, name string, o *Options, sink check.Sink) {
			dataForm.check(data, asADM(name), o, sink)
		},
		dump: dataForm.dump,
	}
	layoutForm = &form{
		name:      "torchlight-layout",
		compiled:  ".BINLAYOUT",
		recognize: func(data []byte) bool { return layout.Recognize(data) && decodes(layout.Decode(data)) },
		isText:    text.Recognize,
		residueOf: residueOfLayout,
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return withResidue(layout.Decompile(data, layout.Options{Floats: o.Floats, Path: name, FormOnly: o.formOnly}))
		},
		compile: func(content []byte, residue json.RawMessage, name string, o *Options) ([]byte, error) {
			return compileWith(layout.Compile, content, residue, layout.Options{Floats: o.Floats, Path: name, Warn: o.problems(name)})
		},
		check: func(data []byte, _ string, _ *Options, sink check.Sink) { layout.Check(data, sink) },
		dump:  func(data []byte, _ string, t trace.Tracer) error { return layout.Dump(data, t) },
	}
	tableForm = &form{
		name:      "torchlight-raw",
		suffix:    ".json",
		recognize: raw.Recognize,
		isText: func(content []byte) bool {
			content, err := text.ToUTF8(content)
			return err == nil && bytes.HasPrefix(bytes.TrimSpace(content), []byte("{"))
		},
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return withResidue(raw.Decompile(data, raw.Options{Path: name, FormOnly: o.formOnly}))
		},
		compile: func(content []byte, residue json.RawMessage, name string, _ *Options) ([]byte, error) {
			return compileWith(raw.Compile, content, residue, raw.Options{Path: name})
		},
		check: func(data []byte, name string, _ *Options, sink check.Sink) { raw.Check(data, name, sink) },
		dump: func(data []byte, name string, t trace.Tracer) error {
			kind, _ := raw.KindOf(name)
			return raw.Dump(data, kind, t)
		},
	}
	gridForm = &form{
		name:      "torchlight-mpp",
		suffix:    ".pgm",
		recognize: func(data []byte) bool { return mpp.Recognize(data) && decodes(mpp.Decode(data)) },
		isText:    func(content []byte) bool { return strings.HasPrefix(string(content), "P5") },
		decompile: func(data []byte, name string, _ *Options) ([]byte, json.RawMessage, error) {
			return withResidue(mpp.Decompile(data, mpp.Options{Path: name}))
		},
		compile: func(content []byte, residue json.RawMessage, name string, _ *Options) ([]byte, error) {
			return compileWith(mpp.Compile, content, residue, mpp.Options{Path: name})
		},
		check: func(data []byte, _ string, _ *Options, sink check.Sink) { mpp.Check(data, sink) },
		dump:  func(data []byte, _ string, t trace.Tracer) error { return mpp.Dump(data, t) },
	}
	// Meshes and skeletons. Other programs edit them, so the folder of a mod has them as text only with Options.Models.
	modelForm = &form{
		name:      "torchlight-model",
		suffix:    ".txt",
		recognize: func(data []byte) bool { return ogre.Recognize(data) && decodes(ogre.Decode(data)) },
		isText:    ogre.IsText,
		decompile: func(data []byte, name string, o *Options) ([]byte, json.RawMessage, error) {
			return withResidue(ogre.Decompile(data, ogre.Options{Path: name, FormOnly: o.formOnly}))
		},
		compile: func(content []byte, residue json.RawMessage, name string, _ *Options) ([]byte, error) {
			return compileWith(ogre.Compile, content, residue, ogre.Options{Path: name})
		},
		check: func(data []byte, _ string, _ *Options, sink check.Sink) { ogre.Check(data, sink) },
		dump:  func(data []byte, _ string, t trace.Tracer) error { return ogre.Dump(data, t) },
	}
)

// Unchanged reports whether a file of the archive that has an editable form is nevertheless unchanged in the folder.
func (o *Options) Unchanged(name string) bool { return o.Raw || !o.Models && formOf(name) == modelForm }

// checkData checks a compiled data file, and returns its tree, or nil if it cannot be read.
func checkData(data []byte, name string, o *Options, sink check.Sink) *text.Node {
	own := dat.Options{Names: o.names(), Path: name}
	file := dat.Check(data, own, sink)
	if file == nil {
		return nil
	}
	root := file.Text(own)
	checkTree(root, name, sink)
	return root
}

// checkTree checks what a data file means, compiled or as text.
func checkTree(root *text.Node, name string, sink check.Sink) {
	if ogre.IsAnimation(strings.TrimSuffix(name, ADM)) {
		ogre.CheckAnimation(root, sink)
	}
	translation.Check(root, sink)
}

// reads reports whether data is a compiled file that the game can read under a name.
func (f *form) reads(data []byte, name string) bool {
	if f == tableForm { // the name gives the kind of the table
		_, _, err := f.decompile(data, name, &Options{formOnly: true})
		return err == nil
	}
	return f.recognize(data)
}

// ADM is the extension that Torchlight I appends to the name of a source for the compiled file.
const ADM = ".ADM"

// asADM returns a name by which package dat recognizes a file of Torchlight I.
func asADM(name string) string {
	if extension(name) == ADM {
		return name
	}
	return name + ADM
}

// formOf returns the form of a file of the archive by its name, or nil for files that are unchanged in the folder.
func formOf(name string) *form {
	switch extension(name) {
	case ".DAT", ".TEMPLATE", ".HIE", ".ANIMATION":
		return dataForm
	case ADM:
		return admForm
	case ".LAYOUT":
		return layoutForm
	case ".RAW":
		if _, known := raw.KindOf(name); known {
			return tableForm
		}
	case ".MPP":
		return gridForm
	case ".MESH", ".SKELETON":
		return modelForm
	}
	return nil
}

func decodes(_ any, err error) bool { return err == nil }

// withResidue converts the results of a package's Decompile function, with the residue as JSON.
func withResidue[R any](form []byte, residue *R, err error) ([]byte, json.RawMessage, error) {
	if err != nil || residue == nil {
		return form, nil, err
	}
	data, err := json.Marshal(residue)
	return form, data, err
}

// compileWith calls a package's Compile function with a residue in JSON.
func compileWith[R, O any](compile func([]byte, *R, O) ([]byte, error), content []byte, kept json.RawMessage, o O) ([]byte, error) {
	var residue *R
	if kept != nil {
		residue = new(R)
		if err := json.Unmarshal(kept, residue); err != nil {
			return nil, err
		}
	}
	return compile(content, residue, o)
}

// begins are magic numbers and the extensions of their formats.
var begins = []struct{ magic, extension string }{
	{"DDS ", ".DDS"}, {"\x89PNG", ".PNG"}, {"\xff\xd8\xff", ".JPG"}, {"RIFF", ".WAV"}, {"OggS", ".OGG"},
	{"\x00\x10[MeshSer", ".MESH"}, {"\x00\x10[Ser", ".SKELETON"}, {"<?xml", ".XML"}, {"BIK", ".BIK"},
}

// ExtensionOf returns the extension of a file, as far as its beginning shows it, or ".BIN".
func ExtensionOf(head []byte) string {
	switch {
	case layout.Recognize(head):
		return ".LAYOUT"
	case dat.Recognize(head):
		return ".DAT"
	}
	for _, b := range begins {
		if strings.HasPrefix(string(head), b.magic) {
			return b.extension
		}
	}
	return ".BIN"
}
