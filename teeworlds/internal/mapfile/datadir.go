package mapfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/text/forms"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/datafile"
)

const (
	formatName = "teeworlds-datafile"
	fileItems  = "datafile.json"
	dirData    = "data"
	extension  = ".bin"
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

// sidecar is the JSON form of the sidecar file.
type sidecar struct {
	Format string                           `json:"format"`
	File   *datafile.ContainerResidue       `json:"file,omitempty"`
	Data   map[string]datafile.BlockResidue `json:"data,omitempty"` // by file name

	// The whole file, if the other fields cannot reproduce it, and the CRC-32 of what they do reproduce.
	Original []byte `json:"original,omitempty"`
	Was      string `json:"was,omitempty"`
}

// RecognizeData reports whether a folder contains a datafile.
func RecognizeData(fsys fs.FS) bool { return forms.HasFormat(fsys, fileItems, formatName) }

// OpenData returns the folder of a datafile. It inflates nothing before a file that needs it is opened.
func OpenData(f *datafile.File) fs.FS {
	t := &tree.FS{}
	note := fmt.Sprintf("%s of %s", words.Count(len(f.Items), "item"), words.Count(len(f.Types()), "type"))
	t.Add(fileItems, tree.Meta{Stored: -1, Note: note}, func() ([]byte, error) {
		items := make([]itemForm, len(f.Items))
		for i, it := range f.Items {
			items[i] = itemForm(it)
		}
		return forms.Marshal(datafileForm{Format: formatName}, "items", items)
	})
	for i, b := range f.Blocks() {
		meta := tree.Meta{Stored: int64(b.StoredSize()), Note: words.Count(b.Size(), "byte")}
		t.Add(dirData+"/"+blockName(i, len(f.Data))+extension, meta, func() ([]byte, error) {
			data, err := b.Bytes()
			if errors.Is(err, datafile.ErrUnreadable) && !f.Salvaged() {
				return nil, err
			}
			return data, nil // the readable part; Check reports the rest
		})
	}
	t.Add(tree.Sidecar, tree.Meta{Stored: -1, Note: "restores identical bytes"},
		sync.OnceValues(func() ([]byte, error) { return sidecarOf(f) }))
	return t
}

func sidecarOf(f *datafile.File) ([]byte, error) {
	side := sidecar{Format: formatName, Data: make(map[string]datafile.BlockResidue)}
	if k := f.Container(); k != (datafile.ContainerResidue{}) {
		side.File = &k
	}
	contents := make([][]byte, len(f.Data))
	for i, b := range f.Blocks() {
		contents[i], _ = b.Bytes()
		k := b.Residue(datafile.Content{Bytes: contents[i]})
		if k.IsZero() && len(contents[i]) == 0 {
			// Few writers make such a block, and without this Read would treat it as a mistake.
			k.Level = new(datafile.DefaultLevel)
		}
		if !k.IsZero() {
			side.Data[blockName(i, len(f.Data))] = k
		}
	}
	original, err := f.Encode()
	if err != nil {
		return nil, err
	}
	back, err := assemble(f.Items, contents, &side)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(back, original) {
		side.Original, side.Was = original, datafile.Mark(back)
	}
	return forms.Marshal[any](side, "", nil)
}

// ReadData builds the bytes of a datafile from its folder. It returns all errors of the files together: each of the
// joined errors is a [*fault.TextError] or comes from fsys.
func ReadData(fsys fs.FS) ([]byte, error) {
	var form datafileForm
	errs := forms.ReadJSON(fsys, fileItems, &form)
	items := make([]datafile.Item, len(form.Items))
	for i, it := range form.Items {
		items[i] = datafile.Item(it)
	}
	var side sidecar
	if err := forms.ReadSidecar(fsys, &side); err != nil {
		errs = append(errs, err)
	}
	names, err := blockNames(fsys)
	if err != nil {
		errs = append(errs, err)
	}
	var contents [][]byte
	for i, name := range names {
		file := dirData + "/" + name + extension
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			errs = append(errs, err)
		} else if len(data) == 0 && side.Data[name].IsZero() {
			errs = append(errs, &fault.TextError{File: file, Msg: fmt.Sprintf("block %d is empty: a datafile cannot hold an empty block", i)})
		}
		contents = append(contents, data)
	}
	if err := forms.Join(errs); err != nil {
		return nil, err
	}
	return assemble(items, contents, &side)
}

func assemble(items []datafile.Item, contents [][]byte, side *sidecar) ([]byte, error) {
	f := datafile.New()
	f.Items = items
	for i, content := range contents {
		f.Data = append(f.Data, side.Data[blockName(i, len(contents))].Block(datafile.Content{Bytes: content}))
	}
	if side.File != nil {
		f.SetContainer(*side.File)
	}
	out, err := f.Encode()
	if err == nil && side.Original != nil && side.Was == datafile.Mark(out) {
		return side.Original, nil
	}
	return out, err
}

// blockName returns the name of the file of block i of n, without its extension: "07".
func blockName(i, n int) string {
	return fmt.Sprintf("%0*d", max(2, len(strconv.Itoa(n-1))), i)
}

// blockNames returns the names of the files of blocks, sorted by the number at their start, so that 100 follows 99:
// items refer to blocks by number.
func blockNames(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dirData)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	numbers := make(map[string]int)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), extension)
		if !ok || e.IsDir() {
			continue
		}
		digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
		if numbers[name], err = strconv.Atoi(name[:digits]); err != nil {
			return nil, &fault.TextError{File: dirData,
				Msg: fmt.Sprintf("%q does not begin with a number, its position: expected a name like 03", name)}
		}
	}
	return slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), strings.Compare(a, b))
	}), nil
}
