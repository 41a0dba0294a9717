package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"trowel.example/internal/regular"
)

// The files of a copy of a world that is being made: the journal, and what was noted since
// that was saved, which belongs to one state of it and does not outlive a crash of the system
// for sure; then more is done again.
const (
	CopyJournal  = ".trowel-copy"
	CopyProgress = CopyJournal + "-progress"
)

// An Unfinished copy is one that was ended before all was done.
type Unfinished struct {
	Source string // the folder of the world that is copied
	Blocks int64  // how many are copied
}

// ErrUnfinished is wrapped by the error of opening a copy that is not finished.
var ErrUnfinished = errors.New("the copy is not finished")

func (u Unfinished) error() error {
	return fmt.Errorf("%w: %d blocks of %s are copied; run the same command again to continue", ErrUnfinished, u.Blocks, u.Source)
}

// UnfinishedIn returns what is known of the copy in a folder, if it is not finished.
func UnfinishedIn(dir string) (u Unfinished, ok bool) {
	type journal struct {
		Saves  int
		Source string
		Report struct{ Blocks int64 }
	}
	read := func(name string) (j journal, err error) {
		text, err := regular.ReadFile(filepath.Join(dir, name), MaxText)
		if err == nil {
			_ = json.Unmarshal(text, &j) // else nothing is known of it
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
	return Unfinished{j.Source, j.Report.Blocks}, true
}
