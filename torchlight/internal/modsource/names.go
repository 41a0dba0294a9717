package modsource

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/internal/limits/effort"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

// ReadNames reads a list of names, one on each line.
func ReadNames(name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	data, err := regular.ReadFile(name, effort.TextFile)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			names = append(names, line)
		}
	}
	return names, nil
}

// OpenLike returns the folder whose names and texts the user wants to keep, or nil. The folder may be a mod, which keeps
// no texts. The closer closes the folder if OpenLike opened it, and may be nil.
func OpenLike(name string, job *format.Job) (*moddir.Like, io.Closer, error) {
	if name == "" {
		if job.Over == nil || !moddir.Recognize(job.Over) && !moddir.RecognizePak(job.Over) {
			return nil, nil, nil
		}
		like, err := moddir.NewLike(job.Over)
		if err != nil {
			job.Warn("", "the texts of the replaced folder are not kept: %v", err)
			return nil, nil, nil
		}
		return like, nil, nil
	}
	src, err := format.OpenSource(name)
	if err != nil {
		return nil, nil, err
	}
	defer src.Close()
	if !src.IsDir() {
		if IsMod(src) || src.HasExtension(".PAK") {
			return nil, nil, nil
		}
		return nil, nil, fmt.Errorf("%s: %w", name, format.ErrNoTree)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	fsys, err := safename.Restore(regular.NewFS(root, nil))
	if err == nil && !moddir.Recognize(fsys) && !moddir.RecognizePak(fsys) {
		err = fmt.Errorf("%s: %w", name, format.ErrNoTree)
	}
	var like *moddir.Like
	if err == nil {
		like, err = moddir.NewLike(fsys)
	}
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return like, root, nil
}

// HeaderSuffix is the extension of the file next to an archive that holds its mod's header.
const HeaderSuffix = ".MOD.DAT"

// ReadHeader returns the header for the mod that an archive is converted to: that of the file name, or of the file next
// to the archive if name is "".
func ReadHeader(name string, src *format.Source) (*mod.Header, error) {
	var file *format.Source
	var err error
	if name != "" {
		file, err = format.OpenSource(name)
	} else if file, err = src.Neighbor(HeaderSuffix); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: a mod needs a header: give a MOD.DAT or another mod with --header", err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.IsDir() {
		return nil, fmt.Errorf("%s: %w", file.Path, os.ErrInvalid)
	}
	if IsMod(file) {
		m, err := OpenMod(new(format.Job), file) // only its header is needed
		if err != nil {
			return nil, err
		}
		return m.Header, nil
	}
	data, err := file.ReadUpTo(effort.TextFile)
	if err != nil {
		return nil, err
	}
	header, err := moddir.HeaderOf(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	return header, nil
}
