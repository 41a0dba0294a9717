package torchlight

import (
	"errors"
	"fmt"
	"io"
	"os"

	"trowel.example/internal/files/links"
	"trowel.example/internal/files/safename"
	"trowel.example/internal/format"
	"trowel.example/torchlight/moddir"
)

// optionLike preserves names and texts that a modder wrote.
var optionLike = format.Option{Name: "like", For: format.ForTree, Help: "keep the names, and the texts that mean the same, of an `earlier` file or folder (default: the folder that is replaced)"}

// likeOf returns the folder whose names and texts the user wants to keep, or nil. The folder may be a mod, which keeps
// no texts. The closer closes the folder if likeOf opened it, and may be nil.
func likeOf(job *format.Job) (*moddir.Like, io.Closer, error) {
	name := optionLike.Value(job)
	if name == "" {
		if job.Over == nil || !moddir.Recognize(job.Over) && !moddir.RecognizePak(job.Over) {
			return nil, nil, nil
		}
		like, err := moddir.NewLike(job.Over)
		if err != nil {
			job.Warn("", "the texts of the folder that is there are not kept: %v", err)
			return nil, nil, nil
		}
		return like, nil, nil
	}
	src, err := format.OpenSource(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", optionLike.Name, err)
	}
	defer src.Close()
	if !src.IsDir() {
		if isMod(src) || src.HasExtension(".PAK") {
			return nil, nil, nil
		}
		return nil, nil, fmt.Errorf("--%s: %s: %w", optionLike.Name, name, format.ErrNoTree)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", optionLike.Name, err)
	}
	fsys, err := safename.Restore(links.New(root, nil))
	if err == nil && !moddir.Recognize(fsys) && !moddir.RecognizePak(fsys) {
		err = fmt.Errorf("%s: %w", name, format.ErrNoTree)
	}
	var like *moddir.Like
	if err == nil {
		like, err = moddir.NewLike(fsys)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", optionLike.Name, errors.Join(err, root.Close()))
	}
	return like, root, nil
}
