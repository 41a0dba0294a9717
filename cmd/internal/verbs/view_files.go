package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/viewer"
	"trowel.example/cmd/internal/wording"
	"trowel.example/internal/format"
)

// viewed is the content of a page.
type viewed struct {
	mode  viewer.Mode
	title string // of a gallery
	files []viewer.File
	more  func(ctx context.Context, add func(viewer.File)) error // finds further files; nil: there are none
}

// viewFiles finds the files to show: one file, two files to compare, or a gallery of more files and of the
// files in folders. One or two files are opened for a check, so that errors are reported immediately.
func viewFiles(a *Tool, cmd *cobra.Command, names []string) (*viewed, error) {
	v := &viewed{mode: viewer.One}
	for _, name := range names {
		if info, err := os.Stat(name); len(names) > 2 || err == nil && info.IsDir() && !a.IsGame(name) {
			return viewGallery(a, cmd, names)
		}
	}
	if len(names) == 2 {
		v.mode = viewer.Pair
	}
	for _, name := range names {
		f, err := viewOne(a, cmd, name)
		if err != nil {
			return nil, err
		}
		v.files = append(v.files, f)
	}
	if v.mode == viewer.Pair && v.files[0].Name == v.files[1].Name { // as git names two versions
		v.files[0].Name += " (old)"
		v.files[1].Name += " (new)"
	}
	return v, nil
}

// viewOne describes a single file to show. Errors that can be found quickly are reported immediately: the tree
// form of a file is not built yet.
func viewOne(a *Tool, cmd *cobra.Command, name string) (viewer.File, error) {
	if name == "-" {
		return viewInput(a, cmd)
	}
	t := service.Target{Name: name}
	f := described(a, cmd, t, baseName(name))
	if f.Err != nil {
		return f, f.Err
	}
	if service.IsFile(name) {
		g, err := a.Find(cmd.Context(), optionsOf(cmd), name)
		if err != nil {
			return f, err
		}
		defer g.Close()
		file, err := g.OpenFile(cmd.Context(), a.Quiet(func(wording.Note) {}).Job(optionsOf(cmd), g.Format))
		if err != nil {
			return f, err
		}
		return f, file.Close()
	}
	return f, nil
}

// baseName returns the last element of a file name, even if the file is named "..".
func baseName(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		name = full
	}
	return filepath.Base(name)
}

// pagePatience is the time after which the page is shown even if no file was found yet.
const pagePatience = 500 * time.Millisecond

// viewGallery finds the files of a gallery, as check does. The page does not wait for all of them.
func viewGallery(a *Tool, cmd *cobra.Command, names []string) (*viewed, error) {
	above, err := commonFolder(names)
	if err != nil {
		return nil, err
	}
	v := &viewed{mode: viewer.Gallery, title: filepath.Base(above)}
	ctx, cancel := context.WithCancel(cmd.Context())
	found, ended := make(chan viewer.File), make(chan error, 1)
	go func() {
		defer close(found)
		for _, name := range names {
			if err := a.Targets(ctx, name, func(t service.Target) error {
				if f, ok := inGallery(a, cmd, t, above); ok {
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
		ended <- a.Unfit(optionsOf(cmd))
	}()
	select {
	case f, any := <-found:
		if !any {
			cancel()
			if err := <-ended; err != nil {
				return nil, err
			}
			return nil, wording.Hint(fmt.Errorf("%s: contains no game files", strings.Join(names, ", ")),
				"`trowel formats` lists the supported formats")
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
		return hidePaths(cmd, <-ended, append([]string{above}, names...))
	}
	return v, nil
}

// inGallery describes a file for a gallery. It returns false if the format is unknown and the user did not name
// the file.
func inGallery(a *Tool, cmd *cobra.Command, t service.Target, above string) (viewer.File, bool) {
	name := baseName(t.Name)
	if full, err := filepath.Abs(t.Name); err == nil {
		if rel, err := filepath.Rel(above, full); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	f := described(a, cmd, t, name)
	return f, !(t.Found && errors.Is(f.Err, format.ErrUnknown))
}

// described describes a file with the display name called, without opening it.
func described(a *Tool, cmd *cobra.Command, t service.Target, called string) viewer.File {
	is, asTree, err := recognize(a, cmd, t)
	var stamp func() string
	info, gone := os.Stat(t.Name)
	switch {
	case gone != nil:
		info = nil
	case asTree:
		stamp = func() string { return treeStamp(t.Name) }
	case info.Mode().IsRegular():
		stamp = (&fileWatch{name: t.Name}).stamp
	}
	f := viewFile(a, cmd, t, called, stamp)
	if f.Format, f.Err = is, err; info != nil {
		f.Modified = info.ModTime()
		if f.Size = info.Size(); info.IsDir() {
			f.Size = -1
		}
	}
	return f
}

// recognize returns the format of a file, or of the file that a folder in tree form builds.
func recognize(a *Tool, cmd *cobra.Command, t service.Target) (is *format.Format, asTree bool, err error) {
	if t.Err != nil {
		return nil, false, t.Err
	}
	src, err := a.Source(cmd.Context(), t.Name)
	if err != nil {
		return nil, false, err
	}
	defer src.Close()
	if is, err = a.FormatOf(src, t); err != nil && src.IsDir() {
		fsys, closer, err := service.OpenFolder(t.Name, nil)
		if err != nil {
			return nil, false, err
		}
		defer closer.Close()
		if is, err = a.Formats.FindTree(fsys); err != nil {
			return nil, false, fmt.Errorf("%s: %w", t.Name, err)
		}
		return is, true, a.Fits(optionsOf(cmd), is, t)
	}
	if err != nil {
		return nil, false, err
	}
	return is, false, a.Fits(optionsOf(cmd), is, t)
}

// commonFolder returns the folder that contains all of the files. For a single folder, it returns that folder.
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
