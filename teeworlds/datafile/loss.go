package datafile

import (
	"errors"
	"fmt"

	"trowel.example/fault"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
)

// Losses returns what is missing from the file, according to its sizes and tables: nil for a complete file. Errors
// inside the blocks appear when the blocks are read: see [File.OnUnreadable].
func (f *File) Losses() []string {
	blocks := 0
	for _, b := range f.Data {
		if b.lost || b.cut {
			blocks++
		}
	}
	with := ""
	switch {
	case f.lostItems > 0 && blocks > 0:
		with = fmt.Sprintf("%d of %d items and %d of %d data blocks", f.lostItems, f.numItems, blocks, len(f.Data))
	case f.lostItems > 0:
		with = fmt.Sprintf("%d of %d items", f.lostItems, f.numItems)
	case blocks > 0:
		with = fmt.Sprintf("%d of %d data blocks", blocks, len(f.Data))
	}
	switch {
	case f.missing > 0 && with != "":
		return []string{fmt.Sprintf("the file is cut off: %s of %s are missing, and with them all or a part of %s",
			words.Thousands(f.missing), words.Count(f.missing+int64(len(f.src)), "byte"), with)}
	case f.missing > 0:
		return []string{fmt.Sprintf("the file is cut off: %s of %s are missing", words.Thousands(f.missing),
			words.Count(f.missing+int64(len(f.src)), "byte"))}
	case with != "":
		return []string{with + " are outside of the file, or overlap others, and cannot be read"}
	}
	return nil
}

// Lost returns an error for everything that is known to be lost, or nil: [File.Losses], and the data blocks that
// could not be read since. The error wraps [fault.ErrShort] if the file is truncated, and [fault.ErrLost] otherwise.
func (f *File) Lost() error { return f.lost(nil) }

// lost is [File.Lost] without the blocks that another file keeps unchanged.
func (f *File) lost(kept map[*Block]bool) error {
	var errs []error
	for _, loss := range f.Losses() { // one at most
		e := &fault.Error{Offset: -1, Err: fmt.Errorf("%w: %s", fault.ErrLost, loss)}
		if f.missing > 0 {
			e = &fault.Error{Offset: int64(len(f.src)), Err: fmt.Errorf("%w: %s", fault.ErrShort, loss)}
		}
		errs = append(errs, e)
	}
	for i, b := range f.Data {
		if b == nil || kept[b] || !b.listed() {
			continue
		}
		b.mu.Lock()
		if b.judged && b.err != nil {
			errs = append(errs, fmt.Errorf("data[%d]: %w", i, b.err))
		}
		b.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Verify reads all data blocks, on all cores, and keeps nothing. It returns [File.Lost].
func (f *File) Verify() error {
	parallel.Each(len(f.Data), func(i int) {
		if b := f.Data[i]; b != nil && b.listed() {
			_ = b.Verify() // Lost returns the error
		}
	})
	return f.Lost()
}

// MayBecome returns an error that wraps [fault.ErrLost] if changed, which was made from f, lacks something that could
// not be read of f: what [File.Lost] reports, except blocks that changed keeps unchanged. For a file of [Salvage],
// whose caller accepts losses, it returns nil. If changed lacks a block that was too large to be read, which is no loss
// to accept, the error wraps [fault.ErrLimit] instead.
func (f *File) MayBecome(changed *File) error {
	kept := make(map[*Block]bool)
	for _, b := range changed.Data {
		kept[b] = true
	}
	lost := f.lost(kept)
	if errors.Is(lost, fault.ErrLimit) {
		return lost
	}
	if lost == nil || f.salvaged {
		return nil
	}
	return fmt.Errorf("the changed file would lack parts that the file lists: %w", errors.Join(fault.ErrLost, lost))
}

// Salvaged reports whether the file was read by [Salvage].
func (f *File) Salvaged() bool { return f.salvaged }

// listed reports whether the file has bytes for the block. A block of size 0 has no contents, and [File.Losses]
// counts the others without bytes.
func (b *Block) listed() bool { return !b.lost && !b.cut && b.size != 0 }

// OnUnreadable makes each block call report once, with its number, if its contents turn out to be unreadable. It omits
// blocks that [File.Losses] reports. It must be called before goroutines share the file; they may call report
// concurrently.
func (f *File) OnUnreadable(report func(n int, err error)) {
	for i, b := range f.Data {
		if !b.listed() {
			continue
		}
		b.unreadable = func(err error) { report(i, err) }
		if b.err != nil { // the block was read before
			report(i, b.err)
		}
	}
}
