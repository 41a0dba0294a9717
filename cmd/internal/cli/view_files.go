package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/viewer"
	"trowel.example/format"
)

// viewed is what a page is to show.
type viewed struct {
	mode  viewer.Mode
	files []viewer.File
	more  func(ctx context.Context, add func(viewer.File)) error // finds further files; nil: there are none
}

// viewFiles finds the files that are to be looked at: one, two to be compared, or a gallery of
// more of them and of what is in folders. One or two are opened for trial, so that what is
// wrong is said at once.
func (a *app) viewFiles(cmd *cobra.Command, names []string) (*viewed, error) {
	v := &viewed{mode: viewer.One}
	for _, name := range names {
		if info, err := os.Stat(name); len(names) > 2 || err == nil && info.IsDir() && !a.isGame(name) {
			return a.viewGallery(cmd, names)
		}
	}
	if len(names) == 2 {
		v.mode = viewer.Pair
	}
	for _, name := range names {
		g, err := a.find(cmd, name)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(a.ownedOptions(cmd, g.Format), g.Close()); err != nil {
			return nil, err
		}
		v.files = append(v.files, a.viewFile(cmd, target{name: name}, filepath.Base(filepath.Clean(name))))
	}
	return v, nil
}

// patience of a person who waits for a page: then it comes, even if no file was found yet.
const pagePatience = 500 * time.Millisecond

// viewGallery finds the files of a gallery, as check does. The page need not wait for all.
func (a *app) viewGallery(cmd *cobra.Command, names []string) (*viewed, error) {
	v := &viewed{mode: viewer.Gallery}
	above, err := commonFolder(names)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	found, ended := make(chan viewer.File), make(chan error, 1)
	go func() {
		defer close(found)
		for _, name := range names {
			if err := a.targets(ctx, name, func(t target) error {
				if f, ok := a.inGallery(cmd, t, above); ok {
					select {
					case found <- f:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				return ctx.Err()
			}); err != nil {
				ended <- err
				return
			}
		}
		ended <- a.unfit(cmd)
	}()
	select {
	case f, any := <-found:
		if !any {
			cancel()
			if err := <-ended; err != nil {
				return nil, err
			}
			return nil, hint(fmt.Errorf("%s: no game files in it", strings.Join(names, ", ")), "`trowel formats` lists the formats that are known")
		}
		v.files = append(v.files, f)
	case <-time.After(pagePatience):
	}
	v.more = func(ctx context.Context, add func(viewer.File)) error {
		defer cancel()
		stop := context.AfterFunc(ctx, cancel)
		defer stop()
		for f := range found {
			add(f)
		}
		return <-ended
	}
	return v, nil
}

// inGallery describes a file for a gallery; it is false for what is of no known format and was
// not named by the user.
func (a *app) inGallery(cmd *cobra.Command, t target, above string) (viewer.File, bool) {
	name := filepath.Base(filepath.Clean(t.name))
	if full, err := filepath.Abs(t.name); err == nil {
		if rel, err := filepath.Rel(above, full); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	f := a.viewFile(cmd, t, name)
	if f.Err = t.err; f.Err == nil {
		f.Format, f.Err = a.formatForGallery(cmd, t, &f)
	}
	return f, !(t.found && errors.Is(f.Err, format.ErrUnknown))
}

func (a *app) formatForGallery(cmd *cobra.Command, t target, f *viewer.File) (*format.Format, error) {
	info, err := os.Stat(t.name)
	if err != nil {
		return nil, notThere(t.name, err)
	}
	f.Modified = info.ModTime()
	src, err := a.source(t.name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	f.Size = src.Size
	is, err := a.formatOf(src, t)
	if err != nil && src.IsDir() {
		fsys, closer, err := openFolder(t.name, nil)
		if err != nil {
			return nil, err
		}
		defer closer.Close()
		if is, err = a.formats.FindTree(fsys); err != nil {
			return nil, err
		}
		return is, a.fits(cmd, is, t)
	}
	if err != nil {
		return nil, err
	}
	return is, a.fits(cmd, is, t)
}

// commonFolder returns the folder that all of some files are in; of one folder, itself.
func commonFolder(names []string) (string, error) {
	above := ""
	for i, name := range names {
		full, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(full); err != nil || !info.IsDir() || len(names) > 1 {
			full = filepath.Dir(full)
		}
		if i == 0 {
			above = full
		}
		for above != full && !strings.HasPrefix(full, strings.TrimSuffix(above, string(filepath.Separator))+string(filepath.Separator)) {
			above = filepath.Dir(above)
		}
	}
	return above, nil
}
