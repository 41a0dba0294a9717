// Package modsource opens the mods, archives and folders that a user names, with everything that can be salvaged of a
// damaged archive, and the files next to them that they need.
package modsource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"trowel.example/fault"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
)

// MaxHead is enough of a file to recognize its format, in bytes.
const MaxHead = 4096

// CheckPak returns an error if the source is the list of an archive instead of the archive.
func CheckPak(src *format.Source) error {
	if _, isList := format.CutExtension(src.Name, ".MAN"); isList {
		return fmt.Errorf("%s: this is the list of an archive: give the .PAK instead", src.Path)
	}
	return nil
}

// IsMod reports whether a file is a mod. A mod begins with a version and offsets, and other files may begin the same
// way. So a file without the extension .MOD must be valid as a whole.
func IsMod(src *format.Source) bool {
	if !mod.Recognize(src.Head(MaxHead)) {
		return false
	}
	if src.HasExtension(".MOD") {
		return true
	}
	m, _ := mod.Open(src, src.Size)
	return m != nil
}

// saved describes what can be saved from an archive that is cut off.
func saved(r *pak.Reader, unnamed int) string {
	named := len(r.Files()) - unnamed - r.Absent()
	return fmt.Sprintf("salvaged %s with names, and %d without names in %s", words.Count(named, "file"), unnamed, pak.LostDir)
}

// CutOff returns the error of operations that need a complete archive.
func CutOff(src *format.Source) error {
	return fmt.Errorf("%s: the archive is cut off: save its files with `trowel extract -k`, and build an archive from "+
		"them with `trowel pack`", src.Path)
}

// LoseDamaged reads all files of an archive whose blocks are about to be copied to another archive, and reports the
// files that cannot be read.
func LoseDamaged(job *format.Job, src *format.Source, r *pak.Reader) {
	files := r.Files()
	errs := make([]error, len(files))
	parallel.Each(len(files), func(i int) {
		if !files[i].Removed() {
			_, errs[i] = files[i].Content()
		}
	})
	for _, err := range errs {
		if err != nil {
			job.Lose(src.Path, "%v", err)
		}
	}
}

// OpenMod opens a mod, or what can be salvaged of a mod that is cut off.
func OpenMod(job *format.Job, src *format.Source) (*mod.Mod, error) {
	m, err := mod.Open(src, src.Size)
	if m != nil && err != nil {
		job.Lose(src.Path, "the archive is cut off: %s of %s are missing or incomplete",
			words.Thousands(int64(m.Archive.Absent())), words.Count(len(m.Archive.Files()), "file"))
		return m, nil
	}
	if cut := (*mod.CutError)(nil); errors.As(err, &cut) && cut.Part != "header" {
		var unnamed int
		if m, unnamed, err = mod.Salvage(src, src.Size, cut, moddir.ExtensionOf); err == nil {
			job.Lose(src.Path, "%v; %s", cut, saved(m.Archive, unnamed))
		}
	}
	if err != nil {
		return nil, fault.InFile(err, src.Path)
	}
	return m, nil
}

// OpenPak opens an archive by its .PAK or by its .PAK.MAN. The closer closes the other file of the two.
func OpenPak(job *format.Job, src *format.Source) (*pak.Reader, io.Closer, error) {
	archive, list := src, src
	var other *format.Source
	var err error
	if short, isList := format.CutExtension(src.Name, ".MAN"); isList {
		other, err = src.Beside(short)
		archive = other
	} else if err = pak.Sniff(src.Head(MaxHead), src.Size).Supported(); err == nil {
		other, err = src.Neighbor(".MAN")
		list = other
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: an archive consists of two files, the .PAK and its list of files, the .PAK.MAN", err)
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := list.ReadUpTo(effort.ModManifest)
	if err != nil {
		return nil, other, errors.Join(err, other.Close())
	}
	manifest, err := pak.DecodeManifest(data)
	if errors.Is(err, fault.ErrShort) {
		r, unnamed, err := pak.Salvage(archive, archive.Size, data, moddir.ExtensionOf)
		if err != nil {
			other.Close()
			return nil, nil, fault.InFile(err, archive.Path)
		}
		job.Lose(list.Path, "the list of files is cut off or damaged; %s", saved(r, unnamed))
		return r, other, nil
	}
	if err != nil {
		other.Close()
		return nil, nil, fault.InFile(err, list.Path)
	}
	r, err := pak.NewReader(archive, archive.Size, manifest)
	if r == nil {
		other.Close()
		return nil, nil, fault.InFile(err, archive.Path)
	}
	if n := r.Absent(); n > 0 {
		job.Lose(archive.Path, "the archive is cut off: %s of %s are missing or incomplete",
			words.Thousands(int64(n)), words.Count(len(r.Files()), "file"))
	}
	return r, other, nil
}

// OpenBase opens the game's files: a folder or an archive. It returns nil if name is "".
func OpenBase(job *format.Job, name string, o moddir.Options) (moddir.Files, io.Closer, error) {
	if name == "" {
		return nil, io.NopCloser(nil), nil
	}
	m, err := Open(job, name, o)
	if err != nil {
		return nil, nil, err
	}
	return m.Files, m, nil
}

// Opened is a mod, an archive, or the folder of one.
type Opened struct {
	Files moddir.Files
	io.Closer
	header func() (*mod.Header, error)
}

// Header returns the header of a mod, or nil for something without a header.
func (o *Opened) Header() (*mod.Header, error) { return o.header() }

// Open opens a mod, an archive, or the folder of one.
func Open(job *format.Job, name string, o moddir.Options) (*Opened, error) {
	src, err := format.OpenSource(name)
	if err != nil {
		return nil, err
	}
	if src.IsDir() {
		folder := os.DirFS(name)
		files, err := moddir.SourcesOf(folder, o)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), src.Close())
		}
		return &Opened{files, src, func() (*mod.Header, error) {
			data, err := fs.ReadFile(folder, "MOD.DAT")
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return moddir.HeaderOf(data)
		}}, nil
	}
	if IsMod(src) {
		m, err := OpenMod(job, src)
		if err != nil {
			return nil, errors.Join(err, src.Close())
		}
		return &Opened{moddir.SourcesOfArchive(m.Archive, o), src, func() (*mod.Header, error) { return m.Header, nil }}, nil
	}
	r, other, err := OpenPak(job, src)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return &Opened{moddir.SourcesOfArchive(r, o), closeBoth{src, other}, func() (*mod.Header, error) { return nil, nil }}, nil
}

type closeBoth struct{ a, b io.Closer }

func (c closeBoth) Close() error { return errors.Join(c.a.Close(), c.b.Close()) }
