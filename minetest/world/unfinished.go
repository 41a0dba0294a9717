package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/text/words"
)

// The files of an unfinished copy of a world: the journal, and the progress since the journal was saved. The progress
// belongs to one state of the journal and may be lost in a system crash; then some work is repeated. A finished copy that
// can be updated keeps the journal, and the hashes of its blocks.
const (
	CopyJournal  = ".trowel-copy"
	CopyProgress = CopyJournal + "-progress"
	CopyHashes   = CopyJournal + "-hashes"
)

// An Unfinished copy is a copy that was interrupted.
type Unfinished struct {
	Source string // the folder of the copied world
	Blocks int64  // number of blocks that are copied
}

// ErrUnfinished is wrapped by the error of opening an unfinished copy.
var ErrUnfinished = errors.New("the copy is not finished")

func (u Unfinished) error() error {
	return fmt.Errorf("%w: the copy contains %s of %s; run the same command again to continue", ErrUnfinished,
		words.Count(u.Blocks, "block"), u.Source)
}

// UnfinishedIn returns the state of an unfinished copy in a folder, and reports whether there is one.
func UnfinishedIn(dir string) (u Unfinished, ok bool) {
	type journal struct {
		Saves  int
		Done   bool
		Source string
		Report struct{ Blocks int64 }
	}
	read := func(name string) (j journal, err error) {
		text, err := regular.ReadFile(filepath.Join(dir, name), effort.TextFile)
		if err == nil {
			_ = json.Unmarshal(text, &j) // otherwise the state is unknown
		}
		return j, err
	}
	j, err := read(CopyJournal)
	if err != nil {
		return u, false
	}
	if now, err := read(CopyProgress); err == nil && now.Saves == j.Saves {
		j = now
	}
	return Unfinished{j.Source, j.Report.Blocks}, !j.Done
}
