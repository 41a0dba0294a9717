package mapdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"trowel.example/internal/tree"
	"trowel.example/teeworlds/datafile"
)

// A datafile that is not a map of today, such as a map of 2007, is a folder too:
//
//	datafile.json    the items, one on each line
//	data/NNN.bin     the data blocks, inflated
//	.trowel.json     what only matters for giving back the same bytes

const (
	formatDatafile = "teeworlds-datafile"
	fileDatafile   = "datafile.json"
	dirData        = "data"
)

type datafileForm struct {
	Format string     `json:"format"`
	Items  []itemForm `json:"items,omitempty"`
}

type itemForm struct {
	Type uint16  `json:"type"`
	ID   uint16  `json:"id"`
	Data []int32 `json:"data"`
}

// datafileSidecar is the form of the sidecar.
type datafileSidecar struct {
	Format string                           `json:"format"`
	File   *datafile.ContainerResidue       `json:"file,omitempty"`
	Data   map[string]datafile.BlockResidue `json:"data,omitempty"` // by the names of the files

	// The whole file, where the rest does not lead to it, and the CRC-32 of
	// what the rest does lead to.
	Original []byte `json:"original,omitempty"`
	Was      string `json:"was,omitempty"`
}

// RecognizeDatafile reports whether a folder is that of a datafile.
func RecognizeDatafile(fsys fs.FS) bool { return hasFormat(fsys, fileDatafile, formatDatafile) }

func blockName(i, n int) string { return numbered(i, n) }

// OpenDatafile returns the folder of a datafile. Nothing is inflated before a
// file that needs it is opened.
func OpenDatafile(f *datafile.File) fs.FS {
	t := &tree.FS{}
	note := fmt.Sprintf("%d items of %d types", len(f.Items), len(f.Types()))
	t.Add(fileDatafile, tree.Meta{Stored: -1, Note: note}, func() ([]byte, error) {
		items := make([]itemForm, len(f.Items))
		for i, it := range f.Items {
			items[i] = itemForm(it)
		}
		return marshal(datafileForm{Format: formatDatafile}, "items", items)
	})
	for i, b := range f.Blocks() {
		meta := tree.Meta{Stored: int64(b.StoredSize()), Note: fmt.Sprintf("%d bytes", b.Size())}
		t.Add(dirData+"/"+blockName(i, len(f.Data))+".bin", meta, func() ([]byte, error) {
			data, _ := b.Bytes() // what could be read; Check tells the rest
			return data, nil
		})
	}
	t.Add(tree.Sidecar, tree.Meta{Stored: -1, Note: "what gives back the same bytes"}, sync.OnceValues(func() ([]byte, error) { return sidecarOfDatafile(f) }))
	return t
}

func sidecarOfDatafile(f *datafile.File) ([]byte, error) {
	side := datafileSidecar{Format: formatDatafile, Data: make(map[string]datafile.BlockResidue)}
	if k := f.Container(); k != (datafile.ContainerResidue{}) {
		side.File = &k
	}
	contents := make([][]byte, len(f.Data))
	for i, b := range f.Blocks() {
		contents[i], _ = b.Bytes()
		if k := b.Residue(datafile.Content{Bytes: contents[i]}, true); !k.IsZero() {
			side.Data[blockName(i, len(f.Data))] = k
		}
	}
	original, err := f.Encode()
	if err != nil {
		return nil, err
	}
	back, err := assembleDatafile(f.Items, contents, &side)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(back, original) {
		side.Original, side.Was = original, datafile.Mark(back, true)
	}
	return marshal[any](side, "", nil)
}

// ReadDatafile makes the bytes of a datafile of its folder.
func ReadDatafile(fsys fs.FS) ([]byte, error) {
	r := &reader{fs: fsys}
	var form datafileForm
	r.json(fileDatafile, &form)
	items := make([]datafile.Item, len(form.Items))
	for i, it := range form.Items {
		items[i] = datafile.Item(it)
	}
	var side datafileSidecar
	switch data, err := fs.ReadFile(fsys, tree.Sidecar); {
	case err == nil:
		err = decodeSidecar(data, &side)
		if err != nil {
			r.errs = append(r.errs, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		r.errs = append(r.errs, err)
	}
	var contents [][]byte
	for i, name := range r.numbered(dirData, ".bin") {
		data, err := fs.ReadFile(fsys, dirData+"/"+name+".bin")
		if err != nil {
			r.errs = append(r.errs, err)
		}
		contents = append(contents, data)
		if len(data) == 0 && side.Data[name].IsZero() {
			r.fail(dirData+"/"+name+".bin", "block %d is empty: a datafile cannot hold an empty block", i)
		}
	}
	if err := joinErrors(r.errs); err != nil {
		return nil, err
	}
	return assembleDatafile(items, contents, &side)
}

func assembleDatafile(items []datafile.Item, contents [][]byte, side *datafileSidecar) ([]byte, error) {
	f := datafile.New()
	f.Items = items
	for i, content := range contents {
		f.Data = append(f.Data, side.Data[blockName(i, len(contents))].Block(datafile.Content{Bytes: content}, true))
	}
	if side.File != nil {
		f.SetContainer(*side.File)
	}
	out, err := f.Encode()
	if err == nil && side.Original != nil && side.Was == datafile.Mark(out, true) {
		return side.Original, nil
	}
	return out, err
}

// numbered returns the names of the files in a folder that have an extension,
// without it, in the order of the numbers that they begin with: a data block is
// its number, for items refer to it by that.
func (r *reader) numbered(dir, ext string) []string {
	entries, err := fs.ReadDir(r.fs, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.errs = append(r.errs, err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ext); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	if err := sortNumbered(names); err != nil {
		r.fail(dir, "%v", err)
	}
	return names
}
