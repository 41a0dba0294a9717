package modsource

import (
	"bytes"
	"io"

	"trowel.example/internal/format"
)

// SameArchive returns the source that is already the merged result, because two versions are identical. It returns nil
// if all versions differ.
func SameArchive(base, ours, theirs *format.Source) (*format.Source, error) {
	for _, pair := range [][3]*format.Source{{base, theirs, ours}, {ours, theirs, ours}, {base, ours, theirs}} {
		if same, err := sameSources(pair[0], pair[1]); err != nil || same {
			return pair[2], err
		}
	}
	return nil, nil
}

// sameSources reports whether two archives and their manifests are identical.
func sameSources(a, b *format.Source) (bool, error) {
	if IsMod(a) != IsMod(b) {
		return false, nil
	}
	same, err := sameBytes(a, b)
	if err != nil || !same || IsMod(a) {
		return same, err
	}
	x, err := a.Neighbor(".MAN")
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := b.Neighbor(".MAN")
	if err != nil {
		return false, err
	}
	defer y.Close()
	return sameBytes(x, y)
}

func sameBytes(a, b *format.Source) (bool, error) {
	if a.Size != b.Size {
		return false, nil
	}
	x, y := make([]byte, 1<<18), make([]byte, 1<<18)
	for at := int64(0); at < a.Size; {
		n := int(min(int64(len(x)), a.Size-at))
		if _, err := a.ReadAt(x[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if _, err := b.ReadAt(y[:n], at); err != nil && err != io.EOF {
			return false, err
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, nil
		}
		at += int64(n)
	}
	return true, nil
}

// CopyArchive copies a mod, or an archive with its manifest, unchanged.
func CopyArchive(src *format.Source, out format.Output) error {
	part, err := out.Create("")
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, io.NewSectionReader(src, 0, src.Size)); err != nil || IsMod(src) {
		return err
	}
	list, err := src.Neighbor(".MAN")
	if err != nil {
		return err
	}
	defer list.Close()
	if part, err = out.Create(".MAN"); err == nil {
		_, err = io.Copy(part, io.NewSectionReader(list, 0, list.Size))
	}
	return err
}
