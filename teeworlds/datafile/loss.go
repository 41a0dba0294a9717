package datafile

import "fmt"

// Losses reports what of the file cannot be had, as far as the sizes and tables
// tell: nil for a file that is all there. What is wrong inside the blocks shows
// when they are read: see [File.OnUnreadable].
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
		return []string{fmt.Sprintf("the file is cut off: %d of %d bytes are missing, and with them all or a part of %s", f.missing, f.missing+int64(len(f.src)), with)}
	case f.missing > 0:
		return []string{fmt.Sprintf("the file is cut off: %d of %d bytes are missing", f.missing, f.missing+int64(len(f.src)))}
	case with != "":
		return []string{with + " lie outside of the file, or inside of others, and cannot be read"}
	}
	return nil
}

// OnUnreadable lets tell know of each block whose content turns out not to be
// readable, once, with its number; those of which [File.Losses] told are left out.
// It must be called before goroutines share the file; they may call tell at the
// same time.
func (f *File) OnUnreadable(tell func(n int, err error)) {
	for i, b := range f.Data {
		if b.lost || b.cut || b.size == 0 { // nothing was there
			continue
		}
		b.unreadable = func(err error) { tell(i, err) }
		if b.err != nil { // it was read before
			tell(i, b.err)
		}
	}
}
