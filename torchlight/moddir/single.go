package moddir

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// A single compiled file has a folder, too. It contains the editable form of the file, under the name that it has in
// the folder of a mod, and the sidecar.

// OpenSingle presents a compiled file as a folder. The name is the path in the game, such as
// MEDIA/UI/X.LAYOUT.BINLAYOUT, as far as it is known. The format is stored in the sidecar for RecognizeSingle.
func OpenSingle(data []byte, name, format string, o Options) (fs.FS, error) {
	game, _ := archivePath(name)
	form := formOfContent(game, data)
	if form == nil {
		return nil, errNoForm
	}
	content, residue, err := form.decompile(data, game, &o)
	if err != nil {
		return nil, err
	}
	var t tree.FS
	at := singleName(FormName(name))
	if form == admForm {
		at = singleName(asADM(name)) // only its name distinguishes this text from those of Torchlight II
	}
	t.AddBytes(at, content)
	side := &sidecar{Format: format}
	if residue != nil {
		side.Files = map[string]fileResidue{at: {CRC32: crc32.ChecksumIEEE(content), Residue: residue}}
	}
	encoded, err := side.encode()
	t.AddBytes(tree.Sidecar, encoded)
	return &t, err
}

// OpenAsIs presents a file that is not compiled as a folder that contains the unchanged file.
func OpenAsIs(data []byte, name, format string) fs.FS {
	var t tree.FS
	t.AddBytes(singleName(strings.ReplaceAll(name, `\`, "/")), data)
	side, _ := (&sidecar{Format: format}).encode() // cannot fail
	t.AddBytes(tree.Sidecar, side)
	return &t
}

// BuildAsIs returns the file in a folder of OpenAsIs.
func BuildAsIs(fsys fs.FS) ([]byte, error) {
	name, err := onlyFile(fsys)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(fsys, name)
}

// onlyFile returns the name of the only file of a folder besides its sidecar.
func onlyFile(fsys fs.FS) (string, error) {
	list, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return "", err
	}
	list = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.IsDir() || e.Name() == tree.Sidecar })
	if len(list) != 1 {
		return "", fmt.Errorf("%s, without the file that %s names", words.Count(len(list), "file"), tree.Sidecar)
	}
	return list[0].Name(), nil
}

// singleName returns the name of a file in the folder of a single file.
func singleName(name string) string {
	at := name[strings.LastIndexByte(name, '/')+1:]
	if !fs.ValidPath(at) || at == "." {
		at = safename.TreePath(at)
	}
	if strings.EqualFold(at, tree.Sidecar) {
		at = escapeDot(at)
	}
	return at
}

// RecognizeSingle returns the name of the format of a single file's folder, or "" for another folder.
func RecognizeSingle(fsys fs.FS) string {
	side, err := readSidecar(fsys)
	if err != nil {
		return ""
	}
	return side.Format
}

// BuildSingle returns the compiled file of a folder of OpenSingle.
func BuildSingle(fsys fs.FS, o Options) ([]byte, error) {
	side, err := readSidecar(fsys)
	if err != nil {
		return nil, err
	}
	name, err := onlyFile(fsys)
	if err != nil {
		return nil, err
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	f := &folder{fsys: fsys, side: side}
	source, err := f.source(name, fs.FileInfoToDirEntry(info))
	if err != nil {
		return nil, err
	}
	if source.form == nil {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		source.form = formOfContent(source.path, data)
	}
	return f.content(source, &o)
}

// Decompile returns the editable form of a compiled file. Its residue is lost; the folder of [OpenSingle] preserves it.
func Decompile(data []byte, name string, o Options) ([]byte, error) {
	game, _ := archivePath(name)
	form := formOfContent(game, data)
	if form == nil {
		return nil, errNoForm
	}
	o.formOnly = true
	content, _, err := form.decompile(data, game, &o)
	return content, err
}

var errNoForm = errors.New("not a compiled file")

// Compile returns the compiled file of an editable form.
func Compile(content []byte, name string, o Options) ([]byte, error) {
	game, _ := archivePath(name)
	form := formOfContent(game, content)
	if form == nil {
		return nil, errNoForm
	}
	return form.compile(content, nil, game, &o)
}

// FormName returns the name of a compiled file in its editable form: X.DAT for X.DAT.BINDAT, SKILLS.RAW.json for
// SKILLS.RAW. Other names are unchanged.
func FormName(name string) string {
	game, twin := archivePath(name)
	form := formOf(game)
	switch {
	case form == nil:
		return name
	case form == admForm:
		return name[:len(name)-len(ADM)]
	case twin:
		return strings.TrimSuffix(name, path.Ext(name))
	case isForm(name, form):
		return name
	}
	return name + form.suffix
}

// isForm reports whether a name is that of an editable form with a separate suffix.
func isForm(name string, form *form) bool {
	return form.suffix != "" && strings.EqualFold(path.Ext(name), form.suffix)
}

// CompiledName returns the name of the compiled file of an editable form: it reverses FormName, and returns
// X.LAYOUT.BINLAYOUT for X.LAYOUT.
func CompiledName(name string) string {
	game, twin := archivePath(name)
	form := formOf(game)
	switch {
	case twin || form == nil:
		return name + ".BINDAT"
	case isForm(name, form):
		return strings.TrimSuffix(name, path.Ext(name))
	}
	return name + form.compiled
}

// formOfContent returns the form of a file by its name, or else by its content, which may be compiled or not.
func formOfContent(name string, data []byte) *form {
	if f := formOf(name); f != nil {
		return f
	}
	for _, f := range []*form{layoutForm, admForm, dataForm, tableForm, modelForm} {
		if f.recognize(data) {
			return f
		}
	}
	for _, f := range []*form{tableForm, modelForm} {
		if f.isText(data) {
			return f
		}
	}
	if file, err := text.Parse(data); err == nil {
		if slices.Contains(layoutRoots, strings.ToUpper(file.Root.Name)) {
			return layoutForm
		}
		return dataForm
	}
	return nil
}

// CompiledFormat returns the name of the format of a whole compiled file, by its name if possible, and by its content.
// It returns "" if data is not a compiled file.
func CompiledFormat(data []byte, name string) string {
	game, _ := archivePath(name)
	forms := []*form{layoutForm, admForm, dataForm, tableForm, modelForm}
	if f := formOf(game); f != nil {
		forms = []*form{f}
	}
	for _, f := range forms {
		if f.recognize(data) {
			return f.name
		}
	}
	return ""
}

// MayBeCompiled reports whether the first bytes of a file can be those of a compiled file.
func MayBeCompiled(head []byte, name string) bool {
	game, _ := archivePath(name)
	f := formOf(game)
	return f == tableForm || f == gridForm || ogre.Recognize(head) || layout.Recognize(head) || dat.Recognize(head)
}

// CheckSingle reports problems that are visible in a single compiled file.
func CheckSingle(data []byte, name string, o Options, sink check.Sink) {
	game, _ := archivePath(name)
	if f := formOfContent(game, data); f != nil {
		f.check(data, game, &o, sink)
	}
}

// CheckForm reports problems of a file in its editable form.
func CheckForm(content []byte, name string, o Options, sink check.Sink) {
	game, _ := archivePath(name)
	if f := formOfContent(game, content); f != nil {
		f.checkForm(content, game, &o, sink)
	}
}

// Dump reports every field of a compiled file.
func Dump(data []byte, name string, t trace.Tracer) error {
	game, _ := archivePath(name)
	if f := formOfContent(game, data); f != nil {
		return f.dump(data, game, t)
	}
	return errNoForm
}

// layoutRoots are the possible names of the root of a layout.
var layoutRoots = []string{"LAYOUT", "UI", "PARTICLE CREATOR"}
