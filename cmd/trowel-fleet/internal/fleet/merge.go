package fleet

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"trowel.example/cmd/internal/work"
)

// The files that a merge leaves next to its output, for its worker.
const (
	adoptedPart = ".adopted" // the adopted files, as lines of JSON
	leftPart    = ".left"    // the files of killed workers that were removed
)

// adopted is a file of the output that a part has stored in its final place. It is part of the output because this line is in
// output/adopted, which output/end.json counts.
type adopted struct {
	Name   string `json:"name"`   // as in ended.Files
	SHA256 string `json:"sha256"` // in hexadecimal
	Size   int64  `json:"size"`   // in bytes
}

// merging is a merge in a child.
type merging struct {
	*order
	store work.Store
	end   func() error
	file  *os.File
	index *bufio.Writer
	lines *json.Encoder
}

func (o *order) merging(ctx context.Context) (m *merging, err error) {
	m = &merging{order: o}
	if m.store, m.end, err = openStore(ctx, o.Store); err != nil {
		return nil, err
	}
	if m.file, err = os.Create(o.Output + adoptedPart); err != nil {
		return nil, errors.Join(err, m.end())
	}
	m.index = bufio.NewWriterSize(m.file, 1<<16)
	m.lines = json.NewEncoder(m.index)
	return m, nil
}

// adopt makes a file that a part has stored a file of the output folder.
func (m *merging) adopt(name string, ref work.Ref) error {
	return m.lines.Encode(adopted{outputName + "/" + name, hex.EncodeToString(ref.SHA256[:]), ref.Size})
}

// merge merges the results in the store.
func (m *merging) merge(ctx context.Context, w work.Work) error {
	left, err := finish(ctx, w, m.Plan, m.store)
	if err != nil || left.Files == 0 {
		return err
	}
	data, err := json.Marshal(left)
	if err == nil {
		err = os.WriteFile(m.Output+leftPart, data, 0o666)
	}
	return err
}

func (m *merging) close() error { return errors.Join(m.index.Flush(), m.file.Close(), m.end()) }

// readLeft reads what a merge has removed.
func readLeft(output string) (left work.Left, err error) {
	data, err := os.ReadFile(output + leftPart)
	if errors.Is(err, fs.ErrNotExist) {
		return left, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &left)
	}
	return left, err
}

// finish merges the results of a work in a store.
func finish(ctx context.Context, w work.Work, plan work.Plan, store work.Store) (left work.Left, err error) {
	if _, err := work.Open(ctx, plan, store); errors.Is(err, fs.ErrNotExist) { // a lost plan is made again
		if _, err := work.Begin(ctx, w, plan, store); err != nil {
			return left, err
		}
	}
	return work.Finish(ctx, w, &plan, store)
}
